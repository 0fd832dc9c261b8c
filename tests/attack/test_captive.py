"""Tests of firmware_host/web/guard.py, limits.py and app.py: what phones ask a network that they
join, and who would use the answer against the table.
"""

from __future__ import annotations

import pytest

from tests.web.conftest import resting  # noqa: F401
from tests.web.test_web_network import PHONE, TABLE, network  # noqa: F401
from tiltboard.firmware_host.config.settings import HOTSPOT_ADDRESS
from tiltboard.firmware_host.web.guard import PROBES, SECURITY_HEADERS
from tiltboard.firmware_host.web.limits import REQUEST_BURST

BURST = int(REQUEST_BURST)


@pytest.fixture
def phone(network):  # noqa: F811
    return network.device(host="connectivitycheck.example")


@pytest.mark.parametrize("path", PROBES)
def test_a_phone_that_joins_is_led_to_the_page_at_its_address(phone, path):
    answer = phone.get(path)
    assert (answer.status_code, answer.headers["location"]) == (302, f"http://{TABLE}:8080/")
    assert answer.content == b""
    assert SECURITY_HEADERS.items() <= dict(answer.headers).items()


def test_it_is_nothing_but_led(phone, network):  # noqa: F811
    for path in ("/", "/static/app.js", "/api/v1/snapshot", "/api/v1/pairing", "/generate_204/x"):
        assert phone.get(path).status_code == 403
    assert phone.post("/generate_204", {}).status_code == 403
    assert phone.post("/api/v1/command", {"type": "game", "game": "momentum"}).status_code == 403
    # by the table's own name there is no such page
    assert network.device().get("/generate_204").status_code in (302, 404)


# Asked by Debian, Fedora, Ubuntu, KDE, Kindle, Edge, and as typed by hand
OTHERS = [
    ("network-test.debian.org", "/nm"),
    ("fedoraproject.org", "/static/hotspot.txt"),
    ("connectivity-check.ubuntu.com", "/"),
    ("networkcheck.kde.org", "/"),
    ("spectrum.s3.amazonaws.com", "/kindle-wifi/wifistub.html"),
    ("edge-http.microsoft.com", "/captiveportal/generate_204"),
    ("captive.apple.com", "/"),
    ("neverssl.com", "/anything?at=all"),
    ("192.168.1.20", "/"),
]


@pytest.mark.parametrize(("host", "path"), OTHERS)
def test_in_the_table_s_own_wi_fi_every_name_leads_to_the_page(network, host, path):  # noqa: F811
    phone = network.device("10.42.0.7", HOTSPOT_ADDRESS, host)
    answer = phone.get(path)
    assert (answer.status_code, answer.headers["location"]) == (302, "http://10.42.0.1:8080/")
    assert answer.content == b""
    assert host not in str(answer.headers)
    assert phone.post("/api/v1/command", {"type": "game", "game": "momentum"}).status_code == 403
    led = network.device("10.42.0.7", HOTSPOT_ADDRESS).get("/")
    assert led.status_code == 200
    foreign = network.device("10.42.0.7", HOTSPOT_ADDRESS, origin=f"http://{host}")
    assert foreign.get("/").status_code == 403  # and is not sent in a circle
    elsewhere = network.device(host=host) if host != TABLE else None
    assert elsewhere is None or elsewhere.get(path).status_code == 403


def test_a_flood_of_them_takes_the_share_of_its_own_address(phone, network):  # noqa: F811
    codes = [phone.get("/generate_204").status_code for _ in range(BURST + 5)]
    assert codes[:BURST] == [302] * BURST
    assert set(codes[BURST:]) == {403}
    assert network.device("192.168.1.98", host="captive.example").get(PROBES[0]).status_code == 302


def test_a_host_header_never_comes_back(network):  # noqa: F811
    answer = network.device(host="evil.example").get("/generate_204")
    assert "evil" not in str(answer.headers)


def test_a_table_that_serves_itself_alone_leads_nobody(resting):  # noqa: F811
    import asyncio

    import httpx

    from tiltboard.firmware_host.web.app import create_app

    transport = httpx.ASGITransport(app=create_app(resting), client=(PHONE, 5))

    async def ask():
        async with httpx.AsyncClient(transport=transport, base_url="http://probe.example") as it:
            return await it.get("/generate_204")

    assert asyncio.run(ask()).status_code == 403

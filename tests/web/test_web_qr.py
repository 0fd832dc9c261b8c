"""Tests of firmware_host/service/qr.py: pictures for a phone's camera."""

from __future__ import annotations

import errno
import re
import socket

import httpx
import pytest
from playwright.sync_api import expect
from starlette.datastructures import URL

from tiltboard.firmware_host.cli.serve import access_for
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.service.qr import QUIET, qr_svg
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.web import guard
from tiltboard.firmware_host.web.guard import page_for_phones
from tiltboard.firmware_host.web.server import WebServer

FINDER = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]


def modules(drawn: str) -> list[str]:
    """The picture's squares, by its path: runs of dark ones, each ``m x y`` on and ``h`` long."""
    size = int(re.findall(r'viewBox="0 0 (\d+)', drawn)[0])
    dark = re.findall(r' d="([^"]+)"', drawn)[-1]
    rows = [["."] * size for _ in range(size)]
    x, y = 0.0, 0.0
    for step, values in re.findall(r"([Mmh])([-\d. ]+)", dark):
        numbers = [float(each) for each in values.split()]
        if step == "h":
            for at in range(int(x), int(x + numbers[0])):
                rows[int(y)][at] = "#"
            x += numbers[0]
        else:
            x, y = numbers if step == "M" else (x + numbers[0], y + numbers[1])
    return ["".join(row)[QUIET:-QUIET] for row in rows[QUIET:-QUIET]]


def test_a_code_has_its_three_corners_and_differs_with_its_address():
    drawn = modules(qr_svg("http://table.local:8080/#seat=123456"))
    size = len(drawn)
    assert (size - 17) % 4 == 0
    for top, left in ((0, 0), (0, size - 7), (size - 7, 0)):
        assert [row[left : left + 7] for row in drawn[top : top + 7]] == FINDER
    assert drawn != modules(qr_svg("http://table.local:8080/#seat=123457"))


@pytest.mark.parametrize(
    ("asked", "name", "told"),
    [
        ("http://localhost:8080/", "table.local", "http://table.local:8080/"),
        ("http://192.168.1.7:8080/", "table.local", "http://192.168.1.7:8080/"),
    ],
)
def test_a_phone_is_told_an_address_that_it_can_reach(asked, name, told):
    assert page_for_phones(URL(asked), name) == told


def test_phones_are_let_in_by_one_press_and_sit_down_by_the_codes_shown(
    lively, tmp_path, monkeypatch, open_page, browser
):
    """The table's computer has a second address here, as it has in a network."""
    monkeypatch.setattr(guard, "own_address", lambda: "127.0.0.2")
    served = lively
    served.lose()
    access = access_for(Settings(), tmp_path)
    served.server = WebServer(served.table, served.port, access=access)
    served.server.start()
    served.do(NewGame("gravity-warfare", {"players": 3}))
    served.until(lambda snapshot: snapshot.seats is not None)
    told = served.ask("/api/v1/seats")
    assert (told["pictures"], told["address"], told["closed"]) == ({}, "", True)
    page = open_page(served.url, room=True, fresh=True).page
    expect(page.locator('[data-what="round"]')).to_be_visible()
    expect(page.locator(".seat-qr, .seat-code")).to_have_count(0)
    page.get_by_role("button", name="Let phones in", exact=True).click()
    expect(page.locator(".seat-qr")).to_have_count(3)
    drawn = page.locator(".seat-qr").first.evaluate("(e) => e.decode().then(() => e.naturalWidth)")
    assert drawn > 0
    told = served.ask("/api/v1/seats")
    address = f"http://127.0.0.2:{served.port}/"
    assert told["pictures"] == {
        player: qr_svg(f"{address}#seat={code}") for player, code in told["codes"].items()
    }
    assert len(set(told["pictures"].values())) == 3
    phone = browser.new_context(service_workers="block").new_page()
    phone.goto(f"{address}#seat={told['codes']['blue']}")
    expect(phone.locator('.room-seat[data-player="blue"] h2')).to_be_visible()
    stranger = httpx.post(f"{address}api/v1/pairing/network", json={})
    assert stranger.status_code == 403
    phone.context.close()


def test_a_table_in_no_network_says_so(monkeypatch, tmp_path):
    def refused(*_):
        raise OSError(errno.ENETUNREACH, "")

    monkeypatch.setattr(socket.socket, "connect", refused)
    access = access_for(Settings(), tmp_path)
    with pytest.raises(NotPossibleError, match="not in a network"):
        access.let_in()
    assert access.pairing is None

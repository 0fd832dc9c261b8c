"""Tests of firmware_host/web/guard.py, limits.py and pairing.py: the page in a network: who may
look on, who may act, pairing, and limits for each address.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
import select
import socket
import stat
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tiltboard.firmware_host.cli.serve import access_for
from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError
from tiltboard.firmware_host.config.settings import LookSettings, Settings, check_host
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.web import pairing
from tiltboard.firmware_host.web.app import create_app
from tiltboard.firmware_host.web.guard import Access
from tiltboard.firmware_host.web.limits import (
    ADDRESSES_KEPT,
    CONNECTIONS_PER_ADDRESS,
    MAX_STRANGERS,
    PAGES_PER_ADDRESS,
    READ_BURST,
    REQUEST_BURST,
    STRANGERS_READ_BURST,
    Connections,
    Known,
    Rate,
    counted_as,
)
from tiltboard.firmware_host.web.pairing import (
    CODE_LASTS_S,
    DAY_S,
    DAYS_NAME,
    MAX_DEVICES,
    TOKEN_LASTS_S,
    Pairing,
    Tokens,
    TooManyTriesError,
    WrongCodeError,
)
from tiltboard.firmware_host.web.server import EVERYWHERE, WebServer
from tiltboard.hw_sim.clock import VirtualClock

TABLE = "192.168.1.20"
PHONE = "192.168.1.77"
NAME = "table.local"
NEW_GAME = {"type": "game", "game": "momentum"}


class Network:
    """The page of a table, as asked from several devices; no socket, virtual time."""

    def __init__(self, folder, table, *, watching=True):
        self.clock = VirtualClock()
        self.tokens = Tokens(folder, self.clock.calendar)
        self.pairing = Pairing(self.tokens, self.clock)
        self.access = Access(self.pairing, (NAME,), watching=watching, clock=self.clock)
        self.app = create_app(table, access=self.access, clock=self.clock)

    def device(self, address=PHONE, at=TABLE, host=None, **headers):
        """A device's browser; ``at``: the address that it reaches the table by."""
        name = f"[{at}]" if ":" in at else at

        async def app(scope, receive, send):
            await self.app({**scope, "server": (at, 8080)}, receive, send)

        transport = httpx.ASGITransport(app=app, client=(address, 50_000))
        base = f"http://{host or name}:8080"
        return Browser(httpx.AsyncClient(transport=transport, base_url=base, headers=headers))

    def here(self, **headers):
        return self.device("127.0.0.1", "127.0.0.1", **headers)


class Browser:
    def __init__(self, client):
        self.client = client

    def get(self, path, **more):
        return self._answer(lambda: self.client.get(path, **more))

    def post(self, path, body=None):
        return self._answer(lambda: self.client.post(path, json=body))

    @staticmethod
    def _answer(request):
        """In a thread of its own: a browser that is open keeps a loop running in this one."""

        async def ask():
            return await request()

        with ThreadPoolExecutor(1) as thread:
            return thread.submit(lambda: asyncio.run(ask())).result()

    def state(self):
        return self.get("/api/v1/pairing").json()

    def pair(self, code, name="phone"):
        return self.post("/api/v1/pairing", {"code": code, "name": name})


@pytest.fixture
def network(tmp_path, resting):
    return Network(tmp_path, resting)


OWN = ("table.local", "TABLE.local", "table-2.local", "table.local.", "table-17.local.", TABLE)
FOREIGN = ("table.lan", "table", "table.fritz.box", "table.local.evil.example", "table-x.local",
           "table-2", "table-.local", "table-2.local-3.local", "table.local..", "x-table.local",
           "evil.example", "table-1234.local", ".", "192.168.1.21")  # fmt: skip


@pytest.mark.parametrize("host", OWN)
def test_the_table_answers_to_its_name_as_networks_write_it(network, host):
    """After a conflict avahi adds a number; a full name ends with the root's dot."""
    assert network.device(host=host).get("/").status_code == 200
    acts = network.device(host=host, origin=f"http://{host}:8080").get("/api/v1/texts")
    assert acts.status_code == 200


@pytest.mark.parametrize("host", FOREIGN)
def test_by_another_name_a_person_is_told_the_address(network, host):
    asks = network.device(host=host, **{"accept-language": "fr"})
    said = asks.get("/anything")
    assert said.status_code == 403
    assert said.headers["content-type"].startswith("text/html")
    assert f'<a href="http://{TABLE}:8080/">' in said.text
    assert '<html lang="fr">' in said.text
    assert "evil" not in said.text
    assert said.headers["content-security-policy"].startswith("default-src 'none'")
    assert asks.get("/api/v1/texts").json().keys() == {"error"}
    assert asks.post("/", {}).json().keys() == {"error"}
    origin = network.device(origin=f"http://{host}:8080")
    assert origin.get("/api/v1/texts").status_code == 403


@pytest.fixture
def closed_network(tmp_path, resting):
    return Network(tmp_path, resting, watching=False)


# Who may do what


def test_another_device_may_look_on_and_acts_once_it_is_paired(network):
    phone = network.device()
    assert phone.state() == {
        "network": True,
        "may_act": False,
        "may_watch": True,
        "code": None,
        "first": False,
        "machine": False,
        "look": None,
    }
    assert phone.get("/api/v1/snapshot").status_code == 200
    refused = phone.post("/api/v1/command", NEW_GAME)
    assert refused.status_code == 403
    assert "only look on" in refused.json()["error"]

    code = network.here().post("/api/v1/pairing/code").json()["code"]
    assert network.here().state()["code"] == code
    assert phone.state()["code"] is None  # shown at the table only
    assert phone.pair(code).json() == {"done": True}
    assert phone.state()["may_act"]
    assert phone.post("/api/v1/command", NEW_GAME).json() == {"done": True}
    assert not network.device("192.168.1.78").state()["may_act"]


def test_only_the_tables_own_page_opens_a_code(network):
    assert network.device().post("/api/v1/pairing/code").status_code == 403
    assert network.pairing.code is None


def test_where_watching_is_closed_an_unpaired_device_sees_nothing_but_how_to_pair(closed_network):
    phone = closed_network.device()
    for path in ("snapshot", "layout", "games", "history", "history/1", "openapi.json"):
        assert phone.get(f"/api/v1/{path}").status_code == 403
    for path in ("/", "/static/main.js", "/api/v1/texts", "/api/v1/pairing"):
        assert phone.get(path).status_code == 200
    phone.pair(closed_network.pairing.open())
    assert phone.get("/api/v1/snapshot").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "192.168.1.21", "localhost.evil.example"])
def test_a_name_that_is_not_the_tables_is_refused_as_after_dns_rebinding(network, host):
    assert network.device(host=host).get("/").status_code == 403


@pytest.mark.parametrize("at", [TABLE, "fd00::20"])
def test_the_table_is_served_under_its_address_and_names(network, at):
    for host in (None, NAME, NAME.upper()):
        assert network.device(at=at, host=host).get("/").status_code == 200


def test_a_foreign_page_cannot_use_a_paired_browser(network):
    phone = network.device()
    phone.pair(network.pairing.open())
    phone.client.headers["origin"] = "http://evil.example"
    assert phone.post("/api/v1/command", NEW_GAME).status_code == 403
    phone.client.headers["origin"] = f"http://{TABLE}:8080"
    assert phone.post("/api/v1/command", NEW_GAME).status_code == 200


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
def test_what_a_proxy_forwards_does_not_come_from_the_table_itself(network, header):
    assert network.here().state()["may_act"]
    assert not network.here(**{header: "203.0.113.9"}).state()["may_act"]


def test_a_proxy_that_adds_nothing_is_not_the_table_itself_where_it_passes_on_its_name(network):
    """As a forwarded port, or nginx with `proxy_set_header Host $host`."""
    for name in (NAME, TABLE):
        assert not network.here(Host=f"{name}:8080").state().get("may_act")
    assert network.here(Host="games.example").get("/").status_code == 403


def test_behind_a_proxy_that_hides_itself_no_browser_can_act(network):
    """Host is rewritten to this machine; a browser's Origin is still the name that it was given."""
    behind = network.here(Origin="http://games.example")
    assert behind.post("/api/v1/command", NEW_GAME).status_code == 403
    assert behind.post("/api/v1/pairing/code", {}).status_code == 403


def test_a_device_that_calls_itself_localhost_is_none(network):
    phone = network.device(host="localhost")
    assert not phone.state()["may_act"]


def test_without_the_network_another_device_gets_nothing(resting):
    alone = create_app(resting, access=Access(), clock=VirtualClock())

    async def app(scope, receive, send):
        await alone({**scope, "server": ("127.0.0.1", 8080)}, receive, send)

    transport = httpx.ASGITransport(app=app, client=(PHONE, 5))
    phone = Browser(httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080"))
    assert phone.get("/").status_code == 403


# Codes and tokens


def test_the_cookie_cannot_be_read_by_scripts_nor_sent_by_other_sites(network):
    answer = network.device().pair(network.pairing.open())
    parts = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
    assert {"httponly", "samesite=strict", "path=/", f"max-age={90 * 86_400}"} <= parts
    value = answer.cookies["tiltboard"]
    assert len(bytes.fromhex(value)) * 8 == 128


def test_only_the_digest_is_kept_readable_for_the_owner_alone(network, tmp_path):
    value = network.device().pair(network.pairing.open()).cookies["tiltboard"]
    file = tmp_path / "paired.json"
    (device,) = json.loads(file.read_text())
    assert value not in file.read_text()
    assert device["digest"] == hashlib.sha256(value.encode()).hexdigest()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_code_is_good_for_one_device_and_ten_minutes(network):
    code = network.pairing.open()
    assert network.device().pair(code).status_code == 200
    assert network.device("192.168.1.78").pair(code).status_code == 403
    code = network.pairing.open()
    network.clock.advance(CODE_LASTS_S - 1)
    assert network.pairing.code == code
    network.clock.advance(1)
    assert network.pairing.code is None
    assert network.device().pair(code).status_code == 403


def test_a_new_code_ends_the_one_before(tmp_path):
    clock = VirtualClock()
    numbers = iter([7, 123_456])
    pairing = Pairing(Tokens(tmp_path, clock.calendar), clock, lambda below: next(numbers))
    assert pairing.open() == "000007"
    assert pairing.open() == "123456"
    with pytest.raises(WrongCodeError):
        pairing.redeem("000007", "phone", PHONE)
    pairing.redeem("123456", "phone", PHONE)


def test_thirty_codes_a_minute_can_be_tried_by_all_devices_together(network):
    code = network.pairing.open()
    wrong = f"{(int(code) + 1) % 10**6:06}"
    answers = [network.device(f"192.168.1.{n}").pair(wrong).status_code for n in range(30, 62)]
    assert answers == [403] * 30 + [429] * 2
    assert network.device().pair(code).status_code == 429  # not even looked at
    network.clock.advance(2)
    assert network.device().pair(code).status_code == 200


def test_guessing_while_a_code_is_open_gets_through_so_many_times(network):
    network.pairing.open()
    tried = 0
    for second in range(int(CODE_LASTS_S)):
        network.clock.advance(1)
        try:
            network.pairing.redeem("no code", "guesser", f"192.168.1.{second % 200}")
        except WrongCodeError:
            tried += 1
        except TooManyTriesError:
            pass
    assert tried <= 30 + 300


def test_strangers_who_guess_cannot_keep_out_who_has_the_code_s_picture(network):
    network.pairing.open()
    secret = network.pairing.secret
    for n in range(60):
        network.device(f"192.168.1.{n}").pair("000000")
    assert network.device("192.168.1.3").pair("0" * 32).status_code == 429
    assert network.device("192.168.1.3").pair(secret).status_code == 200
    network.clock.advance(60)
    assert network.device().pair(secret).status_code == 403  # the first use has ended it
    network.pairing.open()
    assert network.pairing.secret != secret
    network.clock.advance(CODE_LASTS_S)
    assert network.device("10.0.0.9").pair(network.pairing.secret).status_code == 403


def test_a_device_that_guesses_leaves_tries_for_the_others(network):
    code = network.pairing.open()
    wrong = f"{(int(code) + 1) % 10**6:06}"
    guesser = network.device("192.168.1.66")
    assert [guesser.pair(wrong).status_code for _ in range(20)] == [403] * 3 + [429] * 17
    assert network.device().pair(code).status_code == 200


def test_the_journal_is_asked_for_less_often_since_each_read_takes_the_card_s_time(network):
    phone, other = network.device(), network.device("192.168.1.78")
    asked = [phone.get("/api/v1/history").status_code for _ in range(int(READ_BURST) + 1)]
    assert asked == [200] * int(READ_BURST) + [429]
    assert phone.get("/api/v1/history/1").status_code == 429
    assert phone.get("/api/v1/snapshot").status_code == 200
    assert other.get("/api/v1/history").status_code == 200
    network.clock.advance(0.5)
    assert phone.get("/api/v1/history").status_code == 200
    here = network.here()
    assert {here.get("/api/v1/history").status_code for _ in range(2 * int(READ_BURST))} == {200}


def test_strangers_who_read_leave_the_journal_to_devices_that_are_paired(network):
    phone = network.device()
    assert phone.pair(network.pairing.open()).status_code == 200
    strangers = [network.device(f"192.168.1.{100 + n}") for n in range(12)]
    answers = [each.get("/api/v1/history").status_code for each in strangers for _ in range(5)]
    assert answers.count(200) <= STRANGERS_READ_BURST
    assert phone.get("/api/v1/history").status_code == 200
    assert network.here().get("/api/v1/history").status_code == 200


def test_a_device_that_guesses_seats_codes_keeps_nobody_from_sitting_down(network):
    """For a quarter of an hour, one wrong code every six seconds."""
    guesser = network.device("192.168.1.66")
    answers = []
    for _ in range(150):
        answers.append(guesser.post("/api/v1/seats", {"code": "000000"}).status_code)
        network.clock.advance(6.0)
    assert answers.count(409) <= 15 * 6 + 6  # tried; else it was too fast
    other = network.device("192.168.1.67")
    assert other.post("/api/v1/seats", {"code": "000000"}).status_code == 409  # and was looked at


def test_strangers_together_try_so_many_seats_codes_and_paired_devices_theirs(network):
    phone = network.device()
    assert phone.pair(network.pairing.open()).status_code == 200
    strangers = [network.device(f"10.0.0.{n}") for n in range(40)]
    tried = [each.post("/api/v1/seats", {"code": "000000"}).status_code for each in strangers]
    assert (tried.count(409), tried.count(429)) == (30, 10)
    assert phone.post("/api/v1/seats", {"code": "000000"}).status_code == 409


@pytest.mark.parametrize(
    "header", ["client-ip", "true-client-ip", "cf-connecting-ip", "x-client-ip", "x-original-url"]
)
def test_whatever_a_proxy_calls_what_it_adds_its_visitors_are_not_the_table(network, header):
    assert network.here(**{header: "10.0.0.9"}).state()["may_act"] is False


@pytest.mark.parametrize("body", [{"code": "12345"}, {"code": "12345x"}, {"code": 123456}, {}, []])
def test_what_is_no_code_is_not_tried(network, body):
    assert network.device().post("/api/v1/pairing", body).status_code == 400


def test_a_pairing_ends_when_it_is_revoked_or_after_ninety_days(network, tmp_path):
    phone, tablet = network.device(), network.device("192.168.1.78")
    phone.pair(network.pairing.open(), "phone")
    tablet.pair(network.pairing.open(), "tablet")
    # as `tiltboard devices revoke`: another process, the same file
    elsewhere = Tokens(tmp_path, network.clock.calendar)
    assert [(d.id, d.name) for d in elsewhere.devices()] == [("1", "phone"), ("2", "tablet")]
    elsewhere.revoke("1")
    assert (phone.state()["may_act"], tablet.state()["may_act"]) == (False, True)
    for _ in range(int(TOKEN_LASTS_S / DAY_S) - 1):
        network.clock.advance(DAY_S)
        assert tablet.state()["may_act"]
    network.clock.advance(DAY_S)
    assert not tablet.state()["may_act"]
    with pytest.raises(NotPossibleError):
        elsewhere.revoke("2")


@pytest.mark.parametrize("days", [100, -100, 10_000, -40_000, 3_000_000])
def test_a_leap_of_the_calendar_ends_no_pairing(tmp_path, days):
    """A Pi without a clock's battery has the date of its card until a network tells it."""
    calendar = [1_780_000_000.0]
    tokens = Tokens(tmp_path, lambda: calendar[0])
    first = pairing.digest_of(tokens.pair("before"))
    for leap in (days, -days):
        calendar[0] += leap * DAY_S
        for one in (tokens, Tokens(tmp_path, lambda: calendar[0])):  # and after a start
            assert one.knows(first)
            second = pairing.digest_of(one.pair("while the clock is wrong"))
            assert one.knows(first)
            assert one.knows(second)


def test_days_that_cannot_be_counted_end_no_pairing(tmp_path, monkeypatch):
    calendar = [1_780_000_000.0]
    first = pairing.digest_of(Tokens(tmp_path, lambda: calendar[0]).pair("phone"))
    for damage in (b"", b"{", b'{"day": 1e99}', None):
        file = tmp_path / DAYS_NAME
        file.unlink(missing_ok=True)
        if damage is not None:
            file.write_bytes(damage)
        calendar[0] += 200 * DAY_S
        assert Tokens(tmp_path, lambda: calendar[0]).knows(first)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pairing, "write_kept", full)
    calendar[0] += DAY_S
    assert Tokens(tmp_path, lambda: calendar[0]).knows(first)


def test_only_so_many_devices_are_paired_and_a_number_is_used_again(tmp_path):
    tokens = Tokens(tmp_path, VirtualClock().calendar)
    for n in range(MAX_DEVICES):
        tokens.pair(f"device {n}")
    with pytest.raises(NotPossibleError):
        tokens.pair("one more")
    tokens.revoke("3")
    tokens.pair("one more")
    assert sorted(int(d.id) for d in tokens.devices()) == list(range(1, MAX_DEVICES + 1))
    tokens.revoke_all()
    assert tokens.devices() == ()


@pytest.mark.parametrize("damage", ["[{]", "", "{}", '[{"id": 1}]', "\xff"])
def test_a_damaged_list_lets_nobody_in_is_logged_and_replaced(network, tmp_path, caplog, damage):
    phone = network.device()
    phone.pair(network.pairing.open())
    (tmp_path / "paired.json").write_bytes(damage.encode("latin-1"))
    assert not phone.state()["may_act"]
    assert "no device is paired any more" in caplog.text
    phone.pair(network.pairing.open())
    assert phone.state()["may_act"]


# Limits


def test_an_address_may_ask_so_often_and_this_machine_as_often_as_it_likes(network):
    phone, other = network.device(), network.device("192.168.1.78")
    for _ in range(int(REQUEST_BURST)):
        assert phone.get("/api/v1/texts").status_code == 200
    assert phone.get("/api/v1/texts").status_code == 429
    assert other.get("/api/v1/texts").status_code == 200
    network.clock.advance(0.05)
    assert phone.get("/api/v1/texts").status_code == 200
    here = network.here()
    assert {here.get("/api/v1/texts").status_code for _ in range(2 * int(REQUEST_BURST))} == {200}


def test_addresses_are_counted_by_household():
    assert counted_as("192.168.1.77") == "192.168.1.77"
    assert counted_as("::ffff:192.168.1.77") == "192.168.1.77"
    assert counted_as("2001:db8:1:2:aaaa::1") == counted_as("2001:db8:1:2:bbbb::9")
    assert counted_as("2001:db8:1:2::1") != counted_as("2001:db8:1:3::1")
    assert counted_as("fe80::1%eth0") == counted_as("fe80::2")


def test_many_addresses_do_not_fill_the_memory():
    requests = Rate(lambda: 0.0, 1.0, 1.0)
    assert all(requests.take(f"10.0.{n // 256}.{n % 256}") for n in range(4 * ADDRESSES_KEPT))
    assert len(requests._buckets) == ADDRESSES_KEPT


# Over real sockets: this machine under a second loopback address is another device


@contextlib.contextmanager
def served_elsewhere(table, folder, *, watching):
    """A server at 127.0.0.1 and 127.0.0.2; who asks at the second is not at the table."""
    try:
        socket.create_server(("127.0.0.2", 0)).close()
    except OSError:
        pytest.skip("this machine has one loopback address only")
    clock = VirtualClock()
    access = Access(Pairing(Tokens(folder, clock.calendar), clock), watching=watching)
    server = WebServer(table, 0, host="127.0.0.2", access=access)
    server.start()
    try:
        yield server, access
    finally:
        server.stop()


@pytest.fixture
def elsewhere(resting, tmp_path):
    """Paired devices may watch."""
    with served_elsewhere(resting, tmp_path, watching=False) as served:
        yield served


@pytest.fixture
def watched(resting, tmp_path):
    """Every device may watch."""
    with served_elsewhere(resting, tmp_path, watching=True) as served:
        yield served[0]


def plug(server, token=None):
    headers = {"Cookie": f"tiltboard={token}"} if token else {}
    return connect(
        f"ws://127.0.0.2:{server.port}/api/v1/ws",
        additional_headers=headers,
        max_size=None,
        proxy=None,
    )


def test_the_websocket_knows_who_may_act_and_ends_with_the_pairing(resting, elsewhere):
    server, access = elsewhere
    with pytest.raises(Exception, match="403"):
        plug(server)
    token = access.pairing.tokens.pair("phone")
    with plug(server, token) as page:
        assert json.loads(page.recv(timeout=20))["type"] == "layout"
        page.send(json.dumps({**NEW_GAME, "ref": 1}))
        while json.loads(page.recv(timeout=20)) != {"type": "done", "ref": 1}:
            pass
        access.pairing.tokens.revoke("1")
        resting.submit(NewGame("momentum"))  # any news
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                page.recv(timeout=20)
        assert closed.value.rcvd.code == 1008


def test_a_page_that_only_watches_is_told_so(watched):
    with plug(watched) as page:
        page.send('{"type": "ping", "ref": 1}')
        page.send('{"type": "bump", "ref": 2}')
        answers = {}
        while answers.keys() != {1, 2}:
            message = json.loads(page.recv(timeout=20))
            answers |= {message["ref"]: message} if "ref" in message else {}
        assert answers[1] == {"type": "done", "ref": 1}
        assert "only look on" in answers[2]["say"]


def test_an_address_has_so_many_pages(elsewhere):
    server, access = elsewhere
    token = access.pairing.tokens.pair("phone")
    with contextlib.ExitStack() as open_now:
        pages = [open_now.enter_context(plug(server, token)) for _ in range(PAGES_PER_ADDRESS + 1)]
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                pages[-1].recv(timeout=20)
        assert closed.value.rcvd.code == 1013
        assert json.loads(pages[0].recv(timeout=20))["type"] == "layout"


def test_an_address_has_so_many_connections_and_this_machines_own_page_is_still_served(
    elsewhere, monkeypatch
):
    monkeypatch.setattr("tiltboard.firmware_host.web.limits.HEADER_WITHIN_S", 3600.0)
    server, _ = elsewhere
    with contextlib.ExitStack() as open_now:
        held = [
            open_now.enter_context(
                socket.create_connection(
                    ("127.0.0.2", server.port), timeout=20, source_address=("127.0.0.2", 0)
                )
            )
            for _ in range(CONNECTIONS_PER_ADDRESS + 1)
        ]
        for connection in held[:-1]:
            connection.sendall(b"GET /api/v1/nothing HTTP/1.1\r\n")  # and never the rest
        assert ended(held[-1])
        answer = httpx.get(f"http://127.0.0.1:{server.port}/", trust_env=False)
        assert answer.status_code == 200


class Transport:
    """As much of asyncio's as connections are counted by."""

    def __init__(self, address):
        self.address, self.ended = address, False

    def get_extra_info(self, name):
        return (self.address, 5000) if name == "peername" else self

    def fileno(self):
        return -1 if self.ended else 7

    def setsockopt(self, *_):
        pass

    def abort(self):
        self.ended = True

    def get_write_buffer_size(self):
        return 0


def test_a_few_addresses_cannot_hold_every_place():
    async def admitted():
        known = Known(lambda: 0.0)
        known.note("10.0.0.50")
        connections = Connections(known)
        held = [Transport(f"10.0.0.{n % 4}") for n in range(80)]
        first = sum(connections.admit(each) for each in held)
        newcomer = [connections.admit(Transport("10.0.0.60")) for _ in range(6)]
        paired = [connections.admit(Transport("10.0.0.50")) for _ in range(16)]
        here = [connections.admit(Transport("127.0.0.1")) for _ in range(4)]
        connections._look.cancel()
        return first, newcomer, paired, here, sum(each.ended for each in held)

    with ThreadPoolExecutor(1) as thread:  # a browser that is open keeps a loop running in this one
        counted = thread.submit(lambda: asyncio.run(admitted())).result()
    first, newcomer, paired, here, made_room = counted
    assert first == MAX_STRANGERS
    assert newcomer == [True] * 6
    assert made_room == 6
    assert paired == [True] * 16
    assert here == [True] * 4


def test_a_request_that_breaks_off_or_fails_leaves_at_most_one_traceback(watched, caplog):
    for _ in range(20):
        with socket.create_connection(("127.0.0.2", watched.port), timeout=20) as broken:
            broken.sendall(
                b"POST /api/v1/pairing HTTP/1.1\r\nHost: 127.0.0.2:%d\r\n"
                b"Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{" % watched.port
            )
    assert httpx.get(f"http://127.0.0.1:{watched.port}/", trust_env=False).status_code == 200
    watched.stop()
    assert not [record for record in caplog.records if record.exc_info]


@contextlib.contextmanager
def never_reading(server, address="127.0.0.2"):
    """A connection that asks for much and says that it is done, but takes nothing."""
    ask = f"GET /static/page.css HTTP/1.1\r\nHost: {address}:{server.port}\r\n"
    with socket.socket() as greedy:
        greedy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        greedy.settimeout(20)
        greedy.bind((address, 0))
        greedy.connect((address, server.port))
        with contextlib.suppress(ConnectionError):
            greedy.sendall(f"{ask}\r\n".encode() * 6 + f"{ask}Connection: close\r\n\r\n".encode())
        yield greedy


def test_connections_that_close_but_are_never_read_still_count(watched, caplog, monkeypatch):
    monkeypatch.setattr("tiltboard.firmware_host.web.limits.FLUSH_WITHIN_S", 3600.0)
    with contextlib.ExitStack() as open_now:
        for _ in range(CONNECTIONS_PER_ADDRESS):
            open_now.enter_context(never_reading(watched))
        for _ in range(3 * CONNECTIONS_PER_ADDRESS):
            assert ended(open_now.enter_context(never_reading(watched)))
        answer = httpx.get(f"http://127.0.0.1:{watched.port}/", trust_env=False)
        assert answer.status_code == 200
    assert sum("No room for another" in each.message for each in caplog.records) == 1


def test_an_answer_that_is_never_read_ends_its_connection(watched, monkeypatch):
    monkeypatch.setattr("tiltboard.firmware_host.web.limits.FLUSH_WITHIN_S", 0.2)
    with never_reading(watched) as greedy:
        greedy.setblocking(False)
        with select.epoll() as poll:
            poll.register(greedy, select.EPOLLHUP | select.EPOLLRDHUP | select.EPOLLERR)
            assert poll.poll(20)  # reset, although nothing of it was read


def ended(connection):
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("begun", [b"", b"GET /api/v1/te"])
def test_a_connection_that_never_finishes_asking_is_ended(elsewhere, monkeypatch, begun):
    monkeypatch.setattr("tiltboard.firmware_host.web.limits.HEADER_WITHIN_S", 0.0)
    server, _ = elsewhere
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as silent:
        if begun:
            with contextlib.suppress(ConnectionError):
                silent.sendall(begun)
        assert ended(silent)


def test_a_second_question_must_be_finished_too(elsewhere, monkeypatch):
    server, _ = elsewhere
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as slow:
        slow.sendall(
            f"GET /api/v1/texts HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n".encode()
        )
        assert slow.recv(65_536).startswith(b"HTTP/1.1 200")
        monkeypatch.setattr("tiltboard.firmware_host.web.limits.HEADER_WITHIN_S", 0.0)
        slow.sendall(b"GET /api/v1/te")
        while data := received(slow):
            assert b"HTTP" not in data  # the rest of the first answer
        assert ended(slow)


def received(connection):
    try:
        return connection.recv(65_536)
    except ConnectionResetError:
        return b""


def test_the_page_can_be_served_at_an_address_only():
    assert check_host(EVERYWHERE) == EVERYWHERE == ".".join("0000")
    with pytest.raises(ConfigError, match=r"0\.0\.0\.0 for the network"):
        check_host("table.local")


def test_the_settings_decide_who_is_let_in(tmp_path):
    assert access_for(Settings(), tmp_path).pairing is None
    assert access_for(Settings(host="::1"), tmp_path).pairing is None
    open_to_all = access_for(Settings(host=TABLE, names=["Spieltisch"]), tmp_path)
    assert {TABLE, "spieltisch"} <= set(open_to_all.names_at(TABLE))


# In a browser


@pytest.mark.web
def test_the_link_for_lookers_is_on_the_tables_own_page_alone(
    network, resting, tmp_path, open_page
):
    look = LookSettings("link", club="http://club.example:8090/")
    access = access_for(Settings(look=look), tmp_path)
    link = f"http://club.example:8090/look/{(tmp_path / 'look-key').read_text()}"
    assert access_for(Settings(), tmp_path).look is None
    network.access.look = link
    assert network.device().state()["look"] is None
    assert network.here().state()["look"]["url"] == link
    server = WebServer(resting, 0, access=access)
    server.start()
    try:
        narrow = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
        page = open_page(f"http://127.0.0.1:{server.port}/", **narrow).page
        page.get_by_role("button", name="Let others look on").click()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        shown = page.get_by_role("dialog", name="Let others look on")
        assert shown.get_by_role("link").get_attribute("href") == link
        assert shown.get_by_role("img", name="The same for a phone's camera").is_visible()
    finally:
        server.stop()


@pytest.mark.web
def test_a_phone_is_paired_with_the_code_on_the_tables_page_and_plays(at_rest, watched, open_page):
    from playwright.sync_api import expect  # so that the others need no browser

    at_rest.new_game(pie=False)
    table = open_page(f"http://127.0.0.1:{watched.port}/")
    table.page.get_by_role("button", name="Pair a device", exact=True).click()
    shown = table.page.locator(".pairing[open] .code")
    expect(shown).to_have_text(re.compile("^[0-9]{6}$"))
    table.expect_no_barrier(".pairing[open]")
    phone = open_page(f"http://127.0.0.2:{watched.port}/")
    phone.page.get_by_role("button", name="Pair", exact=True).click()
    phone.expect_no_barrier(".pairing[open]")
    phone.page.get_by_label("Code", exact=True).fill(shown.inner_text())
    phone.page.locator(".pairing[open] form button").click()
    expect(phone.page.get_by_role("button", name="Pair", exact=True)).to_have_count(0)
    expect(phone.page.locator(".take-back")).to_be_visible()  # it may act from now on
    phone.drop("red", "d4")
    phone.expect_marbles(d4="red")

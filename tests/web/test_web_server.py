"""Tests of firmware_host/web/server.py, app.py, websocket.py and tiltboard/ground/rate_limit.py:
the page's server by itself: who may talk to it, how much, and what it sends.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Queue
from threading import Event
from typing import get_args

import pytest
import uvicorn
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import DecodeError
from msgspec import json as json_decoder
from starlette.datastructures import Headers
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tiltboard.firmware_host.config.errors import NotPossibleError, error_text
from tiltboard.firmware_host.journal.text_format import read_game
from tiltboard.firmware_host.messages import Catalogue, text
from tiltboard.firmware_host.service.table_thread import Table
from tiltboard.firmware_host.table.commands import NewGame, TakeBack
from tiltboard.firmware_host.table.hands import Put
from tiltboard.firmware_host.table.snapshot_groups import FaultInfo
from tiltboard.firmware_host.web import app, requests, server, websocket
from tiltboard.firmware_host.web.guard import LOCAL_NAMES, is_ours
from tiltboard.firmware_host.web.limits import MAX_PAGES
from tiltboard.firmware_host.web.requests import NoAnswerError, answer
from tiltboard.firmware_host.web.server import PortTakenError, WebServer
from tiltboard.firmware_host.web.websocket import MAX_REFUSED, MESSAGE_BURST
from tiltboard.games.base import RulesError
from tiltboard.ground.errors import TiltboardError
from tiltboard.ground.rate_limit import TokenBucket
from tiltboard.hw_sim.clock import VirtualClock

JSON = "application/json"


def plug(served, **options):
    return connect(f"ws://127.0.0.1:{served.port}/api/v1/ws", max_size=None, proxy=None, **options)


@contextlib.contextmanager
def page_of(served):
    """A page that has had the layout and its first snapshot."""
    with plug(served) as page:
        assert json.loads(page.recv(timeout=20))["type"] == "layout"
        assert json.loads(page.recv(timeout=20))["type"] == "snapshot"
        yield page


def ask(page, **message):
    """The answer, and what came before it."""
    page.send(json.dumps(message))
    before = []
    while True:
        got = json.loads(page.recv(timeout=20))
        if got["type"] in ("done", "error"):
            return got, before
        before.append(got)


class Between:
    """A table on which another game begins between a look at its layout and one at its snapshot."""

    def __init__(self, table):
        self._table = table
        self.begins = False

    def __getattr__(self, name):
        return getattr(self._table, name)

    def latest(self):
        if self.begins:
            self.begins = False
            self._table.submit(NewGame("gravity-connect")).result(20)
        return self._table.latest()


def test_no_snapshot_is_of_a_layout_that_the_page_does_not_have(resting, serve):
    table = Between(resting)
    with page_of(serve(table)) as page:
        table.begins = True
        resting.submit(NewGame("momentum")).result(20)
        layouts = []
        while not layouts or layouts[-1]["game"]["name"] != "gravity-connect":
            got = json.loads(page.recv(timeout=20))
            if got["type"] == "layout":
                layouts.append(got)
            elif "layout" in got:
                assert layouts
                assert got["layout"] == layouts[-1]["number"]
        assert json.loads(page.recv(timeout=20))["layout"] == layouts[-1]["number"]


# Who may talk


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", "", "[::2]:{}"]
)
def test_a_foreign_host_is_refused_everywhere(at_rest, host):
    host = host.format(at_rest.port)
    for path in ("/", "/static/main.js", "/api/v1/snapshot"):
        assert at_rest.request("GET", path, host=host)[0] == 403
    body = b'{"type": "take-back"}'
    assert at_rest.request("POST", "/api/v1/command", body, host=host)[0] == 403


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
def test_this_machine_by_any_of_its_names_is_served(at_rest, name):
    host = f"{name}:{at_rest.port}"
    assert at_rest.request("GET", "/", host=host)[0] == 200
    origin = f"http://{host}"
    assert at_rest.request("GET", "/api/v1/layout", host=host, origin=origin)[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost:{}", ""])
def test_a_foreign_origin_is_refused(at_rest, origin):
    origin = origin.format(at_rest.port)
    assert at_rest.request("GET", "/api/v1/snapshot", origin=origin)[0] == 403
    with pytest.raises(InvalidStatus) as refused, plug(at_rest, origin=origin):
        pass
    assert refused.value.response.status_code == 403


def test_a_foreign_host_is_refused_by_the_websocket(at_rest):
    uri = f"ws://evil.example:{at_rest.port}/api/v1/ws"  # as after DNS rebinding
    plain = socket.create_connection(("127.0.0.1", at_rest.port), timeout=20)
    with pytest.raises(InvalidStatus) as refused, connect(uri, sock=plain, proxy=None):
        pass
    assert refused.value.response.status_code == 403


def test_two_host_headers_are_refused():
    twice = Headers(raw=[(b"host", b"localhost:80"), (b"host", b"evil.example")])
    assert not is_ours(twice, 80, LOCAL_NAMES)
    assert is_ours(Headers(raw=[(b"host", b"localhost")]), 80, LOCAL_NAMES)
    assert not is_ours(Headers(raw=[(b"host", b"localhost")]), 8080, LOCAL_NAMES)
    assert not is_ours(Headers(raw=[(b"host", b"localhost:80")]), None, LOCAL_NAMES)


def test_every_answer_forbids_the_page_to_reach_outside(at_rest):
    for path in ("/", "/static/style.css", "/api/v1/games", "/nowhere"):
        _, headers, _ = at_rest.request("GET", path)
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert {policy[k] for k in ("script-src", "style-src", "connect-src")} == {"'self'"}
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_a_command_by_a_foreign_form_is_refused(at_rest):
    before = at_rest.ask("/api/v1/layout")
    body = b'{"type": "game", "game": "momentum"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert at_rest.request("POST", "/api/v1/command", body, content_type=kind)[0] == 415
    assert at_rest.ask("/api/v1/layout") == before


def test_a_taken_port_is_said_plainly(resting, at_rest):
    with pytest.raises(PortTakenError, match=f"port {at_rest.port}"):
        WebServer(resting, at_rest.port)


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "fe80::1%none0"])
def test_an_address_that_is_not_there_yet_keeps_the_page_from_nobody_else(host):
    """Those that nobody may have (RFC 5737, RFC 3849), and a cable that is not plugged in."""
    [own], absent = server._listen_at(host, 0)
    with own:
        assert own.getsockname()[0] == server.LOOPBACK
        assert absent == [host]


def test_an_address_is_looked_for_with_back_off_until_it_is_there(monkeypatch):
    tries, told, tick = [], [], 0

    def absent(*_):
        tries.append(tick)
        raise OSError(errno.EADDRNOTAVAIL, "no")

    monkeypatch.setattr(server, "_listen", absent)

    async def ticks():
        nonlocal tick
        late = server._LateServer(uvicorn.Config(None), [("192.0.2.1", 80)], told.append)
        for tick in range(1000):
            assert await late.on_tick(tick) is False

    with ThreadPoolExecutor(1) as aside:
        aside.submit(lambda: asyncio.run(ticks())).result()
    assert tries == [0, 10, 30, 70, 150, 310, 610, 910]  # tenths of a second
    assert "192.0.2.1 yet: Cannot assign requested address" in str(told[0])


def test_an_address_that_comes_later_is_served(resting, monkeypatch):
    listen, left, told = server._listen, ["absent", "absent"], Queue()

    def later(host, port):
        if host == "127.0.0.2" and left:
            left.pop()
            raise OSError(errno.EADDRNOTAVAIL, "no")
        return listen(host, port)

    monkeypatch.setattr(server, "_listen", later)
    monkeypatch.setattr(server, "FIRST_RETRY_TICKS", 1)
    monkeypatch.setattr(resting, "call", lambda work: work(), raising=False)
    monkeypatch.setattr(resting, "notice", lambda *it: told.put(it), raising=False)
    page = WebServer(resting, 0, host="127.0.0.2")
    page.start()
    try:
        part, why = told.get(timeout=20)
        assert (part, "127.0.0.2" in str(why)) == ("address", True)
        assert told.get(timeout=20) == ("address", None)
        with socket.create_connection(("127.0.0.2", page.port), timeout=20) as asked:
            asked.sendall(f"GET / HTTP/1.1\r\nHost: localhost:{page.port}\r\n\r\n".encode())
            assert asked.recv(100).startswith(b"HTTP/1.1 200")
    finally:
        page.stop()


# How much


def test_a_stop_ends_a_slow_answer_in_words(at_rest, monkeypatch, caplog):
    """Not with a traceback in the log and status 500."""
    asked, ended = Event(), Event()

    def look(_):
        asked.set()
        ended.wait()

    monkeypatch.setattr(app, "why_unreachable", look)
    with ThreadPoolExecutor() as threads:
        answered = threads.submit(at_rest.request, "GET", "/api/v1/far")
        asked.wait()
        threads.submit(at_rest.lose)
        status, _, body = answered.result()
        ended.set()
    assert (status, [*json.loads(body)]) == (503, ["error"])
    assert "Exception in ASGI application" not in caplog.text


def test_a_long_body_is_refused_and_a_long_message_ends_the_connection(at_rest):
    long = json.dumps({"type": "import", "text": "x" * 70_000})
    status, _, _ = at_rest.request("POST", "/api/v1/command", long.encode(), content_type=JSON)
    assert status == 413
    with page_of(at_rest) as page:
        page.send(long)
        with pytest.raises(ConnectionClosed) as closed:
            page.recv(timeout=20)
        assert closed.value.rcvd.code == 1009


@pytest.mark.parametrize("path", ["command", "pairing"])
def test_brackets_without_end_are_not_understood_and_end_nothing(at_rest, path):
    deep = '{"type": ' + "[" * 20_000
    status, _, _ = at_rest.request("POST", f"/api/v1/{path}", deep.encode(), content_type=JSON)
    assert status == 400
    with page_of(at_rest) as page:
        page.send(deep)
        answer = json.loads(page.recv(timeout=20))
        assert (answer["type"], answer["ref"]) == ("error", 0)
        page.send('{"type": "ping", "ref": 7}')
        assert json.loads(page.recv(timeout=20)) == {"type": "done", "ref": 7}


def test_too_fast_a_page_is_told_and_at_last_closed(at_rest, monkeypatch):
    monkeypatch.setattr(websocket, "MESSAGES_PER_S", 0.001)  # however slow this machine is
    with page_of(at_rest) as page:
        answers = []
        with pytest.raises(ConnectionClosed) as closed:
            for _ in range(3 * (int(MESSAGE_BURST) + MAX_REFUSED)):
                page.send('{"type": "ping", "ref": 1}')
                answers.append(json.loads(page.recv(timeout=20)))
        assert closed.value.rcvd.code == 1008
    first_refused = next(i for i, answer in enumerate(answers) if answer["type"] == "error")
    assert first_refused >= MESSAGE_BURST
    assert answers[-1]["say"] == "That was too fast for the table; wait a moment."


def test_a_token_bucket_lets_its_burst_through_and_then_its_rate():
    now = [0.0]
    bucket = TokenBucket(per_s=2, burst=3, now=lambda: now[0])
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]
    now[0] = 0.5
    assert [bucket.take() for _ in range(2)] == [True, False]
    now[0] = 100.0
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]


def test_only_so_many_pages_may_be_open(at_rest):
    with contextlib.ExitStack() as pages:
        for _ in range(MAX_PAGES):
            pages.enter_context(page_of(at_rest))
        with plug(at_rest) as one_more, pytest.raises(ConnectionClosed) as closed:
            one_more.recv(timeout=20)
    assert closed.value.rcvd.code == 1013
    assert closed.value.rcvd.reason == "Too many pages are open."


# What is understood

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
TYPES = st.sampled_from(sorted(kind.__struct_config__.tag for kind in get_args(requests.Incoming)))
FIELDS = st.sampled_from(
    sorted({name for kind in get_args(requests.Incoming) for name in kind.__struct_fields__})
)
ALMOST = st.builds(
    lambda kind, rest: {**rest, "type": kind}, TYPES, st.dictionaries(FIELDS, JSON_VALUES)
)


@given(st.one_of(st.binary(max_size=200), (JSON_VALUES | ALMOST).map(json.dumps)))
@settings(max_examples=100, deadline=None)
def test_whatever_comes_is_a_message_or_refused(data):
    with contextlib.suppress(DecodeError, UnicodeDecodeError):
        ref, asked = requests.parse(data)
        assert isinstance(asked, requests.Incoming)
        assert 0 <= ref <= 2**53
    with contextlib.suppress(DecodeError, UnicodeDecodeError):
        command = json_decoder.decode(_bytes(data), type=requests.PageCommand)
        assert isinstance(command, requests.PageCommand)


def test_a_connection_survives_whatever_a_page_sends(at_rest):
    """Each message gets one answer, and the connection still serves after all of them."""
    with page_of(at_rest) as page:

        @given(st.one_of(st.text(max_size=200), (JSON_VALUES | ALMOST).map(json.dumps)))
        @settings(max_examples=60, deadline=None, database=None)  # fewer than MESSAGE_BURST
        def send(text):
            page.send(text)
            while json.loads(page.recv(timeout=20))["type"] not in ("done", "error"):
                pass

        send()
        answer, _ = ask(page, type="ping", ref=9)
        assert answer == {"type": "done", "ref": 9}


def _bytes(data):
    return data if isinstance(data, bytes) else data.encode()


@pytest.mark.parametrize(
    "message",
    [
        "{}",
        "[]",
        "null",
        '{"type": "fly"}',
        '{"type": "ping", "extra": 1}',
        '{"type": "tilt", "x_deg": 46, "y_deg": 0}',
        '{"type": "tilt", "x_deg": NaN, "y_deg": 0}',
        '{"type": "tilt", "x_deg": 1e999, "y_deg": 0}',
        '{"type": "press", "button": "self-destruct", "held_s": 1}',
        '{"type": "press", "button": "back", "held_s": 11}',
        '{"type": "put", "piece": "", "place": "d4"}',
        '{"type": "game", "game": "momentum", "options": {"size": {"a": 1}}}',
        '{"type": "pick-up", "piece": -1}',
        '{"type": "put", "piece": "red", "place": "d4", "offset_mm": [36, 0]}',
        '{"type": "take", "what": -1}',
        '{"type": "knock", "places": []}',
        '{"type": "show-code", "code": "123456"}',
        '{"type": "ping", "ref": -1}',
    ],
)
def test_nonsense_is_answered_and_the_connection_lives_on(at_rest, message):
    with page_of(at_rest) as page:
        page.send(message)
        answer = json.loads(page.recv(timeout=20))
        assert answer["type"] == "error"
        assert answer["say"].startswith("The table did not understand the page")
        assert ask(page, type="ping", ref=7)[0] == {"type": "done", "ref": 7}


def test_errors_of_the_table_arrive_as_its_sentences(at_rest):
    at_rest.new_game()
    with page_of(at_rest) as page:
        answer, _ = ask(page, type="take-back", ref=3)
        refused = at_rest.table.submit(TakeBack()).exception(20)
        assert answer == {"type": "error", "ref": 3, "say": str(refused)}
        answer, _ = ask(page, type="game", game="momentum", options={"size": 8}, ref=4)
        assert "choose how many" in answer["say"]
    command = b'{"type": "game", "game": "chess"}'
    status, _, body = at_rest.request("POST", "/api/v1/command", command, content_type=JSON)
    assert status == 409
    assert json.loads(body)["error"].startswith("There is no game chess; the games are: momentum")
    assert at_rest.request("GET", "/api/v1/history/999")[0] == 404
    assert at_rest.request("GET", "/api/v1/history/999/export")[0] == 404
    for number in ("9" * 5000, "-1", "1.0", "\u0661".encode().hex(), str(2**53 + 1)):
        assert at_rest.request("GET", f"/api/v1/history/{number}")[0] == 404


def test_an_error_is_translated_and_a_defect_is_not_shown():
    german = Catalogue("de", {"No {thing}.": "Kein {thing}.", "Buy one.": "Kauf es."})
    broken = TiltboardError("No {thing}.", remedy="Buy one.", thing="X")
    assert error_text(broken, german) == "Kein X. Kauf es."
    assert error_text(RulesError("No {thing}.", thing="Y"), german) == "Kein Y."
    failed = Future()
    failed.set_exception(RuntimeError("secret"))
    # aside: in this thread the loop of another test's browser may run
    with ThreadPoolExecutor(1) as aside, pytest.raises(NoAnswerError) as told:
        aside.submit(asyncio.run, answer(failed)).result()
    assert "secret" not in error_text(told.value, Catalogue())


def test_without_hands_pieces_cannot_be_moved():
    table = Table(lambda: None, lambda: None, VirtualClock())
    with pytest.raises(NotPossibleError, match="This table has no hands"):
        table.submit(Put("red", "d4")).result(0)


# What is sent


def test_a_page_gets_a_whole_snapshot_and_then_only_the_groups_that_changed(at_rest, alter, serve):
    table = alter(at_rest.table)
    served = serve(table)
    served.new_game(pie=False)
    table.show(tilt_deg=(0.0, 0.0))
    with plug(served) as page:
        layout, whole = json.loads(page.recv()), json.loads(page.recv())
        assert layout == served.ask("/api/v1/layout")
        full = served.ask("/api/v1/snapshot")
        assert set(full) - set(whole) == {"time_s"}
        assert full["plate"].pop("sensors") is not None
        assert whole["plate"].pop("sensors") is None
        assert all(full[name] == value for name, value in whole.items())

        lost = FaultInfo("imu", text("The tilt sensor is lost."), text("Check its plug."))
        table.show(faults=[lost], tilt_deg=(0.0, 0.0))
        changed = json.loads(page.recv(timeout=20))
        told = {"part": "imu", "problem": "The tilt sensor is lost.", "remedy": "Check its plug."}
        guidance = whole["guidance"] | {"faults": [told]}
        assert changed == {"type": "snapshot", "guidance": guidance}


def test_noise_of_the_tilt_sensor_and_time_alone_are_not_sent(at_rest, alter, serve):
    table = alter(at_rest.table)
    served = serve(table)
    served.new_game()
    table.show(tilt_deg=(0.0, 0.0))
    with page_of(served) as page:
        for tilt_deg in (0.01, -0.03, 0.02):
            table.show(tilt_deg=(tilt_deg, -tilt_deg))
        answer, before = ask(page, type="ping")
        assert (answer["type"], before) == ("done", [])
        table.show(tilt_deg=(0.11, 0.0))
        got = json.loads(page.recv(timeout=20))
        assert set(got) == {"type", "plate"}
        assert got["plate"]["tilt_deg"] == [0.1, 0.0]


def test_sensors_are_sent_to_pages_that_watch_them(at_rest):
    at_rest.new_game()
    with page_of(at_rest) as page:
        assert ask(page, type="watch", sensors=True)[0]["type"] == "done"
        first = json.loads(page.recv(timeout=20))
        assert set(first) == {"type", "plate"}
        assert len(first["plate"]["sensors"]["field_mt"]) == 100
        page.send('{"type": "put", "piece": "red", "place": "a1"}')
        while True:
            got = json.loads(page.recv(timeout=20))
            if "plate" in got and got["plate"]["sensors"]["field_mt"][0] < -10.0:
                return


def test_who_is_ahead_is_sent_while_a_page_watches_it(lively):
    lively.new_game(pie=False)
    with page_of(lively) as page, page_of(lively) as other:

        def sent():
            while "learning" not in (got := json.loads(page.recv(timeout=60))):
                pass
            return got["learning"]["ahead"]

        for each in (page, other):
            assert ask(each, type="watch", sensors=False, ahead=True)[0]["type"] == "done"
        told = sent()
        assert sorted(told) == ["blue", "red"]
        assert 0 < told["red"] < 1
        assert sum(told.values()) == pytest.approx(1)
        assert ask(page, type="watch", sensors=False)[0]["type"] == "done"
        assert (
            lively.ask("/api/v1/snapshot")["learning"]["ahead"] == told
        )  # to the other it still matters
        other.close()
        assert sent() is None


def lifted(served, number):
    [piece] = [each for each in served.table.latest().plate.pieces if each.id == number]
    return piece.z_mm > 0


@pytest.fixture
def red(at_rest):
    """A red marble's number."""
    at_rest.new_game(pie=False)
    at_rest.put("red", "d4")
    return at_rest.table.latest().plate.pieces[-1].id


def test_a_page_that_leaves_puts_back_what_it_holds(at_rest, red):
    with page_of(at_rest) as leaving:
        assert ask(leaving, type="pick-up", piece=red)[0]["type"] == "done"
        assert lifted(at_rest, red)
    at_rest.until(lambda _: not lifted(at_rest, red))
    piece = at_rest.table.latest().plate.pieces[-1]
    assert (piece.id, piece.x_mm, piece.y_mm) == (red, -52.5, -52.5)


def leans(snapshot):
    return max(map(abs, snapshot.plate.tilt_deg)) > 7


def level(snapshot):
    return max(map(abs, snapshot.plate.tilt_deg)) < 1 and snapshot.plate.stillness == "still"


def test_a_page_that_leaves_lets_the_plate_go_that_it_holds_tilted(at_rest):
    at_rest.new_game()
    with page_of(at_rest) as leaving:
        ask(leaving, type="tilt", x_deg=9, y_deg=0)
        at_rest.until(leans)
        with page_of(at_rest):
            pass  # another one holds nothing
        assert leans(at_rest.table.latest())
    at_rest.until(level)


@pytest.mark.parametrize(
    ("then", "stands"),
    [
        ({"type": "play-freely", "on": False}, ["red"]),
        ({"type": "game", "game": "momentum"}, []),
    ],
)
def test_what_lay_on_the_plate_in_the_playground_is_in_no_later_game(at_rest, then, stands):
    at_rest.new_game(pie=False)
    at_rest.play("d4")
    with page_of(at_rest) as page:
        ask(page, type="play-freely")
        ask(page, type="put", piece="blue", place="a1")
        ask(page, type="move", source="d4", target="g7")
        ask(page, **then)
        at_rest.until(lambda seen: [each.piece for each in seen.plate.pieces] == stands)
        at_rest.until(lambda seen: seen.guidance.phase == "turn")


@pytest.mark.parametrize(
    "then", [{"type": "game", "game": "attraktion"}, {"type": "play-freely", "on": False}]
)
def test_another_game_and_leaving_the_playground_level_the_plate(at_rest, then):
    at_rest.new_game()
    with page_of(at_rest) as page:
        ask(page, type="play-freely")
        ask(page, type="tilt", x_deg=0, y_deg=-9)
        at_rest.until(leans)
        ask(page, **then)
        at_rest.until(level)


def test_a_page_that_failed_to_take_a_piece_leaves_it_to_the_hand_that_has_it(at_rest, red):
    with page_of(at_rest) as holding:
        assert ask(holding, type="pick-up", piece=red)[0]["type"] == "done"
        with page_of(at_rest) as leaving:
            assert ask(leaving, type="pick-up", piece=red)[0]["type"] == "error"
        with page_of(at_rest):  # served after the other has gone
            assert lifted(at_rest, red)
        assert ask(holding, type="set-down", piece=red, place="e5")[0]["type"] == "done"


def test_leaving_does_not_cancel_what_the_table_has_begun(resting, at_rest, monkeypatch):
    begun: Future[None] = Future()
    begun.set_running_or_notify_cancel()
    monkeypatch.setattr(resting, "submit", lambda command: begun)
    with page_of(at_rest) as page:
        page.send('{"type": "bump"}')
        assert ask(page, type="ping", ref=2)[0]["ref"] == 2
    with page_of(at_rest) as page:  # served after the other has gone
        assert not begun.cancelled()
        begun.set_result(None)


def test_files_are_kept_by_the_browser_until_they_change(at_rest):
    status, headers, body = at_rest.request("GET", "/static/main.js")
    assert (status, headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert b"import" in body
    again = at_rest.request("GET", "/static/main.js", if_none_match=headers["etag"])
    assert (again[0], again[2]) == (304, b"")
    other = at_rest.request("GET", "/static/main.js", if_none_match='"something-else"')
    assert other[0] == 200
    for path in ("/static/nothing.js", "/static/..%2fapp.py", "/static/../app.py"):
        assert at_rest.request("GET", path)[0] == 404


def test_an_exported_game_comes_as_a_file(at_rest):
    at_rest.new_game(pie=False)
    at_rest.play("d4")
    number = at_rest.ask("/api/v1/layout")["game"]["id"]
    status, headers, body = at_rest.request("GET", f"/api/v1/history/{number}/export")
    assert (status, read_game(body.decode()).moves) == (200, ("d4",))
    assert headers["content-disposition"] == f'attachment; filename="game-{number}.txt"'

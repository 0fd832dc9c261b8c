"""The page under test: served over the simulated table, in real Chromium."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect, sync_playwright

from drivers.clock import Clock, SystemClock
from firmware_host.config.profile import load_profile
from firmware_host.config.settings import Settings
from firmware_host.service.table import Table
from firmware_host.table.commands import CarryOut, Command, NewGame, Put
from firmware_host.table.preview import Preview
from firmware_host.web.server import WebServer
from firmware_host.web.snapshot import Layout, Snapshot
from firmware_host.web.table_port import HealthMap, TablePort
from hw_sim.live import LiveTable

CHROMIUM = "/usr/bin/chromium"
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 15_000
SPEED = 4.0
START_S = 3.0  # the table's first look at its places takes two thirds of it
REST_S = 1.5  # after the last thing that was asked: longer than a move takes to be seen


class FasterClock(SystemClock):
    """The simulated table's hands and scans go four times as fast as in the room."""

    def now(self) -> float:
        return super().now() * SPEED

    def sleep(self, duration_s: float) -> None:
        super().sleep(duration_s / SPEED)


class ClockOnDemand:
    """Time passes, as fast as the processor goes, only while somebody waits for the table."""

    def __init__(self) -> None:
        self._now_s = 0.0
        self._until_s = START_S
        self._awaited: list[tuple[Future[Any], Future[Any]]] = []
        self._news = threading.Condition()
        self._free = False

    def now(self) -> float:
        return self._now_s

    def calendar(self) -> float:
        return 1_780_000_000.0 + self._now_s

    def sleep(self, duration_s: float) -> None:
        with self._news:
            while not self._free and self._now_s >= self._until_s and self._all_done():
                for asked, answer in self._awaited:
                    _copy(asked, answer)
                self._awaited.clear()
                self._news.wait()
            self._now_s += max(0.0, duration_s)

    def _all_done(self) -> bool:
        return all(asked.done() for asked, _ in self._awaited)

    def awaited(self, asked: Future[Any]) -> Future[Any]:
        """The same, done when the table has also come to rest."""
        answer: Future[Any] = Future()
        answer.set_running_or_notify_cancel()
        with self._news:
            self._awaited.append((asked, answer))
            self._until_s = max(self._until_s, self._now_s + REST_S)
            self._news.notify()
        return answer

    def free(self) -> None:
        """Let the table end."""
        with self._news:
            self._free = True
            self._news.notify()


def _copy(asked: Future[Any], answer: Future[Any]) -> None:
    error = asked.exception()
    if error is None:
        answer.set_result(asked.result())
    else:
        answer.set_exception(error)


class Resting:
    """The simulated table, which costs nothing while nobody asks anything of it: for what concerns
    the page's server.
    """

    def __init__(self, table: Table, clock: ClockOnDemand) -> None:
        self._table = table
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def submit(self, command: Command) -> Future[None]:
        return self._clock.awaited(self._table.submit(command))

    def health(self) -> Future[HealthMap]:
        return self._clock.awaited(self._table.health())

    def preview(self, move: str) -> Future[Preview]:
        return self._clock.awaited(self._table.preview(move))

    def look(self) -> None:
        """A few scans, and another snapshot."""
        self._clock.awaited(self._table.call(lambda: None)).result(20)


class Served:
    """A table with its page; the server can go away and come back, the table stays."""

    def __init__(self, table: TablePort) -> None:
        self.table = table
        self.server = WebServer(table, 0)
        self.port = self.server.port
        self.url = f"http://127.0.0.1:{self.port}/"
        self.server.start()

    def lose(self) -> None:
        self.server.stop()

    def come_back(self) -> None:
        self.server = WebServer(self.table, self.port)
        self.server.start()

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers in lower case, and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            low = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, low, answer.read()
        finally:
            connection.close()

    def ask(self, path: str) -> Any:
        status, _, body = self.request("GET", path)
        assert status == 200
        return json.loads(body)

    def tell(self, **command: object) -> None:
        body = json.dumps(command).encode()
        status, _, answer = self.request(
            "POST", "/api/v1/command", body, content_type="application/json"
        )
        assert (status, json.loads(answer)) == (200, {"done": True})

    def new_game(self, **options: object) -> None:
        self.tell(type="game", game="momentum", options=options)

    def do(self, command: Command) -> None:
        """Past the page; done when this returns."""
        self.table.submit(command).result(20)

    def until(self, holds: Callable[[Snapshot], bool]) -> None:
        """Wait for a snapshot of which that holds."""
        news = threading.Event()
        leave = self.table.subscribe(news.set)
        try:
            while not holds(self.table.latest()):
                assert news.wait(PATIENCE_MS / 1000), self.table.latest().say
                news.clear()
        finally:
            leave()

    def put(self, piece: str, place: str) -> None:
        """A hand at the table puts a piece; it has left when this returns."""
        self.do(Put(piece, place))

    def play(self, *moves: str) -> None:
        """Moves that push nothing, by hands at the table, each to the next turn."""
        for move in moves:
            self.until(lambda snapshot: snapshot.phase == "turn" and snapshot.to_move is not None)
            made = len(self.table.latest().moves)
            self.put(self.table.latest().to_move or "", move)
            self.until(lambda snapshot, made=made: len(snapshot.moves) > made)  # type: ignore[misc]

    def carry_out(self) -> None:
        """The table's own hand does what is asked for."""
        self.do(CarryOut())


class Altered:
    """The simulated table, with snapshots and a layout altered as a test says: what it cannot be
    brought to show by hands and faults.
    """

    def __init__(self, table: TablePort) -> None:
        self.table = table
        self.hands = table.hands
        self._shown: dict[str, object] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def show(self, **fields: object) -> None:
        """From the next snapshot on, which is made now where the table rests."""
        self._shown = fields
        if isinstance(self.table, Resting):
            self.table.look()

    def take_hands(self) -> None:
        """As on a real table, whose pieces only people can move."""
        self.hands = None
        self.show(pieces=[])

    def layout(self) -> Layout:
        return replace(self.table.layout(), hands=self.hands is not None)

    def latest(self) -> Snapshot:
        return replace(self.table.latest(), **self._shown)


@pytest.fixture(scope="module")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """One for all tests of a file: each begins with a game of its own."""
    clock = ClockOnDemand()
    live = _live(tmp_path_factory.mktemp("table"), clock)
    live.start()
    try:
        yield Resting(live, clock)
    finally:
        clock.free()
        live.stop()


@pytest.fixture
def serve() -> Iterator[Callable[[TablePort], Served]]:
    """Serve a table until the test ends."""
    started: list[Served] = []

    def start(table: TablePort) -> Served:
        started.append(Served(table))
        return started[-1]

    yield start
    for served in started:
        served.server.stop()


@pytest.fixture
def at_rest(resting: Resting, serve: Callable[[TablePort], Served]) -> Served:
    """The page over a table that scans only while something is asked of it; the plate is empty."""
    if resting.latest().pieces:
        resting.submit(NewGame("momentum")).result(20)
        resting.submit(CarryOut()).result(20)
    return serve(resting)


@pytest.fixture
def served(simulated: TablePort, serve: Callable[[TablePort], Served]) -> Served:
    """The page over the simulated table, its chips, hands and referee."""
    return serve(simulated)


@pytest.fixture
def alter() -> type[Altered]:
    """What alters a table."""
    return Altered


@pytest.fixture
def altered(simulated: TablePort, serve: Callable[[TablePort], Served]) -> Served:
    """The same, over a table that a test may alter."""
    return serve(Altered(simulated))


@pytest.fixture
def faster_clock() -> FasterClock:
    return FasterClock()


@pytest.fixture
def simulated(tmp_path: Path) -> Iterator[TablePort]:
    live = _live(tmp_path, FasterClock())
    live.start()
    try:
        yield live
    finally:
        live.stop()


def _live(state: Path, clock: Clock) -> Table:
    return LiveTable(load_profile("plate-10"), state, Settings(), real=clock).table


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.skip(f"{CHROMIUM} is not installed")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(CHROMIUM_FLAGS), timeout=60_000
        )
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Player]]:
    """Open the page at an address; afterwards it must have complained of nothing.

    ``own_hand``: the table's own hand works by itself, as it does in a browser that is new here.
    ``room``: a game of seats is being played.
    """
    contexts, complaints = [], []

    def start(url: str, *, own_hand: bool = False, room: bool = False, **options: Any) -> Player:
        size = {"width": 1280, "height": 800}
        usual = {"viewport": size, "reduced_motion": "reduce", "service_workers": "block"}
        context = browser.new_context(**{**usual, **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        if not own_hand:
            context.add_init_script("localStorage.setItem('tiltboard.own-hand', 'off')")
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: line.type == "error" and complaints.append(line.text))
        page.on(
            "request",
            lambda asked: (
                asked.url.removeprefix("blob:").startswith(url)
                or complaints.append(f"went to {asked.url}")
            ),
        )
        page.goto(url)
        player = Player(page)
        expect(page.locator(".platform" if room else ".felt")).to_be_visible()
        return player

    expect.set_options(timeout=PATIENCE_MS)
    yield start
    for context in contexts:
        context.close()
    refused = "net::ERR_CONNECTION_REFUSED"  # the browser says so while the server is away
    assert [c for c in complaints if refused not in c] == []


class Player:
    """A person at the page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def spot(self, place: str) -> tuple[float, float]:
        """Where a place is on the screen."""
        return self._middle(self.page.locator(f'.surface [data-name="{place}"]').bounding_box())

    def open_part(self, name: str) -> None:
        """A tab of the drawer "The table"."""
        if not self.page.locator("#drawer").is_visible():
            self.page.get_by_role("button", name="The table").click()
        self.page.get_by_role("tab", name=name).click()

    def marble(self, place: str) -> Any:
        return self.page.locator(f'.marble[data-place="{place}"]')

    def _middle(self, box: Any) -> tuple[float, float]:
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        mouse.move(*end)
        mouse.up()

    def drop(self, piece: str, place: str) -> None:
        """Drag a marble from its tray to a place."""
        tray = self.page.locator(f'.tray[data-piece="{piece}"] .waiting').first
        self.drag(self._middle(tray.bounding_box()), self.spot(place))

    def carry(self, source: str, target: str) -> None:
        """Drag a marble over the plate; it is gripped by its upper half, as one does."""
        box = self.marble(source).locator(".ball").bounding_box()
        grip = self._middle(box)
        start, end = self.spot(source), self.spot(target)
        self.drag(grip, (grip[0] + end[0] - start[0], grip[1] + end[1] - start[1]))

    def expect_turn(self, piece: str) -> None:
        expect(self.page.locator(f'.tray.to-move[data-piece="{piece}"]')).to_be_visible()
        self.expect_phase("turn")

    def expect_phase(self, phase: str) -> None:
        expect(self.page.locator(f'.say-card[data-phase="{phase}"]')).to_be_visible()

    def expect_marbles(self, **cells: str) -> None:
        """Exactly these marbles stand on the plate."""
        for place, piece in cells.items():
            standing = self.page.locator(f'.marble[data-place="{place}"][data-piece="{piece}"]')
            expect(standing).to_have_count(1)
        expect(self.page.locator(".marble")).to_have_count(len(cells))

    def expect_moves(self, *moves: str) -> None:
        expect(self.page.locator(".move")).to_have_text(list(moves))

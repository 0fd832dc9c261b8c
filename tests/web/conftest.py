"""The page under test: served over the fake table, or over the simulated one, in real Chromium."""

from __future__ import annotations

import http.client
import importlib.util
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect, sync_playwright

from drivers.clock import SystemClock
from firmware_host.table.commands import CarryOut, Command, Put
from firmware_host.web.server import WebServer
from firmware_host.web.snapshot import Layout, Snapshot
from firmware_host.web.table_port import TablePort

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


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


fake_table = _load("fake_table")


class FasterClock(SystemClock):
    """The simulated table's hands and scans go four times as fast as in the room."""

    def now(self) -> float:
        return super().now() * SPEED

    def sleep(self, duration_s: float) -> None:
        super().sleep(duration_s / SPEED)


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
        """From the next snapshot on."""
        self._shown = fields

    def take_hands(self) -> None:
        """As on a real table, whose pieces only people can move."""
        self.hands = None
        self.show(pieces=[])

    def layout(self) -> Layout:
        return replace(self.table.layout(), hands=self.hands is not None)

    def latest(self) -> Snapshot:
        return replace(self.table.latest(), **self._shown)


@pytest.fixture
def fake() -> Any:
    return fake_table.FakeTable()


@pytest.fixture
def fake_without_hands() -> Any:
    return fake_table.FakeTable(with_hands=False)


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
def fake_served(fake: Any, serve: Callable[[TablePort], Served]) -> Served:
    """The page over the fake table: what concerns the page alone."""
    return serve(fake)


@pytest.fixture
def served(simulated: TablePort, serve: Callable[[TablePort], Served]) -> Served:
    """The page over the simulated table, its chips, hands and referee."""
    return serve(simulated)


@pytest.fixture
def altered(simulated: TablePort, serve: Callable[[TablePort], Served]) -> Served:
    """The same, over a table that a test may alter."""
    return serve(Altered(simulated))


@pytest.fixture
def simulated(tmp_path: Path) -> Iterator[TablePort]:
    from firmware_host.config.profile import load_profile  # so that the others need no simulation
    from firmware_host.config.settings import Settings
    from hw_sim.live import LiveTable

    profile, clock = load_profile("plate-10"), FasterClock()
    live = LiveTable(profile, tmp_path, Settings(), real=clock)
    live.table.start()
    try:
        yield live.table
    finally:
        live.table.stop()


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
    """
    contexts, complaints = [], []

    def start(url: str, *, own_hand: bool = False, **options: Any) -> Player:
        size = {"width": 1280, "height": 800}
        context = browser.new_context(**{"viewport": size, "reduced_motion": "reduce", **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        if not own_hand:
            context.add_init_script("localStorage.setItem('tiltboard.own-hand', 'off')")
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: line.type == "error" and complaints.append(line.text))
        page.on(
            "request",
            lambda asked: asked.url.startswith(url) or complaints.append(f"went to {asked.url}"),
        )
        page.goto(url)
        player = Player(page)
        expect(page.locator(".felt")).to_be_visible()
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

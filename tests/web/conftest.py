"""The page under test: served over the simulated table, in real Chromium."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import (
    Browser,
    Locator,
    Page,
    WebSocketRoute,
    expect,
    sync_playwright,
)

from tests.snapshots import with_fields
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.service.snapshot import HealthMap, Layout, PersonInfo, Snapshot
from tiltboard.firmware_host.service.table_thread import SNAPSHOTS_PER_S, Table
from tiltboard.firmware_host.table.commands import NewGame, PlayAs, Verb
from tiltboard.firmware_host.table.hands import CarryOut, Heal, Put, Tilt
from tiltboard.firmware_host.table.preview import Preview
from tiltboard.firmware_host.web.server import WebServer
from tiltboard.ground.clock import Clock, SystemClock
from tiltboard.hw_sim.session.live import LiveTable

# The first that is there: without windows, extensions and sync, a page costs a quarter less.
CHROMIUMS = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
USUAL = {"width": 900, "height": 620}  # a processor draws every pixel here
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-audio-output",
    # The name by which phones reach a table under test, which also listens on this machine alone.
    "--host-resolver-rules=MAP table.local 127.0.0.1",
    # A page for another server, too, stays in its tab's process.
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
)
# Where an element is, when two pictures in a row have it at the same spot; null once it is gone.
AT_REST = """(element) => new Promise((resolve) => {
  let before = "";
  const look = () => {
    if (!element.isConnected) return resolve(null);
    const { x, y, width, height } = element.getBoundingClientRect();
    const now = JSON.stringify({ x, y, width, height });
    if (now === before && width > 0) return resolve({ x, y, width, height });
    before = now;
    return requestAnimationFrame(look);
  };
  document.fonts.ready.then(look);  // type that comes late moves what is below it
})"""
# What axe-core finds on the page, or in a part of it: each rule, where, and what to do.
AXE = """(part) => axe.run(part || document, { resultTypes: ["violations"], preload: false })
  .then(({ violations }) => violations.map(({ id, nodes }) =>
    [id, nodes.map(({ target, failureSummary }) => [target, failureSummary])]))"""
# What tests change of a page besides the game: what is stored, open, chosen and said.
LOOKS = """() => {
  document.activeElement.blur();
  const all = (what) => [...document.querySelectorAll(what)];
  const { link, theme, lookingBack, space, room, drawer } = document.documentElement.dataset;
  const chosen = (tab) => [tab.ariaSelected, tab.ariaPressed];
  return JSON.stringify([link, theme, lookingBack, space, room, drawer, location.href, scrollY,
    history.state, Object.entries(localStorage).sort(),
    all("[role=tab], [aria-pressed]").map(chosen),
    all("dialog").map((each) => each.outerHTML.length), all("details").map(({ open }) => open),
    all(".toast").length]);
}"""
# What goes by itself, is made anew each time, or is of games that have ended.
FORGET = """() => {
  for (const each of document.querySelectorAll(".toast, .game-list > *")) each.remove();
  if (window.toastsSeen) window.toastsSeen.length = 0;
  for (const kept of Object.keys(localStorage))
    if (/^tiltboard[.](players|new-game|level-.*)$/.test(kept)) localStorage.removeItem(kept);
  dispatchEvent(new StorageEvent("storage", { key: "tiltboard.players" }));
}"""
UP_TO_DATE = """async () => {
  const { layout } = await (await fetch("/api/v1/snapshot")).json();
  return document.documentElement.dataset.layout === String(layout);
}"""
# What no screen may say: what a script has made of a thing that is no text.
NO_WORDS = """() => [document.body.innerText,
  ...[...document.querySelectorAll("[aria-label], [title]")].flatMap((each) =>
    [each.ariaLabel, each.title])].flatMap((text) =>
      text?.match(/.*(?:\\[object|\\bundefined\\b|\\bNaN\\b).*/g) ?? [])"""
PATIENCE_MS = 60_000  # for a machine with much else to do
UNTIL_S = 60.0
# Each toast's text, also once the toast has gone: on a busy machine it may go before a test looks.
KEEP_TOASTS = """document.addEventListener("DOMContentLoaded", () => {
  window.toastsSeen = [];
  const keep = (changes) => window.toastsSeen.push(
    ...changes.flatMap(({ addedNodes }) => [...addedNodes].map((each) => each.textContent)));
  const toasts = document.getElementById("toasts");
  if (toasts) new MutationObserver(keep).observe(toasts, { childList: true });
});"""
NEXT_TOAST = """(part) => {
  const found = window.toastsSeen.findIndex((each) => each.includes(part));
  return window.toastsSeen.splice(0, found + 1).length > 0;
}"""
OWN_HAND_OFF = """if (location.host) {
  localStorage.setItem("tiltboard.own-hand", "off");
  localStorage.setItem("tiltboard.begun", "yes");
}"""
SPEED = 4.0
SCANS_PER_S = 25  # half of what the sensors can: a page shows what was seen, not how
START_S = 3.0  # the table's first look at its places takes two thirds of it
CALM_S = 4.0  # longer than any sentence or takeback waits
TILTED_DEG = 1.0  # more than the sensor's noise
REST_S = 1.5  # after the last thing that was asked: longer than a move takes to be seen


class FasterClock(SystemClock):
    """The simulated table's hands and scans go four times as fast as in the room; as fast as there
    once nothing has happened for a while, when scanning is all that they would do.
    """

    def __init__(self) -> None:
        self._pace = (0.0, super().now(), SPEED)  # from then, since when, how fast
        self._calm_at_s = 0.0
        self._stood: object = None

    def now(self) -> float:
        then_s, since_s, speed = self._pace
        return then_s + (super().now() - since_s) * speed

    def sleep(self, duration_s: float) -> None:
        super().sleep(duration_s / self._pace[2])

    def step(self, host: Host, moving: object = None) -> None:
        """Judge from what stands there whether anything goes on; ``moving``: so does that."""
        tilt = [round(angle, 2) for angle in host.sight.tilt_rad]
        stands = (host.standing, host.sight.cells, tilt, moving)
        if stands != self._stood:
            self._stood, self._calm_at_s = stands, self.now() + CALM_S
        speed = SPEED if self.now() < self._calm_at_s else 1.0
        if speed != self._pace[2]:
            self._pace = (self.now(), super().now(), speed)


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
                awaited, self._awaited = self._awaited, []
                for asked, answer in awaited:
                    _copy(asked, answer)
                if not self._awaited:  # whoever was answered may have asked for more, in here
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

    def submit(self, command: Verb) -> Future[None]:
        return self._clock.awaited(self._table.submit(command))

    def health(self) -> Future[HealthMap]:
        return self._clock.awaited(self._table.health())

    def people(self) -> Future[list[PersonInfo]]:
        return self._clock.awaited(self._table.people())

    def preview(self, move: str) -> Future[Preview]:
        return self._clock.awaited(self._table.preview(move))

    def look(self) -> None:
        """A few scans, and another snapshot."""
        self._clock.awaited(self._table.call(lambda: None)).result(20)


class Served:
    """A table with its page; the server can go away and come back, the table stays."""

    def __init__(self, table: Table) -> None:
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

    def do(self, command: Verb) -> None:
        """Past the page; done when this returns."""
        self.table.submit(command).result(20)

    def until(self, holds: Callable[[Snapshot], bool]) -> None:
        """Wait for a snapshot of which that holds: each is looked at as it is made, however late
        this thread wakes.
        """
        found: Queue[bool | Exception] = Queue()

        def look() -> None:
            try:
                if holds(self.table.latest()):
                    found.put(True)
            except Exception as error:  # noqa: BLE001 - raised where it is waited for
                found.put(error)

        leave = self.table.subscribe(look)
        try:
            look()
            what = found.get(timeout=UNTIL_S)
        except Empty:
            raise AssertionError(self.table.latest().guidance.say) from None
        finally:
            leave()
        if isinstance(what, Exception):
            raise what

    def put(self, piece: str, place: str) -> None:
        """A hand at the table puts a piece; it has left when this returns."""
        self.do(Put(piece, place))

    def play(self, *moves: str) -> None:
        """Moves that push nothing, by hands at the table, each to the next turn."""
        for move in moves:
            self.until(
                lambda snapshot: (
                    snapshot.guidance.phase == "turn" and snapshot.game.to_move is not None
                )
            )
            made = len(self.table.latest().game.moves)
            self.put(self.table.latest().game.to_move or "", move)
            self.until(lambda snapshot, made=made: len(snapshot.game.moves) > made)  # type: ignore[misc]

    def carry_out(self) -> None:
        """The table's own hand does what is asked for."""
        self.do(CarryOut())


class Altered:
    """The simulated table, with snapshots and a layout altered as a test says: what it cannot be
    brought to show by hands and faults.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.hands = table.layout().hands
        self._shown: dict[str, object] = {}
        self.submitted: list[Verb] = []
        self._came = threading.Condition()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def submit(self, command: Verb) -> Future[None]:
        with self._came:
            self.submitted.append(command)
            self._came.notify_all()
        return self.table.submit(command)

    def expect_command(self, command: Verb) -> None:
        """It comes as the last one: a page shows a press before the table has heard of it."""
        with self._came:
            assert self._came.wait_for(
                lambda: bool(self.submitted) and self.submitted[-1] == command, PATIENCE_MS / 1000
            ), self.submitted

    def show(self, **fields: object) -> None:
        """From the next snapshot on, which is made now where the table rests."""
        self._shown = fields
        if isinstance(self.table, Resting):
            self.table.look()

    def take_hands(self) -> None:
        """As on a real table, whose pieces only people can move."""
        self.hands = False
        self.show(pieces=[])

    def layout(self) -> Layout:
        return replace(self.table.layout(), hands=self.hands)

    def latest(self) -> Snapshot:
        return with_fields(self.table.latest(), **self._shown)


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
def serve() -> Iterator[Callable[[Table], Served]]:
    """Serve a table until the test ends."""
    started: list[Served] = []

    def start(table: Table) -> Served:
        started.append(Served(table))
        return started[-1]

    yield start
    for served in started:
        served.server.stop()


@pytest.fixture
def at_rest(resting: Resting, serve: Callable[[Table], Served]) -> Served:
    """The page over a table that scans only while something is asked of it; the plate is empty."""
    _clear(resting)
    return serve(resting)


def _clear(table: Table) -> None:
    """Whatever an earlier test has left there: nothing is broken, tilted or on the plate, and
    nobody sits there by name, which lasts from game to game.
    """
    players = table.latest().players
    for player in players.names.keys() - players.engines.keys():
        table.submit(PlayAs(player)).result(20)
    for each in table.latest().plate.broken:
        table.submit(Heal(each.fault, tuple(each.targets))).result(20)
    if max(map(abs, table.latest().plate.tilt_deg)) > TILTED_DEG:
        table.submit(Tilt(0.0, 0.0)).result(20)
    if table.latest().plate.pieces:
        table.submit(NewGame("momentum")).result(20)
        table.submit(CarryOut()).result(20)


@pytest.fixture(scope="session")
def staying() -> dict[str, Tab | None]:
    """The tab that stays open at the address of a server that several tests share."""
    return {}


@pytest.fixture(scope="module")
def shared(resting: Resting, staying: dict[str, Tab | None]) -> Iterator[Served]:
    """One server for all tests of a file, so that its page can stay open."""
    served = Served(resting)
    staying[served.url] = None
    yield served
    left = staying.pop(served.url)
    if left:
        left.empty()
    served.server.stop()


@pytest.fixture
def served(shared: Served) -> Served:
    """The page over the simulated table, its chips, hands and referee, with a game begun and the
    plate empty. Time passes only while the table is asked for something; what needs it to pass by
    itself asks for ``lively``.
    """
    _clear(shared.table)
    shared.table.submit(NewGame("momentum")).result(20)
    return shared


@pytest.fixture
def lively(simulated: Table, serve: Callable[[Table], Served]) -> Served:
    """The same over a table of its own, whose time passes."""
    return serve(simulated)


@pytest.fixture
def alter() -> type[Altered]:
    """What alters a table."""
    return Altered


@pytest.fixture
def altered(served: Served, serve: Callable[[Table], Served]) -> Served:
    """The same, over a table that a test may alter."""
    return serve(Altered(served.table))


@pytest.fixture
def faster_clock(monkeypatch: pytest.MonkeyPatch) -> FasterClock:
    # A page is told as often in a second as in the room, and no scan is lost to one that is late.
    monkeypatch.setattr(
        "tiltboard.firmware_host.service.table_thread.SNAPSHOTS_PER_S", SNAPSHOTS_PER_S / SPEED
    )
    monkeypatch.setattr("tiltboard.firmware_host.service.table_thread.POSES_KEPT", 500)
    return FasterClock()


@pytest.fixture
def simulated(tmp_path: Path, faster_clock: FasterClock) -> Iterator[Table]:
    live = _live(tmp_path, faster_clock)
    live.on_step = faster_clock.step
    live.start()
    try:
        yield live
    finally:
        live.stop()


def _live(state: Path, clock: Clock) -> Table:
    profile = replace(load_profile("plate-10"), scans_per_s=SCANS_PER_S)
    return LiveTable(profile, state, Settings(), real=clock).table


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next((path for path in CHROMIUMS if Path(path).exists()), None)
    if found is None:
        pytest.skip(f"none of {', '.join(CHROMIUMS)} is installed")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=found, args=list(CHROMIUM_FLAGS), timeout=60_000
        )
        yield running
        running.close()


class Tab:
    """A page of the browser, and what it complained of: its errors, and what its own policy, which
    is the server's, has kept it from fetching elsewhere.
    """

    def __init__(self, browser: Browser, *, own_hand: bool, **options: Any) -> None:
        usual = {"reduced_motion": "reduce", "service_workers": "block"}
        self.context = browser.new_context(**{**usual, **options})
        self.context.set_default_timeout(PATIENCE_MS)
        self.context.add_init_script(KEEP_TOASTS)
        if not own_hand:
            self.context.add_init_script(OWN_HAND_OFF)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self._own_hand = own_hand
        self._looked = ""  # as it came
        page = self.page
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda line: line.type == "error" and self.complaints.append(line.text))

    def go(self, url: str, *, room: bool) -> Player:
        """Nothing is stored there, whatever an earlier test has done under that address: a port is
        given out again by chance.
        """
        storage = self.context.new_cdp_session(self.page)
        storage.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "all"})
        storage.detach()
        self.page.goto(url)
        expect(self.page.locator(".platform" if room else ".felt")).to_be_visible()
        self._looked = self.page.evaluate(LOOKS)
        return Player(self.page)

    def at_hand(self) -> Player:
        """The page that has stayed open, once it shows what the table has now."""
        self.page.wait_for_function(UP_TO_DATE, polling=30)
        return Player(self.page)

    def let_go(self) -> bool:
        """By mouse and keys. Returns whether the page is as it came, but for the game, and leaves
        alone what other tests do.
        """
        self.page.mouse.up()
        self.page.mouse.up(button="right")
        self.page.mouse.move(0, 0)
        self.page.evaluate(FORGET)
        looks: str = self.page.evaluate(LOOKS)
        return looks == self._looked and not self._own_hand

    def empty(self) -> None:
        """As new, for another address."""
        self.page.goto("about:blank")
        self.context.clear_cookies()


class Tabs:
    """The tabs of one browser. To open one costs as much as what most tests do in it, so that those
    with the usual options are used again, each under the address of the next test's own server; or
    under the same one, where tests share it: then the page itself stays, if it is as it came. A
    second tab of each kind is for tests in between that have a server of their own.
    """

    def __init__(self, browser: Browser, staying: dict[str, Tab | None]) -> None:
        self._browser = browser
        self._staying = staying
        self._kept: dict[str, list[Tab]] = {}

    def take(self, url: str, *, own_hand: bool, fresh: bool, **options: Any) -> tuple[Tab, str]:
        """A tab, and under which name it may be kept: "" if it may not."""
        view = options.pop("viewport", USUAL)
        scheme = options.pop("color_scheme", "light")
        name = (
            "" if fresh or options.keys() - {"has_touch", "is_mobile"} else str((own_hand, options))
        )
        kept = self._kept.setdefault(name, [])
        there = self._staying.get(url)
        free = [tab for tab in kept if tab is there or tab not in self._staying.values()]
        tab = there if there in free else next(iter(free or kept[1:]), None)
        if tab is None:
            opened = {"viewport": view, "color_scheme": scheme, **options}
            return Tab(self._browser, own_hand=own_hand, **opened), name
        kept.remove(tab)
        tab.page.set_viewport_size(view)
        tab.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        return tab, name

    def open(self, tab: Tab, url: str, *, room: bool) -> Player:
        """No other tab stays at that address."""
        stayed = self._staying.get(url)
        for address, other in self._staying.items():
            if other is tab or address == url:
                self._staying[address] = None
        if stayed is tab:
            return tab.at_hand()
        if stayed:
            stayed.empty()
        return tab.go(url, room=room)

    def give_back(self, tab: Tab, name: str, url: str) -> None:
        kept = self._kept.get(name, [])
        if not name or len(kept) > 1 or tab.page.is_closed():
            tab.context.close()
            return
        kept.append(tab)
        if tab.let_go() and self._staying.get(url, tab) is None:
            self._staying[url] = tab
        else:
            tab.empty()


@pytest.fixture(scope="session")
def tabs(browser: Browser, staying: dict[str, Tab | None]) -> Tabs:
    return Tabs(browser, staying)


@pytest.fixture
def open_page(tabs: Tabs) -> Iterator[Callable[..., Player]]:
    """Open the page at an address; afterwards it must have complained of nothing.

    ``own_hand``: the table's own hand works by itself, as it does in a browser that is new here.
    ``room``: a game of seats is being played. ``fresh``: in a tab of its own, for a test that
    changes the tab itself.
    """
    taken: list[tuple[Tab, str, str]] = []

    def start(
        url: str, *, own_hand: bool = False, room: bool = False, fresh: bool = False, **options: Any
    ) -> Player:
        tab, name = tabs.take(url, own_hand=own_hand, fresh=fresh, **options)
        taken.append((tab, name, url))
        return tabs.open(tab, url, room=room)

    expect.set_options(timeout=PATIENCE_MS)
    yield start
    complaints = []
    for tab, name, url in taken:
        if not tab.page.is_closed():
            complaints += tab.page.evaluate(NO_WORDS)
        tabs.give_back(tab, name, url)
        complaints += tab.complaints
        tab.complaints.clear()
    refused = "net::ERR_CONNECTION_REFUSED"  # the browser says so while the server is away
    assert [c for c in complaints if refused not in c] == []


class SlowLink:
    """A page's link to the table, from now on; nothing comes back over it while it is ``slow``."""

    def __init__(self, page: Page) -> None:
        self.slow = False
        self._kept: list[str | bytes] = []
        page.route_web_socket("**/api/v1/ws", self._carry)
        page.reload()

    def _carry(self, page: WebSocketRoute) -> None:
        self._page = page
        table = page.connect_to_server()
        page.on_message(table.send)
        table.on_message(lambda told: self._kept.append(told) if self.slow else page.send(told))

    def let_through(self) -> None:
        self.slow = False
        for told in self._kept:
            self._page.send(told)
        self._kept.clear()


@pytest.fixture
def slow_link() -> type[SlowLink]:
    """What makes a link slow."""
    return SlowLink


class Player:
    """A person at the page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def box(self, located: Locator) -> dict[str, float]:
        """Where something is on the screen, as soon as it stays there: x, y, width and height."""
        box: dict[str, float] | None = None
        while box is None:  # what is drawn anew is another element
            box = located.evaluate(AT_REST)
        return box

    def middle(self, located: Locator) -> tuple[float, float]:
        box = self.box(located)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def spot(self, place: str) -> tuple[float, float]:
        """Where a place is on the screen."""
        return self.middle(self.page.locator(f'.surface [data-name="{place}"]'))

    def resize(self, width: int, height: int) -> None:
        """Returns when the page is drawn so large."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function(f"() => innerWidth === {width} && innerHeight === {height}")

    def open_part(self, name: str) -> None:
        """A tab of the drawer "The table"."""
        if not self.page.locator("#drawer").is_visible():
            self.page.get_by_role("button", name="The table", exact=True).click()
        self.page.get_by_role("tab", name=name, exact=True).click()

    def marble(self, place: str) -> Any:
        return self.page.locator(f'.marble[data-place="{place}"]')

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
        self.drag(self.middle(tray), self.spot(place))

    def carry(self, source: str, target: str) -> None:
        """Drag a marble over the plate; it is gripped by its upper half, as one does."""
        grip = self.middle(self.marble(source).locator(".ball"))
        start, end = self.spot(source), self.spot(target)
        self.drag(grip, (grip[0] + end[0] - start[0], grip[1] + end[1] - start[1]))

    def expect_turn(self, piece: str) -> None:
        expect(self.page.locator(f'.tray.to-move[data-piece="{piece}"]')).to_be_visible()
        self.expect_phase("turn")

    def expect_phase(self, phase: str) -> None:
        expect(self.page.locator(f'.say-card[data-phase="{phase}"]')).to_be_visible()

    def expect_toast(self, part: str) -> None:
        """A toast with this part has been shown since the last one that was expected."""
        self.page.wait_for_function(NEXT_TOAST, arg=part, polling=50)

    def expect_no_toast(self) -> None:
        """None has been shown since the page came to this test."""
        assert self.page.evaluate("window.toastsSeen") == []

    def expect_marbles(self, **cells: str) -> None:
        """Exactly these marbles stand on the plate."""
        for place, piece in cells.items():
            standing = self.page.locator(f'.marble[data-place="{place}"][data-piece="{piece}"]')
            expect(standing).to_have_count(1)
        expect(self.page.locator(".marble")).to_have_count(len(cells))

    def expect_no_barrier(self, part: str = "") -> None:
        """Names, roles, contrast, order, what can be reached; ``part``: a selector, where nothing
        else has changed.
        """
        library = pytest.importorskip("axe_playwright_python.base")
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(library.AXE_SCRIPT)
        assert self.page.evaluate(AXE, part) == []

    def expect_moves(self, *moves: str) -> None:
        expect(self.page.locator(".move")).to_have_text(list(moves))

"""The page under test, served over the simulated table and shown in real Chromium."""

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
from tiltboard.firmware_host.table.hands import CarryOut, ClearFault, Put, Tilt
from tiltboard.firmware_host.table.preview import Preview
from tiltboard.firmware_host.web.server import WebServer
from tiltboard.ground.clock import Clock, SystemClock
from tiltboard.hw_sim.session.live import LiveTable

# The first installed program is used. Without windows, extensions and sync, a page uses a quarter
# less CPU time.
CHROMIUMS = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
USUAL = {"width": 900, "height": 620}  # A small window, because the processor draws each pixel.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-audio-output",
    # Phones reach a table under test by this name; the table listens only on this machine.
    "--host-resolver-rules=MAP table.local 127.0.0.1",
    # A page of another server stays in the process of its tab, too.
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
)
# Returns the box of an element after two equal frames, or null if the element is gone.
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
# Returns the problems that axe-core finds on the page or in a part: rule, element, remedy.
AXE = """(part) => axe.run(part || document, { resultTypes: ["violations"], preload: false })
  .then(({ violations }) => violations.map(({ id, nodes }) =>
    [id, nodes.map(({ target, failureSummary }) => [target, failureSummary])]))"""
# Returns the page state that tests change, except the game: stored, open, selected and shown parts.
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
# Removes what changes without a test: toasts, lists, and stored values of finished games.
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
# Returns texts on the screen that show a script's mistake, such as "undefined".
NO_WORDS = """() => [document.body.innerText,
  ...[...document.querySelectorAll("[aria-label], [title]")].flatMap((each) =>
    [each.ariaLabel, each.title])].flatMap((text) =>
      text?.match(/.*(?:\\[object|\\bundefined\\b|\\bNaN\\b).*/g) ?? [])"""
PATIENCE_MS = 60_000  # Time limit in ms, long enough for a busy machine.
UNTIL_S = 60.0
# Stores each toast's text, because on a busy machine a toast can disappear before a test looks.
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
# In the playground, which the processor draws here, a picture 16 times a second is enough.
FEWER_PICTURES = """
const picture = requestAnimationFrame.bind(window);
window.requestAnimationFrame = (draw) => document.documentElement?.hasAttribute("data-free")
  ? setTimeout(picture, 45, draw) : picture(draw);
"""
OWN_HAND_OFF = """if (location.host) {
  localStorage.setItem("tiltboard.own-hand", "off");
  localStorage.setItem("tiltboard.begun", "yes");
}"""
SPEED = 4.0
# Half the sensors' rate is enough, because the page shows results and not the sensors.
SCANS_PER_S = 25
START_S = 3.0  # The table needs two thirds of this time for its first reading of the places.
CALM_S = 4.0  # Longer than the table waits before any sentence or take-back.
TILTED_DEG = 1.0  # More than the noise of the sensor.
REST_S = 1.5  # Time after the last request, longer than the table needs to detect a move.


class FasterClock(SystemClock):
    """A clock with which simulated hands and scans run four times as fast as real time.

    After some time without changes the clock runs at normal speed, because faster scans of a
    resting table only cost CPU time.
    """

    def __init__(self) -> None:
        # Clock time and real time at the last change of speed, and the speed.
        self._pace = (0.0, super().now(), SPEED)
        self._calm_at_s = 0.0
        self._stood: object = None

    def now(self) -> float:
        then_s, since_s, speed = self._pace
        return then_s + (super().now() - since_s) * speed

    def sleep(self, duration_s: float) -> None:
        super().sleep(duration_s / self._pace[2])

    def step(self, host: Host, moving: object = None) -> None:
        """Set the speed by whether anything on the table changes. ``moving``: further values that
        count as changes.
        """
        tilt = [round(angle, 2) for angle in host.sight.tilt_rad]
        stands = (host.status, host.sight.cells, tilt, moving)
        if stands != self._stood:
            self._stood, self._calm_at_s = stands, self.now() + CALM_S
        speed = SPEED if self.now() < self._calm_at_s else 1.0
        if speed != self._pace[2]:
            self._pace = (self.now(), super().now(), speed)


class ClockOnDemand:
    """A clock that runs only while a test waits for the table, and then as fast as the processor
    allows.
    """

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
                # A test that got its answer may have sent another request meanwhile.
                if not self._awaited:
                    self._news.wait()
            self._now_s += max(0.0, duration_s)

    def _all_done(self) -> bool:
        return all(asked.done() for asked, _ in self._awaited)

    def awaited(self, asked: Future[Any]) -> Future[Any]:
        """Return a future with the result of ``asked``, which is done when the table also rests."""
        answer: Future[Any] = Future()
        answer.set_running_or_notify_cancel()
        with self._news:
            self._awaited.append((asked, answer))
            self._until_s = max(self._until_s, self._now_s + REST_S)
            self._news.notify()
        return answer

    def free(self) -> None:
        """Let the clock run, so that the table can end."""
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
    """A simulated table that uses no CPU time between requests, for tests of the page's server."""

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
        """Run a few scans and make a new snapshot."""
        self._clock.awaited(self._table.call(lambda: None)).result(20)


class Served:
    """A table with its page. The server can stop and start again while the table runs."""

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
        """Send a request, and return status, headers with lower-case names, and body."""
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
        """Send a command to the table without the page, and wait until it is done."""
        self.table.submit(command).result(20)

    def until(self, holds: Callable[[Snapshot], bool]) -> None:
        """Wait for a snapshot for which ``holds`` returns True. Each new snapshot is checked, even
        if this thread wakes late.
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
        """Put a piece on the table with a simulated hand, and wait until the hand has left."""
        self.do(Put(piece, place))

    def play(self, *moves: str) -> None:
        """Play moves that push no other piece with simulated hands, each when its player is to
        move.
        """
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
        """Let the simulated player carry out the table's requests."""
        self.do(CarryOut())


class Altered:
    """A simulated table whose snapshots and layout a test can change, for states that hands and
    faults cannot reach.
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
        """Wait until ``command`` is the last submitted command. The page shows a press before the
        table gets the command.
        """
        with self._came:
            assert self._came.wait_for(
                lambda: bool(self.submitted) and self.submitted[-1] == command, PATIENCE_MS / 1000
            ), self.submitted

    def show(self, **fields: object) -> None:
        """Change fields of all further snapshots, and make a new snapshot if the table rests."""
        self._shown = fields
        if isinstance(self.table, Resting):
            self.table.look()

    def take_hands(self) -> None:
        """Show the page a real table, whose pieces only people can move."""
        self.hands = False
        self.show(pieces=[])

    def layout(self) -> Layout:
        return replace(self.table.layout(), hands=self.hands)

    def latest(self) -> Snapshot:
        return with_fields(self.table.latest(), **self._shown)


@pytest.fixture(scope="module")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """A table for all tests in a file, each of which starts a game of its own."""
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
    """A function that serves a table until the test ends."""
    started: list[Served] = []

    def start(table: Table) -> Served:
        started.append(Served(table))
        return started[-1]

    yield start
    for served in started:
        served.server.stop()


@pytest.fixture
def at_rest(resting: Resting, serve: Callable[[Table], Served]) -> Served:
    """A page over a table that scans only during requests; the plate is empty."""
    _clear(resting)
    return serve(resting)


def _clear(table: Table) -> None:
    """Remove the traces of earlier tests from a table: faults, tilt, pieces, and the names of
    people.
    """
    players = table.latest().players
    for player in players.names.keys() - players.engines.keys():
        table.submit(PlayAs(player)).result(20)
    for each in table.latest().plate.broken:
        table.submit(ClearFault(each.fault, tuple(each.targets))).result(20)
    if max(map(abs, table.latest().plate.tilt_deg)) > TILTED_DEG:
        table.submit(Tilt(0.0, 0.0)).result(20)
    if table.latest().plate.pieces:
        table.submit(NewGame("momentum")).result(20)
        table.submit(CarryOut()).result(20)


@pytest.fixture(scope="session")
def staying() -> dict[str, Tab | None]:
    """The tab that stays open at the address of a shared server, by address."""
    return {}


@pytest.fixture(scope="module")
def shared(resting: Resting, staying: dict[str, Tab | None]) -> Iterator[Served]:
    """One server for all tests in a file, so that its page can stay open."""
    served = Served(resting)
    staying[served.url] = None
    yield served
    left = staying.pop(served.url)
    if left:
        left.empty()
    served.server.stop()


@pytest.fixture
def served(shared: Served) -> Served:
    """The page over a simulated table with a started game and an empty plate.

    Time passes only during requests; a test in which time must pass otherwise uses ``lively``.
    """
    _clear(shared.table)
    shared.table.submit(NewGame("momentum")).result(20)
    return shared


@pytest.fixture
def lively(simulated: Table, serve: Callable[[Table], Served]) -> Served:
    """The page over a simulated table of its own, whose time passes continuously."""
    return serve(simulated)


@pytest.fixture
def alter() -> type[Altered]:
    """The class ``Altered``, whose snapshots a test can change."""
    return Altered


@pytest.fixture
def altered(served: Served, serve: Callable[[Table], Served]) -> Served:
    """The page over the table of ``served``, whose snapshots a test can change."""
    return serve(Altered(served.table))


@pytest.fixture
def faster_clock(monkeypatch: pytest.MonkeyPatch) -> FasterClock:
    # Per second of real time, the page gets as many snapshots as on a real table, and a late
    # snapshot does not lose scans.
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
    """A tab of the browser with its errors, including requests to other servers that the server's
    content security policy has blocked.
    """

    def __init__(self, browser: Browser, *, own_hand: bool, **options: Any) -> None:
        usual = {"reduced_motion": "reduce", "service_workers": "block"}
        self.context = browser.new_context(**{**usual, **options})
        self.context.set_default_timeout(PATIENCE_MS)
        self.context.add_init_script(KEEP_TOASTS)
        self.context.add_init_script(FEWER_PICTURES)
        if not own_hand:
            self.context.add_init_script(OWN_HAND_OFF)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self._own_hand = own_hand
        self._looked = ""  # The state of the page after loading.
        page = self.page
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda line: line.type == "error" and self.complaints.append(line.text))

    def go(self, url: str, *, room: bool) -> Player:
        """Delete the stored data of the address, open the page, and return it.

        Data can remain from an earlier test, because a port can be used again by chance.
        """
        storage = self.context.new_cdp_session(self.page)
        storage.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "all"})
        storage.detach()
        self.page.goto(url)
        expect(self.page.locator(".platform" if room else ".felt")).to_be_visible()
        self._looked = self.page.evaluate(LOOKS)
        return Player(self.page)

    def at_hand(self) -> Player:
        """Wait until the open page shows the table's present layout, and return it."""
        self.page.wait_for_function(UP_TO_DATE, polling=30)
        return Player(self.page)

    def let_go(self) -> bool:
        """Release mouse and keys, and remove the traces of the test. Return whether the page is in
        its first state (except the game), so that another test can use it.
        """
        self.page.mouse.up()
        self.page.mouse.up(button="right")
        self.page.mouse.move(0, 0)
        self.page.evaluate(FORGET)
        looks: str = self.page.evaluate(LOOKS)
        return looks == self._looked and not self._own_hand

    def empty(self) -> None:
        """Reset the tab for another address."""
        self.page.goto("about:blank")
        self.context.clear_cookies()


class Tabs:
    """The tabs of one browser, which tests share because opening a tab takes as long as a usual
    test.

    A tab with the usual options is used again with the address of the next test's server. If tests
    share a server, the page itself stays open, unless a test has changed it. A second tab of each
    kind is for tests with a server of their own.
    """

    def __init__(self, browser: Browser, staying: dict[str, Tab | None]) -> None:
        self._browser = browser
        self._staying = staying
        self._kept: dict[str, list[Tab]] = {}

    def take(self, url: str, *, own_hand: bool, fresh: bool, **options: Any) -> tuple[Tab, str]:
        """Return a tab, and the name under which it can be kept, or "" if it cannot be kept."""
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
        """Open the address in a tab. If another tab stays at the address, that tab is emptied."""
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
    """A function that opens the page at an address. At the end of the test, the page must not have
    any errors.

    ``own_hand``: whether the page's simulated hand is switched on, as in a new browser. ``room``:
    whether the game is a game of seats. ``fresh``: whether to use a new tab, for a test that
    changes the tab.
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
    # The browser reports this error while the server is stopped.
    refused = "net::ERR_CONNECTION_REFUSED"
    assert [c for c in complaints if refused not in c] == []


class SlowLink:
    """The page's connection to the table; while ``slow`` is true, the page receives nothing."""

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
    """The class ``SlowLink``, which delays a page's messages."""
    return SlowLink


class Player:
    """A person who uses the page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def box(self, located: Locator) -> dict[str, float]:
        """Return the box of an element after it has stopped moving: x, y, width and height."""
        box: dict[str, float] | None = None
        while box is None:  # A redrawn element is a new element.
            box = located.evaluate(AT_REST)
        return box

    def middle(self, located: Locator) -> tuple[float, float]:
        box = self.box(located)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def spot(self, place: str) -> tuple[float, float]:
        """Return the position of a place on the screen."""
        return self.middle(self.page.locator(f'.surface [data-name="{place}"]'))

    def resize(self, width: int, height: int) -> None:
        """Resize the window, and wait until the page has the new size."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function(f"() => innerWidth === {width} && innerHeight === {height}")

    def open_part(self, name: str) -> None:
        """Open a tab of the drawer "The table"."""
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
        """Drag a marble over the plate, gripped by its upper half as people do."""
        grip = self.middle(self.marble(source).locator(".ball"))
        start, end = self.spot(source), self.spot(target)
        self.drag(grip, (grip[0] + end[0] - start[0], grip[1] + end[1] - start[1]))

    def expect_turn(self, piece: str) -> None:
        expect(self.page.locator(f'.tray.to-move[data-piece="{piece}"]')).to_be_visible()
        self.expect_phase("turn")

    def expect_phase(self, phase: str) -> None:
        expect(self.page.locator(f'.say-card[data-phase="{phase}"]')).to_be_visible()

    def expect_toast(self, part: str) -> None:
        """Wait for a toast that contains ``part``, after the last expected toast."""
        self.page.wait_for_function(NEXT_TOAST, arg=part, polling=50)

    def expect_no_toast(self) -> None:
        """Check that no toast has been shown during this test."""
        assert self.page.evaluate("window.toastsSeen") == []

    def expect_marbles(self, **cells: str) -> None:
        """Check that exactly these marbles are on the plate."""
        for place, piece in cells.items():
            standing = self.page.locator(f'.marble[data-place="{place}"][data-piece="{piece}"]')
            expect(standing).to_have_count(1)
        expect(self.page.locator(".marble")).to_have_count(len(cells))

    def expect_no_barrier(self, part: str = "") -> None:
        """Check accessibility: names, roles, contrast, order, and reachable elements. ``part``: the
        selector of the only part that has changed, or "" for the whole page.
        """
        library = pytest.importorskip("axe_playwright_python.base")
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(library.AXE_SCRIPT)
        assert self.page.evaluate(AXE, part) == []

    def expect_moves(self, *moves: str) -> None:
        expect(self.page.locator(".move")).to_have_text(list(moves))

"""Measures how much the page's visitors delay the scan loop. Each kind of request is sent at the
maximum rate that the table permits.

The visitors run in a separate process. The measured value is the gap from the end of one scan to
the start of the next scan, in real time and in CPU time of the table's process. CPU time is the
delay that the table itself causes, even if the Pi is busy with other programs.
"""

from __future__ import annotations

import http.client
import json
import random
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tiltboard.drivers.plate import HallArray
from tiltboard.firmware_host.config.files import JOURNAL_NAME
from tiltboard.firmware_host.config.players import OURS
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.engines.engine_pool import OUR_COMMAND
from tiltboard.firmware_host.engines.process import EngineProcess
from tiltboard.firmware_host.engines.search.limits import STRONGEST
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.host.pacer import favour_the_scan
from tiltboard.firmware_host.journal.records import PlayedGame
from tiltboard.firmware_host.journal.text_format import write_game
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.web.limits import (
    PAGES_PER_ADDRESS,
    READ_BURST,
    READS_PER_S,
    REQUEST_BURST,
    REQUESTS_PER_S,
)
from tiltboard.firmware_host.web.server import WebServer
from tiltboard.firmware_host.web.websocket import MESSAGES_PER_S
from tiltboard.games.registry import HOSTED, game_type
from tiltboard.ground.clock import SystemClock, cpu_s
from tiltboard.ground.measured import Measured
from tiltboard.ground.rate_limit import TokenBucket
from tiltboard_lab.bench.seats_at_table import seated_game

GOAL_WORST_MS = 100.0
LONG_OPTIONS = {"size": 5, "marbles": 20, "pie": False}
LONG_GAME = 2000  # Maximum number of moves in the long game.
# Requests per second that one device can send through its pages and through other connections.
COMMANDS_PER_S = REQUESTS_PER_S + PAGES_PER_ADDRESS * MESSAGES_PER_S
FILE_CHARACTERS = (
    # Maximum length of a board or a deck in a message
    # (tiltboard.firmware_host.table.commands.FileText).
    60_000
)
# Number of connections for each flood (a list of repeated requests). With several connections, a
# request can be sent before the previous request is answered.
CONNECTIONS = 4
# Maximum total number of connections for all floods. The page refuses more than 80 connections.
MAX_CONNECTIONS = 60
API = "/api/v1"
ENDLESS_S = 3600.0


@dataclass(frozen=True, slots=True)
class Flood:
    """A list of requests that is sent repeatedly."""

    name: str
    path: str
    bodies: tuple[dict[str, Any], ...] = ()
    """Bodies of the POST requests, one body for each request. Empty for GET requests."""
    per_s: float = REQUESTS_PER_S
    """Maximum rate in requests per second, which applies after an initial burst of ``burst``
    requests.
    """
    burst: float = REQUEST_BURST


@dataclass(slots=True)
class Scans:
    """The gaps between scans. The length of each gap is stored in ms of real time and in ms of this
    process's CPU time.
    """

    gaps: list[tuple[float, float]] = field(default_factory=list)
    _ended: tuple[float, float] | None = None

    def forget(self) -> None:
        """Delete all gaps and start measuring again."""
        self.gaps.clear()
        self._ended = None

    def begin(self) -> None:
        """Record the start of a scan. The gap since the previous scan ends at this time."""
        ended = self._ended  # Read the field only once, because another thread can clear it.
        if ended is not None:
            now_s, used_s = SystemClock().now(), cpu_s()
            self.gaps.append((1000 * (now_s - ended[0]), 1000 * (used_s - ended[1])))

    def end(self) -> None:
        """Record the end of a scan. The gap before the next scan starts at this time."""
        self._ended = SystemClock().now(), cpu_s()


class TimedHall:
    """A Hall array that reports the start and the end of each scan to ``Scans``."""

    def __init__(self, hall: HallArray, scans: Scans) -> None:
        self._hall = hall
        self._scans = scans

    @property
    def temperature_c(self) -> float | None:
        """The temperature of the wrapped Hall array in degrees Celsius, or None."""
        return self._hall.temperature_c

    def read(self) -> tuple[float, ...]:
        """Read the wrapped Hall array and record when the scan starts and ends."""
        self._scans.begin()
        try:
            return self._hall.read()
        finally:
            self._scans.end()

    def close(self) -> None:
        """Close the wrapped Hall array."""
        self._hall.close()


def run(
    echo: Callable[[str], None], seconds: int = 3, *, thinking: bool = False
) -> tuple[float, float]:
    """Send each flood (a list of repeated requests) for ``seconds`` of real time, and then all
    floods together. Print the gaps between scans.

    Returns the longest gap in ms of real time and the longest gap in ms of CPU time. ``thinking``:
    True to run two engine searches during the floods.
    """
    title = "From a scan's end to the next one's begin, plate-10 simulated, each for {each_s} s, ms"
    echo(Measured(title, each_s=seconds))
    echo(f"  {'':<18}{'requests':^16}{'by the clock':^26}{'of the CPU':^18}")
    echo(f"  {'flood':<18}{'sent':>8}{'done':>8}{'median':>9}{'95 %':>8}{'worst':>9}"
         f"{'95 %':>9}{'worst':>9}")  # fmt: skip
    with (
        tempfile.TemporaryDirectory() as state,
        ProcessPoolExecutor(1, get_context("spawn")) as visitors,
        thinkers(2 if thinking else 0),
    ):
        # Start the visitors' process before the measurement.
        visitors.submit(ask_all, (), 0, 0).result()
        text = with_a_long_game(Path(state))
        with served(Path(state)) as (scans, port):
            floods = floods_of(text, 1)
            rounds = [("nothing", []), *((flood.name, [flood]) for flood in floods)]
            rounds.append(("all at once", floods))
            worst = []
            for name, some in rounds:
                scans.forget()
                sent, done = visitors.submit(ask_all, some, port, seconds).result()
                asked = Measured("{flood:<18}{sent:8}{done:8}", flood=name, sent=sent, done=done)
                worst.append(_told(echo, asked, scans.gaps))
    by_clock, by_cpu = map(max, zip(*worst, strict=True))
    echo(
        Measured(
            "  goal: never more than {goal_cpu_ms:.0f} ms of CPU ({of_goal:.2f})",
            goal_cpu_ms=GOAL_WORST_MS,
            of_goal=by_cpu / GOAL_WORST_MS,
        )
    )
    return by_clock, by_cpu


@contextmanager
def thinkers(count: int) -> Iterator[None]:
    """Run ``count`` of the table's engines while the context is open. Each engine searches without
    end in its own process.
    """
    engines = [EngineProcess(OURS, OUR_COMMAND, SystemClock()) for _ in range(count)]
    over = threading.Event()

    def think(engine: EngineProcess) -> None:
        engine.set_up("momentum", {}, STRONGEST)
        engine.think([], "infinite", ENDLESS_S, wanted=lambda: not over.is_set())

    threads = [threading.Thread(target=think, args=(engine,)) for engine in engines]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
        for engine in engines:
            engine.close()


def _told(
    echo: Callable[[str], None], asked: Measured, gaps: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    by_clock, by_cpu = (sorted(column) for column in zip(*gaps, strict=True))
    late = len(gaps) * 95 // 100
    echo(
        Measured(
            "  {asked}{median_ms:9.1f}{in_95_percent_ms:8.1f}{worst_ms:9.1f}"
            "{in_95_percent_cpu_ms:9.1f}{worst_cpu_ms:9.1f}",
            asked=asked,
            median_ms=by_clock[len(gaps) // 2],
            in_95_percent_ms=by_clock[late],
            worst_ms=by_clock[-1],
            in_95_percent_cpu_ms=by_cpu[late],
            worst_cpu_ms=by_cpu[-1],
        )
    )
    return by_clock[-1], by_cpu[-1]


def floods_of(text: str, game: int) -> list[Flood]:
    """Return a flood (a list of repeated requests) for each command and each read request of the
    page's interface.

    ``text``: a game to import. ``game``: the number of a long game in the journal.
    """

    def command(name: str, *bodies: dict[str, Any]) -> Flood:
        return Flood(name, f"{API}/command", bodies, COMMANDS_PER_S)

    def read(name: str, path: str) -> Flood:
        return Flood(name, f"{API}/{path}", per_s=READS_PER_S, burst=READ_BURST)

    take_back: dict[str, Any] = {"type": "take-back"}
    resume = {"type": "resume", "game": game}
    player = {"player": "red"}
    return [
        command("game", {"type": "game", "game": "momentum"}),
        command("again", {"type": "again"}),
        command("resume", resume),
        command("import", {"type": "import", "text": text}),
        command("take-back", resume, *(5 * [take_back]), take_back | {"to": 0}),
        command("swap", {"type": "swap"}),
        command("answer", {"type": "answer", "value": "yes"}),
        command("make-move", {"type": "make-move", "move": "d4"}),
        command("engines", {"type": "game", "game": "momentum", "engines": {"red": {"level": 10}}}),
        command("hint", {"type": "hint"}),
        command("resign", {"type": "resign", **player}, {"type": "game", "game": "momentum"}),
        command("offer-draw", {"type": "offer-draw", **player}),
        command("learn", {"type": "learn", "game": "attraktion"}, {"type": "stop-learning"}),
        command("puzzle", {"type": "puzzle", "game": "momentum", "number": 1},
                {"type": "stop-learning"}),
        command("practise", {"type": "practise", "game": game, "ply": 10},
                {"type": "stop-learning"}),
        command("people", *({"type": "play-as", **player, "name": f"guest {n}"} for n in range(9)),
                {"type": "sure"}, *({"type": "forget", "name": f"guest {n}"} for n in range(9))),
        command("assist", *({"type": "assist", **player, "amount": amount} for amount in (3, 0))),
        command("touch", {"type": "touch"}),
        command("far", {"type": "join-match", "code": "none"}, {"type": "say", "phrase": "hello"},
                {"type": "leave-match"}),
        command("play-freely", {"type": "play-freely"}, {"type": "play-freely", "on": False}),
        command("seat-moves", {"type": "game", "game": seated_game().name},
                {"type": "seat-computer", **player, "level": "hard"},
                {"type": "seat-move", "move": "chance"}, {"type": "count"}, {"type": "not-so"},
                {"type": "seat-hint", **player},
                {"type": "stand-up", **player}, {"type": "open-hand", **player}),
        *(command(option, {"type": "game", "game": name, "boards": {option: text}},
                  {"type": "seat-move", "move": "chance"}, {"type": "seat-move", "move": "chance"})
          for name, option, text in largest_files()),
        *(command(f"no-{option}", {"type": "game", "game": name,
                                   "boards": {option: f"a = [{'1,' * 29_000}]"}})
          for name, option, _ in largest_files()),
        command("calibrate", {"type": "calibrate"}, {"type": "answer-sweep", "value": "yes"},
                {"type": "stop-calibration"}),
        read("far-tables", "far"),
        read("history", "history"),
        read("record", f"history/{game}"),
        read("export", f"history/{game}/export"),
        read("analysis", f"history/{game}/analysis"),
        *(Flood(name, f"{API}/{name}") for name in (
            "snapshot", "layout", "games", "health", "legend", "texts", "pairing", "puzzles",
            "seats", "people", "machine")),
        Flood("preview", f"{API}/preview/d4"),
        Flood("figures", f"{API}/games/momentum/figures"),
        Flood("pair", f"{API}/pairing", ({"code": "000000"},)),
        Flood("first-phone", f"{API}/pairing/first", ({"name": "a phone"},)),
        Flood("sit-down", f"{API}/seats", ({"code": "000000"},)),
        Flood("open-code", f"{API}/pairing/code", ({},)),
        Flood("ask-machine", f"{API}/machine", ({"type": "update"},)),
        Flood("update", f"{API}/machine/update", ({},)),
    ]  # fmt: skip


def largest_files() -> Iterator[tuple[str, str, str]]:
    """For each option that takes a file, yield the name of the game, the name of the option and the
    content of the file that takes longest to read.

    A comment fills each file to the maximum length of a message. The comment has no line breaks,
    because a line break takes two characters in a message.
    """
    for name, kind in HOSTED.items():
        for option, text in kind.largest_files().items():
            yield name, option, text + "#" * (FILE_CHARACTERS - len(text))


def with_a_long_game(state: Path) -> str:
    """Write a journal with one very long game, and return the game as text to import."""
    game = game_type("momentum").create(LONG_OPTIONS)
    position = game.start()
    moves: list[str] = []
    chance = random.Random(1)
    while len(moves) < LONG_GAME:
        legal = list(position.legal())
        turns = [position.play(move) for move in chance.sample(legal, min(8, len(legal)))]
        open_ones = [turn for turn in turns if turn.position.outcome is None]
        if not open_ones:
            break
        emptiest = min(open_ones, key=lambda turn: len(turn.position.cells))
        moves.append(emptiest.move)
        position = emptiest.position
    with Journal.open(state / JOURNAL_NAME, SystemClock()) as journal:
        number = journal.store(PlayedGame(game.name, game.options, 0.0, "", tuple(moves), None))
        return write_game(journal.load(number))


@contextmanager
def served(state: Path) -> Iterator[tuple[Scans, int]]:
    """Serve a simulated table and its page on this machine only. Yields the measured gaps and the
    port.
    """
    from tiltboard.hw_sim.session.live import LiveTable

    scans = Scans()
    live = LiveTable(load_profile("plate-10"), state, Settings())

    def note(host: Host) -> None:
        if not isinstance(host.plate.hall, TimedHall):
            host.plate.hall = TimedHall(host.plate.hall, scans)

    live.table.on_step = note
    live.table.start()
    try:
        server = WebServer(live.table, 0)
        server.start()
        favour_the_scan()
        try:
            yield scans, server.port
        finally:
            server.stop()
    finally:
        live.table.stop()


def ask_all(floods: Sequence[Flood], port: int, seconds: float) -> tuple[int, int]:
    """Send the requests of all floods for ``seconds`` seconds. Return the number of requests sent,
    and the number of requests that succeeded.
    """
    answers: Counter[int] = Counter()
    over = threading.Event()
    threads = [
        threading.Thread(target=_ask, args=(flood, port, over, bucket, answers))
        for flood in floods
        for bucket in [TokenBucket(flood.per_s, flood.burst, SystemClock().now)]
        for _ in range(min(CONNECTIONS, MAX_CONNECTIONS // len(floods)))
    ]
    for thread in threads:
        thread.start()
    over.wait(seconds)
    over.set()
    for thread in threads:
        thread.join()
    return answers.total(), answers[200]


def _ask(
    flood: Flood,
    port: int,
    over: threading.Event,
    bucket: TokenBucket,
    answers: Counter[int],
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"content-type": "application/json"}
    bodies = cycle(flood.bodies)
    try:
        while not over.is_set():
            if not bucket.take():
                over.wait(1 / flood.per_s)
                continue
            if flood.bodies:
                connection.request("POST", flood.path, json.dumps(next(bodies)), headers)
            else:
                connection.request("GET", flood.path)
            answer = connection.getresponse()
            answer.read()
            answers[answer.status] += 1
    finally:
        connection.close()

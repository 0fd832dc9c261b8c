"""What visitors cost the scan: every verb and every read, flooded at its permitted rate."""

from __future__ import annotations

import http.client
import json
import random
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drivers.clock import SystemClock
from firmware_host.config.paths import JOURNAL_NAME
from firmware_host.config.profile import load_profile
from firmware_host.config.settings import Settings
from firmware_host.host.host import Host
from firmware_host.journal import Journal, PlayedGame, write_game
from firmware_host.web.limits import READ_BURST, READS_PER_S, REQUESTS_PER_S
from firmware_host.web.server import WebServer
from games.registry import game_type

GOAL_WORST_MS = 100.0
LONG_OPTIONS = {"size": 5, "marbles": 20, "pie": False}
LONG_GAME = 2000  # moves, the most that a game may have
API = "/api/v1"


@dataclass(frozen=True, slots=True)
class Flood:
    """One request, again and again. ``body``: of a POST, else a GET. ``per_s``: how often."""

    name: str
    path: str
    body: dict[str, Any] | None = None
    per_s: float = REQUESTS_PER_S
    burst: int = 1


@dataclass(slots=True)
class Scans:
    """When scans ended, in seconds of the clock."""

    at_s: list[float] = field(default_factory=list)

    def gaps_ms(self) -> list[float]:
        """The times between them, shortest first, in ms."""
        pairs = zip(self.at_s, self.at_s[1:], strict=False)
        return sorted(1000 * (later - before) for before, later in pairs)


def run(echo: Callable[[str], None], seconds: int = 3) -> None:
    """Each flood for so many seconds of real time, then all of them at once."""
    echo(f"Gaps between scans, plate-10 simulated in real time, each flood for {seconds} s")
    echo(f"  {'flood':<22} {'asked':>6} {'done':>6} {'median':>8} {'95 %':>8} {'worst':>8}  ms")
    with tempfile.TemporaryDirectory() as state:
        text = _with_a_long_game(Path(state))
        with served(Path(state)) as (scans, port):
            floods = _floods(text)
            rounds = [("nothing", []), *((flood.name, [flood]) for flood in floods)]
            worst = [_flooded(echo, name, some, scans, port, seconds) for name, some in rounds]
            worst.append(_flooded(echo, "all at once", floods, scans, port, seconds))
    echo(f"  goal: never more than {GOAL_WORST_MS:.0f} ms ({max(worst) / GOAL_WORST_MS:.2f})")


def _floods(text: str) -> list[Flood]:
    def command(kind: str, **members: Any) -> Flood:
        return Flood(kind, f"{API}/command", {"type": kind, **members})

    def read(name: str, path: str) -> Flood:
        return Flood(name, f"{API}/{path}", per_s=READS_PER_S, burst=int(READ_BURST))

    return [
        command("new-game", game="momentum"),
        command("resume", game=1),
        command("import", text=text),
        command("take-back"),
        command("swap"),
        command("answer", value="yes"),
        read("history", "history"),
        read("record", "history/1"),
        read("export", "history/1/export"),
        Flood("snapshot", f"{API}/snapshot"),
        Flood("layout", f"{API}/layout"),
        Flood("games", f"{API}/games"),
        Flood("health", f"{API}/health"),
    ]


def _with_a_long_game(state: Path) -> str:
    """Make a journal with a game that nobody wants to win; a part of it as text, to be imported."""
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
        journal.store(PlayedGame(game.name, game.options, 0.0, "", tuple(moves), None))
        short = journal.store(
            PlayedGame(game.name, game.options, 0.0, "", tuple(moves[:200]), None)
        )
        return write_game(journal.load(short))


@contextmanager
def served(state: Path) -> Iterator[tuple[Scans, int]]:
    """A simulated table with its page, for this machine alone."""
    from hw_sim.live import LiveTable

    scans, clock = Scans(), SystemClock()
    live = LiveTable(load_profile("plate-10"), state, Settings())

    def note(_: Host) -> None:
        scans.at_s.append(clock.now())

    live.table.on_step = note
    live.table.start()
    try:
        server = WebServer(live.table, 0)
        server.start()
        try:
            yield scans, server.port
        finally:
            server.stop()
    finally:
        live.table.stop()


def _flooded(  # noqa: PLR0917
    echo: Callable[[str], None],
    name: str,
    floods: Sequence[Flood],
    scans: Scans,
    port: int,
    seconds: int,
) -> float:
    """The worst gap while these are asked, in ms."""
    answers: Counter[int] = Counter()
    over = threading.Event()
    threads = [threading.Thread(target=_ask, args=(flood, port, over, answers)) for flood in floods]
    scans.at_s = scans.at_s[-1:]
    for thread in threads:
        thread.start()
    SystemClock().sleep(seconds)
    gaps = scans.gaps_ms() or [1000.0 * seconds]
    over.set()
    for thread in threads:
        thread.join()
    middle, late = gaps[len(gaps) // 2], gaps[len(gaps) * 95 // 100]
    echo(
        f"  {name:<22} {answers.total():6} {answers[200]:6} {middle:8.1f} {late:8.1f}"
        f" {gaps[-1]:8.1f}"
    )
    return gaps[-1]


def _ask(flood: Flood, port: int, over: threading.Event, answers: Counter[int]) -> None:
    """First ``burst`` times without a pause, as a visitor may, then at the rate."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"content-type": "application/json"}
    asked = 0
    try:
        while not over.is_set():
            if flood.body is None:
                connection.request("GET", flood.path)
            else:
                connection.request("POST", flood.path, json.dumps(flood.body), headers)
            answer = connection.getresponse()
            answer.read()
            answers[answer.status] += 1
            asked += 1
            if asked >= flood.burst:
                over.wait(1 / flood.per_s)
    finally:
        connection.close()

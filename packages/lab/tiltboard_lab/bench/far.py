"""Measures two tables that play each other over a broker on this machine: the delay from a move to
the lights of the other table, the messages sent, and the CPU load of an idle connection.

Both tables run in this process, in real time; the broker is Debian's mosquitto.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import FarSettings, Settings
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.table.commands import JoinMatch, MakeMove, NewGame
from tiltboard.firmware_host.table.hands import CarryOut
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.registry import game_type
from tiltboard.ground.measured import Measured
from tiltboard.hw_sim.session.live import LiveTable
from tiltboard_lab.bench.club import PROGRAMS, free_port, process
from tiltboard_online.far.link import Broker, Link
from tiltboard_online.far.match_session import Far

# Target for the delay of 95 % of the moves, in ms. The delay at the first table is not included.
GOAL_MS = 150.0
GOAL_REST = 0.2  # Target for the CPU load of an idle connection, in percent of one core.
STARTS_S = 2.0
GAME = {"size": 9, "marbles": 12}

# A program that runs in a separate process with the host and the page's server. The program prints
# how much memory and CPU time the online package adds, and then the CPU load of an idle connection.
ADDS = """
import sys, time
from pathlib import Path
import tiltboard.firmware_host.host.host, tiltboard.firmware_host.web.server
from tiltboard.ground.clock import cpu_s
def held_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6
mb, used_s = held_mb(), cpu_s()
import tiltboard_online.far.match_session
from tiltboard_online.far.link import Broker, Link
from tiltboard_online.far.seal import Keys, Seal
Seal(Keys("0" * 32, "0" * 64, "1" * 64))
link = Link(Broker("127.0.0.1", int(sys.argv[1]), False), will=("bench/here", b"0"))
link.subscribe("bench/+", lambda topic, content: None)
link.start()
while not link.connected:
    time.sleep(0.01)
print(held_mb() - mb, cpu_s() - used_s)
time.sleep(1)
used_s = cpu_s()
time.sleep(float(sys.argv[2]))
print(100 * (cpu_s() - used_s) / float(sys.argv[2]))
link.close()
"""


class WatchedMatch:
    """A table, and the times at which the table confirms its own moves and lights the other table's
    moves.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        folder.mkdir()
        self.table = LiveTable(load_profile("plate-10"), folder, settings).table
        self.table.on_step = self._look
        self.made: dict[int, float] = {}
        self.lit: dict[int, float] = {}
        self.host: Host | None = None

    def _look(self, host: Host) -> None:
        self.host, now_s = host, time.monotonic()
        status, count = host.status, len(host.status.moves)
        self.made.setdefault(count, now_s)
        far = host.session.opponents.far
        if status.phase is Phase.SETTLE and status.to_move in far:
            self.lit.setdefault(count + 1, now_s)


def run(echo: Callable[[str], object], moves: int = 60, seconds: float = 30.0) -> None:
    """Play random games of Momentum until ``moves`` moves have been made, and print delays,
    messages and CPU load.

    ``seconds``: duration of the measurement of an idle connection.
    """
    with TemporaryDirectory() as folder:
        port = free_port()
        config = Path(folder, "mosquitto.conf")
        config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
        program = shutil.which("mosquitto", path=PROGRAMS)
        if program is None:
            echo("mosquitto is not installed: sudo apt install mosquitto")
            return
        with process(program, "-c", str(config)):
            time.sleep(STARTS_S)
            _play(echo, Path(folder), port, moves)
            added = subprocess.run(
                [sys.executable, "-c", ADDS, str(port), str(seconds)],
                capture_output=True, text=True, check=True,
            ).stdout.split()  # fmt: skip
    mb, start_s, rest = map(float, added)
    echo(
        Measured(
            "the extra, once a match is open: {added_mb:.1f} MB, {added_cpu_s:.2f} s of CPU;"
            " before: nothing",
            added_mb=mb,
            added_cpu_s=start_s,
        )
    )
    echo(
        Measured(
            "the connection at rest, {seconds_s:g} s: {rest_percent:.3f} % of a core;"
            " goal: {goal_percent} %",
            seconds_s=seconds,
            rest_percent=rest,
            goal_percent=GOAL_REST,
        )
    )


def _play(echo: Callable[[str], object], folder: Path, port: int, moves: int) -> None:
    settings = Settings(far=FarSettings(f"mqtt://127.0.0.1:{port}"))
    pair = [WatchedMatch(folder / name, settings) for name in "ab"]
    sent: list[int] = []
    monitor = Link(Broker("127.0.0.1", port, False))
    monitor.subscribe("tiltboard/1/match/+/+", lambda _, content: sent.append(len(content)))
    monitor.start()
    chance = random.Random(1)
    for each in pair:
        each.table.start()
    took_ms: list[float] = []
    try:
        first, other = pair
        first.table.submit(NewGame("momentum", GAME, far={"blue": 1})).result()
        code = first.table.latest().match
        if code is None or code.code is None:
            raise RuntimeError("no match has begun")
        other.table.submit(JoinMatch(code.code)).result()
        count = 0
        while count < moves:
            time.sleep(0.02)
            for each in pair:
                _help(each, chance)
            count = max(n for each in pair for n in (0, *each.made))
            if any(each.host and each.host.status.outcome for each in pair):
                break
        for one, two in ((first, other), (other, first)):
            took_ms += [1000 * (two.lit[n] - one.made[n]) for n in two.lit if n in one.made]
        largest, whole = max(sent), sum(sent)
    finally:
        monitor.close()
        for each in pair:
            each.table.stop()
    late = quantiles(took_ms, n=20)[-1]
    echo(
        Measured(
            "{moves} moves of Momentum, from confirmed here to lit far away", moves=len(took_ms)
        )
    )
    echo(
        Measured(
            "  median {median_ms:.0f} ms, 95 in 100 within {in_95_percent_ms:.0f} ms;"
            " goal: {goal_ms:g} ms",
            median_ms=median(took_ms),
            in_95_percent_ms=late,
            goal_ms=GOAL_MS,
        )
    )
    echo(
        Measured(
            "  {bytes_per_move:.0f} bytes a move in {messages_per_move:.1f} messages;"
            " the longest {longest_bytes}",
            bytes_per_move=whole / count,
            messages_per_move=len(sent) / count,
            longest_bytes=largest,
        )
    )


def _help(each: WatchedMatch, chance: random.Random) -> None:
    """Make a random move if it is this table's turn. The table's simulated player carries out all
    requests of the table.
    """
    host = each.host
    far = None if host is None else host.playing.far
    if host is None or not isinstance(far, Far) or far.match is None:
        return
    status, match = host.status, far.match
    if status.phase in (Phase.SETUP, Phase.SETTLE, Phase.FIX):
        each.table.submit(CarryOut())
    elif status.phase is Phase.TURN and match.state.agreed.complete and match.writes:
        position = status.position or game_type("momentum").create(GAME).start()
        if status.moves == match.course.moves:
            each.table.submit(MakeMove(chance.choice(position.legal())))

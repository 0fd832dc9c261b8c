"""Measures the memory of the process during an hour of free play in the simulated world with
physics.
"""

from __future__ import annotations

import gc
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.table.commands import SetFreePlay
from tiltboard.ground.clock import cpu_s
from tiltboard.ground.measured import Measured
from tiltboard_lab.bench.service import resident_mb

HOUR_S = 3600.0
PARTS = 4
# Time before the first measurement, in seconds. The program allocates most of its permanent memory
# in this time.
WARM_S = 300.0
EACH_S = 5.0  # Interval between two actions of the simulated player, in seconds.
MAX_PIECES = 14
MAX_MB = 3.0


def run(echo: Callable[[str], None], seed: int = 1, hour_s: float = HOUR_S) -> None:
    """Print the memory in use after every 15 minutes of free play.

    A simulated player puts, stacks, drops, pushes and takes pieces, lifts pieces with chopsticks,
    and tilts the plate.
    """
    from tiltboard.hw_sim.errors import HandsError
    from tiltboard.hw_sim.physics import world_class
    from tiltboard.hw_sim.rng import Streams
    from tiltboard.hw_sim.session import SimSession

    table, stream = load_profile("plate-10"), Streams(seed).stream("bench-hour")
    with (
        tempfile.TemporaryDirectory() as state,
        SimSession(table, Path(state), seed=seed, world=world_class(physics=True)) as session,
    ):
        session.run_until(WARM_S / 100)
        session.host.do(SetFreePlay())
        hands, plate, done = session.hands, session.table.world, 0
        used_s, marks = cpu_s(), [WARM_S + hour_s * part / PARTS for part in range(PARTS + 1)]
        echo("Hour of free play with physics: resident memory in MB, Python's objects")
        first_mb = last_mb = 0.0
        while marks:
            at_s = session.clock.now()
            if at_s >= marks[0]:
                marks.pop(0)
                gc.collect()
                last_mb = resident_mb(os.getpid())
                first_mb = first_mb or last_mb
                echo(
                    Measured(
                        "  {at_s:6.0f} s {held_mb:8.1f} {objects:9}",
                        at_s=at_s - WARM_S,
                        held_mb=last_mb,
                        objects=len(gc.get_objects()),
                    )
                )
            stands = [i for i in range(table.size) if plate.piece_at(i) is not None]
            free = [i for i in range(table.size) if i not in stands]
            label, empty = stream.choice(sorted(plate.trays)), stream.choice(free)
            piece = stream.choice(stands) if stands else empty
            full = len(plate.pieces) >= MAX_PIECES
            deeds: list[Callable[[], object]] = [
                lambda to=empty, of=label: hands.drop(of, to, from_mm=20.0, tremble_mm=0.3),  # type: ignore[misc]
                lambda to=piece, of=label: hands.stack(of, to, tremble_mm=0.3),  # type: ignore[misc]
                lambda of=piece, to=empty: hands.push(of, to),  # type: ignore[misc]
                lambda of=piece, to=empty: hands.chopsticks(of, to, tremble_mm=1.0),  # type: ignore[misc]
                lambda of=piece: hands.take(of),  # type: ignore[misc]
                lambda: hands.tilt(math.radians(stream.uniform(-15, 15)), 0.1, for_s=1.0),
            ]
            try:
                stream.choice(deeds[4:] if full else deeds)()
                done += 1
            except HandsError:
                # The action is impossible: there is no space for the piece, or no piece to take.
                pass
            session.run_until(at_s + EACH_S)
        used_s = cpu_s() - used_s
        ratio = (session.clock.now() - WARM_S) / used_s
    grown_mb = last_mb - first_mb
    echo(
        Measured(
            "  {done} things done, {speed_x:.0f} x real time; grown by {grown_mb:.1f} MB",
            done=done,
            speed_x=ratio,
            grown_mb=grown_mb,
        )
    )
    echo(
        Measured(
            "  goal: at most {goal_mb:.0f} MB ({of_goal:.2f})",
            goal_mb=MAX_MB,
            of_goal=grown_mb / MAX_MB,
        )
    )

"""Measures the speed of the simulated world with physics relative to real time, and the CPU time of
a scan while pieces slide.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tiltboard.drivers.frame import Frame
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.ground.clock import cpu_s
from tiltboard.ground.measured import Measured
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.session.bench import play_quietly, scan_cpu_ms, session_of
from tiltboard.hw_sim.session.session import SimSession
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind
from tiltboard_lab.bench.pi import host_cpu_ms, nbody_step_us

COUNTS = (1, 12, 36)
SIDE = 6  # Number of pieces along each side of the block of pieces.
FIRST = 22  # Plate index of the place c3, the corner of the block of pieces.
FREE = 11  # Plate index of the place b2, which has no piece.
SCAN_S = 0.02
GOAL = 8.0  # Target speed with 36 pieces, as a multiple of real time.
PROFILE, SCANS = "plate-10", 1000
GOAL_SLIDING_MS = 1.0
PUSHES, EMPTIES_DEG = 8, 25.0
# Number of repetitions. Only the shortest time of each scan counts, so that the load of other
# programs has little effect.
REPEATS = 3


def run(echo: Callable[[str], None]) -> None:
    """Print the speed of the simulation over 2 s of table time. The speed is measured with pieces
    at rest, while a hand carries a piece, and while the plate tilts.
    """
    echo(
        "The world with physics, times real time (CPU of one core, sensors read 50 times a second)"
    )
    for count in COUNTS:
        table = SimTable(load_profile("plate-10"), world=world_class(physics=True))
        places = [FIRST + i % SIDE + table.profile.columns * (i // SIDE) for i in range(count)]
        for number, place in enumerate(places):
            kind = (MagnetKind.N_STRONG, MagnetKind.S_STRONG)[number % 2]
            table.world.add_resting(kind.value, kind, 1.0, (*table.profile.centre_mm(place), 0.0))
        _speed(table)
        rest = _speed(table)
        table.hands.move(FIRST, FREE)
        carried = _speed(table)
        table.hands.tilt(0.0, math.radians(10.0), for_s=0.5)
        tilted = _speed(table)
        echo(
            Measured(
                "  {pieces:2} pieces: at rest {rest_x:.0f}, one carried {carried_x:.1f}, "
                "tilted by 10 degrees and back {tilted_x:.1f}",
                pieces=count,
                rest_x=rest,
                carried_x=carried,
                tilted_x=tilted,
            )
        )
    echo(
        Measured(
            "  goal: {goal_x:.0f} with {pieces} pieces ({of_goal:.2f} while one is carried)",
            goal_x=GOAL,
            pieces=COUNTS[-1],
            of_goal=carried / GOAL,
        )
    )
    _say_slides(echo)


def _speed(table: SimTable, duration_s: float = 2.0) -> float:
    """Return the ratio of simulated time to CPU time over the next ``duration_s`` seconds."""
    end_s, started_s = table.clock.now() + duration_s, time.process_time()
    while table.clock.now() < end_s:
        table.clock.sleep(SCAN_S)
        table.world.field_mt(0, table.clock.now())
    return duration_s / (time.process_time() - started_s)


def _say_slides(echo: Callable[[str], None]) -> None:
    """Print the CPU time of a scan while pieces slide. In the first case, pieces are pushed one
    after another. In the second case, all pieces slide on a tilted plate.
    """
    drivers_ms = (scan_cpu_ms(PROFILE, SCANS)[2] or 0.0) - host_cpu_ms(PROFILE, SCANS, busy=False)
    costs = sorted(drivers_ms + ms for ms in sliding_cpu_ms(PROFILE))
    at = [costs[min(len(costs) - 1, len(costs) * share // 100)] for share in (50, 95, 99, 100)]
    echo(
        Measured(
            "A scan while pieces slide, {scans} of them, drivers and all:"
            " median {median_ms:.2f} ms,",
            scans=len(costs),
            median_ms=at[0],
        )
    )
    steps = 1000 * at[2] / nbody_step_us()
    echo(
        Measured(
            "  95 % {in_95_percent_ms:.2f}, 99 % {in_99_percent_ms:.2f}, most {max_ms:.2f}",
            in_95_percent_ms=at[1],
            in_99_percent_ms=at[2],
            max_ms=at[3],
        )
    )
    echo(
        Measured(
            "  goal: at most {goal_ms} ms ({of_goal:.2f} in 99 of 100,",
            goal_ms=GOAL_SLIDING_MS,
            of_goal=at[2] / GOAL_SLIDING_MS,
        )
    )
    echo(Measured("  {nbody_steps:.0f} steps of the n-body program)", nbody_steps=steps))


def sliding_cpu_ms(profile: str) -> list[float]:
    """Return the CPU time in ms of each host step while pieces slide, without the drivers.

    A table with physics records the sensor readings first; the host then replays the readings.
    """
    table, frames, sliding = load_profile(profile), list[Frame](), list[bool]()
    with (
        tempfile.TemporaryDirectory() as state,
        SimSession(table, Path(state), world=world_class(physics=True)) as session,
    ):
        scan, dynamics = session.host.plate.scan, session.table.world

        def recorded() -> Frame:
            frames.append(scan())
            moves = [piece.path is None for piece in dynamics.pieces.values()]
            sliding.append(slides and any(moves))
            return frames[-1]

        slides = False
        session.host.plate.scan = recorded  # type: ignore[method-assign]
        play_quietly(session)
        for index in range(PUSHES):
            stands = [i for i in range(table.size) if dynamics.piece_at(i) is not None]
            slides = True
            target = table.size // 2 + index
            action = session.hands.push(stands[index % len(stands)], target)
            session.run_until(action.end_s + 0.3)
            slides = False
            session.run_until(action.end_s + 2.0)
        slides = True
        tilted = session.hands.tilt(math.radians(EMPTIES_DEG), 0.0)
        session.run_until(tilted.end_s + 2.0)
    costs = [math.inf] * len(frames)
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as state, session_of(profile, Path(state)) as session:
            session.host.plate.scan = iter(frames).__next__  # type: ignore[method-assign]
            # The host on a real table does not simulate lights, so the CPU time of simulated lights
            # is excluded.
            session.table.buses.light_port.silent = 0
            for number in range(len(frames)):
                begun = cpu_s()
                session.host.step()
                costs[number] = min(costs[number], 1000 * (cpu_s() - begun))
                session.wait()
    return [ms for ms, moves in zip(costs, sliding, strict=True) if moves]

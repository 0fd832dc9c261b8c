"""How much faster than real time the world with physics runs, with pieces on the plate."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from firmware_host.config.profile import load_profile
from hw_sim.physics import world_class
from hw_sim.table import SimTable
from hw_sim.world.magnet import KINDS

COUNTS = (1, 12, 36)
SIDE = 6  # of the block in which they stand
FIRST = 22  # c3
FREE = 11  # b2
SCAN_S = 0.02
GOAL = 8.0  # times real time with 36 pieces


def run(echo: Callable[[str], None]) -> None:
    """Each 2 s of table time: at rest, while a hand carries a piece, while the plate tilts."""
    echo(
        "The world with physics, times real time (CPU of one core, sensors read 50 times a second)"
    )
    for count in COUNTS:
        table = SimTable(load_profile("plate-10"), world=world_class(physics=True))
        places = [FIRST + i % SIDE + table.profile.columns * (i // SIDE) for i in range(count)]
        for number, place in enumerate(places):
            kind = KINDS[number % 2]
            table.world.add_resting(kind.name, kind, 1.0, (*table.profile.centre_mm(place), 0.0))
        _speed(table)
        rest = _speed(table)
        table.hands.move(FIRST, FREE)
        carried = _speed(table)
        table.hands.tilt(0.0, math.radians(10.0), for_s=0.5)
        tilted = _speed(table)
        echo(
            f"  {count:2} pieces: at rest {rest:.0f}, one carried {carried:.1f}, "
            f"tilted by 10 degrees and back {tilted:.1f}"
        )
    echo(f"  goal: {GOAL:.0f} with {COUNTS[-1]} pieces ({carried / GOAL:.2f} while one is carried)")


def _speed(table: SimTable, duration_s: float = 2.0) -> float:
    """Table time for CPU time."""
    end_s, started_s = table.clock.now() + duration_s, time.process_time()
    while table.clock.now() < end_s:
        table.clock.sleep(SCAN_S)
        table.world.field_mt(0, table.clock.now())
    return duration_s / (time.process_time() - started_s)

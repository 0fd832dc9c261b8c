"""Tests of firmware_host/table/lights.py: the spirit level of lights: its bubble is where the
plate is high.
"""

from math import radians

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.table.lights import bubble_at
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.session import SimSession

BOARD = game_type("momentum").create({"size": 7})


@pytest.mark.parametrize(
    ("degrees", "place"),
    [
        ((0, 0), "d4"),
        ((8, 0), "d7"),  # the north edge is up
        ((-4, 0), "d2"),
        ((0, 8), "a4"),  # the west edge
        ((0, -20), "g4"),
        ((20, 20), "b6"),
    ],
)
def test_it_goes_to_the_high_side_and_no_further_than_the_edge(degrees, place):
    assert bubble_at(BOARD, (radians(degrees[0]), radians(degrees[1]))) == place


def test_the_lights_show_it_until_the_plate_is_level(tmp_path):
    with SimSession(unhurried("plate-7"), tmp_path) as session:
        host = session.host
        session.run_until(1.0)

        def white():
            shown = host.plate.shown
            strip = host.output.light_at
            lit = {i: shown[3 * at : 3 * at + 3] for i, at in enumerate(strip)}
            return {
                host.profile.places[i]
                for i, (red, green, blue) in lit.items()
                if min(red, green, blue) > 0.7 * max(red, green, blue) > 0
            }

        session.table.world.plate.tilt(radians(8), 0.0, session.clock.now())
        session.run_until(3.0)
        assert host.status.phase is Phase.PAUSED
        assert white() == {"d7"}
        session.table.world.plate.tilt(0.0, 0.0, session.clock.now())
        session.run_until(6.0)
        assert host.status.phase is not Phase.PAUSED
        assert white() == set()

"""Tests of firmware_host/table/buttons.py and hw_sim/table.py: presses of real switches: as
their contacts were recorded, at any moment between two scans, each is one press.

Edges in ms after the first, read off the plots of github.com/gsuberland/switch_bouncing: a 6 mm
tactile switch (XKB TC-1103-B-A) that opens, and a large push button (Schneider XB2-BW31B1C) that
closes. And the longest that new 6 mm tactile switches did in github.com/adamfk/bouncy-button-data,
9.3 ms in its issue 11 and 14 ms in 23: of these a length is given, here they change every half
millisecond of it.
"""

import pytest

from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.host.pacer import Pacer
from tiltboard.firmware_host.table.buttons import Buttons
from tiltboard.hw_sim.table import SimTable

CLEAN = (0.0,)
PUSH_BUTTON_CLOSES = (0, 0.018, 0.040, 0.090, 0.105, 0.140, 0.155, 0.180, 0.193)
TACTILE_OPENS = (
    *(0.350, 0.353, 0.490, 0.495, 0.550, 0.552, 0.635, 0.645, 0.695, 0.700, 0.770, 0.772, 0.840),
    *(0.842, 0.885, 0.887, 0.960, 0.965, 1.030, 1.036, 1.085, 1.087, 1.165, 1.170, 1.220),
)


def restless(most_ms):
    return tuple(half / 2 for half in range(round(2 * most_ms) // 2 * 2 + 1))


SWITCHES = {
    "push button": (PUSH_BUTTON_CLOSES, CLEAN),
    "tactile": (CLEAN, TACTILE_OPENS),
    "tactile, 9.3 ms": (restless(9.3), restless(9.3)),
    "tactile, 14 ms": (restless(14.0), restless(14.0)),
}
HELD_S = 0.3
MOMENTS = 12  # of the time between two scans, at each of which a press begins


@pytest.mark.parametrize("name", ["plate-10", "node"])
@pytest.mark.parametrize("switch", SWITCHES)
def test_a_press_of_a_real_switch_is_one_press(name, switch):
    closes, opens = SWITCHES[switch]
    with SimTable(load_profile(name), seed=3) as table:
        plate, buttons = build_plate(table.profile, table.buses), Buttons()
        scan_s = 1 / table.profile.scans_per_s
        pacer, presses = Pacer(table.clock, table.profile.scans_per_s), []

        def look(scans):
            for _ in range(scans):
                pacer.wait()
                presses.extend(buttons.update(plate.scan().pressed, table.clock.now()))

        look(60)
        for moment in range(MOMENTS):
            down_s = table.clock.now() + scan_s * (2 + moment / MOMENTS)
            up_s = down_s + HELD_S
            contact = table.world.buttons["confirm"]
            contact._edges_s = [
                *(down_s + edge / 1e3 for edge in closes),
                *(up_s + edge / 1e3 for edge in opens),
            ]
            look(round(0.5 / scan_s))
            assert [press.button for press in presses] == ["confirm"] * (moment + 1)
            assert presses[-1].held_s == pytest.approx(HELD_S, abs=0.02 + 2 * scan_s)
        plate.close()

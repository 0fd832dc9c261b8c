"""Tests of tiltboard/testing/real.py: the bench of a real board itself: its requests do what the
suites take them for.

A robot that knows nothing but the requests acts on a simulated table behind the same drivers.
"""

import math
import re

import pytest

from tiltboard.drivers.lights import LightPattern
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.hw_sim.table import SimTable
from tiltboard.testing import NotPossibleHereError, SimulationError
from tiltboard.testing.bench import PIECES
from tiltboard.testing.real import CLEAR, AtTerminal, RealBench, ServoHand


class Robot:
    def __init__(self, table):
        self.table = table
        table.world.trays = dict(PIECES)

    def ask(self, request):
        table, hands = self.table, self.table.hands
        at = table.profile.places.index
        if found := re.fullmatch(r"Put a strong piece on (\w+), (\w+) pole down", request):
            hands.put(found[2], at(found[1]))
            table.clock.sleep(3.0)
        elif found := re.search(r"the side of (\w+ \w+) goes up by ([\d.]+)", request):
            about = {"row 10": (1, 0), "row 1": (-1, 0), "column a": (0, 1), "column j": (0, -1)}
            angles = [math.radians(float(found[2])) * part for part in about[found[1]]]
            hands.tilt(*angles)
        elif found := re.match(r"Hold (\w+) down", request):
            hands.press(found[1], 1e6)
        elif found := re.fullmatch(r"Let (\w+) go", request):
            hands.press(found[1], 0.0)
            table.clock.sleep(0.1)
        elif "Which places" in request:
            named = {(1, 1, 1): "white", (1, 0, 0): "red", (0, 1, 0): "green", (0, 0, 1): "blue"}
            return ", ".join(
                f"{table.profile.places[i]} {named[tuple(int(c > 0) for c in rgb)]}"
                for i, rgb in enumerate(table.lights)
                if any(rgb)
            )
        elif "How many mA" in request:
            return "412.5"
        elif "buzzer" in request:
            return "y" if table.piezo.tone_hz else "n"
        else:
            raise AssertionError(request)
        return ""


@pytest.fixture
def sim_bench():
    table = SimTable(load_profile("plate-10"), 2)
    with table, RealBench(table.profile, table.buses, Robot(table)) as bench:
        yield bench


def test_pieces_are_asked_for_on_the_place_and_with_the_pole_that_is_meant(sim_bench):
    sim_bench.put("north", "d3")
    sim_bench.put("south", "g8")
    field = sim_bench.retry(sim_bench.plate.hall.read)
    assert field[23] < -5.5
    assert field[76] > 5.5


@pytest.mark.parametrize("angles", [(6.0, 0.0), (-6.0, 0.0), (0.0, 6.0), (0.0, -6.0)])
def test_tilts_are_asked_for_by_the_side_that_goes_up(sim_bench, angles):
    sim_bench.tilt(x_deg=angles[0], y_deg=angles[1], wait=False)
    sim_bench.clock.sleep(2.0)
    motion = sim_bench.retry(sim_bench.plate.imu.read, lambda motion: motion is not None)
    for felt_rad, wanted in zip(motion.tilt_rad, angles, strict=True):
        assert math.degrees(felt_rad) == pytest.approx(wanted, abs=1.5)


def test_what_shines_and_sounds_is_told_by_place_and_colour(sim_bench):
    lights = sim_bench.plate.lights
    strip = [None] * 100
    strip[sim_bench.profile.light_of(19)] = LightPattern((0, 255, 0))
    strip[sim_bench.profile.light_of(0)] = LightPattern((255, 255, 255))
    lights.ask(strip)
    lights.flush()
    assert sim_bench.lit() == {"a1": (255, 255, 255), "j2": (0, 255, 0)}
    assert sim_bench.drawn_ma() == 412.5
    assert not sim_bench.sounds()
    sim_bench.plate.panel.tone(440.0)
    assert sim_bench.sounds()


def test_buttons_are_held_and_let_go(sim_bench):
    panel = sim_bench.plate.panel
    sim_bench.hold("back")
    sim_bench.retry(panel.pressed, lambda pressed: pressed == {"back"})
    sim_bench.let_go("back")
    assert panel.pressed() == frozenset()


def test_a_servo_puts_its_piece_and_a_person_the_others():
    class Both:
        def __init__(self):
            self.did = []

        def ask(self, request):
            self.did.append(request)
            return "1"

        def min(self):
            self.did.append("up")

        def max(self):
            self.did.append("down")

    both = Both()
    hand = ServoHand(both, both, "a1, south", sleep=lambda _: None)
    clear, own = CLEAR, "Put a strong piece on a1, south pole down"
    other = "Put a strong piece on j1, north pole down"
    for request in (clear, own, clear, other, clear, "Does the buzzer sound? (y/n)"):
        hand.ask(request)
    assert both.did == [
        *("up", clear),  # what is on the plate as it begins nobody knows
        *("down", "up"),
        *(other, "up", clear),
        "Does the buzzer sound? (y/n)",
    ]


def test_without_a_terminal_a_test_that_needs_hands_is_skipped(tmp_path):
    with pytest.raises(NotPossibleHereError, match="Nobody is at a terminal"):
        AtTerminal(tmp_path / "no-tty").ask(CLEAR)


def test_what_no_hand_can_do_is_not_possible_and_misuse_is_an_error(sim_bench):
    for never in (
        lambda: sim_bench.fault("sensor-dead", "d4").__enter__(),
        lambda: sim_bench.unplug("panel"),
    ):
        with pytest.raises(NotPossibleHereError):
            never()
    for wrong in (
        lambda: sim_bench.put("red", "d4"),
        lambda: sim_bench.take("d44"),
        lambda: sim_bench.tilt(x_deg=90),
        lambda: sim_bench.hold("ok"),
    ):
        with pytest.raises(SimulationError):
            wrong()

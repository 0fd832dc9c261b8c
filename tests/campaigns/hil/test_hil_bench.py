"""Tests of tests/conformance/bench.py: the bench of a real board itself: its requests do what
the suites take them for.

A robot that knows nothing but the requests acts on a simulated table behind the same drivers.
"""

import math
import re
from pathlib import Path

import pytest

from tiltboard.drivers.lights import Look
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind

CONFORMANCE = Path(__file__).parents[2] / "conformance"


class Robot:
    def __init__(self, table):
        self.table = table
        table.world.trays = {"N": MagnetKind.N_STRONG, "S": MagnetKind.S_STRONG}

    def ask(self, request):
        table, hands = self.table, self.table.hands
        at = table.profile.places.index
        if found := re.fullmatch(r"Put a strong piece on (\w+), (n|s)\w+ pole down", request):
            hands.put(found[2].upper(), at(found[1]))
            table.clock.sleep(3.0)
        elif found := re.search(r"raise the side of (\w+ \w+) by ([\d.]+)", request):
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
def sim_bench(real_bench, real_profile):
    if real_profile:
        pytest.skip("the bench itself is tested without a board: two strips in one program")
    with SimTable(load_profile("plate-10"), 2) as table:
        bench = real_bench(table.profile, table.buses, Robot(table))
        yield bench
        bench.plate.close()


def test_pieces_are_asked_for_on_the_place_and_with_the_pole_that_is_meant(sim_bench):
    sim_bench.put(23, "N")
    sim_bench.put(76, "S")
    field = sim_bench.until(sim_bench.plate.hall.read)
    assert field[23] < -5.5
    assert field[76] > 5.5


@pytest.mark.parametrize("angles", [(6.0, 0.0), (-6.0, 0.0), (0.0, 6.0), (0.0, -6.0)])
def test_tilts_are_asked_for_by_the_side_that_goes_up(sim_bench, angles):
    sim_bench.tilt(*angles)
    sim_bench.clock.sleep(2.0)
    motion = sim_bench.until(sim_bench.plate.imu.read, lambda motion: motion is not None)
    for felt_rad, wanted in zip(motion.tilt_rad, angles, strict=True):
        assert math.degrees(felt_rad) == pytest.approx(wanted, abs=1.5)


def test_what_shines_and_sounds_is_told_by_place_and_colour(sim_bench):
    lights = sim_bench.plate.lights
    strip = [None] * 100
    strip[sim_bench.profile.light_of(19)] = Look((0, 255, 0))
    strip[sim_bench.profile.light_of(0)] = Look((255, 255, 255))
    lights.ask(strip)
    lights.flush()
    assert sim_bench.shining() == {0: (255, 255, 255), 19: (0, 255, 0)}
    assert sim_bench.drawn_ma() == 412.5
    assert not sim_bench.sounds()
    sim_bench.plate.panel.tone(440.0)
    assert sim_bench.sounds()


def test_buttons_are_held_and_let_go(sim_bench):
    panel = sim_bench.plate.panel
    sim_bench.press("back")
    sim_bench.until(panel.pressed, lambda pressed: pressed == {"back"})
    sim_bench.let_go("back")
    assert panel.pressed() == frozenset()


def test_a_servo_puts_its_piece_and_a_person_the_others(servo_hand):
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
    hand = servo_hand(both, both, "a1, south", sleep=lambda _: None)
    clear, own = "Take every piece off the plate", "Put a strong piece on a1, south pole down"
    other = "Put a strong piece on j1, north pole down"
    for request in (clear, own, clear, other, clear, "Does the buzzer sound? (y/n)"):
        hand.ask(request)
    assert both.did == [
        *("up", clear),  # what is on the plate as it begins nobody knows
        *("down", "up"),
        *(other, "up", clear),
        "Does the buzzer sound? (y/n)",
    ]


def test_without_a_terminal_a_test_that_needs_hands_is_skipped(at_terminal, tmp_path):
    with pytest.raises(pytest.skip.Exception, match="nobody at a terminal"):
        at_terminal(tmp_path / "no-tty").ask("Take every piece off the plate")


def test_the_suites_here_are_those_of_the_models():
    theirs = {path.name for path in CONFORMANCE.glob("test_*.py")}
    linked = {path.name: path for path in Path(__file__).parent.glob("test_conformance_*.py")}
    assert set(linked) == theirs
    assert all(path.resolve().parent == CONFORMANCE.resolve() for path in linked.values())

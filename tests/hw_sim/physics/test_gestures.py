"""Tests of hw_sim/physics/world.py and hw_sim/hands.py: what hands do that are not exact,
against mechanics; and what each means without physics.
"""

import math

import numpy as np
import pytest

pytest.importorskip("mujoco")

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind
from tiltboard.hw_sim.world.paths import Leg, Path
from tiltboard.hw_sim.world.world import World

RED = MagnetKind("N-strong")
HEIGHT_MM, RADIUS_MM = 15.0, 14.0
D4, E5, G4 = 33, 44, 36
CALM = {"tremble_mm": 0.3}


def table_in(kind, seed=1):
    table = SimTable(load_profile("plate-10"), seed, world=kind)
    table.world.trays = {"red": RED}
    return table


@pytest.fixture
def table():
    return table_in(world_class(physics=True))


@pytest.fixture
def plain():
    return table_in(World)


def until(table, time_s):
    while table.clock.now() < time_s:
        table.clock.sleep(0.02)
        table.world.settle(table.clock.now())


def after(table, action, spare_s=1.0):
    until(table, action.end_s + spare_s)
    return [piece.here for piece in table.world.pieces.values()]


def off_centre(table, index, here):
    x, y = table.profile.centre_mm(index)
    return math.hypot(here[0] - x, here[1] - y)


def test_a_piece_that_is_dropped_falls_for_as_long_as_galileo_says(table):
    action = table.hands.drop("red", D4, from_mm=120.0, **CALM)
    (piece,) = table.world.pieces.values()
    let_go_s = piece.path.end_s
    until(table, let_go_s + 0.1)
    fallen_mm = 120.0 - table.world._dynamics.poses().feet_mm[0][2]
    assert fallen_mm == pytest.approx(1000 * 9.81 / 2 * 0.1**2, abs=5.0)  # a scan's time off
    assert action.touch_s - let_go_s == pytest.approx(math.sqrt(2 * 0.120 / 9.81))
    (here,) = after(table, action)
    assert here[2] == pytest.approx(0.0, abs=0.1)


def test_a_tower_stands_as_high_as_its_pieces_and_falls_when_built_off_centre(table):
    after(table, table.hands.put("red", D4))
    for _ in range(4):
        heights = sorted(z for _, _, z in after(table, table.hands.stack("red", D4, **CALM)))
    assert heights == pytest.approx([HEIGHT_MM * level for level in range(5)], abs=0.3)
    after(table, table.hands.take(D4))  # the uppermost
    # its middle is beyond the rim of what is below it
    spots = after(table, table.hands.stack("red", D4, (RADIUS_MM + 3.0, 0.0), **CALM), 2.0)
    assert max(z for _, _, z in spots) < 4 * HEIGHT_MM - 5.0


def test_a_trembling_hand_lets_go_elsewhere_than_a_calm_one():
    def landed(tremble_mm):
        table = table_in(world_class(physics=True))
        action = table.hands.drop("red", D4, from_mm=5.0, tremble_mm=tremble_mm)
        return after(table, action)[0]

    assert math.dist(landed(0.0), landed(4.0)) > 0.5
    assert landed(4.0) == landed(4.0)


@pytest.mark.parametrize("speed_mm_s", [500.0, 900.0])
def test_a_flicked_piece_slides_as_far_as_friction_says(table, speed_mm_s):
    after(table, table.hands.put("red", D4))
    (start,) = (piece.here for piece in table.world.pieces.values())
    (here,) = after(table, table.hands.push(D4, G4, speed_mm_s))
    slid_mm = math.dist(start, here)
    assert slid_mm == pytest.approx(speed_mm_s**2 / (2 * 0.40 * 9810.0), rel=0.1)


def test_a_push_comes_about_where_it_is_meant_to(table):
    after(table, table.hands.put("red", D4))
    (here,) = after(table, table.hands.push(D4, E5))
    assert 0.1 < off_centre(table, E5, here) < 8.0


def test_a_spin_turns_a_piece_and_leaves_it_where_it_is(table):
    after(table, table.hands.put("red", D4))
    (before,) = (piece.here for piece in table.world.pieces.values())
    action = table.hands.spin(D4, 60.0)
    dynamics = table.world._dynamics
    assert not dynamics.asleep
    (here,) = after(table, action)
    assert dynamics.asleep
    assert math.dist(before, here) < 0.5


def test_two_hands_meet(table):
    for place in (D4, G4):
        after(table, table.hands.put("red", place))
    first = table.hands.push(D4, G4, 700.0)
    second = table.hands.push(G4, D4, 700.0)
    assert second.touch_s < first.end_s
    one, other = after(table, second)
    assert 2 * RADIUS_MM - 0.5 < math.dist(one, other) < 105.0  # they have met, or all but


def test_a_held_piece_knocks_others_and_flies_on_when_let_go(table):
    after(table, table.hands.put("red", D4))
    x, y = table.profile.centre_mm(D4)
    held = table.hands.grab("red", (x - 60.0, y, 0.0)).piece_ids[0]
    until(table, table.clock.now() + 0.3)
    for step in range(6):
        table.hands.carry(held, (x - 60.0 + 12.0 * (step + 1), y, 0.0))
        until(table, table.clock.now() + 0.04)
    released = table.world.pieces[held]
    table.hands.let_go(held)
    at = table.world._dynamics.poses()
    foot = at.feet_mm[at.numbers.index(held)][0]
    until(table, table.clock.now() + 1.0)
    struck = next(p for p in table.world.pieces.values() if p.piece_id != held)
    assert struck.here[0] > x + 5.0
    assert released.here[0] > foot + 3.0


def test_what_is_held_is_not_held_again(table):
    held = table.hands.grab("red", (0.0, 0.0, 40.0)).piece_ids[0]
    with pytest.raises(HandsError, match="Someone else is holding"):
        table.hands.grab(held, (0.0, 0.0, 40.0))


@pytest.mark.parametrize(("tremble_mm", "arrives"), [(0.0, True), (0.5, True), (5.0, False)])
def test_chopsticks_carry_a_piece_unless_the_hand_trembles(table, tremble_mm, arrives):
    after(table, table.hands.put("red", D4))
    action = table.hands.chopsticks(D4, G4, tremble_mm=tremble_mm)
    (here,) = after(table, action)
    assert (off_centre(table, G4, here) < 2.0) == arrives
    assert here[2] == pytest.approx(0.0, abs=0.2)
    (piece,) = table.world.pieces.values()
    assert not piece.held
    assert piece.path is None


def pulled_between_sticks(table, pull_m_s2):
    """Grabbed with two chopsticks, west and east of it, and drawn north ever faster for 90 mm."""
    held = table.hands.grab("red", (0.0, -45.0, 60.0), sticks=True).piece_ids[0]
    until(table, table.clock.now() + 1.0)
    piece, squeeze_n = table.world.pieces[held], table.world._dynamics._pieces[held].squeeze_n
    takes_s = math.sqrt(2 * 0.090 / pull_m_s2)
    faster = (-45.0, 0.0, 500 * pull_m_s2, 0.0, 0.0, 0.0)
    x, z = (0.0,) * 6, (60.0, *(0.0,) * 5)
    now_s, end = table.clock.now(), (0.0, 45.0, 60.0)
    path = Path(now_s, end, [Leg(now_s, takes_s, (x, faster, z), end)])
    table.world.set_going(piece, path)
    leans = [(0.0, 0.0)]
    while piece.held and table.clock.now() < now_s + takes_s - 0.02:
        leans.append(table.world._dynamics.poses().up[0][:2])
        until(table, table.clock.now() + 0.01)
    return piece.held, squeeze_n, np.abs(leans).max(axis=0)


@pytest.mark.parametrize("pull_m_s2", [6.0, 15.0, 30.0])
def test_what_is_pulled_faster_than_friction_holds_slips_out_of_chopsticks(table, pull_m_s2):
    held, squeeze_n, _ = pulled_between_sticks(table, pull_m_s2)
    needed_n = 0.020 * math.hypot(9.81, pull_m_s2)  # of two tips of wood
    assert held == (needed_n < 2 * 0.40 * squeeze_n)


def test_a_piece_swings_about_the_line_between_two_sticks(table):
    _, _, (east, north) = pulled_between_sticks(table, 4.0)
    assert north > 0.05
    assert east < 0.01


def test_each_has_its_plain_meaning_without_physics(plain):
    (here,) = after(plain, plain.hands.drop("red", D4, (3.0, 0.0), from_mm=80.0, tremble_mm=2.0))
    assert off_centre(plain, D4, here) == pytest.approx(3.0)
    after(plain, plain.hands.spin(D4, 60.0))
    (here,) = after(plain, plain.hands.push(D4, E5, 900.0))
    assert off_centre(plain, E5, here) == 0.0
    with pytest.raises(HandsError, match="--physics"):
        plain.hands.stack("red", E5, tremble_mm=0.3)
    held = plain.hands.grab("red", (0.0, -50.0, 40.0)).piece_ids[0]
    plain.hands.carry(held, (20.0, -50.0, 40.0))
    until(plain, plain.clock.now() + 0.5)
    spots = after(plain, plain.hands.let_go(held))
    assert (20.0, -50.0, 0.0) in spots
    moved = after(plain, plain.hands.chopsticks(E5, G4, tremble_mm=5.0))
    assert min(off_centre(plain, G4, here) for here in moved) == 0.0

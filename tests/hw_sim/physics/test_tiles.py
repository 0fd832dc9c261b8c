"""Tests of hw_sim/physics/body.py and dynamics.py: tiles that slide between pegs, against
formulas of mechanics.
"""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("mujoco")

from tests.hw_sim.overlapping import overlapping
from tiltboard.firmware_host.cli.scenario import command
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.games.gravity_connect.game import GRAVITY_CONNECT
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.physics.body import FEET, SLICK, STEM_M, shape_of
from tiltboard.hw_sim.physics.dynamics import Dynamics
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind

G = 9.81
TILE = replace(shape_of(GRAVITY_CONNECT.look.body), friction=SLICK, stem_m=STEM_M)
WEST_MM, PITCH_MM = -157.5, 35.0
MIDDLES = [WEST_MM + PITCH_MM * lane for lane in range(9)]  # 9 x 9, as on plate-10
ROW_MM = -17.5


class Board:
    """Lanes on a plate that is tilted about y, from the first second on."""

    def __init__(self, until_deg, deg_s=20.0, off_deg=0.0):
        self.until_deg, self.deg_s, self.off = until_deg, deg_s, math.radians(off_deg)
        self.dynamics = Dynamics(380.0, self.setpoint, lambda: math.inf, TILE)
        self.dynamics.set_lanes([(x, y) for x in MIDDLES for y in MIDDLES], PITCH_MM)

    def setpoint(self, now_s):
        lean = math.radians(min(self.until_deg, max(0.0, now_s - 1.0) * self.deg_s))
        return lean * math.sin(self.off), lean * math.cos(self.off)

    def tile(self, number, column, friction, moment_a_m2=0.0):
        spot = (MIDDLES[column], ROW_MM, 0.0)
        self.dynamics.add(number, spot, moment_a_m2, 1.0)
        self.dynamics.stand_on(number, friction)

    def foot(self, number=1):
        poses = self.dynamics.poses()
        return poses.feet_mm[poses.numbers.index(number)].tolist()


@pytest.mark.parametrize("friction", [SLICK, 0.4, 0.8])
def test_a_tile_slips_where_the_slope_is_its_friction(friction):
    board = Board(60.0, deg_s=4.0)
    board.tile(1, 4, friction)
    start, now_s = board.foot()[0], 1.0
    while abs(board.foot()[0] - start) < 0.2:
        now_s += 0.05
        board.dynamics.advance(now_s)
    slipped_deg = math.degrees(board.dynamics.motion(now_s).attitude_rad[1])
    assert slipped_deg == pytest.approx(math.degrees(math.atan(friction)), abs=0.8)


def test_feet_hold_at_every_tilt_that_the_plate_can_have():
    board = Board(40.0, deg_s=20.0)  # at 41.6 its corner is on the table top
    board.tile(1, 4, FEET)
    start = board.foot()[0]
    board.dynamics.advance(5.0)
    # Hands hold the weight, 1.7 N m at right angles, with 400 N m a radian.
    assert math.degrees(board.dynamics.motion(5.0).attitude_rad[1]) == pytest.approx(40.0, abs=0.2)
    assert board.foot()[0] == pytest.approx(start, abs=0.5)


def test_it_slides_as_fast_as_gravity_less_friction_and_stops_at_the_wall():
    board = Board(11.0, deg_s=60.0)
    board.tile(1, 0, SLICK)
    ways = []
    for now_s in (1.45, 1.65, 1.85):
        board.dynamics.advance(now_s)
        ways.append(board.foot()[0] / 1000)
    lean = math.radians(11.0)
    acceleration = G * (math.sin(lean) - SLICK * math.cos(lean))
    assert (ways[2] - 2 * ways[1] + ways[0]) / 0.2**2 == pytest.approx(acceleration, rel=0.08)
    board.dynamics.advance(5.0)
    east_mm = MIDDLES[-1] + PITCH_MM / 2 - TILE.radius_m * 1000
    assert board.foot()[0] == pytest.approx(east_mm, abs=0.1)


@pytest.mark.parametrize("off_deg", [-8.0, 0.0, 8.0])
def test_between_the_slip_angles_only_the_new_one_slides_and_the_next_stops_it(off_deg):
    """Also where the plate is not tilted quite the right way."""
    board = Board(11.0, off_deg=off_deg)
    board.tile(1, 0, SLICK, 0.16)
    for number, column in ((2, 6), (3, 7)):
        board.tile(number, column, FEET, -0.16)
    board.dynamics.advance(6.0)
    stood = MIDDLES[6]
    assert board.foot(2)[0] - stood < 4.0  # it was struck
    assert board.foot(1)[0] == pytest.approx(board.foot(2)[0] - TILE.radius_m * 2000, abs=0.3)
    assert board.foot(1)[1] == pytest.approx(ROW_MM, abs=4.0)
    assert abs(board.foot(3)[0] - stood - 35.0) < 4.0


def test_of_two_tiles_the_one_from_the_tray_slides_and_the_other_stands_in_its_middle():
    table = SimTable(load_profile("plate-10"), 1, world=world_class(physics=True))
    table.world.trays = {"red": MagnetKind("N-strong")}
    table.world.bodies = {"red": GRAVITY_CONNECT.look.body}
    table.world.set_lanes([row * 10 + column for row in range(5) for column in range(5)])

    def act(action, spare_s=0.5):
        while table.clock.now() < action.end_s + spare_s:
            table.clock.sleep(0.02)
            table.world.settle(table.clock.now())

    def tilt(deg):
        act(table.hands.tilt(0.0, math.radians(deg)), 3.0)

    places = table.profile.centre_mm
    act(table.hands.put("red", 20, (0.5, 0.3)))
    tilt(11.0)
    tilt(0.0)
    (first,) = table.world.pieces.values()
    assert first.here[0] == pytest.approx(places(24)[0] + 0.5, abs=0.3)  # at the wall
    act(table.hands.put("red", 0))
    assert math.dist(first.here[:2], places(24)) < 0.1
    tilt(-11.0)
    tilt(0.0)
    assert math.dist(first.here[:2], places(24)) < 0.1
    assert overlapping(table.world) == []
    table.world.set_lanes(())
    act(table.hands.put("red", 12))
    tilt(-11.0)
    assert table.world.piece_at(12) is not None  # a disc again


def test_a_whole_game_is_played_by_tilting_alone():
    file = Path(__file__).parent / "scenarios" / "sliding.scenario"
    done = CliRunner().invoke(command, ["--physics", str(file)])
    assert done.exit_code == 0, done.output

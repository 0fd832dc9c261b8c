"""Tests of hw_sim/physics/dynamics.py and firmware_host/config/platform.py: the bodies on the
plate, against formulas of mechanics.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

from tiltboard.firmware_host.config import platform  # noqa: E402
from tiltboard.hw_sim.physics import body  # noqa: E402
from tiltboard.hw_sim.physics.body import DISC  # noqa: E402
from tiltboard.hw_sim.physics.dynamics import REST_TURN, Dynamics  # noqa: E402
from tiltboard.hw_sim.rng import Streams  # noqa: E402
from tiltboard.hw_sim.world.paths import Path  # noqa: E402

G = 9.81  # MuJoCo's
PLATE_MM = 380.0
HEIGHT_MM = DISC.height_m * 1000


class Ramp:
    """Hands that tilt the plate about y, evenly, from the first second on."""

    def __init__(self, deg_s=0.0, until_deg=0.0, shape=DISC, *, pins=True):
        self.deg_s, self.until_deg = deg_s, until_deg
        self.dynamics = Dynamics(PLATE_MM, self.setpoint, lambda: math.inf, shape, pins=pins)

    def setpoint(self, now_s):
        turned = min(self.until_deg, max(0.0, now_s - 1.0) * self.deg_s)
        return 0.0, math.radians(turned)

    def tilt_deg(self, now_s):
        return math.degrees(self.dynamics.motion(now_s).attitude_rad[1])


def at_rest(shape=DISC, *, pins=True):
    return Dynamics(PLATE_MM, lambda _: (0.0, 0.0), lambda: 0.0, shape, pins=pins)


def let_go(dynamics):
    """Nobody holds the plate: it swings on its pivot, until a piece comes or goes."""
    dynamics._model.actuator_gainprm[:, 0] = 0.0
    dynamics._model.actuator_biasprm[:, 1:3] = 0.0
    dynamics.wake()


def energy_j(dynamics):
    """Potential and kinetic together."""
    mujoco.mj_energyPos(dynamics._model, dynamics._data)
    mujoco.mj_energyVel(dynamics._model, dynamics._data)
    return float(dynamics._data.energy.sum())


def foot(dynamics, number=1):
    poses = dynamics.poses()
    return poses.feet_mm[poses.numbers.index(number)]


@pytest.mark.parametrize("pins", [True, False])
@pytest.mark.parametrize("friction", [0.2, 0.35, 0.5])
def test_a_disc_slips_where_the_slope_is_its_friction(friction, pins):
    ramp = Ramp(4.0, 60.0, replace(DISC, friction=friction), pins=pins)
    # what it stands on is no rougher: MuJoCo takes the piece's own friction
    ramp.dynamics.add(1, (0.0, 0.0, 0.0), 0.0, 0.5)
    now_s = 1.0
    while abs(foot(ramp.dynamics)[0]) < 0.2 and now_s < 12.0:
        now_s += 0.05
        ramp.dynamics.advance(now_s)
    assert ramp.tilt_deg(now_s) == pytest.approx(math.degrees(math.atan(friction)), abs=0.8)


@pytest.mark.parametrize("pieces", [1, 3])
def test_a_tower_tips_where_its_middle_leaves_its_foot(pieces):
    tall = replace(DISC, friction=1.2)
    tips_deg = math.degrees(math.atan(tall.radius_m / (pieces * tall.height_m / 2)))
    ramp = Ramp(4.0, 60.0, tall)
    for level in range(pieces):
        ramp.dynamics.add(level, (0.0, 0.0, level * HEIGHT_MM), 0.0, 0.5)
    if tips_deg > 45.0:  # it slides first
        ramp.dynamics.advance(1.0 + 45.0 / 4.0)
        assert ramp.dynamics.poses().up[0][2] > 0.999
        return
    ramp.dynamics.advance(1.0 + (tips_deg - 1.5) / 4.0)
    assert ramp.dynamics.poses().up[:, 2].min() > 0.99
    ramp.dynamics.advance(1.0 + (tips_deg + 1.5) / 4.0 + 0.5)
    assert ramp.dynamics.poses().up[:, 2].min() < 0.95


@pytest.mark.parametrize("pins", [True, False])
def test_nothing_creeps_on_a_slope(pins):
    ramp = Ramp(30.0, 10.0, pins=pins)
    ramp.dynamics.add(1, (30.0, 0.0, 0.0), 0.0, 0.5)
    ramp.dynamics.advance(2.0)
    before = foot(ramp.dynamics).copy()
    ramp.dynamics.advance(7.0)
    assert np.abs(foot(ramp.dynamics) - before).max() < 5 * 0.004  # mm in 5 s


def test_what_rests_is_not_computed_and_stays():
    dynamics = at_rest()
    dynamics.add(1, (10.0, 20.0, 0.0), 0.0, 0.5)
    dynamics.advance(2.0)
    version = dynamics.version
    dynamics.advance(3600.0)
    assert dynamics.asleep
    assert dynamics.version == version
    assert foot(dynamics) == pytest.approx([10.0, 20.0, 0.0], abs=0.02)


def test_energy_never_grows():
    dynamics = at_rest()
    dynamics.add(1, (0.0, 0.0, 40.0), 0.0, 0.5)
    dynamics.add(2, (9.0, 0.0, 90.0), 0.0, 0.5)
    before_j = energy_j(dynamics)
    for step in range(1, 300):
        dynamics.advance(step * 0.004)
        now_j = energy_j(dynamics)
        assert now_j <= before_j + 3e-4  # m g v dt / 2: what half a step's fall is worth
        before_j = min(before_j, now_j)


@pytest.mark.parametrize("seed", range(5))
def test_energy_hardly_grows_where_ten_fall_on_each_other(seed):
    """Contacts give back what they have taken: 1.2 of some 300 mJ, not more."""
    stream = Streams(seed).stream("heap")
    dynamics = at_rest()
    for number in range(10):
        spot = (stream.uniform(-25, 25), stream.uniform(-25, 25), 30.0 + 17.0 * number)
        dynamics.add(number, spot, 0.0, 0.5)
    first_j = least_j = energy_j(dynamics)
    gained_j = 0.0
    for step in range(1, 1000):
        dynamics.advance(step * 0.003)
        now_j = energy_j(dynamics)
        gained_j, least_j = max(gained_j, now_j - least_j), min(least_j, now_j)
    assert first_j - least_j > 0.2
    assert gained_j < 1.2e-3


def test_a_stack_does_not_creep_either():
    ramp = Ramp(8.0, 10.0)
    for number in range(3):
        ramp.dynamics.add(number, (0.0, 0.0, HEIGHT_MM * number), 0.0, 0.5)
    ramp.dynamics.advance(3.0)
    before = ramp.dynamics.poses().feet_mm
    ramp.dynamics.advance(7.0)
    assert ramp.dynamics.poses().feet_mm == pytest.approx(before, abs=4 * 0.004)


def test_it_falls_as_far_as_galileo_says():
    dynamics = at_rest()
    dynamics.add(1, (0.0, 0.0, 100.0), 0.0, 0.5)
    dynamics.advance(0.12)
    assert foot(dynamics)[2] == pytest.approx(100.0 - 1000 * G / 2 * 0.12**2, abs=2.0)


def test_a_free_plate_leans_as_its_weights_balance():
    dynamics = at_rest(pins=False)
    dynamics.add(1, (150.0, 0.0, 0.0), 0.0, 0.5)
    let_go(dynamics)
    dynamics.advance(20.0)
    above = platform.plate_kg(PLATE_MM) * (body.SURFACE_M - body.PLATE_THICK_M / 2)
    above += DISC.mass_kg * (body.SURFACE_M + DISC.height_m / 2)
    below = -platform.weight_kg(PLATE_MM) * body.WEIGHT_M
    lean = math.atan2(DISC.mass_kg * 0.150, below - above)
    assert dynamics.motion(20.0).attitude_rad[1] == pytest.approx(lean, abs=REST_TURN)


def test_a_free_plate_swings_in_its_time():
    dynamics = at_rest(pins=False)
    dynamics.add(1, (150.0, 0.0, 0.0), 0.0, 0.5)
    let_go(dynamics)
    dynamics.advance(20.0)
    dynamics.remove(1)  # the plate leans, and is let go
    let_go(dynamics)
    crossings, before = [], dynamics.motion(20.0).attitude_rad[1]
    for step in range(2000):
        now_s = 20.0 + step * 0.003
        dynamics.advance(now_s)
        tilt = dynamics.motion(now_s).attitude_rad[1]
        if before > 0 >= tilt:
            crossings.append(now_s)
        before = tilt
    side, thick = PLATE_MM / 1000, body.PLATE_THICK_M
    high = body.SURFACE_M - thick / 2
    inertia = platform.plate_kg(PLATE_MM) * ((side**2 + thick**2) / 12 + high**2)
    inertia += platform.weight_kg(PLATE_MM) * ((3 * 0.05**2 + 0.02**2) / 12 + body.WEIGHT_M**2)
    righting = -platform.weight_kg(PLATE_MM) * body.WEIGHT_M - platform.plate_kg(PLATE_MM) * high
    period_s = 2 * math.pi * math.sqrt(inertia / (righting * G))
    assert crossings[2] - crossings[1] == pytest.approx(period_s, rel=0.05)


def test_the_same_again_to_the_last_bit():
    def run():
        ramp = Ramp(40.0, 30.0)
        for number in range(6):
            ramp.dynamics.add(number, (35.0 * number - 100.0, 3.0 * number, 0.0), 0.1, 1.0)
        ramp.dynamics.advance(2.5)
        return ramp.dynamics.poses()

    one, other = run(), run()
    assert one.numbers == other.numbers
    assert one.feet_mm.tobytes() == other.feet_mm.tobytes()
    assert one.up.tobytes() == other.up.tobytes()


def test_who_slides_off_the_edge_is_overboard():
    ramp = Ramp(60.0, 35.0)
    ramp.dynamics.add(7, (150.0, 0.0, 0.0), 0.0, 0.5)
    ramp.dynamics.advance(4.0)
    assert ramp.dynamics.overboard == (7,)


def test_what_slides_on_a_steep_plate_is_on_it_until_it_has_fallen():
    ramp = Ramp(60.0, 30.0)  # its edge is 95 mm lower then
    ramp.dynamics.add(7, (60.0, 0.0, 0.0), 0.0, 0.5)
    now_s = 1.0
    while not ramp.dynamics.overboard:
        now_s += 0.003
        assert now_s < 4.0
        ramp.dynamics.advance(now_s)
    _, [[x, _, z]], _ = ramp.dynamics.turned_poses()
    assert x > PLATE_MM / 2
    assert z < -5.0  # lower than the page takes for a fall


@pytest.mark.parametrize(("until_deg", "until_s", "most_mm"), [(12.0, 3.0, 0.3), (26.0, 2.3, 6.0)])
def test_what_the_plate_carries_is_where_contacts_would_leave_it(until_deg, until_s, most_mm):
    """A tilt that friction holds, and one that it does not, while one piece pushes another."""

    def run(*, pins):
        ramp = Ramp(25.0, until_deg)
        dynamics = Dynamics(PLATE_MM, ramp.setpoint, lambda: math.inf, pins=pins)
        for number in range(9):
            spot = (45.0 * (number % 3) - 60.0, 45.0 * (number // 3) - 60.0, 0.0)
            dynamics.add(number, spot, 0.02 * (-1) ** number, 1.0)
        dynamics.add(9, (120.0, 120.0, 0.0), 0.0, 1.0)
        dynamics.add(10, (120.0, 120.0, HEIGHT_MM), 0.0, 1.0)
        way = Path(0.5, (-105.0, 30.0, 0.0)).wait(0.2).to((-82.0, 30.0, 0.0), 0.4)
        dynamics.add(11, (-105.0, 30.0, 0.0), 0.0, 1.0)
        dynamics.hold(11, way)
        pinned = 0
        for step in range(1, round(until_s / 0.05) + 1):
            dynamics.advance(step * 0.05)
            pinned = max(pinned, int(dynamics._pins.pinned.sum()))
        return dynamics.poses(), pinned

    carried, pinned = run(pins=True)
    contacts, none = run(pins=False)
    assert (pinned >= 8, none) == (True, 0)
    assert contacts.feet_mm[6][0] > -60.0 + 4.0  # it was pushed
    off_mm = np.abs(carried.feet_mm - contacts.feet_mm).max(axis=1)
    # what is struck, and what topples off another, ends elsewhere with every change
    assert np.delete(off_mm, [6, 10]).max() < most_mm
    assert max(off_mm[[6, 10]]) < 40.0
    slid_mm = carried.feet_mm[:6, 0] - [-60.0, -15.0, 30.0] * 2
    assert np.all(slid_mm > 20.0) if until_deg > 22.0 else np.all(np.abs(slid_mm) < most_mm)

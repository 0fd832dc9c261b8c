"""Tests of hw_sim/physics/body.py and dynamics.py: what rolls down the tilted plate, against
theory: a marble, and a piece on its rim.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

from tiltboard.hw_sim.physics import body  # noqa: E402

G = 9.81  # MuJoCo's
PLATE_MM = 380.0
RADIUS_M = body.DISC.radius_m
BEGINS_M = -0.1


def add_marble(spec, friction):
    """A solid ball that touches as pieces do."""
    marble = spec.worldbody.add_body(name="it")
    marble.add_freejoint(name="it")
    marble.add_geom(
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=[RADIUS_M, 0, 0],
        mass=body.DISC.mass_kg,
        friction=[friction, body.SPIN_FRICTION_M, 0.0001],
        condim=4,
        priority=1,
        solref=body.HARD,
        solimp=body.GIVES,
    )


def add_wheel(spec, friction):
    body.add_piece(spec, "it", replace(body.DISC, friction=friction))


def gone_m(add, turned_rad, slope_deg, time_s, friction=body.FRICTION):
    """How far down the slope it has come from rest. ``turned_rad``: about the way, at first."""
    spec = body.bare_table(PLATE_MM)
    add(spec, friction)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.joint("north").qpos = data.ctrl[1] = math.radians(slope_deg)
    mujoco.mj_forward(model, data)
    plate = data.body("plate")
    axes = plate.xmat.reshape(3, 3).copy()
    on_rim = np.array([math.cos(turned_rad / 2), math.sin(turned_rad / 2), 0.0, 0.0])
    turn = np.empty(4)
    mujoco.mju_mulQuat(turn, plate.xquat, on_rim)
    middle = axes @ [BEGINS_M, 0.0, body.SURFACE_M + RADIUS_M]
    data.joint("it").qpos = [*middle, *turn]
    while data.time < time_s - 1e-9:
        mujoco.mj_step(model, data)
    along, across, up = axes.T @ data.body("it").xpos
    assert abs(across) < 0.001
    # Hands give way by 2 mrad at 30 degrees, and the marble is up to 0.3 m off the axle.
    assert up == pytest.approx(body.SURFACE_M + RADIUS_M, abs=0.0007)
    return along - BEGINS_M


@pytest.mark.parametrize(
    ("add", "turned_rad", "share"),
    [
        pytest.param(add_marble, 0.0, 5 / 7, id="marble"),  # 1 / (1 + 2/5)
        pytest.param(add_wheel, math.pi / 2, 2 / 3, id="rim"),  # 1 / (1 + 1/2)
    ],
)
@pytest.mark.parametrize(("slope_deg", "time_s"), [(3.0, 0.9), (10.0, 0.6), (20.0, 0.42)])
def test_it_rolls_as_fast_as_its_inertia_says(add, turned_rad, share, slope_deg, time_s):
    theory_m = share * G * math.sin(math.radians(slope_deg)) * time_s**2 / 2
    assert gone_m(add, turned_rad, slope_deg, time_s) == pytest.approx(theory_m, rel=0.015)


@pytest.mark.parametrize(("slope_deg", "rolls"), [(17.0, True), (22.0, False), (30.0, False)])
def test_a_marble_slips_where_the_slope_is_seven_halves_of_its_friction(slope_deg, rolls):
    friction, slope = 0.1, math.radians(slope_deg)
    rolling, slipping = 5 / 7 * math.sin(slope), math.sin(slope) - friction * math.cos(slope)
    assert (rolling < slipping) is not rolls  # beyond 19.3 degrees friction cannot turn it so fast
    theory_m = (rolling if rolls else slipping) * G * 0.36**2 / 2
    assert gone_m(add_marble, 0.0, slope_deg, 0.36, friction) == pytest.approx(theory_m, rel=0.02)

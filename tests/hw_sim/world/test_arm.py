"""Tests of hw_sim/world/plate.py: what the simulated tilt sensor feels off the pivot, against
the path on which it is swung.
"""

import math

import numpy as np
import pytest

from tiltboard.hw_sim.rng import Streams
from tiltboard.hw_sim.world.plate import G_M_S2, TiltingPlate


def orientation(angles) -> np.ndarray:
    """About x by the first angle, then about y by the second, then about its own axis."""
    turned = np.eye(3)
    for axis, angle in enumerate(angles):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(3)
        turn[one, one] = turn[other, other] = math.cos(angle)
        turn[other, one], turn[one, other] = math.sin(angle), -math.sin(angle)
        turned = turned @ turn
    return turned


def swung_and_turned(plate):
    """Both at once, from the first second on."""
    plate.tilt(math.radians(8), math.radians(-5), 1.0)
    plate.spin(math.radians(40), 1.0)


@pytest.mark.parametrize("arm_m", [(0.0, 0.0, 0.0), (0.05, -0.02, 0.03)])
def test_the_force_is_gravity_and_the_acceleration_of_the_path(arm_m):
    plate, e = TiltingPlate(Streams(1).stream("arm")), 1e-4
    swung_and_turned(plate)
    for t in np.arange(1.05, 1.6, 0.05):
        before, here, after = (
            orientation(plate.attitude_rad(t + step)) @ arm_m for step in (-e, 0, e)
        )
        swung = (after - 2 * here + before) / e**2
        felt = orientation(plate.attitude_rad(t)).T @ (swung + np.array([0, 0, G_M_S2]))
        assert plate.specific_force_m_s2(float(t), arm_m) == pytest.approx(felt, abs=1e-4)


def test_so_it_is_where_the_plate_is_a_body():
    """By the second differences of where the body is, step by step."""
    body = pytest.importorskip("tiltboard.hw_sim.physics.body")
    world = pytest.importorskip("tiltboard.hw_sim.physics.world")
    arm_m = (0.08, -0.06, -0.04)
    plate, step = world.SwingingPlate(Streams(1).stream("arm"), 380.0), body.STEP_S
    plate.dynamics.advance(1.0)
    swung_and_turned(plate)
    felt, angles, off = [], [], []
    for at in range(1, 300):
        now_s = 1.0 + (at + 0.01) * step
        on_pivot = plate.specific_force_m_s2(now_s)
        felt.append(np.subtract(plate.specific_force_m_s2(now_s, arm_m), on_pivot))
        angles.append(orientation(plate.attitude_rad(now_s)))
    path = [turned @ arm_m for turned in angles]
    for at in range(1, len(path) - 1):
        swung = (path[at + 1] - 2 * path[at] + path[at - 1]) / step**2
        off.append(angles[at].T @ swung - felt[at + 1])  # what a step begins with, it is told by
    swing = np.abs(felt).max()
    assert swing > 0.5
    assert np.abs(off).max() < 0.03 * swing

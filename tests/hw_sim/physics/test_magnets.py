"""Tests of hw_sim/physics/magnets.py: fields and forces of magnets in any position, against
magpylib and against energy's slope.
"""

import numpy as np
import pytest

pytest.importorskip("mujoco")
magpylib = pytest.importorskip("magpylib")

from scipy.spatial.transform import Rotation  # noqa: E402

from tiltboard.hw_sim.physics.magnets import (  # noqa: E402
    MU0_4PI,
    upward_mt,
    wrenches,
)
from tiltboard.hw_sim.world.magnet import STRONG, WEAK  # noqa: E402


@pytest.mark.parametrize("disc", [STRONG, WEAK])
def test_the_field_of_a_leaning_disc_is_magpylib_s(disc):
    draw = np.random.default_rng(3)
    points = np.column_stack([draw.uniform(-90, 90, (200, 2)), draw.uniform(-40, -12, 200)])
    for turn in Rotation.random(6, random_state=4):
        magnet = magpylib.magnet.Cylinder(
            polarization=(0, 0, disc.remanence_mt / 1000),
            dimension=(disc.diameter_mm / 1000, disc.height_mm / 1000),
            orientation=turn,
        )
        expected_mt = magnet.getB(points / 1000)[:, 2] * 1000
        up = turn.apply([0.0, 0.0, 1.0])
        found_mt = upward_mt(disc, np.zeros((1, 3)), up[None, :], points)[0]
        assert np.abs(found_mt - expected_mt).max() < 0.001


MOMENTS = np.array([0.16, -0.16, 0.03])


def energy_j(centres, axes):
    """Of all pairs of dipoles."""
    total = 0.0
    for i in range(len(axes)):
        for j in range(i):
            away = (centres[i] + axes[i] * 0.002) - (centres[j] + axes[j] * 0.002)
            far = np.linalg.norm(away)
            one, other = MOMENTS[i] * axes[i], MOMENTS[j] * axes[j]
            total += MU0_4PI * (one @ other / far**3 - 3 * (one @ away) * (other @ away) / far**5)
    return total


def test_forces_and_torques_are_the_slope_of_the_energy():
    draw = np.random.default_rng(5)
    centres = np.array([[0.0, 0.0, 0.0], [0.035, 0.004, 0.002], [0.01, 0.03, 0.016]])
    axes = draw.normal(size=(3, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    found = wrenches(centres, axes, MOMENTS, np.full(3, 0.002))
    step = 1e-6
    for number in range(3):
        for k, unit in enumerate(np.eye(3)):
            moved, turned = centres.copy(), axes.copy()
            moved[number] += unit * step
            slope = (energy_j(moved, axes) - energy_j(centres, axes)) / step
            assert found[number, k] == pytest.approx(-slope, rel=1e-3, abs=1e-6)
            turned[number] = Rotation.from_rotvec(unit * step).apply(axes[number])
            slope = (energy_j(centres, turned) - energy_j(centres, axes)) / step
            assert found[number, 3 + k] == pytest.approx(-slope, rel=1e-3, abs=1e-8)

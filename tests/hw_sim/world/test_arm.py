"""What the simulated tilt sensor feels off the pivot, against the path on which it is swung."""

import math

import numpy as np
import pytest

from hw_sim.rng import Streams
from hw_sim.world.plate import G_M_S2, Plate, force_at


def orientation(plate: Plate, t: float) -> np.ndarray:
    """About x by the first angle, then about the plate's own y by the second."""
    a, b = plate.tilt_rad(t)
    x = np.array([[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]])
    y = np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])
    return x @ y


@pytest.mark.parametrize("arm_m", [(0.0, 0.0, 0.0), (0.05, -0.02, 0.03)])
def test_the_force_is_gravity_and_the_acceleration_of_the_path(arm_m):
    plate, e = Plate(Streams(1).stream("arm")), 1e-3
    plate.tilt(math.radians(8), math.radians(-5), 1.0)
    for t in np.arange(1.05, 1.6, 0.05):
        before, here, after = (orientation(plate, t + step) @ arm_m for step in (-e, 0, e))
        swung = (after - 2 * here + before) / e**2
        felt = orientation(plate, t).T @ (swung + np.array([0, 0, G_M_S2]))
        # The rates' difference looks back by 4 ms
        assert force_at(arm_m, plate, float(t)) == pytest.approx(felt, abs=0.02)

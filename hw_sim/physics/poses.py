"""Where pieces are and how they lie, in the plate's axes: mm from the middle of its surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hw_sim.physics.body import Shape

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Poses:
    """Of all pieces, row by row. ``feet_mm``: the middle of the lower face of each, (N, 3). ``up``:
    its axis, (N, 3), unit vectors; (0, 0, 1) for a piece that stands. ``shape``: of every piece.
    """

    numbers: tuple[int, ...]
    feet_mm: Array
    up: Array
    shape: Shape

    @property
    def middles_mm(self) -> Array:
        """(N, 3)."""
        return self.feet_mm + self.up * (self.shape.height_m * 500)

    def lowest_mm(self) -> Array:
        """(N, 3): where the middle is, as high as the lowest point; of a piece that stands that is
        its foot.
        """
        lowest = self.middles_mm
        rise = np.abs(self.up[:, 2])
        lean = np.sqrt(np.maximum(0.0, 1.0 - rise * rise))
        lowest[:, 2] -= (self.shape.height_m / 2 * rise + self.shape.radius_m * lean) * 1000
        return lowest


def turns_on(plate: Array, pieces: Array) -> Array:
    """Quaternions w, x, y, z of ``pieces``, (N, 4), as they are in the axes of the plate whose own
    is ``plate``, (4,).
    """
    back, scalar, vector = -plate[1:], pieces[:, 0], pieces[:, 1:]
    turns = np.empty_like(pieces)
    turns[:, 0] = plate[0] * scalar - vector @ back
    turns[:, 1:] = plate[0] * vector + scalar[:, None] * back + np.cross(back, vector)
    return turns

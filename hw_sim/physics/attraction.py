"""How the pieces' magnets pull and turn each other: each a dipole in the middle of its disc.

Force and torque between two dipoles: K. W. Yung, P. B. Landecker and D. D. Villani, Magnetic and
Electrical Separation 9 (1998) 39.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MU0_4PI = 1e-7
NEAREST_M = 0.012  # two magnets in discs of 15 mm come no nearer; dipoles would pull without limit


class Magnets:
    """Of all pieces, in their order. ``moments``: in A m2, along the piece's axis."""

    def __init__(self) -> None:
        self.moments: Array = np.zeros(0)
        self._heights: Array = np.zeros(0)

    def add(self, moment_a_m2: float, height_m: float) -> None:
        """``height_m``: of the magnet's middle above the body's."""
        self.moments = np.append(self.moments, moment_a_m2)
        self._heights = np.append(self._heights, height_m)

    def remove(self, row: int) -> None:
        """That piece is gone."""
        self.moments = np.delete(self.moments, row)
        self._heights = np.delete(self._heights, row)

    def wrenches(self, centres_m: Array, axes: Array) -> Array:
        """Force in N and torque in N m about each body's middle, (N, 6).

        ``centres_m``: bodies' middles, (N, 3). ``axes``: unit vectors along which the moments lie.
        """
        arms = axes * self._heights[:, None]
        at = centres_m + arms
        moments = axes * self.moments[:, None]
        away = at[:, None, :] - at[None, :, :]  # from magnet j to magnet i
        distance = np.linalg.norm(away, axis=2)
        np.fill_diagonal(distance, np.inf)
        unit = away / np.maximum(distance, 1e-9)[:, :, None]
        far = np.maximum(distance, NEAREST_M)
        along_i = np.einsum("ik,ijk->ij", moments, unit)
        along_j = np.einsum("jk,ijk->ij", moments, unit)
        both = moments @ moments.T
        force = (3 * MU0_4PI / far**4)[:, :, None] * (
            along_i[:, :, None] * moments[None, :, :]
            + along_j[:, :, None] * moments[:, None, :]
            + (both - 5 * along_i * along_j)[:, :, None] * unit
        )
        field = (MU0_4PI / far**3)[:, :, None] * (
            3 * along_j[:, :, None] * unit - moments[None, :, :]
        )
        pull = force.sum(axis=1)
        turn = np.cross(moments, field.sum(axis=1)) + np.cross(arms, pull)
        return np.concatenate([pull, turn], axis=1)

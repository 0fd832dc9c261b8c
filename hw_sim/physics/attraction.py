"""How the pieces' magnets pull and turn each other: each a dipole in the middle of its disc.

Force and torque between two dipoles: K. W. Yung, P. B. Landecker and D. D. Villani, Magnetic and
Electrical Separation 9 (1998) 39.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]

MU0_4PI = 1e-7
FAR_M = 0.080  # two strong magnets pull with 0.2 mN there, a two-hundredth of a piece's friction
NEAREST_M = 0.012  # two magnets in discs of 15 mm come no nearer; dipoles would pull without limit

_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


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
        away = at[:, None, :] - at[None, :, :]
        pairs = np.nonzero(np.triu(np.einsum("ijk,ijk->ij", away, away) < FAR_M**2, 1))
        pull, field = _pairwise(moments, pairs, away[pairs])
        turn = cross(moments, field) + cross(arms, pull)
        return np.concatenate([pull, turn], axis=1)


def _pairwise(moments: Array, pairs: tuple[Index, ...], away: Array) -> tuple[Array, Array]:
    """Force in N on each magnet and field in T at each, (N, 3), of all ``pairs`` of them.

    ``away``: from the second of a pair to the first, in m.
    """
    pull, field = np.zeros_like(moments), np.zeros_like(moments)
    one, other = pairs
    if one.size:
        distance = np.sqrt(np.einsum("pk,pk->p", away, away))
        unit = away / np.maximum(distance, 1e-9)[:, None]
        far = np.maximum(distance, NEAREST_M)
        first, second = moments[one], moments[other]
        along = np.einsum("pk,pk->p", first, unit), np.einsum("pk,pk->p", second, unit)
        both = np.einsum("pk,pk->p", first, second)
        force = (3 * MU0_4PI / far**4)[:, None] * (
            along[0][:, None] * second
            + along[1][:, None] * first
            + (both - 5 * along[0] * along[1])[:, None] * unit
        )
        np.add.at(pull, one, force)
        np.add.at(pull, other, -force)
        strength = (MU0_4PI / far**3)[:, None]
        np.add.at(field, one, strength * (3 * along[1][:, None] * unit - second))
        np.add.at(field, other, strength * (3 * along[0][:, None] * unit - first))
    return pull, field


def cross(a: Array, b: Array) -> Array:
    """Row by row; numpy's own spends most of its time on looking at axes."""
    return a[:, _NEXT] * b[:, _LAST] - a[:, _LAST] * b[:, _NEXT]

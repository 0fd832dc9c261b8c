"""Computes the magnetic field of a disc magnet on the plate, at its own sensor and at all others.

An axially magnetised disc acts like a sheet of current round its rim. The sheet is modelled by
three current loops, each computed exactly with complete elliptic integrals (by the
arithmetic-geometric mean). The model gives only the relative strength of the field; the absolute
strength comes from the readings of centred magnets in docs/add-a-board.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import hypot, pi, sqrt

from tiltboard.firmware_host.table.sight import Magnet

_REACH_MM, _STEP_MM = 130.0, 0.5  # Maximum distance and step of the field tables, in mm.
# Gauss-Legendre nodes and weights on [-1, 1]. They place the three current loops that replace the
# sheet of current.
_LOOPS = ((-sqrt(0.6), 5 / 9), (0.0, 8 / 9), (sqrt(0.6), 5 / 9))


@dataclass(frozen=True, slots=True)
class Disc:
    """A disc magnet: its diameter and height in mm, and its reading in mT when centred on a
    place.
    """

    diameter_mm: float
    height_mm: float
    centred_mt: float


# The magnets of docs/add-a-board.md: N42 10 x 2 mm and N35 6 x 1 mm, 12 mm above the sensor.
STRONG = Disc(10.0, 2.0, 12.1)
WEAK = Disc(6.0, 1.0, 2.5)

DISC_OF = {
    Magnet.N_STRONG: STRONG,
    Magnet.S_STRONG: STRONG,
    Magnet.N_WEAK: WEAK,
    Magnet.S_WEAK: WEAK,
}
SIGN_OF = {
    Magnet.N_STRONG: -1.0,
    Magnet.S_STRONG: 1.0,
    Magnet.N_WEAK: -1.0,
    Magnet.S_WEAK: 1.0,
}


def shape(disc: Disc, gap_mm: float, off_mm: float) -> float:
    """Return the vertical field at ``off_mm`` from the magnet's axis, as a multiple of the field on
    the axis.

    ``gap_mm``: distance from the disc's face to the sensor.
    """
    return _rim(disc, gap_mm, off_mm) / _rim(disc, gap_mm, 0.0)


def field_mt(disc: Disc, gap_mm: float, off_mm: float) -> float:
    """Return the vertical field in mT at ``off_mm`` from the axis of a disc whose south pole faces
    the sensor.

    ``gap_mm``: distance from the disc's face to the sensor.
    """
    return disc.centred_mt * shape(disc, gap_mm, off_mm)


@cache
def kernel_mt(
    disc: Disc, gap_mm: float, pitch_mm: float, columns: int, rows: int
) -> tuple[tuple[float, ...], ...]:
    """Return the field in mT that a south magnet adds to a sensor, indexed by the magnet's distance
    from the sensor in [rows][columns].

    Entry [0][0] is for the sensor under the magnet.
    """
    return tuple(
        tuple(field_mt(disc, gap_mm, pitch_mm * hypot(row, column)) for column in range(columns))
        for row in range(rows)
    )


@cache
def table_of(disc: Disc, gap_mm: float) -> tuple[float, ...]:
    """Return a table of the field of a south magnet in mT, with one entry for each 0.5 mm of
    horizontal distance.
    """
    steps = int(_REACH_MM / _STEP_MM) + 2
    return (*(field_mt(disc, gap_mm, _STEP_MM * step) for step in range(steps)), *[0.0] * 500)


def reads_mt(table: Sequence[float], off_mm: float) -> float:
    """Return a sensor's reading in mT for a magnet at the horizontal distance ``off_mm``,
    interpolated in ``table``.

    ``table``: the result of ``table_of``.
    """
    step = int(off_mm / _STEP_MM)
    if step + 1 >= len(table):
        return 0.0
    here = table[step]
    return here + (table[step + 1] - here) / _STEP_MM * (off_mm - step * _STEP_MM)


def _rim(disc: Disc, gap_mm: float, off_mm: float) -> float:
    """Return the vertical field of the current in the disc's rim, in arbitrary units."""
    half_mm = disc.height_mm / 2
    return sum(
        weight * _loop(disc.diameter_mm / 2, gap_mm + half_mm * (1 + node), off_mm)
        for node, weight in _LOOPS
    )


def _loop(radius_mm: float, below_mm: float, off_mm: float) -> float:
    """Return the axial field of one current loop in arbitrary units, by the textbook formula."""
    far = (radius_mm + off_mm) ** 2 + below_mm**2
    near = (radius_mm - off_mm) ** 2 + below_mm**2
    first, second = _elliptic(4 * radius_mm * off_mm / far)
    lever = (radius_mm**2 - off_mm**2 - below_mm**2) / near
    return (first + lever * second) / sqrt(far)


def _elliptic(m: float) -> tuple[float, float]:
    """Return the complete elliptic integrals of the first and second kind for the parameter ``m`` =
    k^2.
    """
    a, b, power, total = 1.0, sqrt(1 - m), 0.5, 0.5 * m
    while a - b > 1e-14:
        a, b, c = (a + b) / 2, sqrt(a * b), (a - b) / 2
        power *= 2
        total += power * c * c
    return pi / (2 * a), pi / (2 * a) * (1 - total)

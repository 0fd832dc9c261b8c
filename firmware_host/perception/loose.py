"""Whether a strong magnet still stands on the plate, between the places, after it left its own.

Between places a magnet is nearly invisible to the nearest sensors, but from 20 mm away on, the
others read its return field. In the hand they read nothing, or a little of its own pole.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import product
from math import hypot
from operator import mul
from typing import NamedTuple

from firmware_host.config.profile import Profile
from firmware_host.perception.field import STRONG
from firmware_host.perception.sliding import reads_mt, table_of

_NEAR_MM = 20.0  # inside, the reading depends on millimetres
_REACH = 2  # places each way that are compared
_STEP_MM = 5.0
_STEPS = 5
_LEFT_MM = 7.0  # nearer to the middle it has not left its place

_AROUND = tuple(
    cell for cell in product(range(-_REACH, _REACH + 1), repeat=2) if cell != (0, 0)
)  # rows and columns from a place to those around it


class _Template(NamedTuple):
    """A strong south magnet lying at one point: what the places around read of it, half the square
    of each, and of all.
    """

    expected: tuple[float, ...]
    squares: tuple[float, ...]
    total: float


class LooseMagnet:
    """Compares the change of the fields around a place with strong magnets lying about there."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._templates: tuple[_Template, ...] = ()
        if profile.capabilities.measures:  # before the first scan
            self._templates = _templates(profile.gap_mm, profile.pitch_mm)
        self._least = min((each.total for each in self._templates), default=0.0) / 2

    def present(
        self, change_mt: Sequence[float], unusable: Collection[int], index: int, sign: float
    ) -> bool:
        """Whether a strong magnet of that ``sign`` lies 7 to 35 mm from place ``index``.

        ``change_mt``: readings less those before it moved, its own contribution removed.
        ``unusable``: sensors over which something else has changed.
        """
        columns, rows = self._profile.columns, self._profile.rows
        y, x = divmod(index, columns)
        change, missing = [], []
        for at, (row, column) in enumerate(_AROUND):
            where = index + row * columns + column
            if 0 <= x + column < columns and 0 <= y + row < rows and where not in unusable:
                change.append(sign * change_mt[where])
            else:
                change.append(0.0)
                missing.append(at)
        # What agrees with none by more than its half, for which it would have to be as strong
        if not missing and sum(map(mul, change, change)) <= self._least:
            return False
        for expected, squares, total in self._templates:
            left = total - sum([squares[at] for at in missing]) if missing else total
            if sum(map(mul, change, expected)) > left:
                return True
        return False


@cache
def _templates(gap_mm: float, pitch_mm: float) -> tuple[_Template, ...]:
    steps = [_STEP_MM * i for i in range(-_STEPS, _STEPS + 1)]
    found, table = [], table_of(STRONG, gap_mm)
    for x, y in product(steps, steps):
        if hypot(x, y) > _LEFT_MM:
            offs = [hypot(column * pitch_mm - x, row * pitch_mm - y) for row, column in _AROUND]
            expected = tuple(reads_mt(table, off) * (off >= _NEAR_MM) for off in offs)
            squares = tuple(mt * mt / 2 for mt in expected)
            found.append(_Template(expected, squares, sum(squares)))
    return tuple(found)

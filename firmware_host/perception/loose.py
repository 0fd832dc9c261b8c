"""Whether a strong magnet still stands on the plate, between the places, after it left its own.

Between places a magnet is nearly invisible to the nearest sensors, but from 20 mm away on, the
others read its return field. In the hand they read nothing, or a little of its own pole.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import hypot

from firmware_host.config.profile import Profile
from firmware_host.perception.field import STRONG, field_mt

_NEAR_MM = 20.0  # inside, the reading depends on millimetres
_REACH = 2  # places each way that are compared
_STEP_MM = 5.0
_STEPS = 5
_TABLE_MM = 0.5

Around = tuple[tuple[int, int], ...]
Template = tuple[list[float], list[float]]  # expected, and half its square


class LooseMagnet:
    """Compares the change of the fields around a place with strong magnets lying about there."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._templates: dict[Around, list[Template]] = {}
        furthest_mm = hypot(1, 1) * (_REACH * profile.pitch_mm + _STEPS * _STEP_MM)
        self._table = [
            field_mt(STRONG, profile.gap_mm, _TABLE_MM * i)
            for i in range(int(furthest_mm / _TABLE_MM) + 2)
        ]

    def present(
        self, change_mt: Sequence[float], unusable: Collection[int], index: int, sign: float
    ) -> bool:
        """Whether a strong magnet of that ``sign`` lies 7 to 35 mm from place ``index``.

        ``change_mt``: readings less those before it moved, its own contribution removed.
        ``unusable``: sensors over which something else has changed.
        """
        around = self._around(index)
        columns = self._profile.columns
        where = [index + row * columns + column for column, row in around]
        usable = [float(i not in unusable) for i in where]
        change = [sign * change_mt[i] * u for i, u in zip(where, usable, strict=True)]
        return any(
            sum(map(float.__mul__, change, expected)) - sum(map(float.__mul__, usable, squares)) > 0
            for expected, squares in self._of(around)
        )

    def _around(self, index: int) -> Around:
        y, x = divmod(index, self._profile.columns)
        reach = range(-_REACH, _REACH + 1)
        return tuple(
            (column, row)
            for row in reach
            for column in reach
            if 0 <= x + column < self._profile.columns
            and 0 <= y + row < self._profile.rows
            and (column, row) != (0, 0)
        )

    def _of(self, around: Around) -> list[Template]:
        templates = self._templates.get(around)
        if templates is None:
            steps = [_STEP_MM * i for i in range(-_STEPS, _STEPS + 1)]
            templates = [
                self._template(around, x, y) for x in steps for y in steps if hypot(x, y) > 7
            ]
            self._templates[around] = templates
        return templates

    def _template(self, around: Around, x: float, y: float) -> Template:
        pitch_mm = self._profile.pitch_mm
        expected = []
        for column, row in around:
            off_mm = hypot(column * pitch_mm - x, row * pitch_mm - y)
            far = off_mm >= _NEAR_MM
            expected.append(self._table[round(off_mm / _TABLE_MM)] if far else 0.0)
        return expected, [e * e / 2 for e in expected]

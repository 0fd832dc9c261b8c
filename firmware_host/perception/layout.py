"""The plate's geometry for perception: the table's profile, and the neighbours of each place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tiltboard.firmware_host.config.profile import Profile


class PlateLayout(NamedTuple):
    """The geometry of the plate, which does not change while the table runs."""

    profile: Profile
    around: Sequence[Sequence[int]]
    """Plate indices of the up to eight neighbours of each place, ordered by row and column."""

    @classmethod
    def of(cls, profile: Profile) -> PlateLayout:
        """Return the layout of the plate that ``profile`` describes."""
        return cls(profile, [_beside(profile, index) for index in range(profile.size)])


def _beside(profile: Profile, index: int) -> tuple[int, ...]:
    row, column = divmod(index, profile.columns)
    return tuple(
        r * profile.columns + c
        for r in range(max(0, row - 1), min(profile.rows, row + 2))
        for c in range(max(0, column - 1), min(profile.columns, column + 2))
        if (r, c) != (row, column)
    )

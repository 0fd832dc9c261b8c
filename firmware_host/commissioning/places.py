"""Which places are asked for, in which order."""

from __future__ import annotations

from collections.abc import Collection

from firmware_host.commissioning.mounting import NORTH, Edge
from firmware_host.config.profile import Profile


def to_and_fro(profile: Profile) -> list[int]:
    """Every place, row by row, every second row backward: the next is always beside the last."""
    found = []
    for row in range(profile.rows):
        columns = range(profile.columns)
        found += [
            row * profile.columns + column
            for column in (columns if row % 2 == 0 else reversed(columns))
        ]
    return found


def samples(profile: Profile, broken: Collection[int] = ()) -> list[int]:
    """Two places, far from each other and from the edge; where one's sensor is ``broken``, the
    nearest whose is not.
    """
    column, row = max(0, profile.columns // 4), max(0, profile.rows // 4)
    other = profile.columns - 1 - column, profile.rows - 1 - row
    found = [row * profile.columns + column, other[1] * profile.columns + other[0]]
    sound = [index for index in range(profile.size) if index not in broken]

    def nearest(place: int) -> int:
        at, across = divmod(place, profile.columns)
        return min(
            sound,
            key=lambda i: (i // profile.columns - at) ** 2 + (i % profile.columns - across) ** 2,
        )

    return list(dict.fromkeys(map(nearest, found)))


def row_ends(profile: Profile) -> list[int]:
    """Both ends of every row."""
    columns = profile.columns
    ends = ((row * columns, (row + 1) * columns - 1) for row in range(profile.rows))
    return [*dict.fromkeys(place for pair in ends for place in pair)]


def along(profile: Profile, edge: Edge) -> list[int]:
    """The places at the north or the east edge."""
    if edge is NORTH:
        return [(profile.rows - 1) * profile.columns + column for column in range(profile.columns)]
    return [row * profile.columns + profile.columns - 1 for row in range(profile.rows)]

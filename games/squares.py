"""Square boards: how their cells are named, and sets of cells as integers."""

from __future__ import annotations

from collections.abc import Iterator

Point = tuple[int, int]


def cell_name(column: int, row: int) -> str:
    """``a1`` is the south-west corner: letter = column (at most 26), number = row."""
    return f"{chr(ord('a') + column)}{row + 1}"


def bits(cells: int) -> Iterator[int]:
    """The numbers of the bits that are set, lowest first."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest

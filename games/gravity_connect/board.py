"""The board of Gravity Connect: cells, the slots around it, and the lines that can be connected.

Rows are numbered from the top down, unlike the table's: ``A1`` is the north-west corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from games.base import Entrance
from games.squares import Point

MOST = 13  # twice as many letters name the slots of the top and the bottom


@dataclass(frozen=True, slots=True)
class Side:
    """One of the four sides from which tiles fall. ``fall``: (columns, rows) of a step inward."""

    name: str
    colour: str
    fall: Point


LEFT, RIGHT, TOP, BOTTOM = SIDES = (
    Side("left", "orange", (1, 0)),
    Side("right", "gray", (-1, 0)),
    Side("top", "green", (0, -1)),
    Side("bottom", "purple", (0, 1)),
)


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a tile enters. ``cells``: its line's cells, inward from its side."""

    name: str
    side: Side
    cells: tuple[str, ...]

    @property
    def entrance(self) -> Entrance:
        """The slot as an Entrance, which the table needs."""
        side = self.side
        return Entrance(side.name, side.colour, self.cells[0], side.fall)


@dataclass(frozen=True, slots=True)
class Board:
    """``rows`` and ``columns``: from the top, from the left. ``slots``: all of a side together, the
    sides in the order of ``SIDES``. ``diagonals``: both ways, every length.
    """

    rows: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[str, ...], ...]
    diagonals: tuple[tuple[str, ...], ...]
    slots: tuple[Slot, ...]

    @classmethod
    def build(cls, size: int) -> Board:
        """``size`` x ``size`` cells, at most ``MOST``."""
        span = range(size)
        rows = tuple(tuple(f"{ascii_uppercase[x]}{y + 1}" for x in span) for y in span)
        columns = tuple(zip(*rows, strict=True))
        falling = [[(x, x - offset) for x in span] for offset in range(1 - size, size)]
        rising = [[(x, total - x) for x in span] for total in range(2 * size - 1)]
        diagonals = tuple(
            tuple(rows[y][x] for x, y in points if y in span) for points in falling + rising
        )
        numbers = [str(number + 1) for number in range(2 * size)]
        letters = ascii_uppercase[: 2 * size]
        slots = (
            *_slots(LEFT, numbers[:size], rows),
            *_slots(RIGHT, numbers[size:], [row[::-1] for row in rows]),
            *_slots(TOP, letters[:size], columns),
            *_slots(BOTTOM, letters[size:], [column[::-1] for column in columns]),
        )
        return cls(rows, columns, diagonals, slots)

    @property
    def places(self) -> dict[str, Point]:
        """Every cell -> (column, row) counted from 0 at the south-west corner."""
        return {
            name: (column, len(self.rows) - 1 - row)
            for column, names in enumerate(self.columns)
            for row, name in enumerate(names)
        }


def _slots(side: Side, names: Sequence[str], lines: Sequence[tuple[str, ...]]) -> tuple[Slot, ...]:
    return tuple(Slot(name, side, line) for name, line in zip(names, lines, strict=True))

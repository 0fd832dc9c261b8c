"""Boards of Momentum (RULES M6): rectangles and hexagons, with cells missing or blocked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from games.squares import Point, cell_name

SQUARE_DIRECTIONS: tuple[Point, ...] = (
    (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1),
)  # fmt: skip
HEX_DIRECTIONS: tuple[Point, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))

HOLE = "hole"
CUSHION = "cushion"


@dataclass(frozen=True, slots=True)
class Grid:
    """A shape before any cell is taken away: name -> point, steps to the neighbours, and the
    south-west and north-east corners of its points.
    """

    points: Mapping[str, Point]
    directions: tuple[Point, ...]
    corners: tuple[Point, Point]

    @classmethod
    def rectangle(cls, width: int, height: int) -> Grid:
        """``a1`` in the south-west corner: letter = column (at most 26), number = row."""
        points = {cell_name(x, y): (x, y) for y in range(height) for x in range(width)}
        return cls(points, SQUARE_DIRECTIONS, ((0, 0), (width - 1, height - 1)))

    @classmethod
    def hexagon(cls, side: int) -> Grid:
        """Axial coordinates ``q,r`` around ``0,0``: |q|, |r|, |q + r| < ``side``."""
        span = range(1 - side, side)
        points = {f"{q},{r}": (q, r) for r in span for q in span if abs(q + r) < side}
        return cls(points, HEX_DIRECTIONS, ((1 - side, 1 - side), (side - 1, side - 1)))


@dataclass(frozen=True, slots=True)
class Board:
    """A grid without its missing cells.

    ``cells``: the open ones, where a marble may stand, sorted by code point. ``blocked``: the
    others -> ``hole`` or ``cushion``.
    """

    grid: Grid
    cells: tuple[str, ...]
    blocked: Mapping[str, str]

    @classmethod
    def build(
        cls, grid: Grid, missing: frozenset[str], holes: frozenset[str], cushions: frozenset[str]
    ) -> Board:
        """The three sets hold names of cells of ``grid`` and do not overlap; *not* checked here."""
        blocked = {
            name: HOLE if name in holes else CUSHION
            for name in grid.points
            if name in holes or name in cushions
        }
        return cls(grid, tuple(sorted(set(grid.points) - missing - blocked.keys())), blocked)

    @property
    def places(self) -> dict[str, Point]:
        """Every place that is there, open or blocked -> (column, row) counted from 0."""
        (x0, y0), _ = self.grid.corners
        names = sorted([*self.cells, *self.blocked])
        return {
            name: (self.grid.points[name][0] - x0, self.grid.points[name][1] - y0) for name in names
        }

"""Boards of Momentum (RULES M6): rectangles and hexagons, with cells missing or blocked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Point = tuple[int, int]

SQUARE_DIRECTIONS: tuple[Point, ...] = (
    (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1),
)  # fmt: skip
HEX_DIRECTIONS: tuple[Point, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))

EDGE = "edge"
HOLE = "hole"
CUSHION = "cushion"


@dataclass(frozen=True, slots=True)
class Ray:
    """The open cells outward from a cell in one direction, nearest first, and what stops them.

    ``cells`` are indices into ``Board.cells``; ``end`` is ``edge`` (a missing cell is one too),
    ``hole`` or ``cushion``.
    """

    cells: tuple[int, ...]
    end: str


@dataclass(frozen=True, slots=True)
class Grid:
    """Every cell of a shape before any is taken away: name -> point, and the directions on it."""

    points: Mapping[str, Point]
    directions: tuple[Point, ...]
    origin: Point

    @classmethod
    def rectangle(cls, width: int, height: int) -> Grid:
        """``a1`` in the south-west corner: letter = column (at most 26), number = row."""
        points = {
            f"{chr(ord('a') + x)}{y + 1}": (x, y) for y in range(height) for x in range(width)
        }
        return cls(points, SQUARE_DIRECTIONS, (0, 0))

    @classmethod
    def hexagon(cls, side: int) -> Grid:
        """Axial coordinates ``q,r`` around ``0,0``: |q|, |r|, |q + r| < ``side``."""
        span = range(1 - side, side)
        points = {f"{q},{r}": (q, r) for r in span for q in span if abs(q + r) < side}
        return cls(points, HEX_DIRECTIONS, (1 - side, 1 - side))


@dataclass(frozen=True, slots=True)
class Board:
    """A grid without its missing cells.

    ``cells``: the open cells (a marble may stand there), sorted by code point; everything that
    speaks of a cell by number means its index here. ``rays[i]``: the rays from cell i.
    """

    grid: Grid
    cells: tuple[str, ...]
    blocked: Mapping[str, str]
    rays: tuple[tuple[Ray, ...], ...]

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
        cells = tuple(sorted(set(grid.points) - missing - blocked.keys()))
        index = {grid.points[name]: i for i, name in enumerate(cells)}
        ends = {grid.points[name]: what for name, what in blocked.items()}
        rays = tuple(
            tuple(_ray(index, ends, grid.points[name], step) for step in grid.directions)
            for name in cells
        )
        return cls(grid, cells, blocked, rays)

    @property
    def places(self) -> dict[str, Point]:
        """Every place that is there, open or blocked -> (column, row) counted from 0."""
        x0, y0 = self.grid.origin
        names = sorted([*self.cells, *self.blocked])
        return {
            name: (self.grid.points[name][0] - x0, self.grid.points[name][1] - y0) for name in names
        }


def _ray(index: Mapping[Point, int], ends: Mapping[Point, str], start: Point, step: Point) -> Ray:
    cells = []
    point = (start[0] + step[0], start[1] + step[1])
    while point in index:
        cells.append(index[point])
        point = (point[0] + step[0], point[1] + step[1])
    return Ray(tuple(cells), ends.get(point, EDGE))

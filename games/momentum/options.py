"""Boards of Momentum (RULES M6), rectangles and hexagons with cells missing or blocked, and its
options: what can be chosen, how the choices fit together, and their defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from games.base import Limit, OptionError, OptionSpec, Preset
from games.option_values import checked
from games.squares import Point, cell_name

SQUARE_DIRECTIONS: tuple[Point, ...] = (
    (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1),
)  # fmt: skip
HEX_DIRECTIONS: tuple[Point, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))

HOLE = "hole"
CUSHION = "cushion"

SPECS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "players", "int", "Number of players. Four play in two teams.", 2, 2, 4,
        label="Players", limit=Limit.KINDS,
    ),
    OptionSpec(
        "size", "int", "Rows and columns of a square board.", 7, 1, 26,
        label="Square board", limit=Limit.SIDE,
    ),
    OptionSpec(
        "width", "int", "Columns of a rectangle; its rows too.", None, 1, 26,
        label="Columns", limit=Limit.COLUMNS,
    ),
    OptionSpec(
        "height", "int", "Rows of a rectangle; its columns too.", None, 1, 26,
        label="Rows", limit=Limit.ROWS,
    ),
    OptionSpec(
        "hex", "int", "Cells along each side of a six-sided board.", None, 1, 13,
        label="Six-sided board", limit=Limit.HEXAGON,
    ),
    OptionSpec(
        "missing", "places", "Cells that are not there, like the edge.", (),
        label="Cut-out places",
    ),
    OptionSpec("holes", "places", "A marble pushed in returns to its owner.", (), label="Holes"),
    OptionSpec(
        "cushions", "places", "A marble pushed against one stays where it is.", (),
        label="Cushions",
    ),
    OptionSpec(
        "marbles", "int", "Whoever has all of theirs on the board wins.", None, 1,
        label="Marbles each",
    ),
    OptionSpec(
        "pie", "bool", "Two players: the second may swap on the first turn.", True,
        label="Swap rule", for_players=2,
    ),
    OptionSpec(
        "round_limit", "int", "Rounds after which the game ends; 30 is usual.", None, 1,
        label="Last round",
    ),
    OptionSpec(
        "must_block", "bool", "Three players: stop the next player's win.", True,
        label="Forced block", for_players=3,
    ),
)  # fmt: skip

# RULES M7: exactly these boards have a standard set: (width, height, holes) -> players -> marbles
STANDARD_MARBLES: Mapping[tuple[int, int, tuple[str, ...]], Mapping[int, int]] = {
    (7, 7, ()): {2: 8, 3: 6},
    (9, 7, ()): {2: 10, 3: 7},
    (9, 9, ("e5",)): {2: 12, 3: 8},
}


# The boards that are offered, the usual one first. Three and four players need room.
BOARDS: Mapping[str, Mapping[str, Any]] = {
    "7 x 7": {"size": 7},
    "9 x 7": {"width": 9, "height": 7},
    "9 x 9 with a hole": {"size": 9, "holes": ["e5"]},
    "Hexagon": {"hex": 4},
    "Large hexagon": {"hex": 5},
    "5 x 5": {"size": 5},
}
PLAYERS = {2: "2", 3: "3", 4: "4, in two teams"}


def suggested_marbles(players: int, cells: int) -> int:
    """A number of marbles each for a board with that many open cells.

    It follows the standard sets, which grow by a marble for every 8 cells with two players and for
    every 16 with three, and is ours beyond them; never more than half the cells together.
    """
    each = {2: round(cells / 8) + 2, 3: round(cells / 16) + 3, 4: round(cells / 20) + 3}[players]
    return max(1, min(each, cells // (2 * players)))


def _preset(players: int, board: str) -> Preset:
    options = {"players": players, **BOARDS[board]}
    _, laid_out = read({**options, "marbles": 1})
    marbles = suggested_marbles(players, len(laid_out.cells))
    return Preset({"Players": PLAYERS[players], "Board": board}, {**options, "marbles": marbles})


@cache
def presets() -> tuple[Preset, ...]:
    """Every board with every number of players, and marbles for it."""
    return tuple(_preset(players, board) for players in PLAYERS for board in BOARDS)


@dataclass(frozen=True, slots=True)
class Board:
    """``points``: every place that is there, open or blocked -> (column, row), counted from 0 at
    the south-west corner of the shape, which has so many ``columns`` and ``rows``. ``directions``:
    steps to the neighbours. ``cells``: the open ones, where a marble may stand, sorted by code
    point. ``blocked``: the others -> ``hole`` or ``cushion``.
    """

    points: Mapping[str, Point]
    columns: int
    rows: int
    directions: tuple[Point, ...]
    cells: tuple[str, ...]
    blocked: Mapping[str, str]


def _rectangle(width: int, height: int) -> dict[str, Point]:
    """``a1`` in the south-west corner: letter = column (at most 26), number = row."""
    return {cell_name(x, y): (x, y) for y in range(height) for x in range(width)}


def _hexagon(side: int) -> dict[str, Point]:
    """Axial coordinates ``q,r`` around ``0,0``: |q|, |r|, |q + r| < ``side``."""
    span = range(1 - side, side)
    return {
        f"{q},{r}": (q + side - 1, r + side - 1) for r in span for q in span if abs(q + r) < side
    }


def read(given: Mapping[str, Any]) -> tuple[dict[str, Any], Board]:
    """Check options in JSON types, fill in the defaults and lay out the board.

    An option that is None counts as not given; in what is returned one that is not set is None, and
    they are in the order of ``SPECS``. Raises OptionError.
    """
    values = checked("Momentum", SPECS, given)
    players: int = values.get("players", 2)
    side: int | None = values.get("hex")
    columns, rows = _extent(values)
    if side is not None:
        columns = rows = 2 * side - 1
    shape = _rectangle(columns, rows) if side is None else _hexagon(side)
    taken = _taken(values, shape)
    missing, holes, cushions = (taken[kind] for kind in ("missing", "holes", "cushions"))
    points = {name: shape[name] for name in sorted(shape.keys() - missing)}
    blocked = dict.fromkeys(holes, HOLE) | dict.fromkeys(cushions, CUSHION)
    cells = tuple(name for name in points if name not in blocked)
    if not cells:
        raise OptionError("No cell is left on this board.")
    _only_for(values, "pie", 2, players)
    _only_for(values, "must_block", 3, players)
    plain = side is None and not missing and not cushions
    options = {
        "players": players,
        "size": values.get("size", 7) if side is None and "width" not in values else None,
        "width": values.get("width"),
        "height": values.get("height"),
        "hex": side,
        **{kind: list(places) for kind, places in taken.items()},
        "marbles": _marbles(values, players, len(cells), (columns, rows, holes) if plain else None),
        "pie": players == 2 and values.get("pie", True),
        "round_limit": values.get("round_limit"),
        "must_block": players == 3 and values.get("must_block", True),
    }
    directions = SQUARE_DIRECTIONS if side is None else HEX_DIRECTIONS
    return options, Board(points, columns, rows, directions, cells, blocked)


def _extent(values: Mapping[str, Any]) -> tuple[int, int]:
    """Width and height, after checking that only one kind of board is asked for."""
    asked = [name for name in ("size", "width", "height", "hex") if name in values]
    shapes = {"width" if name == "height" else name for name in asked}
    if len(shapes) > 1:
        raise OptionError(
            "{names} exclude each other: a board is a square (size), a rectangle (width and "
            "height) or six-sided (hex).",
            names=" and ".join(asked),
        )
    if ("width" in values) != ("height" in values):
        have, lack = ("width", "height") if "width" in values else ("height", "width")
        raise OptionError("{have} needs {lack} too.", have=have, lack=lack)
    size = values.get("size", 7)
    return values.get("width", size), values.get("height", size)


def _taken(values: Mapping[str, Any], shape: Mapping[str, Point]) -> dict[str, tuple[str, ...]]:
    """The places of ``missing``, ``holes`` and ``cushions``: on the board, and not twice."""
    taken: dict[str, tuple[str, ...]] = {}
    owner: dict[str, str] = {}
    for kind in ("missing", "holes", "cushions"):
        taken[kind] = values.get(kind, ())
        for place in taken[kind]:
            if place not in shape:
                raise OptionError(
                    "{kind}: {place} is not a cell of this board.", kind=kind, place=place
                )
            if place in owner:
                raise OptionError(
                    "{place} cannot be in {first} and in {kind}.",
                    place=place,
                    first=owner[place],
                    kind=kind,
                )
            owner[place] = kind
    return taken


def _only_for(values: Mapping[str, Any], name: str, count: int, players: int) -> None:
    if values.get(name) and players != count:
        raise OptionError(
            "{label} is for {count} players only, not for {players}.",
            label=next(spec.label for spec in SPECS if spec.name == name),
            count=count,
            players=players,
        )


def _marbles(
    values: Mapping[str, Any],
    players: int,
    cells: int,
    plain: tuple[int, int, tuple[str, ...]] | None,
) -> int:
    """Marbles each: as given, or the standard set of a board that has one, being as ``plain`` as
    those are (RULES M7).
    """
    if "marbles" not in values:
        standard = {} if plain is None else STANDARD_MARBLES.get(plain, {})
        if players not in standard:
            raise OptionError(
                "This board with {players} players has no standard set: "
                "choose how many marbles each player has (marbles=).",
                players=players,
            )
        return standard[players]
    marbles: int = values["marbles"]
    if marbles > cells:
        raise OptionError(
            "{marbles} marbles can never all be on the board: it has {cells} open cells.",
            marbles=marbles,
            cells=cells,
        )
    return marbles

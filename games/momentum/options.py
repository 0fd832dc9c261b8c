"""Boards and options of Momentum (rule M6).

A board is a rectangle or a hexagon and can have missing or blocked cells. The module also defines
the defaults of the options, and which options can be combined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiltboard.games.base import Limit, OptionError, OptionSpec, Preset, checked
from tiltboard.games.rules import Point, cell_name

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

# Number of marbles per player in the standard sets. The key is the board as (width, height, holes)
# and the number of players. Rule M7 defines standard sets only for these boards.
STANDARD_MARBLES: Mapping[tuple[int, int, tuple[str, ...]], Mapping[int, int]] = {
    (7, 7, ()): {2: 8, 3: 6},
    (9, 7, ()): {2: 10, 3: 7},
    (9, 9, ("e5",)): {2: 12, 3: 8},
}


@dataclass(frozen=True, slots=True)
class MomentumBoard:
    """The places of a board and their coordinates."""

    points: Mapping[str, Point]
    """The (column, row) of each place, open or blocked, counted from 0 at the south-west corner."""
    columns: int
    rows: int
    directions: tuple[Point, ...]
    """Steps from a place to its neighbours, as (columns, rows)."""
    cells: tuple[str, ...]
    """The open places, sorted by code point."""
    blocked: Mapping[str, str]
    """The obstacle, ``hole`` or ``cushion``, on each place that is not open."""


def read(given: Mapping[str, Any]) -> tuple[dict[str, Any], MomentumBoard]:
    """Validate options given as JSON types, fill in the defaults, and return the options and the
    board.

    An option that is None counts as not given. In the result, an unset option is None, and the
    options are in the order of ``SPECS``. Raises OptionError if options are invalid or in conflict.
    """
    values = checked("Momentum", SPECS, given)
    players: int = values.get("players", 2)
    for spec in SPECS:
        if values.get(spec.name) and spec.for_players not in (None, players):
            raise OptionError(
                "{label} is for {count} players only, not for {players}.",
                label=spec.label,
                count=spec.for_players,
                players=players,
            )
    columns, rows, shape = _shape(values)
    places = {kind: values.get(kind, ()) for kind in ("missing", "holes", "cushions")}
    taken: dict[str, str] = {}
    for kind, names in places.items():
        for place in names:
            if place not in shape:
                raise OptionError(
                    "{kind}: {place} is not a cell of this board.", kind=kind, place=place
                )
            if place in taken:
                raise OptionError(
                    "{place} cannot be in {first} and in {kind}.",
                    place=place,
                    first=taken[place],
                    kind=kind,
                )
            taken[place] = kind
    cells = tuple(sorted(shape.keys() - taken.keys()))
    if not cells:
        raise OptionError("No cell is left on this board.")
    square = "hex" not in values
    standard: Mapping[int, int] = {}
    if square and not places["missing"] and not places["cushions"]:
        standard = STANDARD_MARBLES.get((columns, rows, places["holes"]), {})
    options: dict[str, Any] = {
        **{spec.name: values.get(spec.name) for spec in SPECS},
        "players": players,
        "size": values.get("size", 7) if square and "width" not in values else None,
        **{kind: list(names) for kind, names in places.items()},
        "marbles": values.get("marbles", standard.get(players)),
        "pie": players == 2 and values.get("pie", True),
        "must_block": players == 3 and values.get("must_block", True),
    }
    if options["marbles"] is None:
        raise OptionError(
            "This board with {players} players has no standard set: "
            "choose how many marbles each player has (marbles=).",
            players=players,
        )
    if options["marbles"] > len(cells):
        raise OptionError(
            "{marbles} marbles can never all be on the board: it has {cells} open cells.",
            marbles=options["marbles"],
            cells=len(cells),
        )
    points = {name: shape[name] for name in sorted(shape) if name not in places["missing"]}
    blocked = dict.fromkeys(places["holes"], HOLE) | dict.fromkeys(places["cushions"], CUSHION)
    directions = SQUARE_DIRECTIONS if square else HEX_DIRECTIONS
    return options, MomentumBoard(points, columns, rows, directions, cells, blocked)


def _shape(values: Mapping[str, Any]) -> tuple[int, int, Mapping[str, Point]]:
    """Return the number of columns, the number of rows, and the point of each place on the board
    that the options select. Raises OptionError if the options select several kinds of boards.

    The cells of a hexagon are named ``q,r``. The cell in the middle is ``0,0``, and |q|, |r| and |q
    + r| are below ``hex``.
    """
    asked = [name for name in ("size", "width", "height", "hex") if name in values]
    if len(asked) > 1 and asked != ["width", "height"]:
        raise OptionError(
            "{names} exclude each other: a board is a square (size), a rectangle (width and "
            "height) or six-sided (hex).",
            names=" and ".join(asked),
        )
    if asked in (["width"], ["height"]):
        have, lack = ("width", "height") if asked == ["width"] else ("height", "width")
        raise OptionError("{have} needs {lack} too.", have=have, lack=lack)
    if "hex" in values:
        side: int = values["hex"]
        span = range(1 - side, side)
        axial = [(q, r) for r in span for q in span if abs(q + r) < side]
        return len(span), len(span), {f"{q},{r}": (q + side - 1, r + side - 1) for q, r in axial}
    size = values.get("size", 7)
    columns, rows = values.get("width", size), values.get("height", size)
    squares = [(x, y) for y in range(rows) for x in range(columns)]
    return columns, rows, {cell_name(*point): point for point in squares}


def suggested_marbles(players: int, cells: int) -> int:
    """Return a suggested number of marbles per player for a board with ``cells`` open cells.

    In the standard sets, each player gets one more marble for every 8 additional cells with two
    players, and for every 16 additional cells with three players. This project continues the same
    growth for other board sizes. All players' marbles together never exceed half the cells.
    """
    each = {2: round(cells / 8) + 2, 3: round(cells / 16) + 3, 4: round(cells / 20) + 3}[players]
    return max(1, min(each, cells // (2 * players)))


# All offered boards with their numbers of open cells, the most common board first. The same boards
# are offered for three and four players, with fewer marbles per player.
PRESETS = tuple(
    Preset(
        {"Players": people, "Board": label},
        {"players": players, **board, "marbles": suggested_marbles(players, cells)},
    )
    for players, people in ((2, "2"), (3, "3"), (4, "4, in two teams"))
    for label, cells, board in (
        ("7 x 7", 49, {"size": 7}),
        ("9 x 7", 63, {"width": 9, "height": 7}),
        ("9 x 9 with a hole", 80, {"size": 9, "holes": ["e5"]}),
        ("Hexagon", 37, {"hex": 4}),
        ("Large hexagon", 61, {"hex": 5}),
        ("5 x 5", 25, {"size": 5}),
    )
)

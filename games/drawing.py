"""Draws game positions as text and as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from tiltboard.games.base import Game, GameType, Position, Shift, Turn
from tiltboard.games.rules import cell_name

# Maps each paint name to two colours, as on the page: the colour of the piece, and the colour of
# the letters on the piece.
PAINTS = {
    "red": ("#d23b33", "#ffeede"),
    "blue": ("#2f70d2", "#eaf4ff"),
    "white": ("#ece6d9", "#4d4436"),
    "green": ("#2e9a56", "#effbea"),
    "yellow": ("#e2c42e", "#3a2e04"),
    "black": ("#26292f", "#f0c9de"),
    "slate": ("#3a4152", "#f0dd6a"),
}
BY_CLASS = ("red", "blue", "white", "green")
PLACE = 60
RADIUS = 24


def signs(game: Game) -> Mapping[str, str]:
    """Return a short sign for each kind of piece, such as R for red and RT for red-tank. If two
    kinds would have the same sign, their signs get more letters.
    """
    for letters in range(1, 20):
        found = {
            piece: "".join(part[:letters].capitalize() for part in piece.split("-"))
            for piece in game.pieces
        }
        if len(set(found.values())) == len(found):
            return found
    return {piece: piece for piece in game.pieces}


def piece_title(game: Game, cell: str) -> str:
    """Return the signs of the pieces on a place. The signs of stacked pieces are joined in the same
    way as in ``Position.cells``.
    """
    short = signs(game)
    towers = (tower.split("+") for tower in cell.split("/"))
    return "/".join("+".join(short.get(piece, piece) for piece in tower) for tower in towers)


def board_text(position: Position) -> str:
    """Return the board as text, with the highest row first. ``.`` is an empty place, and ``#`` is a
    blocked place. If places are not named by letter and number, each empty place shows its name.
    """
    game = position.game
    board = {spot: place for place, spot in game.board.items()}
    plain = all(place == cell_name(*spot) for spot, place in board.items())
    columns = [column for column, _ in board]
    rows = [row for _, row in board]
    across, down = range(min(columns), max(columns) + 1), range(max(rows), min(rows) - 1, -1)

    def shown(column: int, row: int) -> str:
        place = board.get((column, row))
        if place is None:
            return ""
        if place in position.cells:
            return piece_title(game, position.cells[place])
        return "#" if place in game.blocked else "." if plain else place

    grid = [[shown(column, row) for column in across] for row in down]
    wide = max(len(cell) for line in grid for cell in line)
    lines = []
    for row, cells in zip(down, grid, strict=True):
        label = f"{row + 1:>{len(str(max(rows) + 1))}} " if plain else ""
        indent = " " * ((row - min(rows)) * (wide + 1) // 2 if game.hexagonal else 0)
        lines.append(f"{label}{indent}{' '.join(f'{cell:<{wide}}' for cell in cells)}".rstrip())
    if plain:
        letters = " ".join(f"{cell_name(column, 0)[0]:<{wide}}" for column in across)
        lines.append(f"{' ' * len(str(max(rows) + 1))} {letters}".rstrip())
    return "\n".join(lines)


def picture(position: Position, kind: GameType, turn: Turn | None) -> str:
    """Return the board as an SVG document. If ``turn`` is given, arrows and marks show which pieces
    moved in that turn.
    """
    game = position.game
    spots = {
        place: ((column + (row / 2 if game.hexagonal else 0)) * PLACE, -row * PLACE)
        for place, (column, row) in game.board.items()
    }
    left, top = min(x for x, _ in spots.values()), min(y for _, y in spots.values())
    width = max(x for x, _ in spots.values()) - left + PLACE
    height = max(y for _, y in spots.values()) - top + PLACE
    x, y = left - PLACE / 2, top - PLACE / 2
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x:g} {y:g} {width:g} {height:g}"'
        ' font-family="sans-serif" text-anchor="middle" dominant-baseline="central">',
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="#c9a66b"/>',
        *_tracks(game),
    ]
    for place, (x, y) in spots.items():
        fill = "#6b5434" if place in game.blocked else "#e6d2ab"
        drawn.append(f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS}" fill="{fill}"/>')
        if place in position.cells:
            drawn += _piece(game, kind, position.cells[place], (x, y))
        else:
            drawn.append(f'<text x="{x:g}" y="{y:g}" font-size="11">{escape(place)}</text>')
    if turn is not None:
        for shift in turn.act:
            drawn += _shift_elements(game, kind, shift, spots, "#2b8a3e")
        for shift in turn.consequences:
            drawn += _shift_elements(game, kind, shift, spots, "#1d1d1d")
    return "\n".join([*drawn, "</svg>\n"])


def _tracks(game: Game) -> Iterator[str]:
    """Yield the tracks of the board as SVG elements, if the board has tracks."""
    for track in game.drawing.tracks if game.drawing is not None else ():
        first, *rest = (f"{x * PLACE:g} {-y * PLACE:g}" for x, y in track)
        yield (
            f'<path d="M {first} C {" ".join(rest)}" fill="none" stroke="#8a6a3a"'
            ' stroke-width="6"/>'
        )


def _piece(game: Game, kind: GameType, cell: str, spot: tuple[float, float]) -> Iterator[str]:
    """Yield the SVG elements of a piece. A tower is drawn as its topmost piece, labelled with the
    signs of all pieces in the tower.
    """
    piece, (x, y) = cell.replace("/", "+").rpartition("+")[2], spot
    base, ink = PAINTS[_paint(game, kind, piece)]
    sign = escape(piece_title(game, cell))
    yield f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS - 3}" fill="{base}"/>'
    size = 20 if len(sign) <= 2 else 10
    yield f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{ink}">{sign}</text>'


def _paint(game: Game, kind: GameType, piece: str) -> str:
    paint = kind.look_of(piece).paint or piece
    if paint in PAINTS:
        return paint
    return BY_CLASS[game.pieces.index(piece) % 4] if piece in game.pieces else "slate"


def _shift_elements(
    game: Game,
    kind: GameType,
    shift: Shift,
    spots: Mapping[str, tuple[float, float]],
    stroke: str,
) -> Iterator[str]:
    """Yield the SVG elements of a shift: an arrow for a move, a ring for a piece from the reserve,
    or a cross for a piece that leaves the board.
    """
    source, target = spots.get(shift.source or ""), spots.get(shift.target or "")
    style = f'fill="none" stroke="{stroke}" stroke-width="4"'
    if source is None and target is not None:
        yield from _piece(game, kind, shift.piece, target)
        yield f'<circle cx="{target[0]:g}" cy="{target[1]:g}" r="{RADIUS}" {style}/>'
    elif source is not None and target is None:
        (x, y), arm = source, RADIUS * 0.7
        yield (
            f'<path d="M {x - arm:g} {y - arm:g} L {x + arm:g} {y + arm:g}'
            f' M {x - arm:g} {y + arm:g} L {x + arm:g} {y - arm:g}" {style}/>'
        )
    elif source is not None and target is not None:
        (x, y), (to_x, to_y) = source, target
        way = max(1.0, ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5)
        east, south = (to_x - x) / way, (to_y - y) / way
        back_x, back_y = to_x - 12 * east, to_y - 12 * south
        yield (
            f'<path d="M {x:g} {y:g} L {to_x:g} {to_y:g}'
            f" M {back_x - 8 * south:g} {back_y + 8 * east:g} L {to_x:g} {to_y:g}"
            f' L {back_x + 8 * south:g} {back_y - 8 * east:g}" {style}/>'
        )

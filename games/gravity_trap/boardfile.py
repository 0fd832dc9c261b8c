"""Boards of Gravity Trap as TOML (RULES T1), the ones that are shipped included.

    title = "My printed board"
    hole = [4.5, 4.5]             # the middle of the hole, for the drawing
    symmetry = "half-turn"        # opposites by position; or [opposite], as in 1 = 22

    [positions]                   # column and row on the plate, from the south-west corner
    1 = [6, 0]
    2 = [7, 1]

    [[track]]
    bases = [1, 2, 5]
    closed = true                 # it goes on from 5 to 1

Only the tracks must be there. A file is checked more strictly than a board that is handed over as
JSON, because a person has typed it: opposites must fit the tracks, and no track comes twice.

The shipped boards are part of this package, like its code. Their tracks never change, because
journals name them: a better board gets a new name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

from games.base import OptionError
from games.gravity_trap.board import Board, Place

SHIPPED: tuple[str, ...] = ("whirl",)
DEFAULT = SHIPPED[0]
HALF_TURN = "half-turn"


@cache
def shipped(name: str) -> Board:
    """One of ``SHIPPED``."""
    return read(resources.files(__package__).joinpath("boards", f"{name}.toml").read_text("utf-8"))


def read(text: str) -> Board:
    """A board file's board, checked completely. Raises OptionError."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: no TOML, or thousands of digits
        raise OptionError("This is not TOML: {why}.", why=error) from None
    symmetry = data.pop("symmetry", None)
    if "track" in data:
        closed = [track.get("closed", False) for track in _tables(data)]
        data["tracks"] = _tracks(data, closed)
        data["closed"] = [number for number, is_closed in enumerate(closed, start=1) if is_closed]
    board = Board.from_json(data)
    if symmetry is not None:
        board = _with_symmetry(board, symmetry)
    _check_twice(board)
    if board.opposite is not None:
        _check_opposite(board, board.opposite)
    return board


def _tables(data: dict[str, Any]) -> list[Mapping[str, Any]]:
    """Every ``[[track]]``."""
    tracks = data["track"]
    if not isinstance(tracks, list) or not all(isinstance(track, Mapping) for track in tracks):
        raise OptionError("Write each track as [[track]], with a line bases = [1, 2, 3] below.")
    return tracks


def _tracks(data: dict[str, Any], closed: Sequence[object]) -> list[Any]:
    """The bases of each ``[[track]]``, taken out of ``data``."""
    tracks = data.pop("track")
    if "tracks" in data:
        raise OptionError("Write either [[track]] or tracks, not both.")
    for number, track in enumerate(tracks, start=1):
        if not isinstance(closed[number - 1], bool):
            raise OptionError("Track {number}: closed is true or false.", number=number)
        if track.keys() - {"closed"} != {"bases"}:
            raise OptionError(
                "Track {number} needs the key bases and has no others; here: {keys}.",
                number=number,
                keys=", ".join(track) or "none",
            )
    return [track["bases"] for track in tracks]


def _with_symmetry(board: Board, symmetry: object) -> Board:
    """The board with the opposites that its symmetry gives."""
    if symmetry != HALF_TURN:
        raise OptionError(
            'symmetry can only be "{known}"; else name the opposites one by one.', known=HALF_TURN
        )
    if board.opposite is not None:
        raise OptionError("Write either symmetry or opposite, not both.")
    if not board.placed:
        raise OptionError("symmetry needs positions: the opposites follow from them.")
    return replace(board, opposite=_half_turn(board))


def _half_turn(board: Board) -> dict[int, int]:
    columns = [column for column, _ in board.positions.values()]
    rows = [row for _, row in board.positions.values()]
    across, up = min(columns) + max(columns), min(rows) + max(rows)
    at: dict[Place, int] = {place: base for base, place in board.positions.items()}
    found = {}
    for base, (column, row) in board.positions.items():
        image = across - column, up - row
        if image not in at:
            raise OptionError(
                "There is no base opposite to base {base}: after a half turn it would be at "
                "[{column}, {row}].",
                base=base,
                column=image[0],
                row=image[1],
            )
        found[base] = at[image]
    return found


def _check_twice(board: Board) -> None:
    first: dict[frozenset[int], int] = {}
    for number, track in enumerate(board.tracks, start=1):
        earlier = first.setdefault(frozenset(track), number)
        if earlier != number:
            raise OptionError(
                "Tracks {first} and {second} join the same bases.", first=earlier, second=number
            )


def _check_opposite(board: Board, opposite: Mapping[int, int]) -> None:
    """Every base has one, and the tracks are the same after the exchange."""
    for base in board.bases:
        if base not in opposite:
            raise OptionError("Base {base} has no opposite, but others have.", base=base)
    joined = {frozenset(track) for track in board.tracks}
    for number, track in enumerate(board.tracks, start=1):
        image = [opposite[base] for base in track]
        if frozenset(image) not in joined:
            raise OptionError(
                "The opposites do not fit the tracks: opposite to track {number} there would be a "
                "track through {bases}.",
                number=number,
                bases=", ".join(map(str, image)),
            )

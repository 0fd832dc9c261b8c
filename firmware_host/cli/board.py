"""``tiltboard board``: boards that people enter themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from firmware_host.cli.speech import say
from firmware_host.config.boards import load_board
from firmware_host.messages import Message, text
from games.gravity_trap.board import Board
from games.gravity_trap.boardfile import SHIPPED, shipped

PLATE = 10  # columns and rows of the reference plate


@click.group(name="board", epilog="Example: tiltboard board check mine.toml")
def command() -> None:
    """Boards of Gravity Trap in files of your own."""


@command.command(name="check", epilog="Example: tiltboard board check mine.toml")
@click.argument("board")
def check(board: str) -> None:
    """Check a board, by name or as a file, and say what is in it.

    A file lists the tracks, each as [[track]] with a line like bases = [1, 2, 5]. It may say where
    the bases are on the plate ([positions], 1 = [column, row]), which are opposite to each other
    (symmetry = "half-turn", or [opposite], 1 = 22), where the hole is drawn (hole = [4.5, 4.5]) and
    a title. Play on it with --option board=FILE.
    """
    known = board in SHIPPED and not Path(board).exists()
    for line in _described(shipped(board) if known else load_board(Path(board))):
        say(line)


def _described(board: Board) -> list[Message]:
    on = Counter(base for track in board.tracks for base in track)
    opposites = (
        text("Opposite bases are not named: copying every move is allowed.")
        if board.opposite is None
        else text("Opposite bases are named: copying every move is not allowed.")
    )
    columns = max(column for column, _ in board.positions.values()) + 1
    rows = max(row for _, row in board.positions.values()) + 1
    size, plate = f"{columns} x {rows}", f"{PLATE} x {PLATE}"
    lines = [
        text(
            "{title} is complete: {bases} bases, {tracks} tracks of {lengths} bases, every base on"
            " {shares} of them.",
            title=board.title or text("The board"),
            bases=len(board.bases),
            tracks=len(board.tracks),
            lengths=_span(map(len, board.tracks)),
            shares=_span(on.values()),
        ),
        opposites,
    ]
    fits = (
        text("It fits the reference plate of {plate}; it needs {size}.", plate=plate, size=size)
        if columns <= PLATE and rows <= PLATE
        else text(
            "It does not fit the reference plate of {plate}; it needs {size}.",
            plate=plate,
            size=size,
        )
    )
    if not board.placed:
        rows_only = text("Positions are not given: the bases lie in rows.")
        fits = text("{one} {other}", one=fits, other=rows_only)
    return [*lines, fits]


def _span(numbers: Iterable[int]) -> Message:
    low, *_, high = sorted([*numbers] * 2)
    if low == high:
        return text("{number}", number=low)
    return text("{low} to {high}", low=low, high=high)

"""``tiltboard board``: boards that people enter themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from firmware_host.boards import load_board
from games.gravity_trap.board import Board

PLATE = 10  # columns and rows of the reference plate


@click.group(name="board", epilog="Example: tiltboard board check mine.toml")
def command() -> None:
    """Boards of Gravity Trap in files of your own."""


@command.command(name="check", epilog="Example: tiltboard board check mine.toml")
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Check a board file and say what is in it.

    A file lists the tracks, each as [[track]] with a line like bases = [1, 2, 5]. It may say where
    the bases are on the plate ([positions], 1 = [column, row]), which are opposite to each other
    (symmetry = "half-turn", or [opposite], 1 = 22), where the hole is drawn (hole = [4.5, 4.5]) and
    a title. Play on it with --option board=FILE.
    """
    for line in _described(load_board(file)):
        click.echo(line)


def _described(board: Board) -> list[str]:
    on = Counter(base for track in board.tracks for base in track)
    opposites = (
        "Opposite bases are not named: copying every move is allowed."
        if board.opposite is None
        else "Opposite bases are named: copying every move is not allowed."
    )
    columns = max(column for column, _ in board.positions.values()) + 1
    rows = max(row for _, row in board.positions.values()) + 1
    fits = "fits" if columns <= PLATE and rows <= PLATE else "does not fit"
    placed = "" if board.placed else " Positions are not given: the bases lie in rows."
    return [
        f"{board.title or 'The board'} is complete: {len(board.bases)} bases, "
        f"{len(board.tracks)} tracks of {_span(map(len, board.tracks))} bases, "
        f"every base on {_span(on.values())} of them.",
        opposites,
        f"It {fits} the reference plate of {PLATE} x {PLATE}; it needs {columns} x {rows}.{placed}",
    ]


def _span(numbers: Iterable[int]) -> str:
    low, *_, high = sorted([*numbers] * 2)
    return str(low) if low == high else f"{low} to {high}"

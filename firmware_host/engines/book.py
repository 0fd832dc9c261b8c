"""Openings that come with a game: ``book.jsonl`` in its package, a line for each set of options.

They are lines of good moves to positions that are even (``tiltboard study book``): the strongest
levels play them at random and at once, so that games differ and a small computer need not think.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from games.base import Game
from games.registry import file_of


class Book(msgspec.Struct, frozen=True):
    """``lines``: moves from the start, separated by spaces."""

    options: dict[str, object]
    lines: list[str]


@cache
def books(game: str) -> tuple[Book, ...]:
    """All books of a game; there may be none."""
    decoder = msgspec.json.Decoder(Book)
    return tuple(decoder.decode(line) for line in file_of(game, "book.jsonl").splitlines())


def opening_moves(game: Game) -> Mapping[int, Sequence[int]]:
    """Position (``Rules.key``) -> the moves that lines of the book make there."""
    rules, found = game.rules, dict[int, list[int]]()
    options = {name: value for name, value in game.options.items() if value is not None}
    for book in books(game.name):
        if book.options != options:
            continue
        for line in book.lines:
            state = rules.start()
            for name in line.split():
                move = rules.number(name)
                if move is None or move not in rules.moves(state):
                    break
                known = found.setdefault(rules.key(state), [])
                if move not in known:
                    known.append(move)
                state = rules.apply(state, move)
    return found

"""Optional hints from a game to a search, besides its rules.

``search.toml`` in a game's folder has the numbers::

    [weights]                # of its evaluation, as fitted by `tiltboard study tune`
    tempo = [44]
    [levels]                 # ten of each, the weakest level first
    depth = [1, 2, 2, 2, 2, 3, 3, 4, 5, 0]

The rows of ``levels``: ``slips``: the share of turns on which the bot plays the move that looks
worst (optional). ``own``, ``answers``: the share of its own moves, and of the answers to them, that
it overlooks. ``depth``: plies; ``nodes``: positions or playouts; 0: no limit. ``margin``: moves
that are worse by no more than this (hundredths of the log-odds) count as equal. The first nine
levels count positions and think without kernels, so they play alike on every machine. ``wait_ms``:
how long a move takes one core of a desktop computer, for people who choose.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any, Protocol

Evaluate = Callable[[Any], int]
"""Returns the worth of a state to the player to move, without looking ahead, in hundredths of the
log-odds (0: even; 100: 73 %). The game must not be over. For two players, or teams."""
MAX_WORTH = 990_000  # Values from here on are proven wins.
WAITS = "wait_ms"
LEVEL_ROWS = ("depth", "nodes", "slips", "own", "answers", "margin")
Weights = Mapping[str, Sequence[int]]
Levels = Mapping[str, Sequence[float]]


class Budget(Protocol):
    """The limit of a search."""

    nodes: int
    """Positions looked at so far."""

    @property
    def spent(self) -> bool:
        """True if the search must end."""

    def visit(self) -> None:
        """Count one more position; raises if that is too many."""


class Solver(Protocol):
    """An exact search of one game, which remembers what it has solved."""

    def winning(self, state: Any, moves: Sequence[int], budget: Budget) -> int | None:
        """Return the first of ``moves`` that is proven to win ``state``, or None if each of them
        loses. Raises what ``budget`` raises.
        """


def numbers(package: str, table: str) -> Mapping[str, Any]:
    """Read a table of ``search.toml`` in a game's folder."""
    text = resources.files(package).joinpath("search.toml").read_text(encoding="utf-8")
    found: Mapping[str, Any] = tomllib.loads(text)[table]
    return found

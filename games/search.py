"""Optional data and functions that a game offers to a search, in addition to the rules.

The file ``search.toml`` in the folder of a game contains the numbers::

    [weights]                # of the evaluation, as fitted by `tiltboard study tune`
    tempo = [44]
    [levels]                 # ten values in each row, the weakest level first
    depth = [1, 2, 2, 2, 2, 3, 3, 4, 5, 0]

Rows of ``levels``:

- ``slips``: fraction of turns on which the bot plays the move that looks worst (optional).
- ``own``, ``answers``: fraction of the bot's own moves, and of the answers to these moves, that
  the bot overlooks.
- ``depth``: maximum number of plies; 0 means no limit.
- ``nodes``: maximum number of positions or playouts; 0 means no limit.
- ``margin``: moves that are worse by at most this value count as equal, in hundredths of the
  log-odds.
- ``wait_ms``: time for a move on one core of a desktop computer, shown to people who choose a
  level.

The first nine levels count positions and do not use compiled kernels, so these levels play alike on
every machine.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any, Protocol

Evaluate = Callable[[Any], int]
"""A function that estimates the value of a state for the player to move, without searching ahead.

The value is the log-odds of a win, multiplied by 100: 0 is an even game, and 100 is a 73 % chance
to win. The game must not be over, and must have two players or two teams.
"""
# Minimum absolute value that represents a proven win or loss. The value is the log-odds of a win,
# multiplied by 100.
MAX_WORTH = 990_000
WAITS = "wait_ms"
LEVEL_ROWS = ("depth", "nodes", "slips", "own", "answers", "margin")
Weights = Mapping[str, Sequence[int]]
Levels = Mapping[str, Sequence[float]]


class Budget(Protocol):
    """The limit of a search: a maximum number of positions."""

    nodes: int
    """Number of positions searched so far."""

    @property
    def spent(self) -> bool:
        """True if the search must end."""

    def visit(self) -> None:
        """Count one more position as searched. Raises an exception if the limit is exceeded."""


class Solver(Protocol):
    """An exact search that proves results of one game and stores them for later calls."""

    def winning(self, state: Any, moves: Sequence[int], budget: Budget) -> int | None:
        """Return the first of ``moves`` that is proven to win from ``state``, or None if all of
        them lose. An exception of ``budget`` ends the search and reaches the caller.
        """


def numbers(package: str, table: str) -> Mapping[str, Any]:
    """Read one table of the file ``search.toml`` in the folder of a game."""
    text = resources.files(package).joinpath("search.toml").read_text(encoding="utf-8")
    found: Mapping[str, Any] = tomllib.loads(text)[table]
    return found

"""Momentum on a list of cells: fast enough for playouts, and the engine's only move code.

A position's cells lie row after row in one tuple, with a border of ``OFF`` around them, so that a
direction is a fixed step from index to index. Everything that stops a line is false, every marble
is true: 0 is an empty cell, p + 1 a marble of player p, ``OFF`` (None) the outside, a missing cell
or a hole, ``CUSHION`` ("") a cushion.

``_TURNS`` drops marbles one after the other and judges each turn; ``Core.advance`` plays moves with
it, ``Core.playout`` whole games. It is written out with a ``_PUSH`` for each direction: a loop over
the directions in their place makes playouts a quarter slower, and tables of bitboards, by occupied
neighbours and lines, reached half as many (they outgrow the processor's cache).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, NamedTuple

from games.momentum.board import CUSHION as CUSHION_NAME
from games.momentum.board import Board

COMPLETE: Final = "complete"
ROUND_LIMIT: Final = "round-limit"
FULL: Final = "full"

OFF: Final = None
CUSHION: Final = ""
Cell = int | str | None


class State(NamedTuple):
    """``cells``: as above. ``held``: marbles of each player on the board. ``turn``: turns played.

    ``ended``: the reason, once the game is over; the player who moved last is always
    ``(turn - 1) % players``.
    """

    cells: tuple[Cell, ...]
    held: tuple[int, ...]
    turn: int
    ended: str | None


# core, cells and held (which it changes), turn, drops -> turn and ended
Turns = Callable[["Core", list[Cell], list[int], int, Iterable[int]], tuple[int, str | None]]


class Core:
    """The rules M1-M3, M5 and M10 on one board; who may swap or must block is the position's."""

    def __init__(self, board: Board, players: int, marbles: int, round_limit: int | None) -> None:
        points = board.grid.points
        (x0, y0), (x1, y1) = board.grid.corners
        stride = x1 - x0 + 2  # one border column serves the row before and the row after

        def index(name: str) -> int:
            x, y = points[name]
            return (y - y0 + 1) * stride + x - x0 + 1

        self.players = players
        self.marbles = marbles
        self.last_turn = (round_limit or 0) * players  # 0: no limit
        self.index = {name: index(name) for name in board.cells}
        self.names = {at: name for name, at in self.index.items()}
        self.steps = tuple(dy * stride + dx for dx, dy in board.grid.directions)
        self.following = (0, *range(2, players + 1), 1)  # whose turn comes after whose, from 1
        # Sets that cannot cover the board before one is complete need no look at whether it is full
        self.may_fill = players * (marbles - 1) >= len(self.index)
        cells: list[Cell] = [OFF] * ((y1 - y0 + 3) * stride + 1)
        for at in self.names:
            cells[at] = 0
        for name, what in board.blocked.items():
            if what == CUSHION_NAME:
                cells[index(name)] = CUSHION
        self._empty = tuple(cells)
        self._turns = _written_out(len(self.steps))

    def start(self) -> State:
        """The empty board."""
        return State(self._empty, (0,) * self.players, 0, None)

    def advance(self, state: State, drops: Iterable[int]) -> State:
        """Drop on the cells with these indices, turn by turn, until they run out or the game ends.

        Occupied cells are passed over. *Not* checked: that ``state`` has not ended, and that
        ``drops`` are indices of open cells.
        """
        cells, held = list(state.cells), [0, *state.held]
        turn, ended = self._turns(self, cells, held, state.turn, drops)
        return State(tuple(cells), tuple(held[1:]), turn, ended)

    def playout(self, state: State, drops: Iterable[int]) -> tuple[int, str | None, list[int]]:
        """As ``advance``, without the cells: turns played, the reason of the end, and the marbles
        on the board of each player, counted from index 1.

        With an endless stream of random cells a random game, uniform over the empty cells.
        """
        held = [0, *state.held]
        turn, ended = self._turns(self, list(state.cells), held, state.turn, drops)
        return turn, ended, held

    def swap(self, state: State) -> State:
        """The second player takes the first one's marble over, as his turn (RULES M4).

        *Not* checked: that it is his first turn.
        """
        cells = tuple(2 if cell == 1 else cell for cell in state.cells)
        ended = ROUND_LIMIT if self.last_turn == 2 else None
        return State(cells, (0, 1), 2, ended)

    def pushes(self, before: State, after: State, drop: int) -> tuple[tuple[int, int | None], ...]:
        """What the turn from ``before`` to ``after`` pushed: (source, target or None for off)."""
        found = []
        for step in self.steps:
            end = drop + step
            while before.cells[end]:
                end += step
            last = end - step
            if last != drop and not after.cells[last]:
                found.append((last, end if after.cells[end] else None))
        return tuple(found)


_TURNS = """
def turns(core, cells, held, turn, drops):
    ended = None
    marbles, last_turn, may_fill = core.marbles, core.last_turn, core.may_fill
    full, following, {steps} = len(core.index), core.following, *core.steps
    me = turn % core.players + 1
    for drop in drops:
        if cells[drop]:
            continue
        cells[drop] = me
        held[me] += 1
{pushes}
        turn += 1
        if held[me] == marbles:
            ended = {COMPLETE!r}
            break
        if turn == last_turn:
            ended = {ROUND_LIMIT!r}
            break
        if may_fill and sum(held) == full:
            ended = {FULL!r}
            break
        me = following[me]
    return turn, ended
"""

_PUSH = """
        if cells[drop + {step}]:
            end = drop + {step} + {step}
            while cells[end]:
                end += {step}
            if cells[end] == 0:
                cells[end] = cells[end - {step}]
                cells[end - {step}] = 0
            elif cells[end] is None:
                held[cells[end - {step}]] -= 1
                cells[end - {step}] = 0
"""


@cache
def _written_out(directions: int) -> Turns:
    """``_TURNS`` for this many directions."""
    steps = [f"step_{number}" for number in range(directions)]
    source = _TURNS.format(
        steps=", ".join(steps),
        pushes="".join(_PUSH.format(step=step) for step in steps),
        COMPLETE=COMPLETE,
        ROUND_LIMIT=ROUND_LIMIT,
        FULL=FULL,
    )
    namespace: dict[str, Turns] = {}
    exec(source, namespace)  # noqa: S102 - our own text, from this file only
    return namespace["turns"]

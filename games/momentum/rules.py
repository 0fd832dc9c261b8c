"""The rules of Momentum on a tuple of cells, fast enough for playouts.

The cells of a position are stored row after row in one tuple with a border of ``OFF``, so that a
step in one direction is a fixed difference of indexes. An empty cell contains 0, and a marble of
player p is p + 1. ``OFF`` (None) represents the outside, a missing cell or a hole, and ``CUSHION``
("") represents a cushion. Only marbles are true in a condition, so a line of marbles ends at the
first false cell.

A move is the index of the cell on which a marble is dropped. The index of ``swap`` is one more than
the last cell's index and always counts as occupied. An implementation with bitboard tables reached
only half as many playouts per second, because the tables exceed the processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tiltboard.games.momentum.options import CUSHION as CUSHION_NAME
from tiltboard.games.momentum.options import MomentumBoard
from tiltboard.games.rules import Rules
from tiltboard.ground.override import override

COMPLETE: Final = "complete"
ROUND_LIMIT: Final = "round-limit"
FULL: Final = "full"

SWAP: Final = "swap"
OFF: Final = None
CUSHION: Final = ""
Cell = int | str | None


class State(NamedTuple):
    """A position of Momentum: the cells, the marbles on the board and the turns played."""

    cells: tuple[Cell, ...]
    """Content of each cell, by index, with the values that the module's docstring lists."""
    held: tuple[int, ...]
    """Number of marbles that each player has on the board."""
    turn: int
    """Number of turns played."""
    ended: str | None
    """Reason why the game ended, or None before the end. After the end, the last player who moved
    is ``(turn - 1) % players``.
    """


class MomentumRules(Rules):
    """The rules M1-M10 on one board."""

    def __init__(self, board: MomentumBoard, options: Mapping[str, Any]) -> None:
        """Create the rules on ``board``. ``options`` must contain all options, as ``options.read``
        returns them.
        """
        stride = board.columns + 1  # One border column separates each row from the next row.

        def index(name: str) -> int:
            x, y = board.points[name]
            return (y + 1) * stride + x + 1

        players: int = options["players"]
        self.players = players
        self.marbles: int = options["marbles"]
        self.pie: bool = options["pie"]
        self.must_block: bool = options["must_block"]
        # A limit of 0 means that there is no limit.
        self.last_turn: int = (options["round_limit"] or 0) * players
        self.index = {name: index(name) for name in board.cells}
        self.swap = (board.rows + 2) * stride + 1
        self.cells = tuple(self.index.values())
        self.names = {at: name for name, at in self.index.items()}
        if self.pie:
            self.names[self.swap] = SWAP
        self.every_move = tuple(self.names)
        self.steps = tuple(dy * stride + dx for dx, dy in board.directions)
        # The player who moves after each player, numbered from 1.
        self._following = (0, *range(2, players + 1), 1)
        # Skip the check for a full board if one player always places the last marble before the
        # board is full.
        self._may_fill = players * (self.marbles - 1) >= len(self.index)
        cells: list[Cell] = [*[OFF] * self.swap, 1]
        for at in self.cells:
            cells[at] = 0
        for name, what in board.blocked.items():
            if what == CUSHION_NAME:
                cells[index(name)] = CUSHION
        self._empty = tuple(cells)
        # For each cell, the start and the direction of each line of marbles that a drop on the cell
        # pushes.
        self._near = {
            at: tuple((at + step, step) for step in self.steps if at + step in self.names)
            for at in self.cells
        }

    def start(self) -> State:
        """Return the state of the empty board at the start of the game."""
        return State(self._empty, (0,) * self.players, 0, None)

    def moves(self, state: State) -> Sequence[int]:
        """Return the drops on empty cells, and ``swap`` if a swap is allowed. If rule M8 is in use,
        the only legal drops are those after which the next player has no winning move, if there are
        such drops.
        """
        if state.ended:
            return ()
        cells = state.cells
        drops = [at for at in self.cells if not cells[at]]
        if self.may_swap(state):
            return [*drops, self.swap]
        if not self.must_block:
            return drops
        return [at for at in drops if self._is_safe(self._play_drops(state, (at,)))] or drops

    def may_swap(self, state: State) -> bool:
        """Return whether the player to move can take over the first marble (rule M4)."""
        return self.pie and state.turn == 1 and not state.ended

    def _is_safe(self, state: State) -> bool:
        """Return whether the game is over or the player to move has no winning move (rule M8)."""
        mover = state.turn % self.players
        if state.ended or (
            state.held[mover] + 1 < self.marbles and state.turn + 1 != self.last_turn
        ):
            return True
        cells = state.cells
        after = (self._play_drops(state, (at,)) for at in self.cells if not cells[at])
        return not any(each.ended and self.winner(each)[0] == mover for each in after)

    def apply(self, state: State, move: int) -> State:
        """Return the state after a drop on a cell or a swap."""
        if move == self.swap:
            cells = tuple(2 if cell == 1 else cell for cell in state.cells[:-1])
            ended = ROUND_LIMIT if self.last_turn == 2 else None
            return State((*cells, 1), (0, 1), 2, ended)
        return self._play_drops(state, (move,))

    @override
    def advance(self, state: State, moves: Iterable[int]) -> State:
        if self.must_block:
            return super().advance(state, moves)  # type: ignore[no-any-return]
        stream = iter(moves)
        # After the second turn, ``swap`` is skipped like an occupied cell.
        while self.pie and state.turn < 2:
            move = next(stream, None)
            if move is None:
                return state
            if move in self.moves(state):
                state = self.apply(state, move)
        return state if state.ended else self._play_drops(state, stream)

    def _play_drops(self, state: State, drops: Iterable[int]) -> State:
        """Return the state after playing ``drops``, one drop per turn, until all drops are played
        or the game ends. Drops on occupied cells are skipped.
        """
        cells: list[Any] = list(state.cells)
        held = [0, *state.held]
        turn, ended = state.turn, None
        marbles, last_turn, may_fill = self.marbles, self.last_turn, self._may_fill
        full, following = len(self.index), self._following
        near = self._near
        me = turn % self.players + 1
        for drop in drops:
            if cells[drop]:
                continue
            cells[drop] = me
            held[me] += 1
            for first, step in near[drop]:
                if cells[first]:
                    end = first + step
                    while cells[end]:
                        end += step
                    if cells[end] == 0:
                        cells[end] = cells[end - step]
                        cells[end - step] = 0
                    elif cells[end] is None:
                        held[cells[end - step]] -= 1
                        cells[end - step] = 0
            turn += 1
            if held[me] == marbles:
                ended = COMPLETE
                break
            if turn == last_turn:
                ended = ROUND_LIMIT
                break
            if may_fill and sum(held) == full:
                ended = FULL
                break
            me = following[me]
        return State(tuple(cells), tuple(held[1:]), turn, ended)

    def result(self, state: State) -> tuple[int, ...] | None:
        """Return all players who have won, including the winner's partner in team games, or None
        before the end of the game.
        """
        return None if state.ended is None else self.winner(state)[1]

    def winner(self, state: State) -> tuple[int | None, tuple[int, ...]]:
        """Return the player who decided a finished game, or None, and all players who have won.

        If a team game reaches the round limit, a player who alone has more than half of the marbles
        is the winner. Otherwise, the team with more than half of the marbles wins, and the first
        result is None (this project's reading of rules M5 and M8).
        """
        held = state.held
        if state.ended == COMPLETE:
            last = (state.turn - 1) % self.players
            return last, self._team(last)
        if state.ended == ROUND_LIMIT:
            majority = sum(held) / 2
            for player, count in enumerate(held):
                if count > majority:
                    return player, self._team(player)
            for team in {self._team(player) for player in range(self.players)}:
                if sum(held[member] for member in team) > majority:
                    return None, team
        return None, ()

    def _team(self, player: int) -> tuple[int, ...]:
        """Return the players who win together with ``player``: red and white, or blue and green."""
        return (player % 2, player % 2 + 2) if self.players == 4 else (player,)

    def key(self, state: State) -> int:
        """Return a number that encodes the marbles and the player to move. The number of turns
        played is included only if it affects the rest of the game.
        """
        exact = self.last_turn or (self.pie and state.turn < 2)
        number = state.turn if exact else 2 + state.turn % self.players
        for at in self.cells:
            number = number * 5 + state.cells[at]  # type: ignore[operator]
        return number + 1

    def pushes(self, before: State, after: State, drop: int) -> tuple[tuple[int, int | None], ...]:
        """Return (source, target) for each marble that the turn pushed. The target is None if the
        marble left the board.
        """
        found = []
        for step in self.steps:
            end = drop + step
            while before.cells[end]:
                end += step
            last = end - step
            if last != drop and not after.cells[last]:
                found.append((last, end if after.cells[end] else None))
        return tuple(found)

"""Gravity Trap on sets of bases as integers; and who wins: a game has 20 moves and no draw.

Bases count from 0 here, and a move is one; bit b of a set is base b.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tiltboard.games.gravity_trap.board import TrapBoard
from tiltboard.games.rules import Rules, bits
from tiltboard.games.search import Budget
from tiltboard.ground.override import override

MAX_ENTRIES = 200_000  # Maximum size of a solver's table.


class TrapState(NamedTuple):
    """A position."""

    ships: tuple[int, ...]
    """The bases of the placed ships, red's first."""
    pods: int
    """A set of bases, empty until both ships are placed."""
    turn: int
    """Moves made, including the two of the set-up."""
    copying: bool
    """The second player began opposite and has only copied moves."""
    winner: int | None
    """0 or 1 once the game is over."""


class GravityTrapRules(Rules):
    """The rules T2-T4 and T6 on one board. ``no_copy``: whether the mimic rule applies."""

    players = 2

    def __init__(self, board: TrapBoard, *, no_copy: bool) -> None:
        self.count = len(board.bases)
        self.every_move = range(self.count)
        self.names = {base: str(base + 1) for base in self.every_move}  # as the board has them
        self.bit = tuple(1 << base for base in range(self.count))
        self.all = (1 << self.count) - 1
        near = [0] * self.count
        for track in board.tracks:
            whole = sum(self.bit[base - 1] for base in track)
            for base in track:
                near[base - 1] |= whole
        self.near = tuple(reach & ~bit for reach, bit in zip(near, self.bit, strict=True))
        """Base -> the others on its tracks, as a set."""
        opposite = board.opposite if no_copy and board.opposite is not None else {}
        self.twin = tuple(
            self.bit[opposite[base] - 1] if base in opposite else 0 for base in board.bases
        )
        """Base -> the set of its opposite; empty where the mimic rule does not matter."""

    def start(self) -> TrapState:
        """Return the empty board."""
        return TrapState((), 0, 0, copying=False, winner=None)

    def reach(self, state: TrapState, player: int) -> int:
        """Return the bases with pods that the player's ship can reach by the tracks alone."""
        return self.near[state.ships[player]] & state.pods

    def open(self, state: TrapState) -> int:
        """Return the set of bases that the player to move may choose; the game must not be over."""
        if state.turn < 2:
            return self.all & ~sum(self.bit[ship] for ship in state.ships)
        reach = self.reach(state, state.turn % 2)
        if state.copying and state.turn % 2:
            copy = self.twin[state.ships[0]]
            return reach & ~copy or reach
        return reach

    def moves(self, state: TrapState) -> Sequence[int]:
        """Return the bases that the player to move may choose."""
        return () if state.winner is not None else tuple(bits(self.open(state)))

    def apply(self, state: TrapState, move: int) -> TrapState:
        """Place the ship, or move it."""
        return self.advance(state, (move,))

    def result(self, state: TrapState) -> tuple[int, ...] | None:
        """Return the winner, or None during the game."""
        return None if state.winner is None else (state.winner,)

    def key(self, state: TrapState) -> int:
        """Return ships and pods, from which the number of moves follows."""
        number = 1 + state.copying
        for ship in state.ships:
            number = number * self.count + ship
        return (number << self.count | state.pods) * 3 + len(state.ships)

    @override
    def advance(self, state: TrapState, moves: Iterable[int]) -> TrapState:
        stream = iter(moves)
        while state.turn < 2:
            base = next(stream, None)
            if base is None:
                return state
            if base not in state.ships:
                state = self._placed(state, base)
        if state.winner is not None:
            return state
        near, twin = self.near, self.twin
        _, pods, turn, copying, winner = state
        mover = turn & 1
        mine, other = state.ships[mover], state.ships[1 - mover]
        reach = self.open(state)
        for base in stream:
            if not reach >> base & 1:
                continue
            pods ^= 1 << base
            mine, other = other, base
            turn += 1
            if not near[base] & pods:
                winner = turn & 1
                break
            reach = near[mine] & pods
            if not reach:
                winner = 1 - (turn & 1)
                break
            if copying:
                if turn & 1:
                    reach = reach & ~twin[base] or reach
                else:
                    copying = 1 << base == twin[mine]
        red, blue = (other, mine) if turn & 1 else (mine, other)
        return TrapState((red, blue), pods, turn, copying, winner)

    def _placed(self, state: TrapState, base: int) -> TrapState:
        """Return the state after a ship is placed in the set-up."""
        if not state.ships:
            return TrapState((base,), 0, 1, copying=False, winner=None)
        red = state.ships[0]
        pods = self.all & ~self.bit[red] & ~self.bit[base]
        stuck = not self.near[red] & pods
        copying = self.twin[red] == self.bit[base]
        return TrapState((red, base), pods, 2, copying=copying, winner=1 if stuck else None)


class TrapSolver:
    """A solver that keeps its results for later positions of the same game.

    While the mimic rule may apply it asks the rules for the moves. After that a move leads to any
    base with a pod on a track of the ship, which a table lookup finds twenty times as fast.
    """

    def __init__(self, rules: GravityTrapRules) -> None:
        self._rules = rules
        self._near = rules.near
        self._known: dict[int, bool] = {}

    def winning(self, state: TrapState, moves: Sequence[int], budget: Budget) -> int | None:
        """Return the first of ``moves`` that is proven to win ``state``, or None if each of them
        loses. Red's ship must be placed. Raises SearchStoppedError.
        """
        for move in moves:
            after = self._rules.apply(state, move)
            if after.winner == state.turn % 2:
                return move
            if after.winner is None and not self._wins(after, budget):
                return move
        return None

    def _wins(self, state: TrapState, budget: Budget) -> bool:
        """Return whether the player to move wins ``state``, in which the game is not over."""
        mover = state.turn % 2
        if not state.copying:
            return self.free(state.ships[mover], state.ships[1 - mover], state.pods, budget)
        return self.winning(state, self._rules.moves(state), budget) is not None

    def free(self, mine: int, other: int, pods: int, budget: Budget) -> bool:
        """Return whether the mover wins once copying moves is allowed again. The mover must have a
        move.
        """
        key = (pods << 6 | mine) << 6 | other
        known = self._known.get(key)
        if known is not None:
            return known
        budget.visit()
        near = self._near
        reach, theirs = near[mine] & pods, near[other]
        found = []
        won = False
        for base in bits(reach):
            left = pods ^ 1 << base
            answers = theirs & left
            if not near[base] & left:
                continue  # A ship that cannot move on from there loses.
            if not answers or self._known.get((left << 6 | other) << 6 | base) is False:
                won = True
                break
            found.append((answers.bit_count(), base, left))
        if not won:
            found.sort()  # Moves that leave the other ship the fewest answers first.
            won = any(not self.free(other, base, left, budget) for _, base, left in found)
        if len(self._known) >= MAX_ENTRIES:
            self._known.clear()
        self._known[key] = won
        return won

"""The rules of Gravity Trap, and a solver that proves which player wins.

A set of bases is stored as an integer, in which bit b represents base b. Bases are numbered from 0
in this module, and a move is the number of a base. A game has about 20 moves and cannot be a draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tiltboard.games.gravity_trap.board import TrapBoard
from tiltboard.games.rules import Rules, bits
from tiltboard.games.search import Budget
from tiltboard.ground.override import override

MAX_ENTRIES = 200_000  # Maximum number of results in a solver's table.


class TrapState(NamedTuple):
    """A position of Gravity Trap: the ships, the pods and the number of moves made."""

    ships: tuple[int, ...]
    """Bases of the placed ships, red's ship first."""
    pods: int
    """Set of the bases that have pods. Empty until both ships are placed."""
    turn: int
    """Number of moves made, including the two moves that place the ships."""
    copying: bool
    """True if the second player started on the base opposite the first ship and has mirrored every
    move of the first player since then.
    """
    winner: int | None
    """Number of the winner, 0 or 1, or None before the end of the game."""


class GravityTrapRules(Rules):
    """The rules T2-T4 and T6 on one board. ``no_copy`` is true if the rule against copying moves
    applies.
    """

    players = 2

    def __init__(self, board: TrapBoard, *, no_copy: bool) -> None:
        self.count = len(board.bases)
        self.every_move = range(self.count)
        # In names, bases are counted from 1, as on the printed board.
        self.names = {base: str(base + 1) for base in self.every_move}
        self.bit = tuple(1 << base for base in range(self.count))
        self.all = (1 << self.count) - 1
        near = [0] * self.count
        for track in board.tracks:
            whole = sum(self.bit[base - 1] for base in track)
            for base in track:
                near[base - 1] |= whole
        self.near = tuple(reach & ~bit for reach, bit in zip(near, self.bit, strict=True))
        """For each base, the set of all other bases that share a track with this base."""
        opposite = board.opposite if no_copy and board.opposite is not None else {}
        self.twin = tuple(
            self.bit[opposite[base] - 1] if base in opposite else 0 for base in board.bases
        )
        """For each base, the set that contains only the opposite base. The set is empty if copying
        moves is allowed or if no opposite base is known.
        """

    def start(self) -> TrapState:
        """Return the state of the empty board."""
        return TrapState((), 0, 0, copying=False, winner=None)

    def reach(self, state: TrapState, player: int) -> int:
        """Return the set of bases with pods that the player's ship can reach along its tracks."""
        return self.near[state.ships[player]] & state.pods

    def open(self, state: TrapState) -> int:
        """Return the set of bases to which the player to move can move. The game must not
        be over.
        """
        if state.turn < 2:
            return self.all & ~sum(self.bit[ship] for ship in state.ships)
        reach = self.reach(state, state.turn % 2)
        if state.copying and state.turn % 2:
            copy = self.twin[state.ships[0]]
            return reach & ~copy or reach
        return reach

    def moves(self, state: TrapState) -> Sequence[int]:
        """Return the bases to which the player to move can move. Empty after the end of the
        game.
        """
        return () if state.winner is not None else tuple(bits(self.open(state)))

    def apply(self, state: TrapState, move: int) -> TrapState:
        """Return the state after the player to move places a ship or flies to a base."""
        return self.advance(state, (move,))

    def result(self, state: TrapState) -> tuple[int, ...] | None:
        """Return the winner in a tuple, or None before the end of the game."""
        return None if state.winner is None else (state.winner,)

    def key(self, state: TrapState) -> int:
        """Return a positive number that encodes the ships and pods. The ships and pods also
        determine the number of moves.
        """
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
                state = self._place_ship(state, base)
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

    def _place_ship(self, state: TrapState, base: int) -> TrapState:
        """Return the state after a ship is placed before the first flight."""
        if not state.ships:
            return TrapState((base,), 0, 1, copying=False, winner=None)
        red = state.ships[0]
        pods = self.all & ~self.bit[red] & ~self.bit[base]
        stuck = not self.near[red] & pods
        copying = self.twin[red] == self.bit[base]
        return TrapState((red, base), pods, 2, copying=copying, winner=1 if stuck else None)


class TrapSolver:
    """A solver that stores its results for later positions of the same game.

    While the rule against copying moves can apply, the solver gets the legal moves from the rules.
    Once this rule can no longer apply, a ship can fly to any pod on its tracks. A table lookup then
    finds these pods twenty times as fast.
    """

    def __init__(self, rules: GravityTrapRules) -> None:
        self._rules = rules
        self._near = rules.near
        self._known: dict[int, bool] = {}

    def winning(self, state: TrapState, moves: Sequence[int], budget: Budget) -> int | None:
        """Return the first of ``moves`` that is proven to win from ``state``, or None if all of
        them lose. Red's ship must be placed. Raises SearchStoppedError if the limit of ``budget``
        is exceeded.
        """
        for move in moves:
            after = self._rules.apply(state, move)
            if after.winner == state.turn % 2:
                return move
            if after.winner is None and not self._wins(after, budget):
                return move
        return None

    def _wins(self, state: TrapState, budget: Budget) -> bool:
        """Return whether the player to move wins from ``state``. The game must not be over."""
        mover = state.turn % 2
        if not state.copying:
            return self.free(state.ships[mover], state.ships[1 - mover], state.pods, budget)
        return self.winning(state, self._rules.moves(state), budget) is not None

    def free(self, mine: int, other: int, pods: int, budget: Budget) -> bool:
        """Return whether the player to move wins, in a position in which the rule against copying
        moves no longer applies. The player must have a legal move.
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
                # If the ship can reach no other pod from its new base, the player loses, so skip
                # this move.
                continue
            if not answers or self._known.get((left << 6 | other) << 6 | base) is False:
                won = True
                break
            found.append((answers.bit_count(), base, left))
        if not won:
            found.sort()  # The moves that leave the other ship the fewest answers are tried first.
            won = any(not self.free(other, base, left, budget) for _, base, left in found)
        if len(self._known) >= MAX_ENTRIES:
            self._known.clear()
        self._known[key] = won
        return won

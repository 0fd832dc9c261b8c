"""Who wins a game of Gravity Trap: it has 20 moves and no draw."""

from __future__ import annotations

from collections.abc import Sequence

from games.gravity_trap.rules import GravityTrapRules, State
from games.rules import bits
from games.search import Budget

MOST_ENTRIES = 200_000


class TrapSolver:
    """Remembers what it has solved, for later positions of the same game.

    As long as the mimic rule may hold it asks the rules for the moves; from then on a move leads
    to any base with a pod on a track of the ship, which is looked up here, twenty times as fast.
    """

    def __init__(self, rules: GravityTrapRules) -> None:
        self._rules = rules
        self._near = rules.near
        self._known: dict[int, bool] = {}

    def winning(self, state: State, moves: Sequence[int], budget: Budget) -> int | None:
        """The first of ``moves`` that is proven to win ``state``; None: each of them loses.

        ``state``: red's ship is placed. Raises SearchStoppedError.
        """
        for move in moves:
            after = self._rules.apply(state, move)
            if after.winner == state.turn % 2:
                return move
            if after.winner is None and not self._wins(after, budget):
                return move
        return None

    def _wins(self, state: State, budget: Budget) -> bool:
        """Whether the player to move wins ``state``, which is not over."""
        mover = state.turn % 2
        if not state.copying:
            return self.free(state.ships[mover], state.ships[1 - mover], state.pods, budget)
        return self.winning(state, self._rules.moves(state), budget) is not None

    def free(self, mine: int, other: int, pods: int, budget: Budget) -> bool:
        """Whether the mover wins where copying moves is not forbidden any more; the mover can
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
                continue  # whoever has nowhere to go on from there has lost
            if not answers or self._known.get((left << 6 | other) << 6 | base) is False:
                won = True
                break
            found.append((answers.bit_count(), base, left))
        if not won:
            found.sort()  # where the other has least to choose from comes first
            won = any(not self.free(other, base, left, budget) for _, base, left in found)
        if len(self._known) >= MOST_ENTRIES:
            self._known.clear()
        self._known[key] = won
        return won

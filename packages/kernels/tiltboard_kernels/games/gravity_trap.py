"""The exact search of Gravity Trap as kernels (compiled functions). The pods are bits of an
integer.

The search is the same as in ``tiltboard.games.gravity_trap.rules``, without the rule against
mirroring the opponent's moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from tiltboard.firmware_host.engines.search.limits import SearchStoppedError
from tiltboard.games.gravity_trap.game import GravityTrapGame
from tiltboard.games.gravity_trap.rules import GravityTrapRules, TrapSolver
from tiltboard.games.search import Budget
from tiltboard_kernels.jit import Ints, kernel, making_kernel

_POSITIONS = 50_000  # Number of positions that the search visits between two readings of the clock.
# Maximum number of bases. One integer must hold a bit for each pod and six bits for each of the two
# ships.
LARGEST = 40
TO_WARM: Sequence[Mapping[str, Any]] = ({},)
ENTRIES: Final = 1 << 21
UNKNOWN = -1
# An odd factor for multiplicative hashing (D. Knuth, TAOCP 3, section 6.4).
_SPREAD = 0x5851F42D4C957F2D


def table() -> Ints:
    """Return an empty table of solved positions. An entry of 0 means that the entry is empty,
    because the numbers of positions start at 1.
    """
    return np.zeros(ENTRIES, np.int64)


@kernel
def _count(x: int) -> int:
    found = 0
    while x:
        x &= x - 1
        found += 1
    return found


@making_kernel
def wins(near: Ints, known: Ints, mine: int, other: int, pods: int, left: Ints) -> int:
    """Return 1 if the player to move wins, 0 if the player loses, or ``UNKNOWN`` after visiting
    ``left[0]`` positions.

    ``near``: for each base, the other bases on its tracks. ``known``: the table of solved
    positions; an entry is twice the position's number, plus 1 if the player to move wins. ``mine``
    and ``other``: the bases of the two ships. The ship on ``mine`` moves and must have a legal
    move.
    """
    number = (pods << 12 | mine << 6 | other) + 1
    place = ((number * _SPREAD) >> 40) & (ENTRIES - 1)
    if known[place] >> 1 == number:
        return int(known[place] & 1)
    if left[0] <= 0:
        return UNKNOWN
    left[0] -= 1
    theirs = near[other]
    order = np.empty(64, np.int64)
    count = won = 0
    reach = near[mine] & pods
    while reach:
        base = trailing_zeros(reach)
        reach &= reach - 1
        rest = pods ^ (1 << base)
        if not near[base] & rest:
            continue  # A ship that cannot leave this base has lost.
        answers = _count(theirs & rest)
        if answers == 0:
            won = 1
            break
        ranked = answers << 6 | base
        at = count
        while at > 0 and order[at - 1] > ranked:
            order[at] = order[at - 1]
            at -= 1
        order[at] = ranked
        count += 1
    at = 0
    # Moves that leave the opponent the fewest replies are searched first.
    while not won and at < count:
        base = order[at] & 63
        found = wins(near, known, other, base, pods ^ (1 << base), left)
        if found == UNKNOWN:
            return UNKNOWN
        won = 1 - found
        at += 1
    known[place] = number << 1 | won
    return int(won)


def tables(_: GravityTrapGame) -> None:
    """Return None, because the exact search solves Gravity Trap without a tree search."""


def exact_search(game: GravityTrapGame) -> FastTrapSolver | None:
    """Return the solver of a board, or None if the board has more than ``LARGEST`` bases."""
    return FastTrapSolver(game.rules) if len(game.rules.every_move) <= LARGEST else None


class FastTrapSolver(TrapSolver):
    """The compiled exact search of Gravity Trap, which stores solved positions between calls."""

    def __init__(self, rules: GravityTrapRules) -> None:
        """Prepare the search. ``rules``: the rules of a board with at most ``LARGEST`` bases."""
        super().__init__(rules)
        self._tracks = np.array(rules.near, np.int64)
        self._solved = table()

    def free(self, mine: int, other: int, pods: int, budget: Budget) -> bool:
        """Return whether the player to move wins, like the method ``free`` of ``TrapSolver``.
        Raises SearchStoppedError.
        """
        while True:
            left = np.array([_POSITIONS], np.int64)
            found = wins(self._tracks, self._solved, mine, other, pods, left)
            budget.nodes += _POSITIONS - int(left[0])
            if found != UNKNOWN:
                return bool(found)
            if budget.spent:
                raise SearchStoppedError

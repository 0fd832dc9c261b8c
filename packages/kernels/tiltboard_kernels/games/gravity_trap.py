"""Gravity Trap's exact search on bits, as ``tiltboard.games.gravity_trap.rules`` has it; without
the mimic rule.
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

_POSITIONS = 50_000  # between two looks at the clock
LARGEST = 40  # bases: pods, and two ships of six bits each, make one whole number
TO_WARM: Sequence[Mapping[str, Any]] = ({},)
ENTRIES: Final = 1 << 21
UNKNOWN = -1
_SPREAD = 0x5851F42D4C957F2D  # an odd number; D. Knuth, TAOCP 3, 6.4: multiplicative hashing


def table() -> Ints:
    """Return an empty table: 0 means unknown, as positions count from 1."""
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
    """Return 1 if the player to move wins, 0 if they lose, ``UNKNOWN`` if ``left[0]`` positions
    were too few.

    ``mine``: the base of the mover's ship, which can move. ``near``: base -> the others on its
    tracks. ``known``: twice a position's number, and one more if the mover wins.
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
            continue  # A ship without a move from there has lost.
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
    while not won and at < count:  # The moves that leave the other the fewest come first.
        base = order[at] & 63
        found = wins(near, known, other, base, pods ^ (1 << base), left)
        if found == UNKNOWN:
            return UNKNOWN
        won = 1 - found
        at += 1
    known[place] = number << 1 | won
    return int(won)


def tables(_: GravityTrapGame) -> None:
    """Return None: Gravity Trap is solved, not searched by a tree."""


def exact_search(game: GravityTrapGame) -> FastTrapSolver | None:
    """Return the solver of a board, or None if it has more than ``LARGEST`` bases."""
    return FastTrapSolver(game.rules) if len(game.rules.every_move) <= LARGEST else None


class FastTrapSolver(TrapSolver):
    """The exact search of Gravity Trap in kernels; it remembers what it has solved."""

    def __init__(self, rules: GravityTrapRules) -> None:
        """``rules``: of at most ``LARGEST`` bases."""
        super().__init__(rules)
        self._tracks = np.array(rules.near, np.int64)
        self._solved = table()

    def free(self, mine: int, other: int, pods: int, budget: Budget) -> bool:
        """Return whether the mover wins, as ``TrapSolver.free``. Raises SearchStoppedError."""
        while True:
            left = np.array([_POSITIONS], np.int64)
            found = wins(self._tracks, self._solved, mine, other, pods, left)
            budget.nodes += _POSITIONS - int(left[0])
            if found != UNKNOWN:
                return bool(found)
            if budget.spent:
                raise SearchStoppedError

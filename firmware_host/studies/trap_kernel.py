"""Exact search of Gravity Trap compiled by numba: a whole board in a second.

The rules are those of ``firmware_host.engines.search.solver.TrapSolver`` without the mimic rule,
and its results are compared with it in a test.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_SLOTS = 1 << 23
_PROBES = 8

Words = NDArray[np.int64]


class KernelSolver:
    """Who wins on one board of at most 31 bases; remembers what it has solved.

    ``near``: base -> the others on its tracks, as a set.
    """

    def __init__(self, near: tuple[int, ...]) -> None:
        self._near = np.array(near, np.int64)
        self._keys = np.zeros(_SLOTS, np.int64)

    def wins(self, mine: int, other: int, pods: int) -> bool:
        """Whether the player to move, who has his ship on ``mine``, wins."""
        if not self._near[mine] & pods:
            return False
        return bool(_wins(self._near, self._keys, mine, other, pods))


@njit(cache=True)  # type: ignore[untyped-decorator]
def _count(bits: int) -> int:
    bits -= (bits >> 1) & 0x55555555
    bits = (bits & 0x33333333) + ((bits >> 2) & 0x33333333)
    return (((bits + (bits >> 4)) & 0x0F0F0F0F) * 0x01010101 & 0xFFFFFFFF) >> 24


@njit(cache=True)  # type: ignore[untyped-decorator]
def _slot(keys: Words, key: int) -> int:
    """Where a position is, or would be: the first of its slots where others are in all of them."""
    first = key * 0x9E3779B97F4A7C1 >> 20
    for probe in range(_PROBES):
        slot = (first + probe) & (_SLOTS - 1)
        if keys[slot] & -2 == key or not keys[slot]:
            return slot
    return first & (_SLOTS - 1)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _wins(near: Words, keys: Words, mine: int, other: int, pods: int) -> int:
    """The mover can move. A slot holds the position, shifted by one for the result; 0 is none."""
    key = (((pods << 5 | mine) << 5 | other) << 1) + 2
    held: int = keys[_slot(keys, key)]
    if held & -2 == key:
        return held & 1
    reach, theirs = near[mine] & pods, near[other]
    won = most = 0
    rest = reach
    while rest:
        bit = rest & -rest
        rest ^= bit
        base = _count(bit - 1)
        left = pods ^ bit
        if not near[base] & left:
            reach ^= bit  # whoever has nowhere to go on from there has lost
            continue
        answers = _count(theirs & left)
        following = (((left << 5 | other) << 5 | base) << 1) + 2
        if not answers or keys[_slot(keys, following)] == following:
            won = 1
            break
        most = max(most, answers)
    fewest = 1
    while not won and fewest <= most:  # where the other has least to choose from comes first
        rest = reach
        while rest and not won:
            bit = rest & -rest
            rest ^= bit
            left = pods ^ bit
            if _count(theirs & left) == fewest:
                won = 1 - _wins(near, keys, other, _count(bit - 1), left)
        fewest += 1
    keys[_slot(keys, key)] = key | won
    return won

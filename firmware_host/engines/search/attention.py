"""What a weak player does not see: moves of his own, and above all answers to them.

A move that is overlooked is overlooked for the whole turn, whoever searches and however deep: one
draw decides it. Whoever overlooks an answer forgets to block it, walks into it, or grabs what is
guarded, as people do; he never plays a move that looks bad to him.
"""

from __future__ import annotations

import random
from collections.abc import Sequence


class Attention:
    """``own``, ``answers``: the share, from 0 to 1, of the moves that are overlooked one and two
    plies ahead; deeper ones are seen wherever the search goes.
    """

    def __init__(self, own: float, answers: float, rng: random.Random) -> None:
        self._shares = own, answers
        self._rng = rng
        self._overlooked: dict[tuple[int, int, int], bool] = {}

    def seen(self, moves: Sequence[int], ply: int, after: int = 0) -> Sequence[int]:
        """Those of ``moves`` that are noticed; one at least. ``after``: the move before them."""
        if ply > 1 or not self._shares[ply]:
            return moves
        return [move for move in moves if not self._misses(ply, after, move)] or moves[:1]

    def _misses(self, ply: int, after: int, move: int) -> bool:
        key = ply, after, move
        if key not in self._overlooked:
            self._overlooked[key] = self._rng.random() < self._shares[ply]
        return self._overlooked[key]

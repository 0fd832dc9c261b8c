"""Random games in compiled kernels, with many games in each call."""

from __future__ import annotations

from typing import Any

import numpy as np

from tiltboard_kernels.board import playout
from tiltboard_kernels.jit import Ints, copied, making_kernel


@making_kernel
def playouts(g: Any, start: Ints, seed: Ints, count: int) -> int:
    """Play ``count`` random games from ``start``, and return the total number of moves."""
    s = np.empty_like(start)
    moves = 0
    for _ in range(count):
        copied(s, start)
        playout(g, s, seed, False)
        moves += s[0]
    return moves

"""How kernels are compiled, and where what was compiled is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from firmware_host.engines.search.warmth import cache_folder

numba.config.CACHE_DIR = str(cache_folder())

F = TypeVar("F", bound=Callable[..., Any])
Ints = NDArray[np.int64]


def kernel(function: F) -> F:
    """Compile a function of this folder for arrays and numbers, once for each machine.

    It makes no arrays: so who else uses those it is handed need not be counted at each call, which
    takes longer than most of these functions do.
    """
    compiled: F = numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False)(function)
    return compiled


def making_kernel(function: F) -> F:
    """The same for one that makes arrays."""
    compiled: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return compiled


TURN, RESULT = 0, 1
"""Where every game's state has the number of moves made, and who has won: a bit for each player,
0 for a draw, ``OPEN`` while the game goes on."""
OPEN = -1

KIND, PLAYERS, MOVES = 0, 1, 2
"""Where every game's facts have which game it is, how many play, how many moves there are."""
MOMENTUM, ATTRAKTION, GRAVITY_CONNECT = 0, 1, 2
FACTS = 16

MOST_PLIES = 2000
"""Of a playout."""


@kernel
def random_below(seed: Ints, count: int) -> int:
    """From 0 to ``count`` - 1, each equally likely but for 2**-31. ``seed``: of xorshift, not 0.

    Source: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003).
    """
    x = seed[0]
    x ^= x << 13
    x ^= (x >> 7) & 0x01FFFFFFFFFFFFFF
    x ^= x << 17
    seed[0] = x
    return int(((x >> 32) & 0x7FFFFFFF) * count >> 31)


@kernel
def copied(to: Ints, s: Ints) -> None:
    """Make ``to`` the same state; for rows as short as these a loop is faster than a slice."""
    for at in range(len(s)):
        to[at] = s[at]

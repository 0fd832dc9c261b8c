"""How kernels are compiled, and where what was compiled is kept."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final, TypeVar

import numba
import numpy as np
from numba.core import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic
from numpy.typing import NDArray

from tiltboard_kernels import cache_folder

_READ_ONLY: Final = cache_folder().is_dir() and not os.access(cache_folder(), os.W_OK)
"""As in the engines' unit, which uses what was compiled and keeps nothing."""
# numba wants to be able to write there, though it is told below where everything is.
numba.config.CACHE_DIR = gettempdir() if _READ_ONLY else str(cache_folder())

F = TypeVar("F", bound=Callable[..., Any])
Ints = NDArray[np.int64]
OPTIONS: Final = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": True}
"""Inlined, always: a call hands on each array in seven parts, which takes longer than most of these
functions do.
"""


class _Cache(FunctionCache):  # type: ignore[misc]
    """numba's, which one process at a time adds to. Two that compile a function for two games would
    else name both results alike, and each game could be given the other's from then on. Wherever
    the package lies, it is the same: numba would compile once for each place.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_path = str(cache_folder())
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = IndexDataCacheFile(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        if _READ_ONLY:
            return
        folder = Path(self.cache_path)
        folder.mkdir(parents=True, exist_ok=True)  # another version's warming may have removed it
        with (folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            super().save_overload(sig, data)


def kernel(function: F) -> F:
    """Compile a function of this folder for arrays and numbers, once for each machine.

    It makes no arrays: so who else uses those it is handed need not be counted at each call, which
    takes longer than most of these functions do.
    """
    return _kept(numba.njit(**OPTIONS)(function), function)


def making_kernel(function: F) -> F:
    """As ``kernel``, for a function that makes arrays."""
    return _kept(numba.njit(nogil=True, error_model="numpy")(function), function)


def _kept(compiled: Any, function: F) -> F:
    compiled._cache = _Cache(function)
    made: F = compiled
    return made


TURN, RESULT = 0, 1
"""Where every game's state has the number of moves made, and who has won: a bit for each player,
0 for a draw, ``OPEN`` while the game goes on."""
OPEN = -1

PLAYERS, MOVES = 0, 1
"""Where every game's facts have how many play, and how many moves there are."""

MOST_PLIES = 2000
"""Of a playout."""

SURE = 3000
"""Hundredths of the log-odds: what a move is worth that wins, and as far as any worth goes."""


@intrinsic  # type: ignore[untyped-decorator]
def ones(_: Any, __: Any) -> Any:
    """How many bits are set."""

    def code(___: Any, builder: Any, ____: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.int64(types.int64), code


@kernel
def stepped(x: int) -> int:
    """The next of a sequence of random numbers, of which the high bits are the good ones.

    Source: D. Knuth, "The Art of Computer Programming" 2, 3.3.4: MMIX.
    """
    return x * 0x5851F42D4C957F2D + 0x14057B7EF767814F


@kernel
def below(x: int, count: int) -> int:
    """From 0 to ``count`` - 1, each equally likely but for 2**-31, by the high bits of ``x``."""
    return int(((x >> 32) & 0x7FFFFFFF) * count >> 31)


@kernel
def random_below(seed: Ints, count: int) -> int:
    """The same by the next number of ``seed``."""
    seed[0] = stepped(seed[0])
    return below(seed[0], count)


@kernel
def copied(to: Ints, s: Ints) -> None:
    """Make ``to`` the same state; for rows as short as these a loop is faster than a slice."""
    for at in range(len(s)):
        to[at] = s[at]

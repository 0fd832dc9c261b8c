"""Compiles kernels with numba, and stores the compiled code in a folder."""

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
"""True if the cache folder is read-only, as in the engines' systemd unit. Engines then use the
compiled code in the folder but cannot add code.
"""
# numba requires a writable folder, although ``_Cache`` sets another folder for the compiled code.
numba.config.CACHE_DIR = gettempdir() if _READ_ONLY else str(cache_folder())

F = TypeVar("F", bound=Callable[..., Any])
Ints = NDArray[np.int64]
OPTIONS: Final = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": True}
"""Options for compiling kernels. Functions are always inlined, because a call passes each array as
seven separate arguments. Passing these arguments takes longer than most kernels run.
"""


class _Cache(FunctionCache):  # type: ignore[misc]
    """numba's cache of compiled code. A lock lets only one process at a time write to the cache.

    Without the lock, two processes that compile a function for two games could save both results
    under the same name. One game could then get the other game's code. The cache's folder does not
    depend on the package's folder; otherwise, numba would compile again for each package folder.
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
        # Another version of the program can delete the folder when that version compiles its
        # kernels.
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            super().save_overload(sig, data)


def kernel(function: F) -> F:
    """Compile a function for arrays and numbers, once for each machine.

    The function must not create arrays. numba then does not count references to the arguments at
    each call, because the counting would take longer than most kernels run.
    """
    return _kept(numba.njit(**OPTIONS)(function), function)


def making_kernel(function: F) -> F:
    """Compile a function that creates arrays. In all other respects, this is the same as
    ``kernel``.
    """
    return _kept(numba.njit(nogil=True, error_model="numpy")(function), function)


def _kept(compiled: Any, function: F) -> F:
    compiled._cache = _Cache(function)
    made: F = compiled
    return made


TURN, RESULT = 0, 1
"""Indices in each game's state: the number of moves made, and the result.

The result has one bit for each winner. The result is 0 for a draw, and ``OPEN`` before the end of
the game.
"""
OPEN = -1

PLAYERS, MOVES = 0, 1
"""Indices in the array ``facts`` of each game: the number of players, and the number of moves."""

MAX_PLIES = 2000
"""Maximum number of plies in a playout."""

SURE = 3000
"""The value of a winning move, in units of log-odds times 100. This is also the maximum value."""


@intrinsic  # type: ignore[untyped-decorator]
def ones(_: Any, __: Any) -> Any:
    """Return the number of set bits in an integer."""

    def code(___: Any, builder: Any, ____: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.int64(types.int64), code


@kernel
def next_random(x: int) -> int:
    """Return the random number that follows ``x``. The high bits of the result are more random than
    the low bits.

    Source: D. Knuth, "The Art of Computer Programming" 2, 3.3.4: MMIX.
    """
    return x * 0x5851F42D4C957F2D + 0x14057B7EF767814F


@kernel
def below(x: int, count: int) -> int:
    """Return a number from 0 to ``count`` - 1, computed from the high bits of the random number
    ``x``. All results are equally likely, up to a difference of 2**-31.
    """
    return int(((x >> 32) & 0x7FFFFFFF) * count >> 31)


@kernel
def random_below(seed: Ints, count: int) -> int:
    """Return a random number from 0 to ``count`` - 1, and advance ``seed``."""
    seed[0] = next_random(seed[0])
    return below(seed[0], count)


@kernel
def copied(to: Ints, s: Ints) -> None:
    """Copy the state ``s`` into ``to``. For such short arrays, a loop is faster than a slice."""
    for at in range(len(s)):
        to[at] = s[at]

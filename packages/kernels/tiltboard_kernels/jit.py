"""The compilation of kernels, and the folder that keeps the compiled code."""

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
"""True in the engines' unit, which uses compiled code and saves none."""
# numba insists on a folder that it can write to, although ``_Cache`` sets the one in use.
numba.config.CACHE_DIR = gettempdir() if _READ_ONLY else str(cache_folder())

F = TypeVar("F", bound=Callable[..., Any])
Ints = NDArray[np.int64]
OPTIONS: Final = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": True}
"""Always inlined: a call passes each array in seven parts, which takes longer than most of these
functions do.
"""


class _Cache(FunctionCache):  # type: ignore[misc]
    """numba's cache, to which one process at a time adds. Otherwise two processes that compile a
    function for two games would give both results one name, and each game could get the other's.
    The cache does not depend on the package's folder: numba would compile once for each.
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
        folder.mkdir(parents=True, exist_ok=True)  # Another version's warming may remove it.
        with (folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            super().save_overload(sig, data)


def kernel(function: F) -> F:
    """Compile a function of this package for arrays and numbers, once for each machine.

    The function must not make arrays: then numba need not count references to its arguments at each
    call, which takes longer than most of these functions do.
    """
    return _kept(numba.njit(**OPTIONS)(function), function)


def making_kernel(function: F) -> F:
    """Compile a function that makes arrays; otherwise as ``kernel``."""
    return _kept(numba.njit(nogil=True, error_model="numpy")(function), function)


def _kept(compiled: Any, function: F) -> F:
    compiled._cache = _Cache(function)
    made: F = compiled
    return made


TURN, RESULT = 0, 1
"""Indices in every game's state: the number of moves made, and the winners: a bit for each player,
0 for a draw, ``OPEN`` while the game continues."""
OPEN = -1

PLAYERS, MOVES = 0, 1
"""Indices in every game's facts: the number of players, and the number of moves."""

MAX_PLIES = 2000
"""The maximum length of a playout."""

SURE = 3000
"""The worth of a move that wins, in hundredths of the log-odds; no worth exceeds it."""


@intrinsic  # type: ignore[untyped-decorator]
def ones(_: Any, __: Any) -> Any:
    """Return the number of bits that are set."""

    def code(___: Any, builder: Any, ____: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.int64(types.int64), code


@kernel
def stepped(x: int) -> int:
    """Return the next of a sequence of random numbers, whose high bits are the good ones.

    Source: D. Knuth, "The Art of Computer Programming" 2, 3.3.4: MMIX.
    """
    return x * 0x5851F42D4C957F2D + 0x14057B7EF767814F


@kernel
def below(x: int, count: int) -> int:
    """Return a number from 0 to ``count`` - 1 by the high bits of the random ``x``, each equally
    likely within 2**-31.
    """
    return int(((x >> 32) & 0x7FFFFFFF) * count >> 31)


@kernel
def random_below(seed: Ints, count: int) -> int:
    """Return a random number from 0 to ``count`` - 1 and advance ``seed``."""
    seed[0] = stepped(seed[0])
    return below(seed[0], count)


@kernel
def copied(to: Ints, s: Ints) -> None:
    """Copy state ``s`` into ``to``; for such short rows a loop is faster than a slice."""
    for at in range(len(s)):
        to[at] = s[at]

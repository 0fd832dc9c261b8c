"""The interface between engines and kernels (compiled functions). This module reports whether the
kernels are compiled, and returns the searches that use kernels.

Compiling takes so long that players would wait for the engine. Therefore an engine without compiled
kernels plays in pure Python. The service's systemd unit forbids running newly compiled code
(MemoryDenyWriteExecute), so its engines also play in pure Python if the kernels are not compiled.
This module does not import numba.
"""

from __future__ import annotations

import mmap
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module, util
from multiprocessing import get_context
from typing import Any

from tiltboard.firmware_host.engines.search.compiled import Search
from tiltboard.firmware_host.engines.search.limits import Limits, SearchStoppedError, ThinkingBudget
from tiltboard.games.base import Game
from tiltboard.games.registry import EVERY_GAME
from tiltboard.games.search import Solver
from tiltboard_kernels import cache_folder, kernels_of
from tiltboard_kernels.errors import CannotCompileError

_FEW = 40  # Number of positions in the short search that makes numba compile the kernels.
_LOWEST = 19  # The lowest priority of a process, as a Unix nice value.
# Number of plies played before the exact search is called once, which compiles this search.
_LATER = 6
_MARK = "warm"


@cache
def is_installed() -> bool:
    """Return whether numba can be imported."""
    return util.find_spec("numba") is not None


def is_warm() -> bool:
    """Return whether compiled kernels are available now. The engines of a running game do not start
    to use kernels during the game.
    """
    return is_installed() and (cache_folder() / _MARK).exists() and _may_run_what_it_writes()


def compile_quietly() -> subprocess.Popen[bytes] | None:
    """Start a process with the lowest priority that compiles the kernels, if compiling is necessary
    and possible. Return the process, or None.

    The caller must end the process before the table's program ends. Engines use the kernels from
    the next game that they start.
    """
    if not is_installed() or is_warm() or not _may_run_what_it_writes():
        return None
    made = subprocess.Popen(
        [sys.executable, "-m", "tiltboard.firmware_host.cli", "warm"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, made.pid, _LOWEST)
    return made


def preload() -> None:
    """Import the search and numba once, so that all processes forked after this call share the
    memory.
    """
    import_module("tiltboard_kernels.search")


def tree(game: Game, rng: random.Random) -> Search | None:
    """Return the best search for ``game``, or None if the game has no kernels."""
    from tiltboard_kernels.search import fast_tree

    return fast_tree(game, rng)


def solver(game: Game) -> Solver | None:
    """Return the exact search in the game's kernels, or None if the kernels have none."""
    from tiltboard_kernels.search import fast_solver

    return fast_solver(game)


def _may_run_what_it_writes() -> bool:
    whole = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    try:
        with mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, whole):
            return True
    except OSError:
        return False


def note_warm() -> None:
    """Mark the kernels as compiled, and delete the compiled kernels of other versions. Raises
    OSError.

    If another process writes to the folder of another version, the folder can remain.
    """
    folder = cache_folder()
    for other in folder.parent.iterdir():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    (folder / _MARK).touch()


def warm_kernels() -> Iterator[None]:
    """Compile all kernels. Afterwards, ``is_warm`` returns True.

    Each step compiles one entry of ``to_warm()`` in a separate process. The separate processes need
    at most 284 MB of memory; a single process would need 478 MB. Raises OSError or
    CannotCompileError.
    """
    for made in to_warm():
        process = get_context("fork").Process(target=_compile, args=(made,), daemon=True)
        process.start()
        process.join()
        if process.exitcode:
            raise CannotCompileError(
                "The kernels of {game} were not compiled: {code}.",
                game=made.name,
                code=process.exitcode,
            )
        yield
    note_warm()


def _compile(made: Game) -> None:
    """Compile all kernels of a game by running the game's searches briefly."""
    from tiltboard_kernels.search import fast_solver, fast_tree

    def few() -> ThinkingBudget:
        return ThinkingBudget(Limits(nodes=_FEW), time.monotonic)

    state = made.rules.start()
    solver = fast_solver(made)
    if solver is not None:
        for _ in range(_LATER):
            state = made.rules.apply(state, made.rules.moves(state)[0])
        with suppress(SearchStoppedError):
            solver.winning(state, made.rules.moves(state), few())
    tree = fast_tree(made, random.Random(1))
    if tree is not None:
        for _ in range(2):
            state = made.rules.apply(state, tree.search(state, few()).move)


def to_warm() -> list[Game]:
    """Return the games that together use all kernels: one game for each class of precomputed
    tables.
    """
    found: list[Game] = []
    for name, kind in EVERY_GAME.items():
        module = kernels_of(name)
        if module is not None:
            options: Sequence[Mapping[str, Any]] = getattr(module, "TO_WARM", ({},))
            found += map(kind.create, options)
    return found

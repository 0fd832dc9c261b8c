"""The port for the engines: whether kernels are compiled, and which searches use them.

An engine that compiled first would keep its players waiting, so one that is not warm plays in pure
Python. So does one that may not run code that it compiles: the service's unit forbids that
(MemoryDenyWriteExecute). This module imports nothing heavy.
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

_FEW = 40  # Positions that a search visits when it is compiled.
_LOWEST = 19  # The lowest priority (nice value) of a process.
_LATER = 6  # Plies after which the exact search is called.
_MARK = "warm"


@cache
def is_installed() -> bool:
    """Return whether numba can be imported."""
    return util.find_spec("numba") is not None


def is_warm() -> bool:
    """Return whether kernels start at once; engines that play already continue without them."""
    return is_installed() and (cache_folder() / _MARK).exists() and _may_run_what_it_writes()


def compile_quietly() -> subprocess.Popen[bytes] | None:
    """Compile the kernels in a process with the lowest priority, if that is possible and not done
    yet, and return that process, to be ended with the table, or None. Engines use the kernels from
    their next game on.
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
    """Import the search with numba once, for all processes forked from this one."""
    import_module("tiltboard_kernels.search")


def tree(game: Game, rng: random.Random) -> Search | None:
    """Return the search that is best at ``game``, or None if it has no kernels."""
    from tiltboard_kernels.search import fast_tree

    return fast_tree(game, rng)


def solver(game: Game) -> Solver | None:
    """Return the exact search that the game's kernels bring, or None if there is none."""
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
    """Mark the kernels as compiled and remove those of other versions, as far as they are not being
    written now. Raises OSError.
    """
    folder = cache_folder()
    for other in folder.parent.iterdir():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    (folder / _MARK).touch()


def warmed() -> Iterator[None]:
    """Compile every kernel, so that ``is_warm`` holds at the end. Each step is a process of its own
    for one entry of ``to_warm()``, so that at most 284 MB are used, not the 478 MB of a single
    process. Raises OSError, CannotCompileError.
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
    """Compile every kernel of a game by using it."""
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
    """Return one game for each class of tables that kernels are compiled for."""
    found: list[Game] = []
    for name, kind in EVERY_GAME.items():
        module = kernels_of(name)
        if module is not None:
            options: Sequence[Mapping[str, Any]] = getattr(module, "TO_WARM", ({},))
            found += map(kind.create, options)
    return found

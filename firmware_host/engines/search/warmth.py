"""Whether the compiled kernels may be used: numba is there, and has compiled them.

An engine that had to compile first would keep its players waiting, so one that is not warm plays
in pure Python. So does one that may not run what it compiles: the service's unit forbids that
(MemoryDenyWriteExecute). Imports nothing heavy.
"""

from __future__ import annotations

import hashlib
import logging
import mmap
import os
import platform
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module, metadata, util
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

from firmware_host.config.paths import default_state_directory
from firmware_host.engines.search.limits import Budget, Limits, SearchStoppedError
from games.base import Game
from games.plugins import PluginError, loaded, tried
from games.registry import EVERY_GAME

KERNELS = "tiltboard.kernels"
"""The group of entry points by which other packages bring kernels for their games."""
_OURS = "firmware_host.engines.games"
_log = logging.getLogger(__name__)
_FEW = 40  # positions
_LOWEST = 19  # priority
_LATER = 6  # plies, after which an exact search is asked
CPU_INFO = Path("/proc/cpuinfo")
_MARK = "warm"
_TELLS = ("model name", "flags", "CPU part", "Features")


@cache
def cache_folder() -> Path:
    """What was compiled of just these sources, for just this Python and processor. numba itself
    looks at each file by itself only, and compiles anew where one has come from another computer.
    """
    found = hashlib.sha256(f"{metadata.version('numba')} {sys.version} {_processor()}".encode())
    for package in ("firmware_host.engines.search.kernels", _OURS):
        for path in sorted(files(package).iterdir(), key=lambda each: each.name):
            if path.name.endswith(".py"):
                found.update(path.read_bytes())
    for point in sorted(metadata.entry_points(group=KERNELS)):
        with suppress(PluginError):  # whose package cannot be imported has no kernels either
            source = tried(partial(util.find_spec, point.module))
            if source is not None and source.origin is not None:
                found.update(Path(source.origin).read_bytes())
    return default_state_directory() / "kernels" / found.hexdigest()[:16]


def kernels_of(game: str) -> ModuleType | None:
    """The kernels of a game, which need numba: ours, or those of an entry point. Of those that
    cannot be loaded the log tells, and the game is played without.
    """
    ours = f"{_OURS}.{game.replace('-', '_')}"
    if game.replace("-", "").isalnum() and util.find_spec(ours) is not None:
        return import_module(ours)
    for point in metadata.entry_points(group=KERNELS, name=game):
        module = _kernels(point)
        if module is not None:
            return module
    return None


def _kernels(point: metadata.EntryPoint) -> ModuleType | None:
    """Of another package; engines think without those that cannot be used."""
    try:
        return loaded(point, lambda module: module if isinstance(module, ModuleType) else None)
    except PluginError as error:
        _log.warning("The kernels of %s (%s) cannot be used: %s", point.name, point.value, error)
        return None


def _processor() -> str:
    """What it is, and can."""
    with suppress(OSError):
        said = CPU_INFO.read_text(errors="replace").splitlines()
        return "\n".join(sorted({line for line in said if line.startswith(_TELLS)}))
    return platform.machine()


@cache
def installed() -> bool:
    """Whether numba can be imported."""
    return util.find_spec("numba") is not None


def warm() -> bool:
    """Whether there are kernels that start at once; they may come while others play on without."""
    return installed() and (cache_folder() / _MARK).exists() and _may_run_what_it_writes()


def compile_quietly() -> subprocess.Popen[bytes] | None:
    """Compile them in a process of its own with the lowest priority, where they can be and are not
    yet; engines take them up with their next game. The process, to be ended with the table.
    """
    if not installed() or warm() or not _may_run_what_it_writes():
        return None
    made = subprocess.Popen(
        [sys.executable, "-m", "firmware_host.cli", "warm"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, made.pid, _LOWEST)
    return made


def _may_run_what_it_writes() -> bool:
    whole = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    try:
        with mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, whole):
            return True
    except OSError:
        return False


def note_warm() -> None:
    """They are compiled; what was for other versions goes, but for what one of them is writing just
    now. Raises OSError.
    """
    folder = cache_folder()
    for other in folder.parent.iterdir():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    (folder / _MARK).touch()


def warmed() -> Iterator[None]:
    """Compile every kernel once, by using it; numba keeps what it compiled. One step of
    ``to_warm()`` each time; then ``warm`` holds. Raises OSError.
    """
    from firmware_host.engines.search.fast import fast_solver, fast_tree
    from firmware_host.engines.search.kernels.board import board_of, playouts

    def few() -> Budget:
        return Budget(Limits(nodes=_FEW), time.monotonic)

    for made in to_warm():
        state = made.rules.start()
        solver, board = fast_solver(made), board_of(made)
        if solver is not None:
            for _ in range(_LATER):
                state = made.rules.apply(state, made.rules.moves(state)[0])
            with suppress(SearchStoppedError):
                solver.winning(state, made.rules.moves(state), few())
        tree = fast_tree(made, random.Random(1))
        if tree is not None and board is not None:
            playouts(board.tables, board.encoded(state), tree.seed, 1)
            for _ in range(2):
                state = made.rules.apply(state, tree.search(state, few()).move)
        yield
    note_warm()


def to_warm() -> list[Game]:
    """One for each class of tables that kernels are compiled for."""
    found: list[Game] = []
    for name, kind in EVERY_GAME.items():
        module = kernels_of(name)
        if module is not None:
            options: Sequence[Mapping[str, Any]] = getattr(module, "TO_WARM", ({},))
            found += map(kind.create, options)
    return found

"""The port to a compiled search, provided by another package (packages/kernels).

Without one, or while it has not been compiled yet, bots think in plain Python.
"""

from __future__ import annotations

import logging
import random
import subprocess
from collections.abc import Callable
from functools import cache
from importlib import metadata
from typing import Any, Protocol, cast

from tiltboard.firmware_host.engines.search.limits import Found, ThinkingBudget
from tiltboard.games.base import Game
from tiltboard.games.search import Solver
from tiltboard.ground.plugins import PluginError, loaded

GROUP = "tiltboard.search"
"""Group of the entry point; it names a module that has the functions of ``CompiledSearch``."""
_log = logging.getLogger(__name__)


class Search(Protocol):
    """A search of one game, which keeps its findings from move to move."""

    def search(
        self, state: Any, budget: ThinkingBudget, *, report: Callable[[Found], None] = ...
    ) -> Found:
        """Return the moves of ``state``, which is not over, best first."""


class CompiledSearch(Protocol):
    """The functions of such a package. Only ``preload``, ``tree`` and ``solver`` import numba."""

    def is_installed(self) -> bool:
        """Return whether its compiler is installed."""

    def is_warm(self) -> bool:
        """Return whether everything is compiled, so that searches start at once."""

    def preload(self) -> None:
        """Import what searches need, once for all processes that are forked from this one."""

    def compile_quietly(self) -> subprocess.Popen[bytes] | None:
        """Compile in a process with the lowest priority, or return None if there is no need."""

    def tree(self, game: Game, rng: random.Random) -> Search | None:
        """Return the best search for ``game``, or None if it is not compiled for it."""

    def solver(self, game: Game) -> Solver | None:
        """Return the compiled exact search of ``game``, or None if it has none."""


@cache
def compiled_search() -> CompiledSearch | None:
    """Return the compiled search, or None if no package brings one that can be loaded."""
    for point in metadata.entry_points(group=GROUP):
        try:
            return cast(CompiledSearch, loaded(point, lambda module: module))
        except PluginError as error:
            _log.warning("The search %s cannot be used: %s", point.value, error)
    return None


def can_compile() -> bool:
    """Return whether there is a compiled search, and what it compiles with."""
    found = compiled_search()
    return found is not None and found.is_installed()


def is_warm() -> bool:
    """Return whether there is a compiled search that starts at once."""
    found = compiled_search()
    return found is not None and found.is_warm()

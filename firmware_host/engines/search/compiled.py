"""The interface to a compiled search, which another package provides (packages/kernels).

Without such a package, or until its code is compiled, bots search in plain Python.
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
from tiltboard.ground.plugins import PluginError, load_entry_point

GROUP = "tiltboard.search"
"""Name of the entry point group for modules that have the functions of ``CompiledSearch``."""
_log = logging.getLogger(__name__)


class Search(Protocol):
    """A search of one game, which keeps its results between moves."""

    def search(
        self, state: Any, budget: ThinkingBudget, *, report: Callable[[Found], None] = ...
    ) -> Found:
        """Return the moves of ``state``, best first. The game must not be over in ``state``."""


class CompiledSearch(Protocol):
    """The functions of a package that provides a compiled search. Only ``preload``, ``tree`` and
    ``solver`` import numba.
    """

    def is_installed(self) -> bool:
        """Return whether the package's compiler is installed."""

    def is_warm(self) -> bool:
        """Return whether all code is compiled, so that a search starts without delay."""

    def preload(self) -> None:
        """Import the modules that searches need. Processes that are forked later share the imported
        modules.
        """

    def compile_quietly(self) -> subprocess.Popen[bytes] | None:
        """Start a process with the lowest priority that compiles the search, and return the
        process. Return None if everything is compiled.
        """

    def tree(self, game: Game, rng: random.Random) -> Search | None:
        """Return the best search for ``game``, or None if no search is compiled for this game."""

    def solver(self, game: Game) -> Solver | None:
        """Return the compiled exact search of ``game``, or None if the game has no exact search."""


@cache
def compiled_search() -> CompiledSearch | None:
    """Return the compiled search, or None if no installed package provides one that can be
    loaded.
    """
    for point in metadata.entry_points(group=GROUP):
        try:
            return cast(CompiledSearch, load_entry_point(point, lambda module: module))
        except PluginError as error:
            _log.warning("The search %s cannot be used: %s", point.value, error)
    return None


def can_compile() -> bool:
    """Return whether a compiled search and its compiler are installed."""
    found = compiled_search()
    return found is not None and found.is_installed()


def is_warm() -> bool:
    """Return whether a compiled search is installed and can start without delay."""
    found = compiled_search()
    return found is not None and found.is_warm()

"""Compiles every kernel once, by using it; numba keeps what it compiled."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firmware_host.engines.search.fast import fast_solver, fast_tree
from firmware_host.engines.search.kernels.board import board_of, playouts
from firmware_host.engines.search.limits import Budget, Limits
from firmware_host.engines.search.warmth import note_warm
from games.registry import game_type

_FEW = 40
_GAMES: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("momentum", {"size": 5, "marbles": 4}),
    ("momentum", {"size": 5, "marbles": 3, "players": 3}),
    ("attraktion", {"size": 5}),
    ("gravity-connect", {"size": 5}),
)
"""One for each class of tables that kernels are compiled for."""
STEPS = len(_GAMES) + 1


def warmed() -> Iterator[None]:
    """One step of ``STEPS`` each time; then ``warm`` holds. Raises OSError."""
    for name, options in _GAMES:
        made = game_type(name).create(options)
        rules, tree = made.rules, fast_tree(made, random.Random(1))
        board = board_of(made)
        if tree is None or board is None:
            raise TypeError(made)  # each of these has kernels
        playouts(board.tables, board.encoded(rules.start()), tree.seed, 1)
        state = rules.start()
        for _ in range(2):
            state = rules.apply(state, tree.search(state, _budget()).move)
        yield
    solver = fast_solver(game_type("gravity-trap").create({}))
    if solver is not None:
        solver.free(0, 1, 1 << 2 | 1 << 3, _budget())
    note_warm()
    yield


def _budget() -> Budget:
    return Budget(Limits(nodes=_FEW), time.monotonic)

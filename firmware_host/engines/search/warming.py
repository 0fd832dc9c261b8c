"""Compiles every kernel once, by using it; numba keeps what it compiled."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from firmware_host.engines.search.fast import fast_solver, fast_tree
from firmware_host.engines.search.kernels.board import board_of, playouts
from firmware_host.engines.search.limits import Budget, Limits
from firmware_host.engines.search.warmth import note_warm
from games.registry import game_type

STEPS = 4
_FEW = 40


def warmed() -> Iterator[None]:
    """One step of ``STEPS`` each time; then ``warm`` holds. Raises OSError."""
    made = game_type("momentum").create({"size": 5, "marbles": 4})
    rules, tree = made.rules, fast_tree(made, random.Random(1))
    board = board_of(made)
    if tree is None or board is None:
        raise TypeError(made)  # Momentum has kernels for each board
    playouts(board.encoded(rules.start()), *board.tables, tree.seed, 1)
    yield
    state = rules.start()
    for step in range(2):
        state = rules.apply(state, tree.search(state, _budget()).move)
        if not step:
            yield
    yield
    solver = fast_solver(game_type("gravity-trap").create({}))
    if solver is not None:
        solver.free(0, 1, 1 << 2 | 1 << 3, _budget())
    note_warm()
    yield


def _budget() -> Budget:
    return Budget(Limits(nodes=_FEW), time.monotonic)

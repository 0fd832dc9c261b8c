"""One game's rules and evaluation as kernels see them: three tables, and a state that is a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from firmware_host.engines.search.evaluation import Weights, weights_of
from firmware_host.engines.search.kernels import attraktion, connect, momentum
from firmware_host.engines.search.kernels.jit import (
    ATTRAKTION,
    KIND,
    MOMENTUM,
    MOVES,
    RESULT,
    Ints,
    copied,
    kernel,
    making_kernel,
)
from games.attraktion.game import AttraktionGame
from games.base import Game
from games.gravity_connect.game import GravityConnectGame
from games.momentum.game import MomentumGame


@dataclass(frozen=True, slots=True)
class Board:
    """``facts``, ``rows``, ``about``: what every kernel is handed. Moves are places in
    ``rules.every_move``. ``evaluated``: whether ``value`` tells anything.
    """

    game: Game
    facts: Ints
    rows: Ints
    about: Ints
    evaluated: bool

    @property
    def tables(self) -> tuple[Ints, Ints, Ints]:
        """All three."""
        return self.facts, self.rows, self.about

    def encoded(self, state: Any) -> Ints:
        """A state of ``game.rules`` as a row."""
        game = self.game
        if isinstance(game, MomentumGame):
            return momentum.encoded(game.rules, state, self.about)
        if isinstance(game, AttraktionGame):
            return attraktion.encoded(game.rules, state)
        if isinstance(game, GravityConnectGame):
            return connect.encoded(game, state, *self.tables)
        raise TypeError(game)


def board_of(game: Game, weights: Weights | None = None) -> Board | None:
    """None where no kernel plays ``game``: it is another one, or its board is too large."""
    two = game.rules.players == 2
    if isinstance(game, MomentumGame):
        found = momentum.tables(game.rules, weights or weights_of(game.name))
        return Board(game, *found, evaluated=two)
    if isinstance(game, AttraktionGame) and game.options["size"] <= attraktion.LARGEST:
        return Board(game, *attraktion.tables(game.rules), evaluated=False)
    if isinstance(game, GravityConnectGame) and game.rules.size <= connect.LARGEST:
        found = connect.tables(game, weights or weights_of(game.name))
        return Board(game, *found, evaluated=True)
    return None


@kernel
def free(s: Ints, facts: Ints, rows: Ints, about: Ints, move: int) -> bool:
    """Whether a move is legal but for a forced block; the game is not over."""
    kind = facts[KIND]
    if kind == MOMENTUM:
        return momentum.free(s, facts, rows, move)
    if kind == ATTRAKTION:
        return attraktion.free(s, rows, move)
    return connect.free(s, facts, rows, about, move)


@kernel
def play(s: Ints, facts: Ints, rows: Ints, about: Ints, move: int) -> None:
    """Make a legal move."""
    kind = facts[KIND]
    if kind == MOMENTUM:
        momentum.play(s, facts, rows, about, move)
    elif kind == ATTRAKTION:
        attraktion.play(s, facts, rows, move)
    else:
        connect.play(s, facts, rows, about, move)


@kernel
def legal(s: Ints, facts: Ints, rows: Ints, about: Ints, moves: Ints, spare: Ints) -> int:
    """Put the legal moves of a game that is not over into ``moves``; how many. ``spare``: two rows
    for states.
    """
    count = 0
    for move in range(facts[MOVES]):
        if free(s, facts, rows, about, move):
            moves[count] = move
            count += 1
    if facts[KIND] == MOMENTUM:
        count = momentum.blocked(s, facts, rows, about, moves, count, spare)
    return count


@kernel
def playout(s: Ints, facts: Ints, rows: Ints, about: Ints, seed: Ints, decisive: bool) -> int:
    """Random moves to the end; who has won, as in ``RESULT``."""
    kind = facts[KIND]
    if kind == MOMENTUM:
        momentum.playout(s, facts, rows, about, seed)
    elif kind == ATTRAKTION:
        attraktion.playout(s, facts, rows, seed, decisive)
    else:
        connect.playout(s, facts, rows, about, seed)
    return int(s[RESULT])


@making_kernel
def playouts(start: Ints, facts: Ints, rows: Ints, about: Ints, seed: Ints, count: int) -> int:
    """Moves made in ``count`` random games."""
    s = np.empty_like(start)
    moves = 0
    for _ in range(count):
        copied(s, start)
        playout(s, facts, rows, about, seed, False)
        moves += s[0]
    return moves


@kernel
def value(s: Ints, facts: Ints, about: Ints) -> int:
    """The evaluation, for the player to move of two."""
    if facts[KIND] == MOMENTUM:
        return momentum.value(s, facts, about)
    return connect.value(s, facts)

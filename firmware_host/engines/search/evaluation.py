"""What a position is worth without looking ahead: one small evaluation for each of our games.

All are for two players, in hundredths of the logarithm of the odds for the player to move. The
weights are in ``weights.toml``; games without an evaluation are searched by playouts.
"""

from __future__ import annotations

import tomllib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from firmware_host.engines.search.alphabeta import Evaluate
from games.base import Game
from games.gravity_connect.game import GravityConnectGame
from games.gravity_trap.game import GravityTrapGame
from games.momentum.game import MomentumGame
from games.momentum.rules import MomentumRules

RINGS = 4  # a marble three steps from the edge is as safe as one further in
Weights = Mapping[str, Sequence[int]]


@cache
def weights_of(game: str) -> Weights:
    """The weights of a game, as they were fitted."""
    text = files("firmware_host.engines.search").joinpath("weights.toml").read_text("utf-8")
    found: Weights = tomllib.loads(text)[game]
    return found


def evaluation(game: Game, weights: Weights | None = None) -> Evaluate | None:
    """The evaluation of ``game``; None where there is none. ``weights``: others, to try them."""
    for kind, make in _MAKERS.items():
        if isinstance(game, kind) and game.rules.players == 2:
            return make(game, weights or weights_of(game.name))
    return None


def rings(rules: MomentumRules) -> dict[int, int]:
    """Cell -> steps from where a marble would fall off, at most ``RINGS - 1``."""
    start = rules.start().cells
    edge = [at for at in rules.names if any(start[at + step] is None for step in rules.steps)]
    found = dict.fromkeys(edge, 0)
    queue = deque(edge)
    while queue:
        at = queue.popleft()
        for step in rules.steps:
            if at + step in rules.names and at + step not in found:
                found[at + step] = min(found[at] + 1, RINGS - 1)
                queue.append(at + step)
    return {at: found.get(at, RINGS - 1) for at in rules.names}


def momentum(game: Any, weights: Weights) -> Evaluate:
    """Marbles on the board by their distance from the edge, the more the nearer the end is."""
    rules: MomentumRules = game.rules
    ring = rings(rules)
    # of a marble of nobody, of red, of blue; so that a cell's content is an index
    worth = [
        (at, (0, weights["rings"][near], -weights["rings"][near])) for at, near in ring.items()
    ]
    (tempo,) = weights["tempo"]
    near_end = weights["near_end"]
    marbles, most = rules.marbles, len(near_end) - 1

    def evaluate(state: Any) -> int:
        cells = state.cells
        value = 0
        for at, each in worth:
            value += each[cells[at]]
        red, blue = state.held
        value += near_end[min(marbles - red, most)] - near_end[min(marbles - blue, most)]
        signed: int = value if state.turn % 2 == 0 else -value
        return tempo + signed

    return evaluate


def gravity_connect(game: Any, weights: Weights) -> Evaluate:
    """Lines that a player can still fill, by how many of his tiles they have, and on how many cells
    of each row, column and diagonal he would connect.
    """
    rules, length = game.rules, game.line
    board = sum(rules.tiles.values())
    (tempo, tile, connecting, three) = weights["lines"]
    shifts = range(length)

    def lines(mine: int, open_: int) -> int:
        """``open_``: tiles and empty cells, without the other's."""
        free = open_
        for at in range(1, length):
            free &= open_ >> at
        if not free:
            return 0
        shifted = [mine >> at for at in shifts]
        value = tile * sum((free & each).bit_count() for each in shifted)
        # prefix[k]: lines whose first k cells are his; at most one, two are missing
        full, one, two = free, 0, 0
        for each in shifted:
            two = (two & each) | (one & ~each)
            one = (one & each) | (full & ~each)
            full &= each
        cells = 0
        if one:
            for at, each in enumerate(shifted):
                cells |= (one & ~each) << at
        return value + connecting * cells.bit_count() + three * two.bit_count()

    def evaluate(state: Any) -> int:
        own, other = state.own, state.other
        mine = lines(own, board & ~other)
        theirs = lines(other, board & ~own)
        return int(tempo + mine - theirs)

    return evaluate


def gravity_trap(game: Any, weights: Weights) -> Evaluate:
    """Where each ship can go."""
    rules = game.rules
    (tempo, mine, theirs) = weights["mobility"]

    def evaluate(state: Any) -> int:
        if state.turn < 2:
            return 0
        mover = state.turn % 2
        value: int = mine * rules.reach(state, mover).bit_count()
        return tempo + value - theirs * int(rules.reach(state, 1 - mover).bit_count())

    return evaluate


_MAKERS: Mapping[type[Game], Callable[[Any, Weights], Evaluate]] = {
    MomentumGame: momentum,
    GravityConnectGame: gravity_connect,
    GravityTrapGame: gravity_trap,
}

"""What a search is told of Gravity Connect: an evaluation."""

from __future__ import annotations

from typing import Any

from games.gravity_connect.rules import GravityConnectRules
from games.search import Evaluate, Weights


def evaluation(rules: GravityConnectRules, length: int, weights: Weights) -> Evaluate:
    """Lines that a player can still fill, by how many of his tiles they have, and on how many cells
    of each row, column and diagonal he would connect.
    """
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

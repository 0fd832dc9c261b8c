"""The kernels (compiled functions) of Momentum for two players. One machine word holds the marbles
of each player, with one bit for each cell.

The bits of neighbouring cells along a line are always the same distance apart. Games for more
players and games on larger boards use ``momentum_rows``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros

from tiltboard.games.momentum.game import RINGS, MomentumGame, rings
from tiltboard.games.momentum.rules import MomentumRules, State
from tiltboard_kernels.games import momentum_rows
from tiltboard_kernels.jit import (
    MAX_PLIES,
    MOVES,
    OPEN,
    RESULT,
    SURE,
    TURN,
    Ints,
    below,
    kernel,
    next_random,
    ones,
)

TO_WARM = ({"size": 5, "marbles": 4}, {"size": 5, "marbles": 3, "players": 3})
_BITS = 63  # Number of bits in a machine word, without the sign bit.
_RED, _BLUE = 2, 3  # Indices in a state of the two players' machine words.
# Indices in the array ``facts``. In the entry at ``_FULL``, the bits of all cells are set.
_MARBLES, _LAST_TURN, _FULL, _SWAP, _TEMPO = 2, 3, 4, 5, 6
# Columns of ``MomentumTables.rows``: the cell of the move, the neighbours with higher bits, the
# neighbours with lower bits, and the number of the cell's bit.
_CELL, _HIGHER, _LOWER, _BIT = 0, 1, 2, 3
# Columns of ``MomentumTables.lines``: the cells beyond the first cell, and the cell whose marble
# falls off the board.
_BEYOND, _LAST = 0, 1


class MomentumTables(NamedTuple):
    """The precomputed arrays of one board, which all kernels read."""

    facts: Ints
    rows: Ints
    lines: Ints
    """The lines that start at the cell of each move, one line for each direction. Each move has 64
    rows in this array.
    """
    rings: Ints
    """The cells of each ring, and the value of a marble on the ring."""
    near_end: Ints
    """The value of a player's position, by the number of marbles left to place."""


def fits(game: MomentumGame) -> bool:
    """Return whether one machine word for each player can hold a game. This is possible if the game
    has two players and the word has a bit for each cell.
    """
    cells = game.rules.cells
    return game.rules.players == 2 and max(cells) - min(cells) < _BITS


def tables(game: MomentumGame) -> MomentumTables | momentum_rows.RowTables:
    """Return the precomputed tables of a game of Momentum. If the game ``fits``, the tables are for
    marbles stored as bits.
    """
    if not fits(game):
        return momentum_rows.tables(game)
    rules, weights = game.rules, game.weights
    number = _numbers(rules)
    outside = rules.start().cells
    moves = rules.every_move
    swap = moves.index(rules.swap) if rules.pie else -1
    full = sum(1 << bit for bit in number.values())
    tempo = weights["tempo"][0]
    rows = np.zeros((len(moves), 4), np.int64)
    lines = np.zeros((64 * len(moves), 2), np.int64)
    for move, (at, bit) in enumerate(number.items()):
        rows[move, _CELL], rows[move, _BIT] = 1 << bit, bit
        for step in rules.steps:
            if at + step not in number:
                continue
            first = number[at + step]
            rows[move, _HIGHER if first > bit else _LOWER] |= 1 << first
            beyond, end = 0, at + 2 * step
            while end in number:
                beyond |= 1 << number[end]
                end += step
            falls = 1 << number[end - step] if outside[end] is None else 0
            lines[64 * move + first] = beyond, falls
    ring = rings(rules)
    worth = [
        (sum(1 << bit for at, bit in number.items() if ring[at] == each), weights["rings"][each])
        for each in range(RINGS)
    ]
    near_end = weights["near_end"]
    return MomentumTables(
        np.array([2, len(moves), rules.marbles, rules.last_turn, full, swap, tempo], np.int64),
        rows,
        lines,
        np.array(worth, np.int64),
        np.array([near_end[min(n, len(near_end) - 1)] for n in range(rules.marbles + 1)], np.int64),
    )


def _numbers(rules: MomentumRules) -> dict[int, int]:
    """Return the number of each cell's bit, by cell."""
    lowest = min(rules.cells)
    return {at: at - lowest for at in rules.cells}


def encoded(game: MomentumGame, _: MomentumTables, state: State) -> Ints:
    """Return a game state in the form that the kernels use, an array of integers."""
    rules = game.rules
    words = [
        sum(1 << bit for at, bit in _numbers(rules).items() if state.cells[at] == player)
        for player in (1, 2)
    ]
    winners = rules.result(state)
    result = OPEN if winners is None else sum(1 << player for player in winners)
    return np.array([state.turn, result, *words], np.int64)


@kernel
def free(g: MomentumTables, s: Ints, move: int) -> bool:
    """Return whether a move is legal. A swap is legal if the rules allow a swap now; any other move
    is legal if its cell is empty.
    """
    if move == g.facts[_SWAP]:
        return bool(s[TURN] == 1)
    return bool((s[_RED] | s[_BLUE]) & g.rows[move, _CELL] == 0)


@kernel
def play(g: MomentumTables, s: Ints, move: int) -> None:
    """Make a legal move in the state ``s``."""
    me = _RED + s[TURN] % 2
    other = _RED + _BLUE - me
    s[TURN] += 1
    if move == g.facts[_SWAP]:
        s[_BLUE] = s[_RED]
        s[_RED] = 0
    else:
        s[me], s[other] = _dropped(g, s[me], s[other], move)
    if move != g.facts[_SWAP] and ones(s[me]) == g.facts[_MARBLES]:
        s[RESULT] = 1 << me - _RED
    elif s[TURN] == g.facts[_LAST_TURN]:
        red, blue = ones(s[_RED]), ones(s[_BLUE])
        s[RESULT] = 1 if red > blue else 2 if blue > red else 0
    elif (s[_RED] | s[_BLUE]) == g.facts[_FULL]:
        s[RESULT] = 0


@kernel
def _dropped(g: MomentumTables, mine: int, other: int, move: int) -> tuple[int, int]:
    """Return the machine words of both players after the first player drops a marble.

    The last marble of a pushed line moves into the gap behind the line, or falls off the board.
    """
    taken = mine | other
    empty = ~(taken | g.rows[move, _CELL])
    mine |= g.rows[move, _CELL]
    near = g.rows[move, _HIGHER] & taken
    while near:
        first = trailing_zeros(near)
        near &= near - 1
        line = g.lines[64 * move + first]
        gaps = line[_BEYOND] & empty
        gap = gaps & -gaps
        last = gap >> first - g.rows[move, _BIT] if gaps else line[_LAST]
        moved = last | gap
        whose = -int((mine & last) != 0)
        mine ^= moved & whose
        other ^= moved & ~whose
    near = g.rows[move, _LOWER] & taken
    while near:
        first = trailing_zeros(near)
        near &= near - 1
        line = g.lines[64 * move + first]
        gaps = line[_BEYOND] & empty
        gap, last = 0, line[_LAST]
        if gaps:
            gap = 1 << 63 - leading_zeros(gaps)
            last = gap << g.rows[move, _BIT] - first
        moved = last | gap
        whose = -int((mine & last) != 0)
        mine ^= moved & whose
        other ^= moved & ~whose
    return mine, other


@kernel
def playout(g: MomentumTables, s: Ints, seed: Ints, _: bool) -> None:
    """Play random legal moves to the end of the game. A game that exceeds ``MAX_PLIES`` plies is a
    draw.
    """
    moves, marbles = g.facts[MOVES], g.facts[_MARBLES]
    last_turn, full = g.facts[_LAST_TURN], g.facts[_FULL]
    x = seed[0]
    while s[TURN] < 2 and s[RESULT] == OPEN:  # The first moves can include the swap.
        x = next_random(x)
        move = below(x, moves)
        if free(g, s, move):
            play(g, s, move)
    if g.facts[_SWAP] >= 0:
        moves -= 1
    turn = s[TURN]
    last = turn + MAX_PLIES
    me = turn % 2
    mine, other = s[_RED + me], s[_BLUE - me]
    while s[RESULT] == OPEN:
        x = next_random(x)
        move = below(x, moves)
        if (mine | other) & g.rows[move, _CELL]:
            continue
        other, mine = _dropped(g, mine, other, move)
        turn += 1
        if ones(other) == marbles:
            s[RESULT] = 1 << 1 - turn % 2
        elif turn == last_turn:
            ours, theirs = ones(other), ones(mine)
            by = 1 - turn % 2
            s[RESULT] = 1 << by if ours > theirs else 2 >> by if theirs > ours else 0
        elif turn == last or (mine | other) == full:
            s[RESULT] = 0
    s[TURN], seed[0] = turn, x


@kernel
def _lead(g: MomentumTables, mine: int, other: int) -> int:
    """Return the difference in value between the first player's marbles and the second player's
    marbles. The difference is positive if the first player's marbles have the higher value.
    """
    marbles = g.facts[_MARBLES]
    total = g.near_end[marbles - ones(mine)] - g.near_end[marbles - ones(other)]
    for ring in range(len(g.rings)):
        cells = g.rings[ring, 0]
        total += g.rings[ring, 1] * (ones(mine & cells) - ones(other & cells))
    return int(total)


@kernel
def value(g: MomentumTables, s: Ints) -> int:
    """Return the value of a state for the player to move, equal to the value of the game's
    evaluation in Python. The game must not be over.
    """
    me = s[TURN] % 2
    return int(g.facts[_TEMPO] + _lead(g, s[_RED + me], s[_BLUE - me]))


@kernel
def _completes(g: MomentumTables, mine: int, other: int) -> bool:
    """Return whether the first player can place the last marble with one drop."""
    free_cells = g.facts[_FULL] & ~(mine | other)
    for move in range(g.facts[MOVES]):
        if g.rows[move, _CELL] & free_cells:
            after, _ = _dropped(g, mine, other, move)
            if ones(after) == g.facts[_MARBLES]:
                return True
    return False


@kernel
def judged(g: MomentumTables, s: Ints, moves: Ints, _: Ints) -> int:
    """Write the legal moves and their values into ``moves``, in the form that ``board.judged``
    documents. The function needs no scratch space.
    """
    me = s[TURN] % 2
    mine, other = s[_RED + me], s[_BLUE - me]
    ends = s[TURN] + 1 == g.facts[_LAST_TURN]
    count = 0
    for move in range(g.facts[MOVES]):
        if not free(g, s, move):
            continue
        swap = move == g.facts[_SWAP]
        own, theirs = (other, mine) if swap else _dropped(g, mine, other, move)
        by = ones(own) - ones(theirs)
        if (ones(own) == g.facts[_MARBLES] and not swap) or (ends and by > 0):
            worth = SURE
        elif ends and by < 0:
            worth = -SURE
        elif ends or own | theirs == g.facts[_FULL]:
            worth = 0
        elif ones(theirs) + 1 == g.facts[_MARBLES] and _completes(g, theirs, own):
            worth = -SURE
        else:
            worth = min(max(_lead(g, own, theirs) - g.facts[_TEMPO], 1 - SURE), SURE - 1)
        moves[0, count], moves[1, count] = move, worth
        count += 1
    return count

"""The kernels (compiled functions) of Attraktion. The pieces of each player are bits in two machine
words. Each word holds whole rows of the board; the first word holds the lower rows.

The sign bit of a word is not used, so that a shift to the right inserts zeros.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros

from tiltboard.games.attraktion.game import AttraktionGame
from tiltboard.games.attraktion.rules import AttraktionState
from tiltboard_kernels.jit import (
    MOVES,
    OPEN,
    RESULT,
    TURN,
    Ints,
    below,
    kernel,
    next_random,
    ones,
)

LARGEST = 10  # Maximum number of rows of a board, so that the board fits into two machine words.
EXPLORATION = 0.35
DECISIVE = STEADY = True
TO_WARM = ({"size": 5},)
# Index in a state of the first machine word with White's pieces, and index of the first machine
# word with Black's pieces. Each player has two machine words.
_WHITE, _BLACK = 2, 4
# Indices in the array ``facts``. The entry at ``_SPLIT`` is the number of bits in a machine word.
_SIZE, _LAST_TURN, _SPLIT, _FULL, _INNER = 2, 3, 4, 5, 7
# Columns of ``AttraktionTables.rows``, which has one row for each move. Each column has two machine
# words: the space of the move, or the spaces beyond this space in one direction.
_SPACE, _EAST, _WEST, _NORTH, _SOUTH = 0, 2, 4, 6, 8


Ways = tuple[int, int, int, int, int, int, int, int]


class AttraktionTables(NamedTuple):
    """The precomputed arrays of one board, which all kernels read."""

    facts: Ints
    rows: Ints
    """The spaces of each move, one row for each move."""


def tables(game: AttraktionGame) -> AttraktionTables | None:
    """Return the tables of a board, or None if the board has more than ``LARGEST`` rows."""
    rules = game.rules
    size: int = game.options["size"]
    if size > LARGEST:
        return None
    columns = range(size)
    everything = _words([(x, y) for x in columns for y in columns], size)
    inner = _words([(x, y) for x in range(1, size - 1) for y in columns], size)
    facts = [2, len(rules.every_move), size, rules.last_turn, 63 // size * size]
    rows = np.zeros((len(rules.every_move), 10), np.int64)
    for row, at in zip(rows, rules.every_move, strict=True):
        x, y = rules.point(rules.names[at])
        row[_SPACE:_EAST] = _words([(x, y)], size)
        row[_EAST:_WEST] = _words([(each, y) for each in range(x + 1, size)], size)
        row[_WEST:_NORTH] = _words([(each, y) for each in range(x)], size)
        row[_NORTH:_SOUTH] = _words([(x, each) for each in range(y + 1, size)], size)
        row[_SOUTH:] = _words([(x, each) for each in range(y)], size)
    return AttraktionTables(np.array([*facts, *everything, *inner], np.int64), rows)


def _words(points: list[tuple[int, int]], size: int) -> tuple[int, int]:
    number = sum(1 << y * size + x for x, y in points)
    split = 63 // size * size
    return number & (1 << split) - 1, number >> split


def encoded(game: AttraktionGame, _: AttraktionTables, state: AttraktionState) -> Ints:
    """Return a game state in the form that the kernels use, an array of integers."""
    rules, size = game.rules, game.options["size"]
    words: list[int] = []
    for side in rules.sides(state):
        words += _words(
            [rules.point(name) for at, name in rules.names.items() if side >> at & 1], size
        )
    winners = rules.result(state)
    result = OPEN if winners is None else sum(1 << player for player in winners)
    return np.array([state.turn, result, *words], np.int64)


@kernel
def free(g: AttraktionTables, s: Ints, move: int) -> bool:
    """Return whether the space of a move is empty."""
    row = g.rows[move]
    taken = (s[_WHITE] | s[_BLACK]) & row[_SPACE]
    return bool(taken | ((s[_WHITE + 1] | s[_BLACK + 1]) & row[_SPACE + 1]) == 0)


@kernel
def _above(gaps: int) -> int:
    """Return all bits above the lowest set bit of ``gaps``, or 0 if no bit is set."""
    return -((gaps & -gaps) << 1)


@kernel
def _under(gaps: int) -> int:
    """Return all bits below the highest set bit of ``gaps``, or 0 if no bit is set."""
    return int((1 << 63 - leading_zeros(gaps | 1)) - 1)


@kernel
def _moved(
    g: AttraktionTables, p0: int, p1: int, still0: int, still1: int, ways: Ways
) -> tuple[int, int]:
    """Return one player's pieces as two machine words, after the pieces on the spaces ``ways`` have
    moved by one space.

    ``p0`` and ``p1``: the player's pieces. ``still0`` and ``still1``: the spaces whose pieces do
    not move. ``ways``: the spaces whose pieces move, as two words for each of the four directions.
    """
    size, split, full = g.facts[_SIZE], g.facts[_SPLIT], g.facts[_FULL]
    e0, e1, w0, w1, n0, n1, o0, o1 = ways
    up0, up1, down0, down1 = p0 & o0, p1 & o1, p0 & n0, p1 & n1
    return (
        (p0 & still0)
        | ((p0 & e0) >> 1)
        | ((p0 & w0) << 1)
        | ((up0 << size) & full)
        | (down0 >> size)
        | ((down1 << (split - size)) & full)
    ), (
        (p1 & still1)
        | ((p1 & e1) >> 1)
        | ((p1 & w1) << 1)
        | (up1 << size)
        | (up0 >> (split - size))
        | (down1 >> size)
    )


@kernel
def _dropped(
    g: AttraktionTables, m0: int, m1: int, t0: int, t1: int, move: int
) -> tuple[int, int, int, int]:
    """Return the pieces of both players after the first player drops a piece, as two machine words
    for each player. The dropped piece attracts the pieces beyond the gaps.
    """
    row = g.rows[move]
    gaps0, gaps1 = ~(m0 | t0), ~(m1 | t1)
    e0, e1, w0, w1 = row[_EAST], row[_EAST + 1], row[_WEST], row[_WEST + 1]
    n0, n1, o0, o1 = row[_NORTH], row[_NORTH + 1], row[_SOUTH], row[_SOUTH + 1]
    # The bitboard has two machine words. No row is split between the two words.
    e0, e1 = e0 & _above(gaps0 & e0), e1 & _above(gaps1 & e1)
    w0, w1 = w0 & _under(gaps0 & w0), w1 & _under(gaps1 & w1)
    near, far = gaps0 & n0, gaps1 & n1
    n0, n1 = n0 & _above(near), n1 if near else n1 & _above(far)
    near, far = gaps1 & o1, gaps0 & o0
    o1, o0 = o1 & _under(near), o0 if near else o0 & _under(far)
    still0, still1 = ~(e0 | w0 | n0 | o0), ~(e1 | w1 | n1 | o1)
    ways = e0, e1, w0, w1, n0, n1, o0, o1
    m0, m1 = _moved(g, m0, m1, still0, still1, ways)
    t0, t1 = _moved(g, t0, t1, still0, still1, ways)
    return m0 | row[_SPACE], m1 | row[_SPACE + 1], t0, t1


@kernel
def around(g: AttraktionTables, p0: int, p1: int) -> tuple[int, int]:
    """Return, as two machine words, the spaces whose four diagonal neighbours all hold pieces of
    one player.
    """
    size, split, full = g.facts[_SIZE], g.facts[_SPLIT], g.facts[_FULL]
    p0 = (p0 << 1) & (p0 >> 1) & g.facts[_INNER]
    p1 = (p1 << 1) & (p1 >> 1) & g.facts[_INNER + 1]
    south0, south1 = (p0 << size) & full, (p1 << size) | (p0 >> (split - size))
    north0, north1 = (p0 >> size) | ((p1 << (split - size)) & full), p1 >> size
    return south0 & north0, south1 & north1


@kernel
def _lead(others0: int, others1: int, mine0: int, mine1: int) -> int:
    """Return the difference between the players' numbers of winning positions. The difference is
    positive if the player who has just moved is ahead.
    """
    if others0 | others1 | mine0 | mine1:
        return int(ones(mine0) + ones(mine1) - ones(others0) - ones(others1))
    return 0


@kernel
def play(g: AttraktionTables, s: Ints, move: int) -> None:
    """Make a legal move in the state ``s``."""
    white = s[TURN] % 2 == 0
    mine, other = (_WHITE, _BLACK) if white else (_BLACK, _WHITE)
    found = _dropped(g, s[mine], s[mine + 1], s[other], s[other + 1], move)
    s[mine], s[mine + 1], s[other], s[other + 1] = found
    s[TURN] += 1
    m0, m1, t0, t1 = found
    a0, a1 = around(g, m0, m1)
    b0, b1 = around(g, t0, t1)
    lead = _lead(a0 & t0, a1 & t1, b0 & m0, b1 & m1)
    if lead:
        s[RESULT] = 1 if white == (lead > 0) else 2
    elif s[TURN] == g.facts[_LAST_TURN]:
        s[RESULT] = 0


@kernel
def _first(g: AttraktionTables, spaces0: int, spaces1: int) -> int:
    """Return the move to the lowest space whose bit is set in two machine words, or -1 if no bit is
    set.
    """
    if spaces0:
        at = trailing_zeros(spaces0)
    elif spaces1:
        at = g.facts[_SPLIT] + trailing_zeros(spaces1)
    else:
        return -1
    return int(g.facts[_SIZE] * (at % g.facts[_SIZE]) + at // g.facts[_SIZE])


@kernel
def playout(g: AttraktionTables, s: Ints, seed: Ints, decisive: bool) -> None:
    """Play random legal moves to the end of the game.

    ``decisive``: True to play on a space between four pieces of the opponent, if such a space is
    empty. This move nearly always wins. The move does not win if it pulls the pieces apart or makes
    a winning position for the opponent.
    """
    moves, last_turn = g.facts[MOVES], g.facts[_LAST_TURN]
    turn, x = s[TURN], seed[0]
    mine, other = (_BLACK, _WHITE) if turn % 2 else (_WHITE, _BLACK)
    m0, m1, t0, t1 = s[mine], s[mine + 1], s[other], s[other + 1]
    a0, a1 = around(g, t0, t1)
    while s[RESULT] == OPEN:
        taken0, taken1 = m0 | t0, m1 | t1
        move = _first(g, a0 & ~taken0, a1 & ~taken1) if decisive else -1
        while move < 0:
            x = next_random(x)
            move = below(x, moves)
            row = g.rows[move]
            if (taken0 & row[_SPACE]) | (taken1 & row[_SPACE + 1]):
                move = -1
        n0, n1, o0, o1 = _dropped(g, m0, m1, t0, t1, move)
        a0, a1 = around(g, n0, n1)
        b0, b1 = around(g, o0, o1)
        m0, m1, t0, t1 = o0, o1, n0, n1
        turn += 1
        # Number of winning positions by which the player who has just moved is ahead.
        lead = _lead(a0 & m0, a1 & m1, b0 & t0, b1 & t1)
        if lead:
            s[RESULT] = 1 if (turn % 2 == 1) == (lead > 0) else 2
        elif turn == last_turn:
            s[RESULT] = 0
    s[TURN], seed[0] = turn, x

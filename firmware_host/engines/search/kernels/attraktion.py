"""Attraktion on bits: each side's pieces in two words that hold whole rows, the lower ones first.

No word uses its sign, so that a shift to the right brings in zeros.
"""

from __future__ import annotations

import numpy as np
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros

from firmware_host.engines.search.kernels.jit import (
    ATTRAKTION,
    FACTS,
    MOVES,
    OPEN,
    RESULT,
    TURN,
    Ints,
    kernel,
    random_below,
)
from games.attraktion.rules import AttraktionRules, State

LARGEST = 10  # rows that two words hold
_WHITE, _BLACK = 2, 4  # in a state: two words each
_LENGTH = 6
_SIZE, _LAST_TURN, _SPLIT, _FULL, _INNER = 3, 4, 5, 6, 8  # _SPLIT: bits of a word
# in a move's row, two words each: its space and what lies beyond it in each direction
_SPACE, _EAST, _WEST, _NORTH, _SOUTH = 0, 2, 4, 6, 8


def tables(rules: AttraktionRules, _: object = None) -> tuple[Ints, Ints, Ints]:
    """Facts; a row for each move; nothing."""
    columns = {rules.point(name)[0] for name in rules.index}
    size = len(columns)
    facts = np.zeros(FACTS, np.int64)
    split = 63 // size * size
    everything = _words([(x, y) for x in columns for y in columns], size)
    inner = _words([(x, y) for x in range(1, size - 1) for y in columns], size)
    facts[: _INNER + 2] = (
        *(ATTRAKTION, 2, len(rules.every_move), size, rules.last_turn, split),
        *(*everything, *inner),
    )
    rows = np.zeros((len(rules.every_move), 10), np.int64)
    for row, at in zip(rows, rules.every_move, strict=True):
        x, y = rules.point(rules.names[at])
        row[_SPACE:_EAST] = _words([(x, y)], size)
        row[_EAST:_WEST] = _words([(each, y) for each in range(x + 1, size)], size)
        row[_WEST:_NORTH] = _words([(each, y) for each in range(x)], size)
        row[_NORTH:_SOUTH] = _words([(x, each) for each in range(y + 1, size)], size)
        row[_SOUTH:] = _words([(x, each) for each in range(y)], size)
    return facts, rows, np.zeros((1, 1), np.int64)


def _words(points: list[tuple[int, int]], size: int) -> tuple[int, int]:
    number = sum(1 << y * size + x for x, y in points)
    split = 63 // size * size
    return number & (1 << split) - 1, number >> split


def encoded(rules: AttraktionRules, state: State) -> Ints:
    """A state of the rules as the kernels have it."""
    size = len({rules.point(name)[0] for name in rules.index})
    words: list[int] = []
    for side in rules.sides(state):
        words += _words(
            [rules.point(rules.names[at]) for at in rules.names if side >> at & 1], size
        )
    winners = rules.result(state)
    result = OPEN if winners is None else sum(1 << player for player in winners)
    return np.array([state.turn, result, *words], np.int64)


@kernel
def _ones(x: int) -> int:
    x -= (x >> 1) & 0x5555555555555555
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (x * 0x0101010101010101) >> 56


@kernel
def free(s: Ints, rows: Ints, move: int) -> bool:
    """Whether a space is empty."""
    taken = (s[_WHITE] | s[_BLACK]) & rows[move, _SPACE]
    return bool(taken | ((s[_WHITE + 1] | s[_BLACK + 1]) & rows[move, _SPACE + 1]) == 0)


@kernel
def _beyond_up(gap0: int, gap1: int, line0: int, line1: int) -> tuple[int, int]:
    """Of a line toward higher bits, what lies beyond its nearest gap."""
    if gap0:
        return line0 & -((gap0 & -gap0) << 1), line1
    return 0, line1 & -((gap1 & -gap1) << 1)


@kernel
def _beyond_down(gap0: int, gap1: int, line0: int, line1: int) -> tuple[int, int]:
    """Of a line toward lower bits."""
    if gap1:
        return line0, line1 & ((1 << (63 - leading_zeros(gap1))) - 1)
    if gap0:
        return line0 & ((1 << (63 - leading_zeros(gap0))) - 1), 0
    return 0, 0


@kernel
def _pulled(s: Ints, facts: Ints, rows: Ints, move: int) -> None:
    size, split, full = facts[_SIZE], facts[_SPLIT], facts[_FULL]
    gaps0 = ~(s[_WHITE] | s[_BLACK])
    gaps1 = ~(s[_WHITE + 1] | s[_BLACK + 1])
    row = rows[move]
    e0, e1 = row[_EAST], row[_EAST + 1]
    e0, e1 = _beyond_up(gaps0 & e0, gaps1 & e1, e0, e1)
    n0, n1 = row[_NORTH], row[_NORTH + 1]
    n0, n1 = _beyond_up(gaps0 & n0, gaps1 & n1, n0, n1)
    w0, w1 = row[_WEST], row[_WEST + 1]
    w0, w1 = _beyond_down(gaps0 & w0, gaps1 & w1, w0, w1)
    o0, o1 = row[_SOUTH], row[_SOUTH + 1]
    o0, o1 = _beyond_down(gaps0 & o0, gaps1 & o1, o0, o1)
    still0, still1 = ~(e0 | w0 | n0 | o0), ~(e1 | w1 | n1 | o1)
    for side in (_WHITE, _BLACK):
        p0, p1 = s[side], s[side + 1]
        up0, up1, down0, down1 = p0 & o0, p1 & o1, p0 & n0, p1 & n1
        s[side] = (
            (p0 & still0)
            | ((p0 & e0) >> 1)
            | ((p0 & w0) << 1)
            | ((up0 << size) & full)
            | (down0 >> size)
            | ((down1 << (split - size)) & full)
        )
        s[side + 1] = (
            (p1 & still1)
            | ((p1 & e1) >> 1)
            | ((p1 & w1) << 1)
            | (up1 << size)
            | (up0 >> (split - size))
            | (down1 >> size)
        )


@kernel
def around(p0: int, p1: int, facts: Ints) -> tuple[int, int]:
    """The spaces that have pieces of ``p`` on all four diagonal ones."""
    size, split, full = facts[_SIZE], facts[_SPLIT], facts[_FULL]
    p0 = (p0 << 1) & (p0 >> 1) & facts[_INNER]
    p1 = (p1 << 1) & (p1 >> 1) & facts[_INNER + 1]
    south0, south1 = (p0 << size) & full, (p1 << size) | (p0 >> (split - size))
    north0, north1 = (p0 >> size) | ((p1 << (split - size)) & full), p1 >> size
    return south0 & north0, south1 & north1


@kernel
def play(s: Ints, facts: Ints, rows: Ints, move: int) -> None:
    """Make a move that is free."""
    _pulled(s, facts, rows, move)
    mine = _BLACK if s[TURN] % 2 else _WHITE
    s[mine] |= rows[move, _SPACE]
    s[mine + 1] |= rows[move, _SPACE + 1]
    s[TURN] += 1
    b0, b1 = around(s[_BLACK], s[_BLACK + 1], facts)
    w0, w1 = around(s[_WHITE], s[_WHITE + 1], facts)
    b0, b1, w0, w1 = b0 & s[_WHITE], b1 & s[_WHITE + 1], w0 & s[_BLACK], w1 & s[_BLACK + 1]
    if b0 | b1 | w0 | w1:
        white, black = _ones(b0) + _ones(b1), _ones(w0) + _ones(w1)
        if white != black:
            s[RESULT] = 1 if white > black else 2
            return
    if s[TURN] == facts[_LAST_TURN]:
        s[RESULT] = 0


@kernel
def winning_drop(s: Ints, facts: Ints) -> int:
    """A move onto a space between four of the other's pieces, if there is one; else -1. It nearly
    always wins: unless it pulls apart a winning position, or makes one for the other.
    """
    other = _WHITE if s[TURN] % 2 else _BLACK
    a0, a1 = around(s[other], s[other + 1], facts)
    a0 &= ~(s[_WHITE] | s[_BLACK])
    a1 &= ~(s[_WHITE + 1] | s[_BLACK + 1])
    if a0:
        at = trailing_zeros(a0)
    elif a1:
        at = facts[_SPLIT] + trailing_zeros(a1)
    else:
        return -1
    return int(facts[_SIZE] * (at % facts[_SIZE]) + at // facts[_SIZE])


@kernel
def playout(s: Ints, facts: Ints, rows: Ints, seed: Ints, decisive: bool) -> None:
    """Random free moves to the end. ``decisive``: a winning drop is not missed."""
    moves = facts[MOVES]
    while s[RESULT] == OPEN:
        if decisive:
            move = winning_drop(s, facts)
            if move >= 0:
                play(s, facts, rows, move)
                continue
        move = random_below(seed, moves)
        if free(s, rows, move):
            play(s, facts, rows, move)

"""Connect four for the engine's kernels, with the same bits as the rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from connect_four import COLUMNS, ROWS, STRIDE, ConnectFourGame, State

from tiltboard_kernels.jit import (
    OPEN,
    RESULT,
    TURN,
    Ints,
    below,
    kernel,
    next_random,
)

DECISIVE = True
_FIRST, _SECOND = 2, 3  # Indices of both players' pieces in a state.
_CELLS = COLUMNS * ROWS
_LOWEST = sum(1 << STRIDE * column for column in range(COLUMNS))
_COLUMN = (1 << ROWS) - 1
_BOARD = _LOWEST * _COLUMN
_ACROSS, _RISING, _FALLING = STRIDE, STRIDE + 1, STRIDE - 1


class Tables(NamedTuple):
    """The number of players and the number of moves."""

    facts: Ints


def tables(_: ConnectFourGame) -> Tables:
    """Return the tables of the game's only board."""
    return Tables(np.array([2, COLUMNS], np.int64))


def encoded(game: ConnectFourGame, _: Tables, state: State) -> Ints:
    """Return a state of the rules as a row of integers for the kernels."""
    winners = game.rules.result(state)
    result = OPEN if winners is None else sum(1 << player for player in winners)
    pieces = [state.mine, state.other]
    if state.turn % 2:
        pieces.reverse()
    return np.array([state.turn, result, *pieces], np.int64)


@kernel
def _connected(p: int) -> bool:
    up, across = p & p >> 1, p & p >> _ACROSS
    rising, falling = p & p >> _RISING, p & p >> _FALLING
    return bool(
        (up & up >> 2)
        | (across & across >> 2 * _ACROSS)
        | (rising & rising >> 2 * _RISING)
        | (falling & falling >> 2 * _FALLING)
    )


@kernel
def _threats(p: int) -> int:
    """Return the places that complete four in a row, including occupied places."""
    found = p << 1 & p << 2 & p << 3
    for step in (_ACROSS, _RISING, _FALLING):
        once, twice = p << step & p << 2 * step, p >> step & p >> 2 * step
        found |= once & p << 3 * step | once & p >> step
        found |= twice & p >> 3 * step | twice & p << step
    return found


@kernel
def free(g: Tables, s: Ints, move: int) -> bool:
    """Return whether a column has space."""
    return bool((s[_FIRST] | s[_SECOND]) >> move * STRIDE + ROWS - 1 & 1 == 0)


@kernel
def play(g: Tables, s: Ints, move: int) -> None:
    """Make a legal move in the state ``s``."""
    mover = s[TURN] % 2
    lowest = 1 << move * STRIDE
    s[_FIRST + mover] |= ((s[_FIRST] | s[_SECOND]) + lowest) & lowest * _COLUMN
    s[TURN] += 1
    if _connected(s[_FIRST + mover]):
        s[RESULT] = 1 << mover
    elif s[TURN] == _CELLS:
        s[RESULT] = 0


@kernel
def playout(g: Tables, s: Ints, seed: Ints, decisive: bool) -> None:
    """Play random legal moves to the end. ``decisive``: whether to complete four in a row, and to
    block the opponent's four.
    """
    turn, x = s[TURN], seed[0]
    mover = turn % 2
    mine, other = s[_FIRST + mover], s[_SECOND - mover]
    wins, losses = _threats(mine), _threats(other)
    while s[RESULT] == OPEN:
        possible = ((mine | other) + _LOWEST) & _BOARD
        place = 0
        if decisive:
            if wins & possible:
                s[RESULT] = 1 << turn % 2
                turn += 1
                break
            place = losses & possible
            place &= -place
        while not place:
            x = next_random(x)
            place = possible & _COLUMN << STRIDE * below(x, COLUMNS)
        mine, other = other, mine | place
        turn += 1
        if decisive:
            wins, losses = losses, _threats(other)
        elif _connected(other):
            s[RESULT] = 1 << 1 - turn % 2
        if s[RESULT] == OPEN and turn == _CELLS:
            s[RESULT] = 0
    s[TURN], seed[0] = turn, x

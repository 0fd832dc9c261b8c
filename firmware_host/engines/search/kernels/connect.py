"""Gravity Connect on lines: each row, column and diagonal is one number, a bit for each tile of the
first player's and, ``_SECOND`` bits higher, of the second's.

So what can be asked of a line stands in small tables: where a tile lands, whether somebody has
connected; and by the line's cells as a number in base three, what it is worth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from firmware_host.engines.search.evaluation import Weights
from firmware_host.engines.search.kernels.jit import (
    MOVES,
    OPEN,
    RESULT,
    TURN,
    Ints,
    below,
    kernel,
    stepped,
)
from games.gravity_connect.game import GravityConnectGame
from games.gravity_connect.rules import State, landing_tables

LARGEST = 10  # cells of a line: 88,573 numbers for lines of up to so many cells
_SIDE, _WORTH, _LINES = 2, 4, 5  # in a state: both last sides, what the lines are worth, the lines
_SIZE, _FULL, _TEMPO = 2, 3, 4
_SECOND = 16
# of each pattern of a line's bits: landings from either end, whether it connects, in base three
_FORWARD, _BACKWARD, _CONNECTS, _TERNARY = 0, 1, 2, 3


class Tables(NamedTuple):
    """``slots``: line, its way in and side of each. ``cells``: of each its four lines, its place in
    them, and where their length's ``worth`` begins. ``patterns``: as above.
    """

    facts: Ints
    slots: Ints
    cells: Ints
    patterns: Ints
    worth: Ints


def _worths(size: int, line: int, weights: Weights) -> tuple[Ints, list[int]]:
    """What the lines of each length are worth by their number, and where each length begins."""
    _, tile, one_missing, two_missing = weights["lines"]
    begin: list[int] = []
    worth: list[int] = []
    for length in range(size + 1):
        begin.append(len(worth))
        for number in range(3**length):
            cells = [number // 3**at % 3 for at in range(length)]
            value = 0
            for at in range(length - line + 1):
                window = cells[at : at + line]
                for player, sign in ((1, 1), (2, -1)):
                    if 3 - player in window:
                        continue
                    count = window.count(player)
                    value += sign * tile * count
                    value += sign * {1: one_missing, 2: two_missing}.get(line - count, 0)
            worth.append(value)
    return np.array(worth, np.int64), begin


def _cell_lines(size: int) -> list[tuple[int, int, int]]:
    """Number, length and first column (or row) of each line: rows, columns, both diagonals."""
    lines = [(at, size, 0) for at in range(2 * size)]
    for at in range(2 * size - 1):
        length = size - abs(at - size + 1)
        first = max(0, at - size + 1)
        lines.append((2 * size + at, length, first))
    return lines + [(at + 2 * size - 1, length, first) for at, length, first in lines[2 * size :]]


def tables(game: GravityConnectGame, weights: Weights) -> Tables:
    """Of a board of at most ``LARGEST`` rows."""
    rules = game.rules
    size = rules.size
    worth, begin = _worths(size, game.line, weights)
    lines = _cell_lines(size)
    facts = [2, len(rules.every_move), size, size**2, weights["lines"][0]]
    slots = [
        (_LINES + line, _FORWARD if near else _BACKWARD, side)
        for side, line, near in rules.entrances
    ]
    cells = np.zeros((size**2, 12), np.int64)
    for y in range(size):
        for x in range(size):
            through = (y, size + x, 2 * size + x - y + size - 1, 4 * size - 1 + x + y)
            places = (x, y, x, x)
            for number, (line, place) in enumerate(zip(through, places, strict=True)):
                _, length, first = lines[line]
                cells[y * size + x, 3 * number : 3 * number + 3] = (
                    *(_LINES + line, place - first, begin[length]),
                )
    forward, backward = landing_tables(size)
    patterns = [
        (
            *(forward[taken], backward[taken]),
            any(taken >> at & (1 << game.line) - 1 == (1 << game.line) - 1 for at in range(size)),
            sum(3**at for at in range(size) if taken >> at & 1),
        )
        for taken in range(1 << size)
    ]
    return Tables(
        *(np.array(facts, np.int64), np.array(slots, np.int64), cells),
        *(np.array(patterns, np.int64), worth),
    )


def encoded(game: GravityConnectGame, g: Tables, state: State) -> Ints:
    """A state of the rules as the kernels have it."""
    rules = game.rules
    sides, tiles = [state.own_side, state.other_side], [state.own, state.other]
    if state.turn % 2:
        sides.reverse()
        tiles.reverse()
    winners = rules.result(state)
    result = OPEN if winners is None else sum(1 << player for player in winners)
    found = np.zeros(_LINES + len(_cell_lines(rules.size)), np.int64)
    found[:_WORTH] = state.turn, result, *sides
    for at, tile in enumerate(rules.tiles.values()):
        for player, mine in enumerate(tiles):
            if mine & tile:
                _mark(g, found, at, player)
    return found


@kernel
def _worth(g: Tables, begin: int, line: int) -> int:
    first = g.patterns[line & (1 << _SECOND) - 1, _TERNARY]
    return int(g.worth[begin + first + 2 * g.patterns[line >> _SECOND, _TERNARY]])


@kernel
def _mark(g: Tables, s: Ints, cell: int, player: int) -> bool:
    """Put a tile on a cell; whether that connects."""
    row = g.cells[cell]
    connects = worth = 0
    for at in range(0, 12, 3):
        before = s[row[at]]
        after = before | 1 << row[at + 1] + player * _SECOND
        s[row[at]] = after
        connects |= g.patterns[after >> player * _SECOND & (1 << _SECOND) - 1, _CONNECTS]
        worth += _worth(g, row[at + 2], after) - _worth(g, row[at + 2], before)
    s[_WORTH] += worth
    return connects != 0


@kernel
def _marked(g: Tables, s: Ints, cell: int, player: int) -> bool:
    """The same, but for what it is worth."""
    row = g.cells[cell]
    connects = 0
    for at in range(0, 12, 3):
        after = s[row[at]] | 1 << row[at + 1] + player * _SECOND
        s[row[at]] = after
        connects |= g.patterns[after >> player * _SECOND & (1 << _SECOND) - 1, _CONNECTS]
    return connects != 0


@kernel
def _landing(g: Tables, s: Ints, slot: int) -> int:
    """Where in its line a tile lands; the size where there is no room."""
    line = s[g.slots[slot, 0]]
    return int(g.patterns[(line | line >> _SECOND) & (1 << _SECOND) - 1, g.slots[slot, 1]])


@kernel
def _cell(g: Tables, slot: int, landing: int) -> int:
    size, line = g.facts[_SIZE], g.slots[slot, 0] - _LINES
    return int(line * size + landing if line < size else landing * size + line - size)


@kernel
def free(g: Tables, s: Ints, move: int) -> bool:
    """Whether a tile may enter by a slot."""
    if g.slots[move, 2] == s[_SIDE + s[TURN] % 2]:
        return False
    return bool(_landing(g, s, move) < g.facts[_SIZE])


@kernel
def play(g: Tables, s: Ints, move: int) -> None:
    """Make a move that is free."""
    player = s[TURN] % 2
    cell = _cell(g, move, _landing(g, s, move))
    s[_SIDE + player] = g.slots[move, 2]
    s[TURN] += 1
    if _mark(g, s, cell, player):
        s[RESULT] = 1 << player
    elif s[TURN] == g.facts[_FULL]:
        s[RESULT] = 2


@kernel
def playout(g: Tables, s: Ints, seed: Ints, _: bool) -> None:
    """Random free moves to the end; the state's worth is not kept up."""
    moves, size, full = g.facts[MOVES], g.facts[_SIZE], g.facts[_FULL]
    turn, x = s[TURN], seed[0]
    player = turn % 2
    mine, other = s[_SIDE + player], s[_SIDE + 1 - player]
    while s[RESULT] == OPEN:
        x = stepped(x)
        move = below(x, moves)
        if g.slots[move, 2] == mine:
            continue
        landing = _landing(g, s, move)
        if landing == size:
            continue
        mine, other = other, g.slots[move, 2]
        turn += 1
        if _marked(g, s, _cell(g, move, landing), player):
            s[RESULT] = 1 << player
        elif turn == full:
            s[RESULT] = 2
        player = 1 - player
    s[TURN], seed[0] = turn, x


@kernel
def value(g: Tables, s: Ints) -> int:
    """As ``evaluation.gravity_connect``."""
    return int(g.facts[_TEMPO] + (s[_WORTH] if s[TURN] % 2 == 0 else -s[_WORTH]))

"""Gravity Connect on lines: each row, column and diagonal is one number in base three.

A line's digits are its cells: 0 empty, 1 the first player's, 2 the second's. So all that can be
asked of a line stands in one table: where a tile lands, whether somebody has connected, what it is
worth.
"""

from __future__ import annotations

import numpy as np

from firmware_host.engines.search.evaluation import Weights
from firmware_host.engines.search.kernels.jit import (
    FACTS,
    GRAVITY_CONNECT,
    MOVES,
    OPEN,
    RESULT,
    TURN,
    Ints,
    kernel,
    random_below,
)
from games.gravity_connect.game import GravityConnectGame
from games.gravity_connect.rules import State, landing_tables

LARGEST = 10  # cells of a line: 88,573 numbers for lines of up to so many cells
_SIDE, _WORTH, _LINES = 2, 4, 5  # in a state: both last sides, what the lines are worth, the lines
_SIZE, _FULL, _TEMPO, _LENGTH = 3, 4, 5, 6
# What stands about a line, in one number: who has connected, landings from either end, its worth
_WINS, _FORWARD, _BACKWARD, _VALUE = 0, 2, 6, 10


def _about_lines(size: int, line: int, weights: Weights) -> tuple[Ints, list[int]]:
    """Rows for the numbers of lines of each length, and where each length's begin."""
    _, tile, one_missing, two_missing = weights["lines"]
    begin: list[int] = []
    rows: list[int] = []
    forward, backward = landing_tables(size)
    for length in range(size + 1):
        begin.append(len(rows))
        for number in range(3**length):
            cells = [number // 3**at % 3 for at in range(length)]
            wins = value = 0
            for at in range(length - line + 1):
                window = cells[at : at + line]
                for player, sign in ((1, 1), (2, -1)):
                    if 3 - player in window:
                        continue
                    count = window.count(player)
                    value += sign * tile * count
                    value += sign * {1: one_missing, 2: two_missing}.get(line - count, 0)
                    wins |= player if count == line else 0
            taken = sum(1 << at for at, cell in enumerate(cells) if cell)
            lands = (forward[taken], backward[taken]) if length == size else (0, 0)
            rows.append(
                wins << _WINS | lands[0] << _FORWARD | lands[1] << _BACKWARD | value << _VALUE
            )
    return np.array(rows, np.int64).reshape(-1, 1), begin


def _cell_lines(size: int) -> list[tuple[int, int, int]]:
    """Number, length and first column (or row) of each line: rows, columns, both diagonals."""
    lines = [(at, size, 0) for at in range(2 * size)]
    for at in range(2 * size - 1):
        length = size - abs(at - size + 1)
        first = max(0, at - size + 1)
        lines.append((2 * size + at, length, first))
    return lines + [(at + 2 * size - 1, length, first) for at, length, first in lines[2 * size :]]


def tables(game: GravityConnectGame, weights: Weights) -> tuple[Ints, Ints, Ints]:
    """Facts; for each slot its line and side, then for each cell its four lines; about lines."""
    rules = game.rules
    size, slots = rules.size, len(rules.every_move)
    about, begin = _about_lines(size, game.line, weights)
    lines = _cell_lines(size)
    facts = np.zeros(FACTS, np.int64)
    facts[: _LENGTH + 1] = (
        *(GRAVITY_CONNECT, 2, slots, size, size**2),
        *(weights["lines"][0], _LINES + len(lines)),
    )
    rows = np.zeros((slots + size**2, 12), np.int64)
    for slot, (side, line, near) in enumerate(rules.entrances):
        rows[slot, :4] = side, _LINES + line, _FORWARD if near else _BACKWARD, begin[size]
    for y in range(size):
        for x in range(size):
            through = (y, size + x, 2 * size + x - y + size - 1, 4 * size - 1 + x + y)
            places = (x, y, x, x)
            for number, (line, place) in enumerate(zip(through, places, strict=True)):
                _, length, first = lines[line]
                rows[slots + y * size + x, 3 * number : 3 * number + 3] = (
                    *(_LINES + line, 3 ** (place - first), begin[length]),
                )
    return facts, rows, about


def encoded(game: GravityConnectGame, state: State, facts: Ints, rows: Ints, about: Ints) -> Ints:
    """A state of the rules as the kernels have it."""
    rules = game.rules
    sides, tiles = [state.own_side, state.other_side], [state.own, state.other]
    if state.turn % 2:
        sides.reverse()
        tiles.reverse()
    winners = rules.result(state)
    result = OPEN if winners is None else sum(1 << player for player in winners)
    found = np.zeros(facts[_LENGTH], np.int64)
    found[:_WORTH] = state.turn, result, *sides
    for at, tile in enumerate(rules.tiles.values()):
        for player, mine in enumerate(tiles):
            if mine & tile:
                _mark(found, rows, about, len(rules.every_move) + at, player + 1)
    return found


@kernel
def _mark(s: Ints, rows: Ints, about: Ints, cell: int, player: int) -> int:
    """Put a tile on a cell; who has connected by it, if one has."""
    row = rows[cell]
    wins = worth = 0
    for at in range(0, 12, 3):
        line = row[at]
        before = s[line]
        after = before + player * row[at + 1]
        s[line] = after
        found = about[row[at + 2] + after, 0]
        wins |= found & 3
        worth += (found >> _VALUE) - (about[row[at + 2] + before, 0] >> _VALUE)
    s[_WORTH] += worth
    return int(wins)


@kernel
def _landing(s: Ints, rows: Ints, about: Ints, slot: int) -> int:
    about_line = about[rows[slot, 3] + s[rows[slot, 1]], 0]
    return int(about_line >> rows[slot, 2] & 15)


@kernel
def free(s: Ints, facts: Ints, rows: Ints, about: Ints, move: int) -> bool:
    """Whether a tile may enter by a slot."""
    if rows[move, 0] == s[_SIDE + s[TURN] % 2]:
        return False
    return bool(_landing(s, rows, about, move) < facts[_SIZE])


@kernel
def play(s: Ints, facts: Ints, rows: Ints, about: Ints, move: int) -> None:
    """Make a move that is free."""
    size = facts[_SIZE]
    player = s[TURN] % 2
    landing = _landing(s, rows, about, move)
    line = rows[move, 1] - _LINES
    cell = line * size + landing if line < size else landing * size + line - size
    s[_SIDE + player] = rows[move, 0]
    s[TURN] += 1
    if _mark(s, rows, about, facts[MOVES] + cell, player + 1):
        s[RESULT] = 1 << player
    elif s[TURN] == facts[_FULL]:
        s[RESULT] = 2


@kernel
def playout(s: Ints, facts: Ints, rows: Ints, about: Ints, seed: Ints) -> None:
    """Random free moves to the end."""
    moves = facts[MOVES]
    while s[RESULT] == OPEN:
        move = random_below(seed, moves)
        if free(s, facts, rows, about, move):
            play(s, facts, rows, about, move)


@kernel
def value(s: Ints, facts: Ints) -> int:
    """As ``evaluation.gravity_connect``."""
    return int(facts[_TEMPO] + (s[_WORTH] if s[TURN] % 2 == 0 else -s[_WORTH]))

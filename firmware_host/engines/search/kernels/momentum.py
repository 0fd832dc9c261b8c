"""Momentum on a row of whole numbers: the cells as ``games.momentum.rules`` lays them out."""

from __future__ import annotations

import numpy as np

from firmware_host.engines.search.evaluation import Weights, rings
from firmware_host.engines.search.kernels.jit import (
    FACTS,
    MOMENTUM,
    MOST_PLIES,
    MOVES,
    OPEN,
    PLAYERS,
    RESULT,
    TURN,
    Ints,
    copied,
    kernel,
    random_below,
)
from games.momentum.rules import CUSHION, MomentumRules, State

# In a state: marbles of up to four players, by how much red's are worth more than blue's, cells
_HELD, _WORTH, _CELLS = 2, 6, 7
_OFF, _CUSHION = -1, -2
_MARBLES, _LAST_TURN, _FULL, _SWAP, _MUST_BLOCK, _LENGTH = 3, 4, 5, 6, 7, 8
_CELL, _LINES, _NEAR = (
    0,
    1,
    2,
)  # in a move's row: its cell, its lines' number, cell and step of each
_NEAR_ENDS = 8  # marbles to go that the evaluation tells apart, at most


def tables(rules: MomentumRules, weights: Weights) -> tuple[Ints, Ints, Ints]:
    """Facts; a row for each move; weights: tempo, of marbles to go, of cells."""
    moves = rules.every_move
    length = _CELLS + len(rules.start().cells)
    facts = np.zeros(FACTS, np.int64)
    swap = moves.index(rules.swap) if rules.pie else -1
    facts[:9] = (
        *(MOMENTUM, rules.players, len(moves), rules.marbles, rules.last_turn),
        *(len(rules.index), swap, rules.must_block, length),
    )
    rows = np.zeros((len(moves), _NEAR + 2 * len(rules.steps)), np.int64)
    for row, at in zip(rows, rules.names, strict=False):
        near = [(at + step, step) for step in rules.steps if at + step in rules.names]
        row[_CELL], row[_LINES] = at + _CELLS, len(near)
        for number, (first, step) in enumerate(near):
            row[_NEAR + 2 * number : _NEAR + 2 * number + 2] = first + _CELLS, step
    worth = np.zeros((1, 1 + _NEAR_ENDS + length), np.int64)
    worth[0, 0] = weights["tempo"][0]
    near_end = weights["near_end"]
    for missing in range(_NEAR_ENDS):
        worth[0, 1 + missing] = near_end[min(missing, len(near_end) - 1)]
    for at, ring in rings(rules).items():
        worth[0, 1 + _NEAR_ENDS + _CELLS + at] = weights["rings"][ring]
    return facts, rows, worth


def encoded(rules: MomentumRules, state: State, about: Ints) -> Ints:
    """A state of the rules as the kernels have it."""
    cells = [_OFF if c is None else _CUSHION if c == CUSHION else c for c in state.cells]
    winners = rules.result(state)
    result = OPEN if winners is None else sum(1 << player for player in winners)
    held = (*state.held, *(0,) * (4 - rules.players))
    found = np.array([state.turn, result, *held, 0, *cells], np.int64)
    for at in rules.names:
        found[_WORTH] += _worth(found, about, _CELLS + at)
    return found


@kernel
def free(s: Ints, facts: Ints, rows: Ints, move: int) -> bool:
    """Whether a cell is empty, or may be swapped; the forced block is left out."""
    if move == facts[_SWAP]:
        return bool(s[TURN] == 1)
    return bool(s[rows[move, _CELL]] == 0)


@kernel
def play(s: Ints, facts: Ints, rows: Ints, about: Ints, move: int) -> None:
    """Make a move that is free."""
    players = facts[PLAYERS]
    me = s[TURN] % players + 1
    s[TURN] += 1
    if move == facts[_SWAP]:
        for at in range(_CELLS, facts[_LENGTH] - 1):
            if s[at] == 1:
                s[at] = 2
        s[_HELD], s[_HELD + 1], s[_WORTH] = 0, 1, -s[_WORTH]
    else:
        _drop(s, rows, about, move, me)
    if s[_HELD + me - 1] == facts[_MARBLES] and move != facts[_SWAP]:
        s[RESULT] = _team(me - 1, players)
    elif s[TURN] == facts[_LAST_TURN]:
        s[RESULT] = _majority(s, players)
    elif s[_HELD] + s[_HELD + 1] + s[_HELD + 2] + s[_HELD + 3] == facts[_FULL]:
        s[RESULT] = 0


@kernel
def _worth(s: Ints, about: Ints, at: int) -> int:
    """What stands on a cell is worth: for red, or with the other sign for blue."""
    found = about[0, 1 + _NEAR_ENDS + at]
    return int(found if s[at] == 1 else -found if s[at] == 2 else 0)


@kernel
def _drop(s: Ints, rows: Ints, about: Ints, move: int, me: int) -> None:
    cell = rows[move, _CELL]
    s[cell] = me
    s[_HELD + me - 1] += 1
    worth = _worth(s, about, cell)
    for line in range(rows[move, _LINES]):
        first = rows[move, _NEAR + 2 * line]
        if s[first] > 0:
            step = rows[move, _NEAR + 2 * line + 1]
            end = first + step
            while s[end] > 0:
                end += step
            last = end - step
            if s[end] == 0:
                worth -= _worth(s, about, last)
                s[end] = s[last]
                s[last] = 0
                worth += _worth(s, about, end)
            elif s[end] == _OFF:
                worth -= _worth(s, about, last)
                s[_HELD + s[last] - 1] -= 1
                s[last] = 0
    s[_WORTH] += worth


@kernel
def _team(player: int, players: int) -> int:
    return 5 << player % 2 if players == 4 else 1 << player


@kernel
def _majority(s: Ints, players: int) -> int:
    """Who has won at the round limit."""
    total = 0
    for player in range(players):
        total += s[_HELD + player]
    for player in range(players):
        if 2 * s[_HELD + player] > total:
            return int(_team(player, players))
    if players == 4:
        for player in range(2):
            if 2 * (s[_HELD + player] + s[_HELD + player + 2]) > total:
                return int(_team(player, players))
    return 0


@kernel
def blocked(
    s: Ints, facts: Ints, rows: Ints, about: Ints, moves: Ints, count: int, spare: Ints
) -> int:
    """Keep those of ``count`` drops that leave the next player no winning one, if there are any
    (RULES M8); how many are kept. ``spare``: room for two states, a row each.
    """
    if not facts[_MUST_BLOCK]:
        return count
    kept = 0
    for at in range(count):
        move = moves[at]
        copied(spare[0], s)
        play(spare[0], facts, rows, about, move)
        if _safe(spare[0], facts, rows, about, spare[1]):
            moves[at], moves[kept] = moves[kept], move
            kept += 1
    return kept if kept else count


@kernel
def _safe(s: Ints, facts: Ints, rows: Ints, about: Ints, spare: Ints) -> bool:
    """Whether the game is over, or the player to move has no winning drop."""
    mover = s[TURN] % facts[PLAYERS]
    may_win = (s[_HELD + mover] + 1 >= facts[_MARBLES] or s[TURN] + 1 == facts[_LAST_TURN]) and s[
        RESULT
    ] == OPEN
    if not may_win:
        return True
    for move in range(facts[MOVES]):
        if free(s, facts, rows, move):
            copied(spare, s)
            play(spare, facts, rows, about, move)
            if spare[RESULT] > 0 and spare[RESULT] >> mover & 1:
                return False
    return True


@kernel
def playout(s: Ints, facts: Ints, rows: Ints, about: Ints, seed: Ints) -> None:
    """Random free moves to the end; what goes on too long is a draw."""
    moves = facts[MOVES]
    last = s[TURN] + MOST_PLIES
    while s[RESULT] == OPEN:
        if s[TURN] == last:
            s[RESULT] = 0
            break
        move = random_below(seed, moves)
        if free(s, facts, rows, move):
            play(s, facts, rows, about, move)


@kernel
def value(s: Ints, facts: Ints, about: Ints) -> int:
    """As ``evaluation.momentum``: of a game for two that is not over, for the player to move."""
    red = min(facts[_MARBLES] - s[_HELD], _NEAR_ENDS - 1)
    blue = min(facts[_MARBLES] - s[_HELD + 1], _NEAR_ENDS - 1)
    total = s[_WORTH] + about[0, 1 + red] - about[0, 1 + blue]
    return int(about[0, 0] + (total if s[TURN] % 2 == 0 else -total))

"""The kernels (compiled functions) of Momentum for more than two players and for large boards, with
one integer for each cell. The cells have the same numbers as in ``tiltboard.games.momentum.rules``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tiltboard.games.momentum.game import MomentumGame, rings
from tiltboard.games.momentum.rules import CUSHION, State
from tiltboard_kernels.jit import (
    MAX_PLIES,
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

# Indices in a state: the number of marbles of the first of four players, the value of Red's marbles
# minus the value of Blue's marbles, and the first cell.
_HELD, _WORTH, _CELLS = 2, 6, 7
_OFF, _CUSHION = -1, -2
_MARBLES, _LAST_TURN, _FULL, _SWAP, _MUST_BLOCK, _LENGTH = 2, 3, 4, 5, 6, 7
# Columns of ``RowTables.rows``: the cell of the move, the number of lines through the cell, and the
# first cell and the step of each line.
_CELL, _LINES, _NEAR = 0, 1, 2
# Number of entries in the evaluation's table for the marbles left to place. If more marbles are
# left, the last entry applies.
_NEAR_ENDS = 8


class RowTables(NamedTuple):
    """The precomputed arrays of one board, which all kernels read."""

    facts: Ints
    rows: Ints
    """The cell and the lines of each move, one row for each move."""
    about: Ints
    """The weights of the evaluation: for the player to move, for the marbles left to place, and for
    each cell.
    """


def tables(game: MomentumGame) -> RowTables:
    """Return the tables of any game of Momentum."""
    rules, weights = game.rules, game.weights
    moves = rules.every_move
    length = _CELLS + len(rules.start().cells)
    swap = moves.index(rules.swap) if rules.pie else -1
    facts = [rules.players, len(moves), rules.marbles, rules.last_turn, len(rules.index), swap]
    rows = np.zeros((len(moves), _NEAR + 2 * len(rules.steps)), np.int64)
    for row, at in zip(rows, rules.cells, strict=False):
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
    return RowTables(np.array([*facts, rules.must_block, length], np.int64), rows, worth)


def encoded(game: MomentumGame, g: RowTables, state: State) -> Ints:
    """Return a game state in the form that the kernels use, an array of integers."""
    rules = game.rules
    cells = [_OFF if c is None else _CUSHION if c == CUSHION else c for c in state.cells]
    winners = rules.result(state)
    result = OPEN if winners is None else sum(1 << player for player in winners)
    held = (*state.held, *(0,) * (4 - rules.players))
    found = np.array([state.turn, result, *held, 0, *cells], np.int64)
    for at in rules.cells:
        found[_WORTH] += _worth(g, found, _CELLS + at)
    return found


@kernel
def free(g: RowTables, s: Ints, move: int) -> bool:
    """Return whether a move is legal, without the rule that forces a player to block. A swap is
    legal if the rules allow a swap now; any other move is legal if its cell is empty.
    """
    if move == g.facts[_SWAP]:
        return bool(s[TURN] == 1)
    return bool(s[g.rows[move, _CELL]] == 0)


@kernel
def play(g: RowTables, s: Ints, move: int) -> None:
    """Make a move for which ``free`` returns True."""
    players = g.facts[PLAYERS]
    me = s[TURN] % players + 1
    s[TURN] += 1
    if move == g.facts[_SWAP]:
        for at in range(_CELLS, g.facts[_LENGTH] - 1):
            if s[at] == 1:
                s[at] = 2
        s[_HELD], s[_HELD + 1], s[_WORTH] = 0, 1, -s[_WORTH]
    else:
        _drop(g, s, move, me)
    if s[_HELD + me - 1] == g.facts[_MARBLES] and move != g.facts[_SWAP]:
        s[RESULT] = _team(me - 1, players)
    elif s[TURN] == g.facts[_LAST_TURN]:
        s[RESULT] = _majority(s, players)
    elif s[_HELD] + s[_HELD + 1] + s[_HELD + 2] + s[_HELD + 3] == g.facts[_FULL]:
        s[RESULT] = 0


@kernel
def _worth(g: RowTables, s: Ints, at: int) -> int:
    """Return the value of the marble on a cell: positive for Red, negative for Blue, or 0."""
    found = g.about[0, 1 + _NEAR_ENDS + at]
    return int(found if s[at] == 1 else -found if s[at] == 2 else 0)


@kernel
def _drop(g: RowTables, s: Ints, move: int, me: int) -> None:
    cell = g.rows[move, _CELL]
    s[cell] = me
    s[_HELD + me - 1] += 1
    worth = _worth(g, s, cell)
    for line in range(g.rows[move, _LINES]):
        first = g.rows[move, _NEAR + 2 * line]
        if s[first] > 0:
            step = g.rows[move, _NEAR + 2 * line + 1]
            end = first + step
            while s[end] > 0:
                end += step
            last = end - step
            if s[end] == 0:
                worth -= _worth(g, s, last)
                s[end] = s[last]
                s[last] = 0
                worth += _worth(g, s, end)
            elif s[end] == _OFF:
                worth -= _worth(g, s, last)
                s[_HELD + s[last] - 1] -= 1
                s[last] = 0
    s[_WORTH] += worth


@kernel
def _team(player: int, players: int) -> int:
    return 5 << player % 2 if players == 4 else 1 << player


@kernel
def _majority(s: Ints, players: int) -> int:
    """Return the winners at the round limit as bits, or 0 for a draw. The winner is the player with
    more than half of the marbles. In a four-player game, a team with more than half of the marbles
    wins.
    """
    teams = 2 if players == 4 else players
    total = s[_HELD] + s[_HELD + 1] + s[_HELD + 2] + s[_HELD + 3]
    for team in range(teams):
        held = s[_HELD + team]
        if players == 4:
            held += s[_HELD + team + 2]
        if 2 * held > total:
            return int(_team(team, players))
    return 0


@kernel
def legal(g: RowTables, s: Ints, moves: Ints, spare: Ints) -> int:
    """Write the legal moves into ``moves``, in the form that ``board.legal`` documents.

    If rule M8 applies, a move is legal only if the next player then has no winning drop. If there
    is no such move, rule M8 forbids no move.
    """
    count = 0
    for move in range(g.facts[MOVES]):
        if free(g, s, move):
            moves[count] = move
            count += 1
    if not g.facts[_MUST_BLOCK]:
        return count
    kept = 0
    for at in range(count):
        move = moves[at]
        copied(spare[0], s)
        play(g, spare[0], move)
        if _safe(g, spare[0], spare[1]):
            moves[at], moves[kept] = moves[kept], move
            kept += 1
    return kept if kept else count


@kernel
def _safe(g: RowTables, s: Ints, spare: Ints) -> bool:
    """Return whether the game is over, or the player to move has no winning drop."""
    mover = s[TURN] % g.facts[PLAYERS]
    may_win = (
        s[_HELD + mover] + 1 >= g.facts[_MARBLES] or s[TURN] + 1 == g.facts[_LAST_TURN]
    ) and s[RESULT] == OPEN
    if not may_win:
        return True
    for move in range(g.facts[MOVES]):
        if free(g, s, move):
            copied(spare, s)
            play(g, spare, move)
            if spare[RESULT] > 0 and spare[RESULT] >> mover & 1:
                return False
    return True


@kernel
def playout(g: RowTables, s: Ints, seed: Ints, _: bool) -> None:
    """Play random legal moves to the end of the game. A game that exceeds ``MAX_PLIES`` plies is a
    draw.
    """
    moves = g.facts[MOVES]
    last = s[TURN] + MAX_PLIES
    while s[RESULT] == OPEN:
        if s[TURN] == last:
            s[RESULT] = 0
            break
        move = random_below(seed, moves)
        if free(g, s, move):
            play(g, s, move)


@kernel
def value(g: RowTables, s: Ints) -> int:
    """Return the value of a state of a two-player game for the player to move, equal to the value
    of the game's evaluation in Python. The game must not be over.
    """
    red = min(g.facts[_MARBLES] - s[_HELD], _NEAR_ENDS - 1)
    blue = min(g.facts[_MARBLES] - s[_HELD + 1], _NEAR_ENDS - 1)
    total = s[_WORTH] + g.about[0, 1 + red] - g.about[0, 1 + blue]
    return int(g.about[0, 0] + (total if s[TURN] % 2 == 0 else -total))

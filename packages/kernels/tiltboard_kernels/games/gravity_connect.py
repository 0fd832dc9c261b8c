"""The kernels (compiled functions) of Gravity Connect, in which one number describes each row,
column and diagonal.

The digits of the number in base three are the cells of the line: 0 for an empty cell, 1 for the
first player's tile, 2 for the second player's tile. An offset for the line's length is added to the
number. Small tables then answer all questions about a line: where a tile lands, which cells
connect, and the line's value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiltboard.games.gravity_connect.game import GravityConnectGame
from tiltboard.games.gravity_connect.rules import ConnectState, landing_tables
from tiltboard.games.search import Weights
from tiltboard_kernels.jit import (
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

# Maximum number of cells in a line. Lines up to this length have 88,573 different numbers.
LARGEST = 10
# Indices in a state: the side that each player used last, the value of all lines, and the first
# line.
_SIDE, _WORTH, _LINES = 2, 4, 5
_SIZE, _FULL, _TEMPO = 2, 3, 4
EXPLORATION = 1.5
TO_WARM = ({"size": 5},)
# Columns of ``ConnectTables.about``. The columns are stored next to each other, so that one read of
# the processor's cache gets all columns.
_LANDINGS, _WORTH_OF, _WINS, _THREATS = 0, 1, 2, 4
_LEFT, _CUT = 0, 1  # Indices in the first row of ``_attack``'s scratch space.
# Number of bits that store the landing position of a tile from the near end. The following bits
# store the landing position of a tile from the far end.
_OTHER_END = 4
# Minimum value of a move that makes two threats, because the opponent can block only one threat.
_TWO_THREATS = 600


class ConnectTables(NamedTuple):
    """The precomputed arrays of one board, which all kernels read."""

    facts: Ints
    slots: Ints
    """For each slot: the slot's line, the end at which tiles enter, the side of the board, the
    first cell, and the step from cell to cell.
    """
    cells: Ints
    """For each cell, the four lines through the cell. Each line has three entries: the index of the
    line, the number that a tile adds to the line, and the cell's position in the line.
    """
    places: Ints
    """The cell at each position of each line, by line and position."""
    about: NDArray[np.int16]
    """The properties of each line, by the line's number.

    The first columns are the landing positions from both ends and the line's value for the first
    player. Two bit masks follow for each player: the positions that connect, and the positions that
    threaten to connect.
    """


def _cell_lines(size: int) -> list[tuple[int, int, int]]:
    """Return the index, length and first column (or row) of each row, column and diagonal."""
    lines = [(at, size, 0) for at in range(2 * size)]
    for at in range(2 * size - 1):
        length = size - abs(at - size + 1)
        first = max(0, at - size + 1)
        lines.append((2 * size + at, length, first))
    return lines + [(at + 2 * size - 1, length, first) for at, length, first in lines[2 * size :]]


def _begin(length: int) -> int:
    """Return the number that describes an empty line of ``length`` cells."""
    return int((3**length - 1) // 2)


def _about(length: int, line: int, weights: Weights) -> Ints:
    """Return the rows of ``ConnectTables.about`` for all lines of one length.

    ``line``: the number of tiles in a row that win. ``weights``: the weights of the evaluation.
    """
    _, tile, connecting, two_missing = weights["lines"]
    cells = np.arange(3**length)[:, None] // 3 ** np.arange(length) % 3
    worth = np.zeros(3**length, np.int64)
    wins, threats = np.zeros((2, 2, 3**length), np.int64)
    for player, sign in enumerate((1, -1)):
        for at in range(length - line + 1):
            window = cells[:, at : at + line]
            count = (window == player + 1).sum(axis=1)
            free = ~(window == 2 - player).any(axis=1)
            worth += sign * free * (tile * count + two_missing * (count == line - 2))
            places = ((window == 0) << at + np.arange(line)).sum(axis=1)
            wins[player] |= places * (free & (count == line - 1))
            threats[player] |= places * (free & (count == line - 2))
        places = wins[player, :, None] >> np.arange(length) & 1
        worth += sign * connecting * places.sum(axis=1)
    taken = ((cells > 0) << np.arange(length)).sum(axis=1)
    forward, backward = np.array(landing_tables(length))[:, taken]
    return np.stack([forward + (backward << _OTHER_END), worth, *wins, *threats], axis=1)


def tables(game: GravityConnectGame) -> ConnectTables | None:
    """Return the tables of a board, or None if the board has more than ``LARGEST`` rows."""
    rules, weights = game.rules, game.weights
    if rules.size > LARGEST:
        return None
    size = rules.size
    lines = _cell_lines(size)
    facts = [2, len(rules.every_move), size, size**2, weights["lines"][0]]
    slots = [
        (_LINES + line, 0 if near else _OTHER_END, side, line * size, 1)
        if line < size
        else (_LINES + line, 0 if near else _OTHER_END, side, line - size, size)
        for side, line, near in rules.entrances
    ]
    cells = np.zeros((size**2, 12), np.int64)
    places = np.zeros((len(lines), size), np.int64)
    for y in range(size):
        for x in range(size):
            through = (y, size + x, 2 * size + x - y + size - 1, 4 * size - 1 + x + y)
            for number, (line, at) in enumerate(zip(through, (x, y, x, x), strict=True)):
                place = at - lines[line][2]
                row = _LINES + line, 3**place, place
                cells[y * size + x, 3 * number : 3 * number + 3] = row
                places[line, place] = y * size + x
    about = [_about(length, game.line, weights) for length in range(size + 1)]
    return ConnectTables(
        *(np.array(facts, np.int64), np.array(slots, np.int64), cells, places),
        np.concatenate(about).astype(np.int16),
    )


def encoded(game: GravityConnectGame, g: ConnectTables, state: ConnectState) -> Ints:
    """Return a game state in the form that the kernels use, an array of integers."""
    rules = game.rules
    sides, tiles = [state.own_side, state.other_side], [state.own, state.other]
    if state.turn % 2:
        sides.reverse()
        tiles.reverse()
    winners = rules.result(state)
    result = OPEN if winners is None else sum(1 << player for player in winners)
    lines = [_begin(length) for _, length, _ in _cell_lines(rules.size)]
    found = np.array([state.turn, result, *sides, 0, *lines], np.int64)
    for at, tile in enumerate(rules.tiles.values()):
        for player, mine in enumerate(tiles):
            if mine & tile:
                _mark(g, found, at, player)
    return found


@kernel
def _put(g: ConnectTables, s: Ints, cell: int, player: int) -> bool:
    """Put a tile on a cell, and return whether the tile connects. The value of the state is not
    updated.
    """
    row = g.cells[cell]
    connects = 0
    for at in range(0, 12, 3):
        before = s[row[at]]
        s[row[at]] = before + (row[at + 1] << player)
        connects |= g.about[before, _WINS + player] >> row[at + 2]
    return connects & 1 != 0


@kernel
def _taken(g: ConnectTables, s: Ints, cell: int, player: int) -> None:
    """Remove a tile from a cell. The value of the state is not updated."""
    row = g.cells[cell]
    for at in range(0, 12, 3):
        s[row[at]] -= row[at + 1] << player


@kernel
def _mark(g: ConnectTables, s: Ints, cell: int, player: int) -> bool:
    """Put a tile on a cell, and update the value of the state. Return whether the tile connects."""
    s[_WORTH] -= _worth_of(g, s, cell)
    connects = _put(g, s, cell, player)
    s[_WORTH] += _worth_of(g, s, cell)
    return connects


@kernel
def _worth_of(g: ConnectTables, s: Ints, cell: int) -> int:
    """Return the sum of the values of the four lines through a cell, for the first player."""
    row = g.cells[cell]
    worth = 0
    for at in range(0, 12, 3):
        worth += g.about[s[row[at]], _WORTH_OF]
    return int(worth)


@kernel
def _landing(g: ConnectTables, s: Ints, slot: int) -> int:
    """Return the position in the slot's line at which a tile lands. Return the board's size if the
    line is full.
    """
    places = g.about[s[g.slots[slot, 0]], _LANDINGS]
    return int(places >> g.slots[slot, 1] & (1 << _OTHER_END) - 1)


@kernel
def _cell(g: ConnectTables, slot: int, landing: int) -> int:
    return int(g.slots[slot, 3] + landing * g.slots[slot, 4])


@kernel
def free(g: ConnectTables, s: Ints, move: int) -> bool:
    """Return whether a tile can enter through a slot. This is possible if the player can use the
    slot's side and the line is not full.
    """
    if g.slots[move, 2] == s[_SIDE + s[TURN] % 2]:
        return False
    return bool(_landing(g, s, move) < g.facts[_SIZE])


@kernel
def play(g: ConnectTables, s: Ints, move: int) -> None:
    """Make a legal move in the state ``s``."""
    player = s[TURN] % 2
    cell = _cell(g, move, _landing(g, s, move))
    s[_SIDE + player] = g.slots[move, 2]
    s[TURN] += 1
    if _mark(g, s, cell, player):
        s[RESULT] = 1 << player
    elif s[TURN] == g.facts[_FULL]:
        s[RESULT] = 2


@kernel
def playout(g: ConnectTables, s: Ints, seed: Ints, _: bool) -> None:
    """Play random legal moves to the end of the game. The value of the state is not updated."""
    moves, size, full = g.facts[MOVES], g.facts[_SIZE], g.facts[_FULL]
    turn, x = s[TURN], seed[0]
    player = turn % 2
    mine, other = s[_SIDE + player], s[_SIDE + 1 - player]
    while s[RESULT] == OPEN:
        x = next_random(x)
        move = below(x, moves)
        if g.slots[move, 2] == mine:
            continue
        landing = _landing(g, s, move)
        if landing == size:
            continue
        mine, other = other, g.slots[move, 2]
        turn += 1
        if _put(g, s, _cell(g, move, landing), player):
            s[RESULT] = 1 << player
        elif turn == full:
            s[RESULT] = 2
        player = 1 - player
    s[TURN], seed[0] = turn, x


@kernel
def value(g: ConnectTables, s: Ints) -> int:
    """Return the value of the state for the player to move, equal to the value of the game's
    evaluation in Python.
    """
    return int(g.facts[_TEMPO] + (s[_WORTH] if s[TURN] % 2 == 0 else -s[_WORTH]))


@kernel
def judged(g: ConnectTables, s: Ints, moves: Ints, spare: Ints) -> int:
    """Write the legal moves and their values into ``moves``, in the form that ``board.judged``
    documents.

    A move gets a high value if the player then threatens to connect on two cells and the opponent
    cannot connect first.
    """
    player, size = s[TURN] % 2, g.facts[_SIZE]
    last = s[TURN] + 1 == g.facts[_FULL]
    now = s[_WORTH] if player == 0 else -s[_WORTH]
    # Two lists of the cells that connect: one list for the player to move, and one list for the
    # opponent.
    mine, theirs = spare[0], spare[1]
    own, others, _ = _connecting(g, s, mine, theirs)
    count = 0
    for slot in range(g.facts[MOVES]):
        side = g.slots[slot, 2]
        if side == s[_SIDE + player]:
            continue
        landing = _landing(g, s, slot)
        if landing == size:
            continue
        cell = _cell(g, slot, landing)
        row = g.cells[cell]
        connects = worth = threatens = 0
        for at in range(0, 12, 3):
            line = s[row[at]]
            after = line + (row[at + 1] << player)
            connects |= g.about[line, _WINS + player] >> row[at + 2]
            threatens |= g.about[after, _WINS + player]
            worth += g.about[after, _WORTH_OF] - g.about[line, _WORTH_OF]
        worth = now + (worth if player == 0 else -worth) - g.facts[_TEMPO]
        worth = min(max(worth, 1 - SURE), SURE - 1)
        if connects & 1 or (last and player == 1):
            worth = SURE
        elif last:
            worth = -SURE
        elif own or others or threatens:
            _put(g, s, cell, player)
            if _landings(g, s, theirs, others, cell, s[_SIDE + 1 - player]):
                worth = -SURE
            else:  # Count the cells where the player to move would connect with the next tile.
                ahead = _listed_at(g, s, mine, own, cell, player)
                if _landings(g, s, mine, ahead, cell, side) > 1:
                    worth = max(worth, _TWO_THREATS)
            _taken(g, s, cell, player)
        moves[0, count], moves[1, count] = slot, worth
        count += 1
    return count


@kernel
def forced(g: ConnectTables, s: Ints, rows: Ints, most: int) -> int:
    """Return the number of plies in which a series of threats to connect wins, in the form that
    ``board.forced`` documents.
    """
    rows[0, _LEFT] = most
    for depth in range(1, len(rows) // 2):
        rows[0, _CUT] = 0
        plies = _attack(g, s, rows, depth)
        if plies or not rows[0, _CUT] or rows[0, _LEFT] <= 0:
            return int(plies)
    return 0


@kernel
def _attack(g: ConnectTables, s: Ints, rows: Ints, depth: int) -> int:
    """Return the number of plies in which the player to move connects against all replies, with at
    most ``depth`` threats. Return 0 if no such win is found.

    ``rows``: scratch space. The first row has the number of positions that the search can still
    visit, and whether the depth limit ended a series. Two rows for each depth, starting at depth 0,
    follow the first row.
    """
    player = s[TURN] % 2
    used, others_used = s[_SIDE + player], s[_SIDE + 1 - player]
    mine, theirs = rows[2 * depth + 1], rows[2 * depth + 2]
    own, others, threatens = _connecting(g, s, mine, theirs)
    rows[0, _LEFT] -= 1
    if own and _landings(g, s, mine, own, -1, used):
        return 1
    if not (own or threatens) or s[TURN] + 2 >= g.facts[_FULL]:
        return 0
    if depth == 0 or rows[0, _LEFT] <= 0:
        rows[0, _CUT] = 1
        return 0
    for slot in range(g.facts[MOVES]):
        if not free(g, s, slot):
            continue
        side, cell = g.slots[slot, 2], _cell(g, slot, _landing(g, s, slot))
        row = g.cells[cell]
        threatens = 0
        for at in range(0, 12, 3):
            threatens |= g.about[s[row[at]], _THREATS + player] >> row[at + 2]
        if not (own or threatens & 1):
            continue
        _moved(g, s, cell, side)
        count, plies = _listed_at(g, s, mine, own, cell, player), 0
        if not _landings(g, s, theirs, others, cell, others_used) and _landings(
            g, s, mine, count, cell, side
        ):
            plies = 3
            for reply in range(g.facts[MOVES]):
                if not free(g, s, reply):
                    continue
                there = _cell(g, reply, _landing(g, s, reply))
                _moved(g, s, there, g.slots[reply, 2])
                if not _landings(g, s, mine, count, there, side):
                    more = _attack(g, s, rows, depth - 1)
                    plies = max(plies, more + 2) if more else 0
                _taken_back(g, s, there, others_used)
                if not plies:
                    break
        _taken_back(g, s, cell, used)
        if plies:
            return int(plies)
    return 0


@kernel
def _moved(g: ConnectTables, s: Ints, cell: int, side: int) -> None:
    """Make a move that does not connect. The value of the state is not updated."""
    player = s[TURN] % 2
    _put(g, s, cell, player)
    s[_SIDE + player] = side
    s[TURN] += 1


@kernel
def _taken_back(g: ConnectTables, s: Ints, cell: int, side: int) -> None:
    """Undo a move that ``_moved`` has made. ``side``: the side that the player had used last before
    the move.
    """
    s[TURN] -= 1
    player = s[TURN] % 2
    _taken(g, s, cell, player)
    s[_SIDE + player] = side


@kernel
def _connecting(g: ConnectTables, s: Ints, mine: Ints, theirs: Ints) -> tuple[int, int, int]:
    """Write the cells that connect into two lists: ``mine`` for the player to move, and ``theirs``
    for the opponent.

    Returns the lengths of both lists and a third number. The third number is not 0 if the player to
    move can make a threat to connect.
    """
    player = s[TURN] % 2
    own = others = threatens = 0
    for line in range(_LINES, len(s)):
        about = g.about[s[line]]
        threatens |= about[_THREATS + player]
        own = _listed(g, mine, own, line, about[_WINS + player])
        others = _listed(g, theirs, others, line, about[_WINS + 1 - player])
    return own, others, threatens


@kernel
def _listed_at(g: ConnectTables, s: Ints, cells: Ints, count: int, cell: int, player: int) -> int:
    """Find the cells on the four lines through a cell that connect for a player, and add these
    cells to the list ``cells``. Return the new length of the list.
    """
    row = g.cells[cell]
    for at in range(0, 12, 3):
        count = _listed(g, cells, count, row[at], g.about[s[row[at]], _WINS + player])
    return count


@kernel
def _listed(g: ConnectTables, cells: Ints, count: int, line: int, places: int) -> int:
    """Add the cells at some positions of a line to the list ``cells``, which has ``count`` cells.
    Cells already in the list are not added again. Return the new length of the list.

    ``places``: the positions, with a bit for each position.
    """
    while places:
        place = ones((places & -places) - 1)
        places &= places - 1
        cell = g.places[line - _LINES, place]
        for at in range(count):
            if cells[at] == cell:
                break
        else:
            if count < len(cells):
                cells[count] = cell
                count += 1
    return count


@kernel
def _landings(g: ConnectTables, s: Ints, cells: Ints, count: int, taken: int, side: int) -> int:
    """Return the number of ``cells`` on which a tile can land from a side other than ``side``.

    ``count``: length of the list ``cells``. ``taken``: a cell to exclude, because it has just been
    filled.
    """
    size, last = g.facts[_SIZE], (1 << _OTHER_END) - 1
    found = 0
    for at in range(count):
        cell = cells[at]
        if cell == taken:
            continue
        y, x = cell // size, cell % size
        row = g.about[s[_LINES + y], _LANDINGS]
        column = g.about[s[_LINES + size + x], _LANDINGS]
        found += (
            (side != 0 and row & last == x)
            or (side != 1 and row >> _OTHER_END == x)
            or (side != 2 and column & last == y)
            or (side != 3 and column >> _OTHER_END == y)
        )
    return found

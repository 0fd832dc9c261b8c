"""The rules of Gravity Connect on integers.

The occupied cells are stored for each row and each column, so that a table lookup finds the cell on
which a tile lands. All tiles of a player are stored in one wide integer. In this integer, every
row, column and diagonal has its own bits, followed by an empty bit. So combining the integer with
shifted copies of itself finds connected tiles in all directions simultaneously.

A move is the index of a slot in ``slots``. Rows are numbered from top to bottom, unlike in other
games: ``A1`` is the north-west corner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from string import ascii_uppercase
from typing import Final, NamedTuple

from tiltboard.games.base import Slot
from tiltboard.games.rules import Point, Rules
from tiltboard.ground.override import override

# Maximum number of cells along a side. Each column has two slots, at the top and the bottom, which
# are named with two different letters. The alphabet has only 26 letters.
MOST = 13
# The four sides from which a tile can enter. Each entry has the name and colour of the side, and
# one step inward as (columns, rows).
SIDES: tuple[tuple[str, str, Point], ...] = (
    ("left", "orange", (1, 0)),
    ("right", "gray", (-1, 0)),
    ("top", "green", (0, -1)),
    ("bottom", "purple", (0, 1)),
)

LINE: Final = "line"
FULL: Final = "full"

NO_SIDE: Final = -1
# Number of sides whose slots lead into rows. These sides, left and right, come first in SIDES.
_SIDES_OF_ROWS: Final = 2


class ConnectState(NamedTuple):
    """A position of Gravity Connect.

    ``own`` and ``other`` are the tiles of the player to move and of the other player. ``own_side``
    and ``other_side`` are the index of the side that each player used last, or ``NO_SIDE``.
    """

    occupied: tuple[int, ...]
    """Bit patterns of the occupied cells: one integer for each row from the top (bit 0 is left),
    then one for each column from the left (bit 0 is top).
    """
    own: int
    other: int
    own_side: int
    other_side: int
    turn: int
    """Number of tiles on the board."""
    ended: str | None
    """Reason why the game ended, or None before the end."""


# Where a tile from one slot lands: the bit of the landing cell in the slot's line, the index of the
# crossing line, the bit of the cell in the crossing line, and the bits of the cell in the integer
# of a player's tiles. A named tuple would take twice as long to unpack.
_Landing = tuple[int, int, int, int]


class GravityConnectRules(Rules):
    """The rules C1-C3 on a board of ``size`` x ``size`` cells, where ``line`` tiles in a row win.

    ``size`` is at most ``MOST``. ``rows`` contains the names of the cells in each row, starting
    with the top row. ``columns`` contains the names of the cells in each column, starting with the
    left column.
    """

    players = 2

    def __init__(self, size: int, line: int) -> None:
        self.size, span = size, range(size)
        self.rows = [tuple(f"{ascii_uppercase[x]}{y + 1}" for x in span) for y in span]
        self.columns = list(zip(*self.rows, strict=True))
        falling = [[(x, x - offset) for x in span] for offset in range(1 - size, size)]
        rising = [[(x, total - x) for x in span] for total in range(2 * size - 1)]
        diagonals = [
            tuple(self.rows[y][x] for x, y in points if y in span) for points in falling + rising
        ]
        self.lines = self.rows + self.columns + diagonals
        """All rows, columns and diagonals, each as a list of cell names."""
        self.tiles = {name: 0 for row in self.rows for name in row}
        """The bits of each cell in its row, column and diagonals, by cell name. The lowest of these
        bits belongs to the row.
        """
        long_enough = [diagonal for diagonal in diagonals if len(diagonal) >= line]
        at = 0
        for cells in self.rows + self.columns + long_enough:
            for name in cells:
                self.tiles[name] |= 1 << at
                at += 1
            at += 1
        self._width = max(tile.bit_length() for tile in self.tiles.values())
        # Combining the tiles with copies shifted by these steps leaves one bit for each run of
        # ``line`` tiles.
        steps, length = list[int](), 1
        while length < line:
            steps.append(min(length, line - length))
            length += steps[-1]
        self._first, self._second, *self._further = *steps, *(0,) * (2 - len(steps))
        names = [*map(str, range(1, 2 * size + 1)), *ascii_uppercase[: 2 * size]]
        forward, backward = landing_tables(size)
        self.slots: list[Slot] = []
        """All slots, grouped by side in the order of ``SIDES``."""
        self.entrances: list[tuple[int, int, bool]] = []
        """One entry for each slot: the index of its side, the index of its line (rows, then
        columns), and whether its tiles enter the line at bit 0.
        """
        self._tables = []
        for number, name in enumerate(names):
            side, across = divmod(number, size)
            # From the left and from the top, tiles move towards higher bits.
            near = side % 2 == 0
            of_row = side < _SIDES_OF_ROWS
            cells = (self.rows if of_row else self.columns)[across]
            self.slots.append(Slot(name, *SIDES[side], cells if near else cells[::-1]))
            landings: list[_Landing | None] = [
                (1 << at, size + at if of_row else at, 1 << across, self.tiles[cell])
                for at, cell in enumerate(cells)
            ]
            landings.append(None)  # The last entry is for a full line.
            index = across if of_row else size + across
            self._tables.append((side, index, forward if near else backward, landings))
            self.entrances.append((side, index, near))
        self.names = dict(enumerate(names))
        self.every_move = tuple(self.names)

    def start(self) -> ConnectState:
        """Return the state of the empty board."""
        return ConnectState((0,) * 2 * self.size, 0, 0, NO_SIDE, NO_SIDE, 0, None)

    def moves(self, state: ConnectState) -> Sequence[int]:
        """Return the slots that the player to move can use. The line behind a usable slot has an
        empty cell. The slot is not on the side that the player used last.
        """
        if state.ended:
            return ()
        full = (1 << self.size) - 1
        return [
            slot
            for slot, (side, line, _, _) in enumerate(self._tables)
            if side != state.own_side and state.occupied[line] != full
        ]

    def apply(self, state: ConnectState, move: int) -> ConnectState:
        """Return the state after a tile falls from a slot."""
        return self.advance(state, (move,))

    def result(self, state: ConnectState) -> tuple[int, ...] | None:
        """Return the winner in a tuple, or None before the end of the game. The winner is the
        player who connected a line, or the second player if the board is full.
        """
        if state.ended is None:
            return None
        return (1,) if state.ended == FULL else ((state.turn - 1) % 2,)

    def key(self, state: ConnectState) -> int:
        """Return a number that encodes both players' tiles and the side that each player used last.
        The tiles also determine the number of moves.
        """
        _, own, other, own_side, other_side, _, _ = state
        tiles = own << self._width | other
        return (tiles * 5 + own_side + 1) * 5 + other_side + 2

    @override
    def advance(self, state: ConnectState, moves: Iterable[int]) -> ConnectState:
        if state.ended:
            return state
        tables, first, second, further = self._tables, self._first, self._second, self._further
        lines, own, other, own_side, other_side, turn, ended = state
        occupied, full = list(lines), self.size**2
        for slot in moves:
            side, line, table, landings = tables[slot]
            if side == own_side:
                continue
            before = occupied[line]
            landing = landings[table[before]]
            if landing is None:
                continue
            bit, crossing, crossing_bit, tile = landing
            occupied[line] = before | bit
            occupied[crossing] |= crossing_bit
            turn += 1
            mover = own | tile
            own, other = other, mover
            own_side, other_side = other_side, side
            connected = mover & mover >> first
            connected &= connected >> second
            for step in further if connected else ():
                connected &= connected >> step
            if connected:
                ended = LINE
                break
            if turn == full:
                ended = FULL
                break
        return ConnectState(tuple(occupied), own, other, own_side, other_side, turn, ended)


@cache
def landing_tables(size: int) -> tuple[Sequence[int], Sequence[int]]:
    """Return two tables that give the bit on which a tile lands. The index of each table is the bit
    pattern of the occupied cells in a line.

    The first table is for tiles that enter at bit 0, and the second table is for tiles that enter
    at the other end. The entry is ``size`` if the line is full (rule C2).
    """
    forward, backward = [], []
    for occupied in range(1 << size):
        taken = [bool(occupied >> at & 1) for at in range(size)]
        found = fall(taken)
        forward.append(size if found is None else found[1])
        found = fall(taken[::-1])
        backward.append(size if found is None else size - 1 - found[1])
    return forward, backward


def fall(taken: Sequence[bool]) -> tuple[int, int] | None:
    """Return the indexes at which a tile enters and lands (rule C1), or None if the line is full.

    ``taken`` states for each cell of the line whether the cell is occupied, starting at the side
    where the tile enters.
    """
    if all(taken):
        return None
    entry = landing = taken.index(False)
    while landing + 1 < len(taken) and not taken[landing + 1]:
        landing += 1
    return entry, landing

"""The rules of Attraktion on integers: one wide integer contains both players' pieces, one bit for
each space.

White's spaces are stored row after row in the low half. Black's spaces follow in the same order,
``half`` bits higher, so that one operation processes both players' pieces. An empty bit after each
row and an empty row after each half keep the ends of rows and columns from touching.

A move is the bit number of the space on which the piece is placed. In each direction, only the
distance to the first gap decides which pieces move. This gap is nearly always at most ``_REACH``
steps away, so one small table of these near patterns serves all spaces. A table of whole rows and
columns for each space would be slower, because it would exceed the processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from tiltboard.games.rules import Rules, bits, cell_name
from tiltboard.ground.override import override

POSITIONS: Final = "positions"
FULL: Final = "full"
NO_PIECES: Final = "no-pieces"

_REACH: Final = 5
# Number in the pattern table for patterns in which at least one of the two gaps is further away
# than ``_REACH``.
_FURTHER: Final = _REACH**2

# Bits of the attracted pieces on both sides of a space. The first integer has the pieces that move
# to lower bits, and the second integer has the pieces that move to higher bits.
Pull = tuple[int, int]


class AttraktionState(NamedTuple):
    """A position of Attraktion: the pieces on the board and the number of turns played."""

    pieces: int
    turn: int
    """Number of turns played."""
    ended: str | None
    """Reason why the game ended, or None before the end."""


class _Line:
    """A row or column of the board, divided at one space into two arms (the parts on both sides of
    the space).
    """

    def __init__(self, line: Sequence[int], middle: int, step: int, half: int) -> None:
        spaces = [1 << at for at in line]
        # The spaces of the two arms, starting next to the dividing space.
        self._arms = spaces[middle + 1 :], spaces[:middle][::-1]
        self._both_sides = 1 | 1 << half
        self.shift = line[middle] - _REACH * step
        """Number of bits by which to shift the board right before a lookup in the pattern table
        from ``_numbers``.

        The tuple ``near`` contains the attracted pieces for each number in the pattern table.
        """
        ahead, behind = ([self._beyond(arm, gap) for gap in range(_REACH)] for arm in self._arms)
        self.near = tuple((higher, lower) for higher in ahead for lower in behind)
        self._further: dict[tuple[int, int], Pull] = {}

    def _beyond(self, arm: Sequence[int], gap: int) -> int:
        return sum(arm[gap + 1 :]) * self._both_sides

    def pull(self, occupied: int) -> Pull:
        """Return the pieces that this space attracts, given the ``occupied`` spaces. The first gap
        on each side can be at any distance.
        """
        ahead, behind = self._arms
        gaps = _gap(ahead, occupied), _gap(behind, occupied)
        if gaps not in self._further:
            self._further[gaps] = self._beyond(ahead, gaps[0]), self._beyond(behind, gaps[1])
        return self._further[gaps]


def _gap(arm: Sequence[int], occupied: int) -> int:
    """Return how many spaces at the start of the arm are occupied without a gap."""
    gap = 0
    while gap < len(arm) and occupied & arm[gap]:
        gap += 1
    return gap


def _numbers(step: int) -> tuple[int, Mapping[int, int]]:
    """Return a mask and a table for finding the first gaps near a space. The mask has the bits
    within ``_REACH`` steps of the space. The table maps each pattern of occupied bits within the
    mask to a number for the positions of the first gaps on both sides. The space itself has the bit
    ``_REACH * step``.
    """
    ahead = [1 << step * (_REACH + away) for away in range(1, _REACH + 1)]
    behind = [1 << step * (_REACH - away) for away in range(1, _REACH + 1)]
    numbers = {
        higher + lower: _FURTHER if _REACH in (gap, gap_behind) else gap * _REACH + gap_behind
        for higher, gap in _patterns(ahead)
        for lower, gap_behind in _patterns(behind)
    }
    return sum(ahead) + sum(behind), numbers


def _patterns(arm: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield every pattern of occupied spaces on an arm, each with the number of pieces before the
    pattern's first gap.
    """
    for taken in range(1 << len(arm)):
        occupied = sum(space for at, space in enumerate(arm) if taken >> at & 1)
        yield occupied, _gap(arm, occupied)


# Everything that a move on one space needs. First come the bits of the space for White and for
# Black. Three values for the space's row follow (the shift, the attracted pieces and the line),
# then the same three values for the column. Plain tuples are used because named tuples take twice
# as long to unpack.
_Space = tuple[tuple[int, int], int, tuple[Pull, ...], _Line, int, tuple[Pull, ...], _Line]


class _Layout:
    """The tables that depend only on the size of the board."""

    def __init__(self, size: int) -> None:
        self.stride = stride = size + 1
        self.half = half = stride * (size + 1)
        # Bit of the space a1. All lower bits are always empty, because ``_numbers`` also reads the
        # bits just outside the edge of the board.
        self.first = _REACH * stride
        grid = [
            [self.first + row * stride + column for column in range(size)] for row in range(size)
        ]
        turned = list(zip(*grid, strict=True))
        self.index = {cell_name(x, y): turned[x][y] for x in range(size) for y in range(size)}
        self.names = {at: name for name, at in self.index.items()}
        self.spaces: dict[int, _Space] = {}
        for y in range(size):
            for x in range(size):
                at = grid[y][x]
                row, column = _Line(grid[y], x, 1, half), _Line(turned[x], y, stride, half)
                marks = 1 << at, 1 << at + half
                self.spaces[at] = (
                    *(marks, row.shift, row.near, row),
                    *(column.shift, column.near, column),
                )
        self.row_numbers = _numbers(1)
        self.column_numbers = _numbers(stride)


_layout = cache(_Layout)


class AttraktionRules(Rules):
    """The rules A1-A5 on a board of ``size`` x ``size`` spaces with ``pieces`` for each player."""

    players = 2

    def __init__(self, size: int, pieces: int) -> None:
        self.pieces = pieces
        self.last_turn = min(2 * pieces, size * size)
        self._full = size * size
        self._layout = layout = _layout(size)
        self.stride, self.half = layout.stride, layout.half
        self.index = layout.index
        """Number of each space's bit in the low half of the integer, by space name."""
        self.names = layout.names
        self.every_move = tuple(self.names)

    def start(self) -> AttraktionState:
        """Return the state of the empty board."""
        return AttraktionState(0, 0, None)

    def moves(self, state: AttraktionState) -> Sequence[int]:
        """Return the bits of the empty spaces, or an empty sequence after the end of the game."""
        if state.ended:
            return ()
        occupied = state.pieces | state.pieces >> self.half
        return [at for at in self.names if not occupied >> at & 1]

    def apply(self, state: AttraktionState, move: int) -> AttraktionState:
        """Return the state after a piece is placed and the attracted pieces have moved."""
        return self.advance(state, (move,))

    def result(self, state: AttraktionState) -> tuple[int, ...] | None:
        """Return the player who has more winning positions, an empty tuple for a draw, or None
        before the end of the game.
        """
        if state.ended != POSITIONS:
            return () if state.ended else None
        white, black = self.winning(state)
        return (0,) if white.bit_count() > black.bit_count() else (1,)

    def key(self, state: AttraktionState) -> int:
        """Return a positive number that encodes the pieces on the board. The pieces also determine
        the number of turns, so the number of turns is not encoded.
        """
        return state.pieces + 1

    @override
    def advance(self, state: AttraktionState, moves: Iterable[int]) -> AttraktionState:
        if state.ended:
            return state
        spaces, half, stride = self._layout.spaces, self.half, self.stride
        row_window, row_numbers = self._layout.row_numbers
        column_window, column_numbers = self._layout.column_numbers
        last_turn, two_rows = self.last_turn, 2 * stride
        # ``bit + bit * row_less_one`` is the bit of the space one row up.
        row_less_one = (1 << stride) - 1
        pieces, turn, _ = state
        occupied = pieces | pieces >> half
        side = turn % 2
        for drop in moves:
            marks, shift_row, by_row, row, shift_column, by_column, column = spaces[drop]
            if occupied & marks[0]:
                continue
            try:
                east, west = by_row[row_numbers[occupied >> shift_row & row_window]]
            except IndexError:
                east, west = row.pull(occupied)
            try:
                north, south = by_column[column_numbers[occupied >> shift_column & column_window]]
            except IndexError:
                north, south = column.pull(occupied)
            pieces = (
                pieces
                + (pieces & west)
                - ((pieces & east) >> 1)
                + ((pieces & south) - ((pieces & north) >> stride)) * row_less_one
            ) | marks[side]
            side ^= 1
            turn += 1
            occupied = pieces | pieces >> half
            squares = pieces & pieces >> 2
            squares &= squares >> two_rows
            if squares:
                white, black = self._middles(squares, pieces)
                if white.bit_count() != black.bit_count():
                    return AttraktionState(pieces, turn, POSITIONS)
            # If the board is not full, White has no piece left and is the player to move.
            if turn == last_turn:
                return AttraktionState(pieces, turn, FULL if turn == self._full else NO_PIECES)
        return AttraktionState(pieces, turn, None)

    def winning(self, state: AttraktionState) -> tuple[int, int]:
        """Return White's and Black's winning positions (rule A3) as two integers. Each winning
        position is represented by the bit of the space in its middle.
        """
        pairs = state.pieces & state.pieces >> 2
        return self._middles(pairs & pairs >> 2 * self.stride, state.pieces)

    def _middles(self, squares: int, pieces: int) -> tuple[int, int]:
        """Return the middle spaces of White's and of Black's winning positions, as two integers. In
        ``squares``, each bit is the south-west corner of four pieces of one player that surround a
        space.
        """
        to_middle = self.stride + 1
        return squares >> self.half - to_middle & pieces, squares << to_middle & pieces >> self.half

    def sides(self, state: AttraktionState) -> tuple[int, int]:
        """Return White's and Black's pieces as two integers with one bit for each space."""
        split = self.half + self._layout.first  # Bit of Black's space a1.
        return state.pieces & (1 << split) - 1, state.pieces >> split << self._layout.first

    def pulled_pieces(self, state: AttraktionState, drop: int) -> list[tuple[int, int]]:
        """Return (source, target) for every piece that a new piece on ``drop`` attracts."""
        white, black = self.sides(state)
        _, _, _, row, _, _, column = self._layout.spaces[drop]
        moves = []
        for line, step in ((row, 1), (column, self.stride)):
            for moved, way in zip(line.pull(white | black), (-step, step), strict=True):
                moves += [(source, source + way) for source in bits(moved & (white | black))]
        return moves

    def point(self, space: str) -> tuple[int, int]:
        """Return the column and the row of a space, counted from 0."""
        row, column = divmod(self.index[space] - self._layout.first, self.stride)
        return column, row

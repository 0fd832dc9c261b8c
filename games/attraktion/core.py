"""Attraktion on integers: one wide number holds both sides' pieces, a bit for each space.

White's spaces lie row after row in the low half, black's in the same order ``half`` bits higher,
so that one operation serves both sides. An empty bit after each row and an empty row after each half
keep pieces that are no neighbours apart.

``Core.advance`` is the only move code: a position plays single moves with it, a playout whole
games. What a piece pulls depends, in each direction, only on where the first gap is. That is looked
up by the occupied spaces within ``_REACH`` in the row and in the column; where a gap is further
away, by the whole line. (Looking up whole lines at once is a quarter slower: the tables outgrow the
processor's cache.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from games.squares import bits, cell_name

POSITIONS: Final = "positions"
FULL: Final = "full"
NO_PIECES: Final = "no-pieces"

_REACH: Final = 3
_FAR_MOST: Final = 1024  # lines looked up whole are remembered up to this number, for each arm pair

Pull = tuple[int, int]  # what moves to lower bits, and what moves to higher bits


class State(NamedTuple):
    """``pieces``: as above. ``turn``: turns played. ``ended``: the reason once the game is over."""

    pieces: int
    turn: int
    ended: str | None


class _Line:
    """The two arms of one row or column from one space, and what has been looked up about them."""

    def __init__(self, line: Sequence[int], middle: int, half: int) -> None:
        bits = [1 << at for at in line]
        self._ahead, self._behind = bits[middle + 1 :], bits[:middle][::-1]  # nearest first
        self._whole = sum(bits) - bits[middle]
        self._both_sides = 1 | 1 << half
        self.near = sum(self._ahead[:_REACH]) + sum(self._behind[:_REACH])
        self.by_near: dict[int, Pull] = {}
        self._by_whole: dict[int, Pull] = {}

    def pull(self, occupied: int) -> Pull:
        """What moves toward the space where anything stands there; remembered."""
        key = occupied & self._whole
        pull = self._by_whole.get(key)
        if pull is None:
            ahead, decided_ahead = self._beyond_gap(self._ahead, occupied)
            behind, decided_behind = self._beyond_gap(self._behind, occupied)
            pull = ahead, behind
            if decided_ahead and decided_behind:
                self.by_near[occupied & self.near] = pull
            elif len(self._by_whole) < _FAR_MOST:
                self._by_whole[key] = pull
        return pull

    def _beyond_gap(self, arm: Sequence[int], occupied: int) -> tuple[int, bool]:
        """The spaces beyond the first gap, and whether those within ``_REACH`` tell where it is."""
        gap = 0
        while gap < len(arm) and occupied & arm[gap]:
            gap += 1
        return sum(arm[gap + 1 :]) * self._both_sides, gap < _REACH or len(arm) <= _REACH


class Core:
    """The rules A1-A5 on a board of ``size`` with ``pieces`` for each player.

    ``index``: space -> the number of its bit in the low half; ``names`` the other way round.
    """

    def __init__(self, size: int, pieces: int) -> None:
        self.pieces = pieces
        self.spaces = size * size
        self.last_turn = min(2 * pieces, self.spaces)
        self.stride = stride = size + 1
        self.half = half = stride * (size + 1)
        grid = [[row * stride + column for column in range(size)] for row in range(size)]
        turned = list(zip(*grid, strict=True))
        self.index = {
            cell_name(column, row): grid[row][column]
            for column in range(size)
            for row in range(size)
        }
        self.names = {at: name for name, at in self.index.items()}
        self._lines = {
            grid[row][column]: (_Line(grid[row], column, half), _Line(turned[column], row, half))
            for row in range(size)
            for column in range(size)
        }
        self._tables = {
            at: (
                (1 << at, 1 << at + half),
                across.near,
                across.by_near,
                across,
                up.near,
                up.by_near,
                up,
            )
            for at, (across, up) in self._lines.items()
        }

    def start(self) -> State:
        """The empty board."""
        return State(0, 0, None)

    def advance(self, state: State, drops: Iterable[int]) -> State:
        """Place on the spaces ``drops`` (as in ``index``) until they run out or the game ends.

        Occupied spaces are passed over, so that an endless stream of random spaces is a random
        playout, uniform over the empty ones. *Not* checked: that ``state`` has not ended.
        """
        tables, half, stride = self._tables, self.half, self.stride
        last_turn, two_rows = self.last_turn, 2 * self.stride
        row_less_one = (1 << stride) - 1  # moving a bit up by a row adds it this many times
        pieces, turn, _ = state
        occupied = pieces | pieces >> half
        side = turn % 2
        for drop in drops:
            marks, near, by_near, line, near_up, by_near_up, line_up = tables[drop]
            if occupied & marks[0]:
                continue
            try:
                east, west = by_near[occupied & near]
            except KeyError:
                east, west = line.pull(occupied)
            try:
                north, south = by_near_up[occupied & near_up]
            except KeyError:
                north, south = line_up.pull(occupied)
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
                white, black = self._centres(squares, pieces)
                if white.bit_count() != black.bit_count():
                    return State(pieces, turn, POSITIONS)
            if turn == last_turn:  # if not full, white has no piece left; black has one longer
                return State(pieces, turn, FULL if turn == self.spaces else NO_PIECES)
        return State(pieces, turn, None)

    def winning(self, state: State) -> tuple[int, int]:
        """White's and black's winning positions (RULES A3), a bit for each piece in the middle."""
        pairs = state.pieces & state.pieces >> 2
        return self._centres(pairs & pairs >> 2 * self.stride, state.pieces)

    def _centres(self, squares: int, pieces: int) -> tuple[int, int]:
        """``squares``: the south-west corners of four pieces of one side around a middle."""
        to_middle = self.stride + 1
        return squares >> self.half - to_middle & pieces, squares << to_middle & pieces >> self.half

    def occupied(self, state: State) -> int:
        """A bit for each space with a piece of either side."""
        return (state.pieces | state.pieces >> self.half) & (1 << self.half) - 1

    def pulled(self, state: State, drop: int) -> list[tuple[int, int]]:
        """What a piece on ``drop`` pulls: (source, target) each."""
        occupied = self.occupied(state)
        moves = []
        for line, step in zip(self._lines[drop], (1, self.stride), strict=True):
            for spaces, way in zip(line.pull(occupied), (-step, step), strict=True):
                moves += [(source, source + way) for source in bits(spaces & occupied)]
        return moves

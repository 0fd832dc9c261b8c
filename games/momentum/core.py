"""Momentum on integers: one bit for each open cell of the board.

``Core.advance`` is the one place where marbles drop, are pushed and sets are completed. Positions
play single moves through it, playouts whole games. What a drop does depends only on which cells
around it are occupied; it is worked out once for each case, when that case first occurs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from games.momentum.board import CUSHION, Board

COMPLETE = "complete"
ROUND_LIMIT = "round-limit"
FULL = "full"


@dataclass(frozen=True, slots=True)
class State:
    """``boards[p]``: the cells that player p occupies. ``turn``: turns played; 0 to begin with.

    ``ended`` is the reason, once the game is over; then the player who moved last is still
    ``(turn - 1) % players``.
    """

    boards: tuple[int, ...]
    turn: int = 0
    ended: str | None = None

    @property
    def occupied(self) -> int:
        """All cells with a marble."""
        occupied = 0
        for board in self.boards:
            occupied |= board
        return occupied


@dataclass(frozen=True, slots=True)
class Effect:
    """What a drop does. ``pushes``: (source bit, target bit, or 0 off the board) each.

    ``sources``: every source bit. ``flips``: the dropped marble, every source and every target.
    """

    sources: int
    flips: int
    pushes: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class _Cell:
    """Tables of one cell. ``near``: itself and its neighbours; ``effects``: occupied -> effect."""

    bit: int
    near: int
    reach: int
    effects: dict[int, Effect] = field(default_factory=dict)


class Core:
    """The rules M1-M3, M5 and M10 on one board; pie and must-block are the position's."""

    def __init__(self, board: Board, players: int, marbles: int, round_limit: int | None) -> None:
        self.players = players
        self.marbles = marbles
        self.last_turn = None if round_limit is None else round_limit * players
        self.open_cells = (1 << len(board.cells)) - 1
        self._board = board
        self._cells = [self._tables(cell) for cell in range(len(board.cells))]

    def start(self) -> State:
        """The empty board."""
        return State((0,) * self.players)

    def advance(self, state: State, cells: Iterable[int]) -> State:
        """Drop on ``cells`` in turn until they run out or the game ends.

        Occupied cells are passed over, so that an endless stream of random cells is a random
        playout, uniform over the empty ones. ``state`` must not have ended; *not* checked.
        """
        tables = self._cells
        marbles, last_turn, open_cells = self.marbles, self.last_turn, self.open_cells
        turn = state.turn
        first = turn % self.players
        own, *others = state.boards[first:] + state.boards[:first]  # the mover, then as they follow
        occupied = state.occupied
        ended = None
        for cell in cells:
            table = tables[cell]
            hit = occupied & table.near
            if not hit:
                own |= table.bit
                occupied |= table.bit
            elif hit & table.bit:
                continue
            else:
                effect = self.effect(occupied, cell)
                own = _push(own | table.bit, effect)
                others = [_push(board, effect) for board in others]
                occupied ^= effect.flips
            turn += 1
            if own.bit_count() == marbles:
                ended = COMPLETE
            elif turn == last_turn:
                ended = ROUND_LIMIT
            elif occupied == open_cells:
                ended = FULL
            others.append(own)
            own = others.pop(0)
            if ended:
                break
        first = turn % self.players
        boards = (own, *others)
        split = self.players - first
        return State(boards[split:] + boards[:split], turn, ended)

    def swap(self, state: State) -> State:
        """The second player's first turn, used to take the first one's marble over (RULES M4)."""
        turn = state.turn + 1
        ended = ROUND_LIMIT if turn == self.last_turn else None
        return State((0, state.boards[0]), turn, ended)

    def effect(self, occupied: int, cell: int) -> Effect:
        """What a drop on ``cell``, which is empty, does (RULES M1)."""
        table = self._cells[cell]
        key = occupied & table.reach
        effect = table.effects.get(key)
        if effect is None:
            effect = table.effects[key] = self._work_out(cell, occupied)
        return effect

    def _tables(self, cell: int) -> _Cell:
        bit = 1 << cell
        rays = self._board.rays[cell]
        near = sum((1 << ray.cells[0] for ray in rays if ray.cells), start=bit)
        return _Cell(bit, near, sum(1 << reached for ray in rays for reached in ray.cells))

    def _work_out(self, cell: int, occupied: int) -> Effect:
        pushes = []
        for ray in self._board.rays[cell]:
            line = 0
            while line < len(ray.cells) and occupied >> ray.cells[line] & 1:
                line += 1
            if line == 0:
                continue
            if line < len(ray.cells):
                pushes.append((1 << ray.cells[line - 1], 1 << ray.cells[line]))
            elif ray.end != CUSHION:
                pushes.append((1 << ray.cells[line - 1], 0))
        sources = sum(source for source, _ in pushes)
        targets = sum(target for _, target in pushes)
        return Effect(sources, 1 << cell | sources | targets, tuple(pushes))


def _push(board: int, effect: Effect) -> int:
    if board & effect.sources:
        for source, target in effect.pushes:
            if board & source:
                board ^= source | target
    return board

"""The legal moves of one position as boards: which move has a hand just made?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firmware_host.referee.plan import Finding, Plan, carried_out
from games.base import Game, Position, Turn


@dataclass(frozen=True, slots=True)
class Pending:
    """A move that was made, or asked for by button, and is not on disk yet."""

    turn: Turn
    plan: Plan
    requested: bool = False

    @property
    def touched(self) -> frozenset[str]:
        """Every place that the move changes."""
        act = {p for s in self.turn.act for p in (s.source, s.target) if p is not None}
        return self.plan.places | act

    @classmethod
    def made(cls, position: Position, turn: Turn) -> Pending:
        """The hand has done the act; the consequences remain."""
        acted = carried_out(position.cells, turn.act)
        return cls(turn, Plan(acted, turn.position.cells, turn.consequences))

    @classmethod
    def asked(cls, position: Position, turn: Turn) -> Pending:
        """Everything remains, the act too."""
        shifts = (*turn.act, *turn.consequences)
        return cls(turn, Plan(position.cells, turn.position.cells, shifts), requested=True)


class Book:
    """Legal moves of ``position``, each carried out at most once."""

    def __init__(self, game: Game, position: Position) -> None:
        self.position = position
        legal = position.legal()
        cells = position.cells
        # A move that is named by an empty place puts a piece there (the contract: a cell).
        self.drops = frozenset(m for m in legal if m in game.board and m not in cells)
        self._made: dict[str, Pending] = {}
        self._others = tuple(self._pending(m) for m in legal if m not in self.drops)
        self.exchange = next((p.turn for p in self._others if is_exchange(p.turn)), None)

    def match(
        self, cells: Mapping[str, str], finding: Finding, *, hand_empty: bool
    ) -> Pending | None:
        """The legal move whose act stands on ``cells``, with any part of its consequences.

        ``finding``: ``cells`` held against the position. One piece that has merely changed its
        place was not dropped there, although a drop may push such a piece off and so leave the same
        board. ``hand_empty``: every piece that was lifted must have landed again. Two moves can
        look alike (a drop, and the one on the place that it pushes to): then the one with more
        still to do, because a complete one would have been confirmed before; else the first by code
        point.
        """
        strays = finding.strays
        displaced = len(strays) == 1 and [*strays.values()] == [*finding.missing.values()]
        best: tuple[int, Pending] | None = None
        drops = [self._pending(p) for p in sorted(strays) if p in self.drops and not displaced]
        for pending in (*drops, *self._others):
            held = pending.plan.hold(cells)
            left = len(held.todo)
            fits = held.right and not (hand_empty and pending.plan.in_hand(cells))
            if fits and (best is None or left > best[0]):
                best = left, pending
        return best[1] if best else None

    def lifted(self, finding: Finding) -> tuple[Turn, ...]:
        """Legal moves for which a piece is in the hand: their act's sources, and nothing else, are
        missing from the position.
        """
        if finding.strays:
            return ()
        missing = finding.missing.keys()
        return tuple(
            pending.turn
            for pending in self._others
            if missing == {s.source for s in pending.turn.act if s.source is not None}
        )

    def _pending(self, move: str) -> Pending:
        if move not in self._made:
            self._made[move] = Pending.made(self.position, self.position.play(move))
        return self._made[move]


def is_exchange(turn: Turn) -> bool:
    """Its act puts another piece where one leaves the board."""
    leaving = {s.source for s in turn.act if s.target is None}
    return any(s.source is None and s.target in leaving for s in turn.act)

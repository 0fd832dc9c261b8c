"""One game at the table: what is confirmed, what is being carried out, and what was said of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from firmware_host.referee.book import Book, Pending
from firmware_host.referee.line import Line
from firmware_host.referee.plan import Plan
from firmware_host.table.pending import PendingMove
from firmware_host.table.standing import Sound
from games.base import Turn


class Guide(Enum):
    """Until the board is exactly the position, nothing on it counts as a move."""

    SETUP = "setup"
    TAKEBACK = "takeback"


class Play:
    """Changes only by the referee's word; every change of the position goes through the journal.

    ``pending``: a move that is not confirmed yet; ``settling``: it was seen unfinished. ``missed``:
    empty places, on one of which a piece stands that nobody sees, as somebody says. ``undone``: a
    move taken back by hand, and the exchange that it may still become. ``matched``: the board has
    been the position since the game was begun. ``leftover``: a move taken back or dropped before
    that, which may stand there still.
    ``ended_here``: the end was not replayed from the journal. ``sounds``: new; whoever reads them
    empties them.
    """

    def __init__(self, line: Line) -> None:
        self.line = line
        self.guide: Guide | None = None
        self.matched = False
        self.leftover: Pending | None = None
        self.ended_here = False
        self.sounds: list[Sound] = []
        self.rebook()

    def rebook(self) -> None:
        """The position is another one, or the pending move was dropped."""
        self.book = Book(self.line.game, self.line.position)
        self.still = Plan(self.line.position.cells, self.line.position.cells)
        self.pending: Pending | None = None
        self._held: PendingMove | None = None
        self.settling = False
        self.missed: frozenset[str] = frozenset()
        self.undone: tuple[Turn, Turn] | None = None

    def settle(self, pending: Pending) -> None:
        """A move was made, or asked for."""
        self.guide = None
        self.pending = pending

    def hold(self) -> None:
        """Put the pending move on disk, unless it is there. Raises JournalError."""
        record = None if self.pending is None else self.pending.record
        if record != self._held:
            self.line.hold(record)
            self._held = record

    @property
    def exchange(self) -> Turn | None:
        """The pie rule's move, while it is possible."""
        return self.book.exchange if self.pending is None else None

    def confirm(self, turn: Turn) -> None:
        """Make ``turn`` final. Raises JournalError; then it stays pending."""
        line = self.line
        before = line.position.reserve
        line.confirm(turn)
        self.sounds.append(Sound.SETTLED if self.settling else Sound.MOVE)
        self.rebook()
        self.ended_here = line.position.outcome is not None
        after = line.position.reserve
        if any(left == 1 and before.get(owner) != 1 for owner, left in after.items()):
            self.sounds.append(Sound.LAST_MARBLE)

    def finish(self) -> None:
        """Put the result on disk. Raises JournalError."""
        outcome = self.line.position.outcome
        if outcome is not None and self.line.finish_owed:
            self.line.finish()
            if self.ended_here:
                self.sounds.append(Sound.DRAW if outcome.winner is None else Sound.WIN)

    def take_back(self, to: int) -> None:
        """At once in the journal, until ``to`` moves are left; then the board is guided.

        Raises JournalError; then nothing has changed.
        """
        if len(self.line.moves) == to and self._held is not None:
            self.line.hold(None)
        if len(self.line.moves) > to:
            self.line.take_back(to)
        self.rebook()
        self.guide = Guide.TAKEBACK
        self.sounds.append(Sound.TAKEBACK)

    def remember_taken_back(self, move: str) -> None:
        """It was taken back before the game was begun again. Raises IllegalMoveError."""
        position = self.line.position
        self.leftover = Pending.made(position, position.play(move))
        self._may_be_exchanged(self.leftover.turn)

    def go_on_with(self, record: PendingMove) -> None:
        """It was being carried out when the game was interrupted. Raises IllegalMoveError."""
        self.pending = Pending.noted(self.line.position, record)
        self._held = record

    def _may_be_exchanged(self, turn: Turn) -> None:
        """A slow swap looks like a takeback first: the other colour may still come."""
        exchange = Book(self.line.game, turn.position).exchange
        self.undone = (turn, exchange) if exchange is not None else None

    def take_back_by_hand(self) -> None:
        """The board is as it was before the last move. Raises JournalError."""
        turn = self.line.last
        self.line.take_back(len(self.line.moves) - 1)
        self.rebook()
        self.sounds.append(Sound.TAKEBACK)
        if turn is not None:
            self._may_be_exchanged(turn)

    def drop(self) -> None:
        """The pending move was undone by hand. Raises JournalError."""
        if self._held is not None:
            self.line.hold(None)
        self.rebook()
        self.sounds.append(Sound.TAKEBACK)

    def stands_as_before(self, cells: Mapping[str, str]) -> bool:
        """Whether ``cells`` are the board of before the last move, which may be a takeback. An
        empty board is none until it was right once: a game goes on, and nothing is set up yet.
        """
        before = self.line.before
        return before is not None and cells == before.cells and (self.matched or bool(cells))

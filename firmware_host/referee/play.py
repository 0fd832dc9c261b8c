"""One game at the table: what is confirmed, and what is being carried out."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from firmware_host.referee.book import Book, Pending
from firmware_host.table.line import Line
from firmware_host.table.pending import PendingMove
from games.base import Turn


class Guide(Enum):
    """Until the board is exactly the position, nothing on it counts as a move."""

    SETUP = "setup"
    TAKEBACK = "takeback"


class Play(Struct, frozen=True):
    """``book``: of the position. ``matched``: the board has been the position since the game was
    begun. ``pending``: a move that is not confirmed yet, ``held``: as it is on disk, ``settling``:
    it was seen unfinished. ``taken_back``: the move that was taken back last, by hand or before the
    game was begun again, if nothing has happened since. ``missed``: empty places, on one of which a
    piece stands that nobody sees, as somebody says. ``finished``: the result is on disk.
    ``draw_offers``: players who have offered a draw since the last move.
    """

    line: Line
    book: Book
    guide: Guide | None = None
    matched: bool = False
    pending: Pending | None = None
    held: PendingMove | None = None
    settling: bool = False
    taken_back: Turn | None = None
    missed: frozenset[str] = frozenset()
    finished: bool = False
    draw_offers: tuple[str, ...] = ()

    def on(self, line: Line, *, taken_back: Turn | None = None) -> Play:
        """The position is another one, or no move is pending any more."""
        same = line.position is self.line.position
        book = self.book if same else Book(line.game, line.position)
        return Play(line, book, self.guide, self.matched, taken_back=taken_back)

    def settled(self, pending: Pending) -> Play:
        """A move was made, or asked for."""
        return replace(self, guide=None, pending=pending)

    @property
    def free(self) -> bool:
        """Nothing is being carried out or mended."""
        return self.guide is None and self.pending is None

    @property
    def swap(self) -> Turn | None:
        """The pie rule's move, while it is possible."""
        return self.book.swap if self.pending is None else None

    def stands_as_before(self, cells: Mapping[str, str]) -> bool:
        """Whether ``cells`` are the board of before the last move, which may be a takeback. An
        empty board is none until it was right once: a game goes on, and nothing is set up yet.
        """
        before = self.line.before
        return before is not None and cells == before.cells and (self.matched or bool(cells))

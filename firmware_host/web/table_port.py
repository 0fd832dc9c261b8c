"""What the page needs of the table: the only seam between the web room and the rest.

The table runs in its own thread and the page in an event loop. So everything read at once
(``layout``, ``latest``) is an immutable value that may be read from any thread, and everything
asked for is answered by a ``concurrent.futures.Future`` that the table's thread resolves: with the
value, or with an error whose sentence the page shows (TiltboardError or RulesError; any other is
a defect, logged and shown as "went wrong"). What is asked for first is carried out first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

import msgspec

from firmware_host.commissioning.findings import Health
from firmware_host.config.profile import Capabilities
from firmware_host.messages import Message
from firmware_host.table.commands import Command, HandsCommand
from firmware_host.table.preview import (
    BreakableInfo,
    BrokenInfo,
    LoosePiece,
    PoseFrame,
    Preview,
)
from firmware_host.web.snapshot import (
    GameInfo,
    Layout,
    SeatsShown,
    Snapshot,
)
from games.base import GameType


class GameSummary(msgspec.Struct, frozen=True):
    """One line of the list of games. ``started``: local date and time, ready to read.

    ``result``: as in the ``tiltboard rules`` contract, None while the game can go on.
    """

    id: int
    title: str
    started: str
    options: dict[str, Any]
    moves: int
    result: dict[str, Any] | None


class RecordedPosition(msgspec.Struct, frozen=True):
    """One position of a record: place -> piece, player -> pieces in reserve, who moves next."""

    cells: dict[str, str]
    reserve: dict[str, int]
    to_move: str | None


class GameRecord(msgspec.Struct, frozen=True):
    """A whole game for step-through review: ``positions`` has one more entry than ``moves``.

    ``places``: those that show why it is over. ``told``: what each move did; none where
    there are seats.
    """

    game: GameInfo
    moves: list[str]
    positions: list[RecordedPosition]
    result: dict[str, Any] | None
    places: list[str] = []
    told: list[list[Message]] = []


class LineInfo(msgspec.Struct, frozen=True):
    """How a game would go on: moves, and the position after each."""

    moves: list[str]
    positions: list[RecordedPosition]


class TurningPointInfo(msgspec.Struct, frozen=True):
    """A move that decided much: its number, the first is 1, and why in a sentence. ``better``: the
    line that was better, empty where none is known; ``played``: the move and how it would go on.
    """

    ply: int
    say: Message
    better: LineInfo
    played: LineInfo


class ToLearn(msgspec.Struct, frozen=True):
    """Something to learn from a game, and a puzzle like it: ``puzzle`` is the number of one that
    comes with the game, 0: there is none. ``practise``: after so many moves the game itself was a
    puzzle (the verb ``practise``); None: it was none.
    """

    say: Message
    puzzle: int
    practise: int | None = None


class GameAnalysis(msgspec.Struct, frozen=True):
    """``shares``: what the first player could expect of the game, 0 to 1, at the start and after
    each move. ``turning``: at most three, in the order of play. ``learn``: three things.
    """

    shares: list[float]
    turning: list[TurningPointInfo]
    learn: list[ToLearn]


class PersonInfo(msgspec.Struct, frozen=True):
    """Somebody whom the table knows by name. ``progress``: game -> what he has done in it."""

    name: str
    progress: dict[str, ProgressInfo]


class ProgressInfo(msgspec.Struct, frozen=True):
    """``rating``: the level of the computer's that is as strong; ``beaten``: the highest that he
    has beaten, 0: none. ``openings``: first moves that were tried. ``puzzles``: numbers of those
    that were solved, of ``puzzles_there``.
    """

    rating: float
    games: int
    beaten: int
    openings: list[str]
    puzzles: list[int]
    puzzles_there: int


class Workbench(Protocol):
    """What is known of a table whose pieces the page can move. Called in the table's thread."""

    @property
    def pegs(self) -> bool:
        """Whether tiles slide between pegs, inside a wall, on the board of the game."""

    def loose(self) -> Sequence[LoosePiece]:
        """Every piece on or above the plate as it lies now."""

    def poses(self) -> PoseFrame:
        """Plate and pieces as they lean now."""

    def breakable(self) -> Sequence[BreakableInfo]:
        """Every fault that it can have."""

    def broken(self) -> Sequence[BrokenInfo]:
        """The faults that it has."""


class HealthMap(msgspec.Struct, frozen=True):
    """What the last calibration found. ``made``: local date and time, None if there was none.

    ``places``: every one in index order; empty where there is nothing to measure. ``summary``: the
    account in a sentence. ``mounting``: how the tilt sensor lies.
    """

    made: str | None
    summary: Message
    mounting: Message | None
    places: list[Health]


class HandsPort(Workbench, Protocol):
    """Hands for a table whose pieces the page can move."""

    def do(self, command: HandsCommand) -> Future[None]:
        """Have it done; resolved when the hand has done it and left. What no hand can do (no such
        piece, an occupied place, an empty tray) is a NotPossibleError.
        """


class TablePort(Protocol):
    """A running table as the page sees it."""

    @property
    def hands(self) -> HandsPort | None:
        """Hands, or None on a table whose pieces only people can move."""

    @property
    def game_types(self) -> Sequence[GameType]:
        """The games that can be started, in the order to show them."""

    @property
    def capabilities(self) -> Capabilities:
        """What the table can tell, and so which games it can carry."""

    def layout(self) -> Layout:
        """The present layout. A new one is in place before a snapshot that goes with it."""

    def latest(self) -> Snapshot:
        """The newest snapshot."""

    def seats(self) -> SeatsShown:
        """What goes to the devices that have seats, and to nobody else."""

    def poses(self) -> Sequence[tuple[int, PoseFrame]]:
        """The last third of a second of a table whose pieces the page can move, scan by scan, with
        running numbers; of scans in which something moved, and while somebody watches.
        """

    def watch(self, what: str) -> Callable[[], None]:
        """Keep ``poses``, or have an engine look who is ``ahead``, from now on. Returns what ends
        it.
        """

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` from any thread after each new snapshot; it returns at once.

        Snapshots are made often only while somebody listens. Returns what ends the subscription.
        """

    def submit(self, command: Command) -> Future[None]:
        """Have it done by the host, or by the hands; resolved once it has been carried out.

        Where there are no hands, what needs some is a NotPossibleError.
        """

    def preview(self, move: str) -> Future[Preview]:
        """What a move would do now. RulesError where it is none."""

    def history(self) -> Future[list[GameSummary]]:
        """The journal's games, newest first."""

    def health(self) -> Future[HealthMap]:
        """The sensors as the last calibration found them."""

    def record(self, game_id: int) -> Future[GameRecord]:
        """One game for review. NoSuchGameError where there is none."""

    def analysis(self, game_id: int) -> Future[GameAnalysis]:
        """One game as the strongest level sees it; takes up to half a minute. NoSuchGameError where
        there is none, NotPossibleError, BusyError.
        """

    def people(self) -> Future[list[PersonInfo]]:
        """Everybody whom the table knows by name."""

    def export(self, game_id: int) -> Future[str]:
        """One game as text. NoSuchGameError where there is none."""

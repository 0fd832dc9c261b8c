"""The writer of the journal. Every call is one transaction. When the call returns, its data are
stored durably.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import replace

from tiltboard.firmware_host import stop
from tiltboard.firmware_host.config.errors import (
    JournalConflictError,
    JournalDamagedError,
    JournalError,
)
from tiltboard.firmware_host.config.files import (
    Tell,
    read_file,
    read_kept,
    sync_directory,
    write_kept,
)
from tiltboard.firmware_host.config.players import NO_ENGINES, Assists, ClockLeft, EngineSeats
from tiltboard.firmware_host.journal.database import (
    SetAside,
    WriterLock,
    connect,
    creating,
    damaged_error,
    leftovers,
    set_aside,
    sound_date,
    translate_errors,
)
from tiltboard.firmware_host.journal.records import (
    Event,
    EventKind,
    JournalReader,
    PlayedGame,
    insert,
    salvage,
    salvage_name,
    to_json,
)
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table.move_line import PendingMove
from tiltboard.ground.clock import Clock

STARTING_NAME = "starting.json"
RETRY_S = 1.0
MAX_FAILED = 2
ENOUGH_SCANS = 10
# Number of events between two ``stand`` events. Because of these events, a long game can be read as
# fast as a short one.
STAND_EVERY = 500

_log = logging.getLogger(__name__)


class Journal(JournalReader):
    """The table's journal, for one process and for the thread that opened it.

    Methods that write raise JournalFullError if the data cannot be written to the disk. In this
    case nothing is stored, and the caller can repeat the call. Repeating a successful call changes
    nothing.

    ``set_aside`` describes the damage that was found when the journal was opened, or is None if
    there was no damage.
    """

    def __init__(
        self,
        path: Path,
        database: sqlite3.Connection,
        lock: WriterLock,
        clock: Clock,
        set_aside: SetAside | None = None,
    ) -> None:
        """Use ``open`` to create a Journal."""
        super().__init__(path, database)
        self.set_aside = set_aside
        self._lock: WriterLock | None = lock
        self._clock = clock
        # Time of the next attempt after ``note`` failed; 0 if the last attempt succeeded.
        self._retry_s = 0.0

    @classmethod
    def open(cls, path: Path, clock: Clock, *, or_set_aside: bool = False) -> Journal:
        """Open the journal at ``path``, or create it. The folder must exist.

        If ``or_set_aside`` is True, a damaged file is renamed (never changed or deleted), and a new
        file is created with the games that are undamaged. Otherwise a damaged file is left as it
        is, and JournalDamagedError is raised. Also raises JournalInUseError and JournalFullError.
        """
        stop.check()
        with translate_errors(path), ExitStack() as unless_open:
            lock = unless_open.enter_context(closing(WriterLock(path)))
            aside = None
            if or_set_aside:
                _finish_salvage(path, clock)
            try:
                database = _connect_checked(path)
            except JournalDamagedError as problem:
                if not or_set_aside:
                    raise
                games, lost = salvage(path)
                stop.check()
                aside = SetAside(set_aside(path, clock.calendar()), problem, games, lost)
                _finish_salvage(path, clock)
                database = _connect_checked(path)
            unless_open.pop_all()
            return cls(path, database, lock, clock, aside)

    def close(self) -> None:
        """Close the file and release the lock. A second call does nothing."""
        super().close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def start(
        self,
        game: str,
        options: Mapping[str, Any],
        *,
        note: str = "",
        engines: EngineSeats = NO_ENGINES,
        clock: ClockLeft | None = None,
        assist: Assists = MappingProxyType({}),
    ) -> int:
        """Start a game, make it current, and return its number. ``options`` must be JSON values."""
        at_s = sound_date(self._clock.calendar())
        begun = PlayedGame(game, options, at_s, note, (), None, engines, clock, assist)
        with self._transaction():
            return self._begin(EventKind.START, begun, at_s)

    def store(self, played: PlayedGame, *, current: bool = False) -> int:
        """Store a game that was played elsewhere, in one transaction, and return its number.

        If ``current`` is True, the game becomes the current game. The moves are not checked.
        """
        at_s = sound_date(self._clock.calendar())
        ply = len(played.moves)
        with self._transaction():
            game_id = self._begin(EventKind.IMPORT, replace(played, result=None), at_s)
            if played.result is not None:
                self._insert(game_id, EventKind.FINISH, ply, payload=played.result, at_s=at_s)
            if current:
                self._insert(game_id, EventKind.RESUME, ply, at_s=at_s)
            return game_id

    def append(self, game_id: int, ply: int, move: str) -> None:
        """Store ``move`` as move number ``ply`` (the first is 1).

        A move that is already stored under this number is not stored again. Raises
        JournalConflictError if another move has this number, if earlier moves are missing, or if
        the game is finished.
        """
        if move.split() != [move] or not move.isprintable():
            raise ValueError(f"not one word: {move!r}")
        with self._transaction():
            last = self._last_event(game_id)
            if 1 <= ply <= last.ply:
                if self.load_within(game_id).moves[ply - 1] != move:
                    raise _conflict(last)
            elif ply != last.ply + 1 or last.kind == EventKind.FINISH:
                raise _conflict(last)
            else:
                self._insert(game_id, EventKind.MOVE, ply, move=move)

    def hold(self, game_id: int, pending: PendingMove | None) -> None:
        """Store the move whose pieces are being moved. The move replaces the previous pending move.

        ``pending`` is None if the move was cancelled. The same move is not stored twice. Raises
        JournalConflictError if the game is finished.
        """
        with self._transaction():
            record = self.load_within(game_id)
            if record.pending == pending:
                return
            if record.result is not None:
                raise _conflict(self._last_event(game_id))
            kind = EventKind.DROPPED if pending is None else EventKind.PENDING
            self._insert(game_id, kind, len(record.moves), payload=pending)

    def note(self, game_id: int, noted: EngineSeats | ClockLeft | Assists, kind: EventKind) -> bool:
        """Store a change to the bots, the clock or the assist, and return whether the change was
        written to disk.

        The same value is not stored twice, and bots are not stored after the game's end. If writing
        failed, further calls return False until ``RETRY_S`` seconds have passed. The error need not
        be shown here, because storing the next move raises the same error.
        """
        if self._clock.now() < self._retry_s:
            return False
        try:
            with self._transaction():
                record = self.load_within(game_id)
                over = kind == EventKind.ENGINES and record.result is not None
                if getattr(record, kind) != noted and not over:
                    self._insert(game_id, kind, len(record.moves), payload=noted)
        except JournalError as error:
            if self._retry_s == 0.0:
                _log.warning("%s", error)
            self._retry_s = self._clock.now() + RETRY_S
            return False
        self._retry_s = 0.0
        return True

    def take_back(self, game_id: int, ply: int, to: int) -> None:
        """Undo the moves after number ``to``. A finished game becomes unfinished again.

        ``ply`` is the number of moves so far. If the players ended the game by agreement, ``to``
        can equal ``ply`` to undo only the end of the game. If the undo is already stored, nothing
        happens. Raises JournalConflictError if the game has another number of moves, or if ``to``
        is not possible.
        """
        with self._transaction():
            last = self._last_event(game_id)
            if last.kind == EventKind.TAKE_BACK and last.ply == to:
                return
            # The players ended the game by agreement.
            ended = to == ply and last.kind == EventKind.FINISH
            if last.ply != ply or not (ended or 0 <= to < ply):
                raise _conflict(last)
            self._insert(game_id, EventKind.TAKE_BACK, to)

    def finish(self, game_id: int, result: Mapping[str, Any]) -> None:
        """Store a game's result, which is a JSON object. The same result is not stored twice.

        Raises JournalConflictError if the game already has another result.
        """
        with self._transaction():
            last = self._last_event(game_id)
            if last.kind != EventKind.FINISH:
                self._insert(game_id, EventKind.FINISH, last.ply, payload=result)
            elif self.load_within(game_id).result != msgspec.json.decode(to_json(result)):
                raise _conflict(last)

    def resume(self, game_id: int) -> None:
        """Make an earlier game current. Raises NoSuchGameError."""
        with self._transaction():
            last = self._last_event(game_id)
            if self._current_id() != game_id:
                self._insert(game_id, EventKind.RESUME, last.ply)

    def leave(self, game_id: int) -> None:
        """Leave the current game, so that no game is current. Does nothing if ``game_id`` is not
        current.
        """
        with self._transaction():
            last = self._last_event(game_id)
            if self._current_id() == game_id:
                self._insert(game_id, EventKind.LEFT, last.ply)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        # The connection's context manager commits the transaction, or rolls the transaction back
        # after an error.
        with translate_errors(self.path), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            yield
            stop.check()

    def _begin(self, kind: EventKind, played: PlayedGame, at_s: float) -> int:
        (game_id,) = self._database.execute(
            "SELECT coalesce(max(game_id), 0) + 1 FROM events"
        ).fetchone()
        self._insert(game_id, kind, len(played.moves), payload=played, at_s=at_s)
        # Read the game back, so that an unreadable game is never committed.
        self.load_within(game_id)
        return int(game_id)

    def _insert(
        self,
        game_id: int,
        kind: EventKind,
        ply: int,
        *,
        move: str | None = None,
        payload: object = None,
        at_s: float | None = None,
    ) -> None:
        (sequence,) = self._database.execute(
            "SELECT coalesce(max(sequence) + 1, 0) FROM events WHERE game_id = ?", (game_id,)
        ).fetchone()
        date_s = sound_date(self._clock.calendar()) if at_s is None else at_s
        stored = None if payload is None else to_json(payload)
        row = Event(game_id, sequence, str(kind), ply, move, date_s, stored)
        insert(self._database, row)
        if sequence and sequence % STAND_EVERY == 0:
            stand = self.load_within(game_id)
            self._insert(game_id, EventKind.STAND, ply, payload=stand, at_s=date_s)


def _conflict(last: Event) -> JournalConflictError:
    """Return the error for a call that is not possible after the game's last event."""
    return JournalConflictError(
        "Game {game} stands otherwise in the journal, after {ply} moves.",
        remedy="Resume the game: it is rebuilt from the journal.",
        game=last.game_id,
        ply=last.ply,
    )


BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str:
    """Return the kernel's identifier of this boot (random(4)), or an empty text if it cannot be
    read.
    """
    try:
        return read_file(BOOT_ID).decode().strip()
    except OSError:
        return ""


class _Attempt(msgspec.Struct, frozen=True):
    """A game that is loaded when the service starts, and how often loading has failed since the Pi
    booted.

    A game that crashes the service crashes the service again as soon as the game is loaded. The
    count starts again at zero when the Pi boots.
    """

    game: int = 0
    moves: int = 0
    boot: str = ""
    failed: int = 0


class Starts:
    """A mark on disk that exists while a game is loaded. The mark is removed after several
    successful scans.

    A game that has crashed the service twice is left, so that the table can be used without the
    game.
    """

    def __init__(self, journal: Journal, tell: Tell | None = None, boot: str | None = None) -> None:
        """Use the mark file beside ``journal``.

        ``boot`` identifies this boot of the Pi; if it is None, the identifier is read from the
        kernel. ``tell`` is called with a message for people if the mark is damaged.
        """
        self._path = journal.path.with_name(STARTING_NAME)
        self._tell = tell
        self._boot = boot
        self._journal = journal
        self._scans = 0

    def begin(self) -> Message | None:
        """Record that the current game is being loaded. Call this before loading.

        If loading has failed twice, leave the game and return a message for people, otherwise
        return None. Raises JournalError.
        """
        record = self._journal.current()
        if record is None:
            return None
        failed, boot = 0, boot_id() if self._boot is None else self._boot
        before = read_kept(self._path, _Attempt, "how often it was begun is not known", self._tell)
        if (before.game, before.moves, before.boot) == (record.id, len(record.moves), boot):
            failed = before.failed + 1
        if failed >= MAX_FAILED:
            self._journal.leave(record.id)
            self.end()
            return text(
                "Game {number} stopped the table twice as it began, and is set aside."
                " It can be found among the earlier games.",
                number=record.id,
            )
        stop.check()
        attempt = _Attempt(record.id, len(record.moves), boot, failed)
        try:
            write_kept(self._path, attempt)
        # Ignore the error, because the table must be able to start with a full disk.
        except OSError as error:
            _log.warning("%s cannot be written: %s", self._path, error)
        return None

    def count_scan(self) -> None:
        """Count the last scan as successful. Call this method at the start of the next scan."""
        if self._scans < ENOUGH_SCANS:
            self._scans += 1
            if self._scans == ENOUGH_SCANS:
                self.end()

    def end(self) -> None:
        """Remove the mark, because the game did not crash the service."""
        try:
            self._path.unlink(missing_ok=True)
        # A mark that remains does no harm. The mark names this game and its number of moves, and
        # both will change.
        except OSError as error:
            _log.warning("%s cannot be removed: %s", self._path, error)


def _finish_salvage(path: Path, clock: Clock) -> None:
    """Move a recovered journal to ``path`` if the damaged journal has already been renamed."""
    saved = salvage_name(path)
    if not saved.exists():
        return
    # The power was cut before the damaged journal was renamed, so the recovered journal may lack
    # the newest moves.
    if path.exists():
        saved.unlink()
        return
    if leftovers(path):
        set_aside(path, clock.calendar())
    saved.rename(path)
    sync_directory(path.parent)


def _connect_checked(path: Path) -> sqlite3.Connection:
    """Open the journal for writing, after a check that does not change the file. If there is no
    file, create it.
    """
    if not path.exists():
        if leftovers(path):
            raise damaged_error(path, text("its main file is missing, but its -wal file is there"))
        with creating(path):
            pass  # A new journal has no games.
    elif not path.is_file():
        raise damaged_error(path, text("it is not a file"))
    elif path.stat().st_size == 0:
        # Treat an empty file as damaged: SQLite would use it as a new database and discard its WAL.
        raise damaged_error(path, text("it is empty"))
    with JournalReader.open_read_only(path) as reader:
        reader.current()
    with ExitStack() as unless_open:
        database = unless_open.enter_context(closing(connect(path, read_only=False)))
        mode = database.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise damaged_error(path, text("its journal mode is {mode}", mode=mode))
        # The name of the WAL file in the folder must be as durable as its content.
        sync_directory(path.parent)
        unless_open.pop_all()
    return database

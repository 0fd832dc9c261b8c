"""Reading the journal, also beside the process that writes it, and what a damaged one holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from firmware_host.config.errors import JournalDamagedError, NoSuchGameError
from firmware_host.config.paths import read_file
from firmware_host.journal.database import (
    CHECKED_PAGES,
    VERSION,
    check,
    connect,
    creating,
    primary_code,
    translated,
    with_sound_first_page,
)
from firmware_host.journal.records import (
    ASIDE,
    COLUMNS,
    Event,
    EventKind,
    GameRecord,
    GameSummary,
    Row,
    UnreadableEventsError,
    decoded,
    event_of,
    fold,
    insert,
    misplaced,
)

LARGEST_NUMBER = 2**63 - 1  # that SQLite has


class JournalReader:
    """Games of a journal. One thread only; sees what was confirmed before each call."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        """Use ``open_read_only`` (or ``Journal.open``)."""
        self.path = path
        self._database = database

    @classmethod
    def open_read_only(cls, path: Path, *, most_pages: int = CHECKED_PAGES) -> JournalReader:
        """Open without the right to write; a table may go on writing meanwhile.

        Of a journal with at most ``most_pages`` all are looked at first.

        Raises JournalDamagedError, JournalFullError (no such file, or not readable).
        """
        with translated(path):
            database = connect(path, read_only=True)
            try:
                check(database, path, most_pages)
                return JournalReader(path, database)
            except BaseException:
                database.close()
                raise

    def close(self) -> None:
        """Let go of the file. Closing twice is allowed."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def current(self) -> GameRecord | None:
        """The game that was started or resumed last; None if there is none, or if it was left."""
        with self._snapshot():
            game_id = self._current_id()
            try:
                return None if game_id is None else self.load_within(game_id)
            except NoSuchGameError as error:  # its number is what is damaged
                raise misplaced(game_id or 0, 0) from error

    def load(self, game_id: int) -> GameRecord:
        """One game. Raises NoSuchGameError, JournalDamagedError."""
        with self._snapshot():
            return self.load_within(game_id)

    def games(self, limit: int = 100) -> tuple[GameSummary, ...]:
        """The newest ``limit`` games, newest first. Those that are damaged are left out;
        ``damaged`` names them.
        """
        return tuple(game for _, game in self._listed(limit) if game is not None)

    def damaged(self, limit: int = 100) -> tuple[int, ...]:
        """The numbers of the games that ``games`` leaves out."""
        return tuple(number for number, game in self._listed(limit) if game is None)

    def _listed(self, limit: int) -> list[tuple[int, GameSummary | None]]:
        with self._snapshot():
            current = self._current_id()
            numbers = self._database.execute(
                "SELECT DISTINCT game_id FROM events ORDER BY game_id DESC LIMIT ?", (limit,)
            ).fetchall()
            return [(number, self._summary(number, current)) for (number,) in numbers]

    def _summary(self, number: int, current: int | None) -> GameSummary | None:
        try:
            game = decoded(self._event(number, "sequence = 0"), GameRecord)
            last = self._last_event(number)
            over = last.kind == EventKind.FINISH
            result = decoded(last, dict[str, Any]) if over else None
        except (UnreadableEventsError, NoSuchGameError):
            return None
        return GameSummary(
            id=number,
            game=game.game,
            options=game.options,
            started_s=game.started_s,
            changed_s=last.at_s,
            moves=last.ply,
            result=result,
            current=number == current,
        )

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Several selects that see one state."""
        with translated(self.path), self._database:
            self._database.execute("BEGIN")
            yield

    def _current_id(self) -> int | None:
        row = self._database.execute(
            "SELECT game_id, kind FROM events WHERE kind IN (?, ?, ?) ORDER BY id DESC LIMIT 1",
            (EventKind.START, EventKind.RESUME, EventKind.LEFT),
        ).fetchone()
        return None if row is None or row[1] == EventKind.LEFT else int(row[0])

    def load_within(self, game_id: int) -> GameRecord:
        """As ``load``, within a transaction."""
        events = self._database.execute(
            f"SELECT {COLUMNS}, crc FROM events WHERE game_id = ?1 AND sequence >= coalesce(("
            " SELECT sequence FROM events WHERE game_id = ?1 AND kind = ?2"
            " ORDER BY sequence DESC LIMIT 1), 0) ORDER BY sequence",
            (min(game_id, LARGEST_NUMBER), EventKind.STAND),
        ).fetchall()
        if not events:
            raise _no_such_game(game_id)
        return fold(game_id, map(event_of, events))

    def _last_event(self, game_id: int) -> Event:
        """The event after which the game stands now. Raises NoSuchGameError."""
        return self._event(game_id, f"kind NOT IN ({', '.join('?' * len(ASIDE))})", *ASIDE)

    def _event(self, game_id: int, which: str, *values: str) -> Event:
        """The newest event of the game for which ``which`` holds. Raises NoSuchGameError."""
        row = self._database.execute(
            f"SELECT {COLUMNS}, crc FROM events WHERE game_id = ? AND {which}"
            " ORDER BY sequence DESC LIMIT 1",
            (min(game_id, LARGEST_NUMBER), *values),
        ).fetchone()
        if row is None:
            raise _no_such_game(game_id)
        return event_of(row)


def _no_such_game(game_id: int) -> NoSuchGameError:
    return NoSuchGameError(
        "There is no game {number} in the journal.",
        remedy="`tiltboard games` lists those that are there.",
        number=game_id,
    )


# Salvage. The damaged file is only read.

# SQLite quotes what it cannot read, whatever its bytes are.
_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
_LOST_PAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR})
# A page holds some hundred rows, so that after a few hundred numbers it is passed; wider gaps are
# from pages that were lost before. So many are tried, the later ones at a growing distance.
_MOST_TRIES = 1_500
_ONE_BY_ONE = 256
_WIDEST_GAP = 5_000
_MOST_BYTES = 1 << 28  # that are read at once where a file's first page is damaged


def salvage_name(path: Path) -> Path:
    """The path at which a salvaged journal waits until the damaged one is out of the way."""
    return path.with_name(path.name + ".salvaged")


def salvage(path: Path) -> tuple[int, int]:
    """Write what is sound in the journal at ``path`` to ``salvage_name``: how many games, and how
    many entries were lost.

    That is every game up to its first row that is not what was written. Nothing is written where
    nothing can be read. Raises sqlite3.Error and OSError for what is written.
    """
    if not path.is_file() or path.stat().st_size == 0:  # SQLite would drop the log beside it
        return 0, 0
    saved = 0, 0
    for first_page_is_sound in (True, False):
        if not first_page_is_sound and path.stat().st_size > _MOST_BYTES:
            break
        try:
            with closing(
                connect(path, read_only=True)
                if first_page_is_sound
                else with_sound_first_page(read_file(path, _MOST_BYTES))
            ) as damaged:
                if damaged.execute("PRAGMA user_version").fetchone()[0] > VERSION:
                    break  # what its rows mean is not known
                saved = _salvage(damaged, path)
        except _UNREADABLE as error:
            # What could not be written is not what could not be read: nothing is set aside yet
            if primary_code(error) == sqlite3.SQLITE_FULL:
                raise
        if saved[0]:
            break
    return saved


def _salvage(damaged: sqlite3.Connection, path: Path) -> tuple[int, int]:
    saved, lost = salvage_name(path), 0
    following: dict[int, int] = {}
    with creating(saved) as fresh:
        for row in _rows(damaged):
            event = None
            with suppress(UnreadableEventsError):
                event = event_of(row)
            if event is None or following.get(event.game_id, 0) != event.sequence:
                lost += 1
            else:
                following[event.game_id] = event.sequence + 1
                insert(fresh, event)
        # Games whose sound rows do not make sense, which no flipped bit does
        reader = JournalReader(path, fresh)
        for game_id in list(following):
            try:
                with translated(path):
                    reader.load_within(game_id)
            except JournalDamagedError:
                lost += following.pop(game_id)
                fresh.execute("DELETE FROM events WHERE game_id = ?", (game_id,))
    if not following:
        saved.unlink()
    return len(following), lost


def _rows(database: sqlite3.Connection) -> Iterator[Row]:
    """Rows of COLUMNS and checksum in the order of their numbers, each once, without an index.

    For a number on an unreadable page, a row that is not sound. Numbers have gaps where an earlier
    journal was saved, and may themselves be what is damaged: after an unreadable page, reading goes
    on from the last one if it can be right, else from as many as were read.
    """
    query = f"SELECT id, {COLUMNS}, crc FROM events NOT INDEXED WHERE id >= ? ORDER BY id LIMIT ?"
    nothing = (None,) * (len(Event._fields) + 1)
    given: set[tuple[object, object]] = set()
    after = unreadable = 0
    alone = False  # after an error one row alone, because Python may read a row ahead
    while unreadable < _MOST_TRIES:
        begun, count = after, 0
        try:
            for number, *row in database.execute(query, (begun + 1, 1 if alone else -1)):
                count += 1
                likely = begun < number <= begun + count + _WIDEST_GAP
                after = number if likely else begun + count
                if (number, row[-1]) not in given:
                    given.add((number, row[-1]))
                    yield from [nothing] * unreadable
                    unreadable = 0
                    yield tuple(row)
            if count == 0 or not alone:
                return
            alone = False
        except _UNREADABLE as error:
            if primary_code(error) not in _LOST_PAGE:
                return
            if alone:
                after, unreadable = begun + max(1, unreadable // _ONE_BY_ONE), unreadable + 1
            alone = True

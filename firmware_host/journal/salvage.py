"""What is sound in a damaged journal, as a journal of its own. The damaged file is only read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from firmware_host.config.errors import JournalDamagedError
from firmware_host.journal import schema
from firmware_host.journal.failures import translated
from firmware_host.journal.files import Salvaged
from firmware_host.journal.reader import JournalReader
from firmware_host.journal.records import (
    EVENT_COLUMNS,
    GAME_COLUMNS,
    Row,
    UnreadableEventsError,
    event_of,
    game_of,
    with_checksum,
)

# SQLite quotes what it cannot read, whatever its bytes are.
_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
_LOST_PAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR})
# A page holds some hundred rows: after so many unreadable numbers there are no more.
_MOST_UNREADABLE = 2_000
_MOST_BYTES = 1 << 28  # that are read at once where a file's first page is damaged


def salvage_name(path: Path) -> Path:
    """Where the saved journal of ``path`` waits until the damaged one is out of the way."""
    return path.with_name(path.name + ".salvaged")


def salvage(path: Path) -> Salvaged:
    """Write what is sound in the journal at ``path`` to ``salvage_name``.

    That is every game up to its first row that is not what was written. Nothing is written where
    nothing can be read. Raises sqlite3.Error and OSError for what is written.
    """
    if not path.is_file() or path.stat().st_size == 0:  # SQLite would drop the log beside it
        return Salvaged()
    saved = Salvaged()
    try:
        with closing(schema.connect(path, read_only=True)) as damaged:
            saved = _salvage(damaged, path)
            if damaged.execute("PRAGMA user_version").fetchone()[0] > schema.VERSION:
                return saved
    except _UNREADABLE as error:
        _refuse_a_full_disk(error)
    if saved.games or path.stat().st_size > _MOST_BYTES:
        return saved
    try:
        with closing(schema.with_sound_first_page(path.read_bytes())) as mended:
            return _salvage(mended, path)
    except _UNREADABLE as error:
        _refuse_a_full_disk(error)
        return saved


def _refuse_a_full_disk(error: Exception) -> None:
    """What could not be written is not what could not be read: then nothing is set aside yet."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
        raise error


def _salvage(damaged: sqlite3.Connection, path: Path) -> Salvaged:
    crc = schema.has_checksums(damaged)
    if damaged.execute("PRAGMA user_version").fetchone()[0] > schema.VERSION:
        return Salvaged()  # what its rows mean is not known
    lost = 0
    following: dict[int, int] = {}

    def fill(database: sqlite3.Connection) -> None:
        nonlocal lost
        for row in _rows(damaged, "games", GAME_COLUMNS, crc=crc):
            try:
                number = game_of(row).id
            except UnreadableEventsError:
                lost += 1
            else:
                following[number] = 0
                database.execute(
                    f"INSERT INTO games ({GAME_COLUMNS}, crc) VALUES (?, ?, ?, ?, ?, ?)", row
                )
        for row in _rows(damaged, "events", EVENT_COLUMNS, crc=crc):
            try:
                event = event_of(row)
            except UnreadableEventsError:
                lost += 1
                continue
            if following.get(event.game_id) != event.sequence:
                lost += 1
                continue
            following[event.game_id] += 1
            database.execute(
                f"INSERT INTO events ({EVENT_COLUMNS}, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row
            )
        lost += _drop_unreadable(database, path, following)

    saved = salvage_name(path)
    schema.create(saved, fill)
    games = sum(1 for count in following.values() if count)
    if not games:
        saved.unlink()
    return Salvaged(games, lost)


def _drop_unreadable(database: sqlite3.Connection, path: Path, following: dict[int, int]) -> int:
    """Take out the games whose sound rows do not make sense, which no flipped bit does."""
    reader = JournalReader(path, database)
    lost = 0
    for game_id, count in list(following.items()):
        try:
            with translated(path):
                reader.load_within(game_id)
        except JournalDamagedError:
            lost += 1 + count
            following[game_id] = 0
            database.execute("DELETE FROM events WHERE game_id = ?", (game_id,))
            database.execute("DELETE FROM games WHERE id = ?", (game_id,))
    return lost


def _rows(database: sqlite3.Connection, table: str, columns: str, *, crc: bool) -> Iterator[Row]:
    """Rows of ``columns`` and checksum in the order in which they were written, without an index.

    For one on an unreadable page, a row that is not sound.
    """
    query = (
        f"SELECT {columns}{', crc' if crc else ''} FROM {table} NOT INDEXED"
        " WHERE id > ? ORDER BY id LIMIT ?"
    )
    nothing = (None,) * (columns.count(",") + 2)
    after = unreadable = 0
    most = -1  # no limit; after an error one alone, because Python reads a row ahead
    while unreadable < _MOST_UNREADABLE:
        try:
            for row in database.execute(query, (after, most)):
                yield from [nothing] * unreadable
                # Counted, because the number of a row may be what is damaged.
                after, unreadable = after + 1, 0
                yield row if crc else with_checksum(row)
            if most == -1:
                return
            most = -1
        except _UNREADABLE as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _LOST_PAGE:
                return
            if most == 1:
                after, unreadable = after + 1, unreadable + 1
            most = 1

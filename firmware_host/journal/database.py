"""The journal's SQLite file: its tables and settings, the lock for its only writer, and its errors.

The settings protect against power cuts on SD cards:

- ``journal_mode=WAL``: a commit appends to one file and syncs it once, while a rollback journal
  needs two files and three syncs. An incompletely written end is detected by checksums and dropped
  (https://www.sqlite.org/fileformat2.html, section 4).
- ``synchronous=FULL``: syncs the WAL after each commit. WAL with NORMAL, which is often
  recommended, can lose the last commits in a power cut
  (https://www.sqlite.org/pragma.html#pragma_synchronous).
- A new file is written under another name, synced, and renamed, so that no file has an incomplete
  schema.
"""

from __future__ import annotations

import datetime
import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tiltboard.firmware_host.config.errors import (
    JournalDamagedError,
    JournalError,
    JournalFullError,
    JournalInUseError,
)
from tiltboard.firmware_host.config.files import sync_directory
from tiltboard.firmware_host.messages import Message, text

# The letters TILT in ASCII, which mark the file as a tiltboard journal.
APPLICATION_ID = 0x54494C54
# Number of the file format, which is the same in all releases. Formats with lower numbers were
# never released.
VERSION = 7
BUSY_WAIT_S = 0.2
PAGE_BYTES = 4096
# Maximum size, in pages of PAGE_BYTES each, of a file that is checked completely when it is opened.
# integrity_check reads every page, so opening a larger file would be slow (32 MiB is about 10,000
# games). Pages of a larger file are still checked when they are read.
CHECKED_PAGES = 8192
# A number of pages that no file exceeds (https://www.sqlite.org/limits.html). With this maximum
# every page is checked.
EVERY_PAGE = 2**32
WAL_SUFFIXES = ("-wal", "-shm")

# Latest date that can be written, in seconds since 1970.
YEAR_9999_S = 253_370_764_800.0

BEGIN_ANEW = "Start the table again: it keeps the file aside and goes on with what is sound."


_REFUSED = "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"

# The table definitions in an existing file are compared with these statements character by
# character.
TABLE = """CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    game_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    kind TEXT NOT NULL,
    ply INTEGER NOT NULL,
    move TEXT,
    at_s REAL NOT NULL,
    payload TEXT,
    crc INTEGER NOT NULL,
    UNIQUE (game_id, sequence)
) STRICT"""
# INSERT OR REPLACE deletes a row without firing the DELETE trigger, so the last trigger is needed
# (https://www.sqlite.org/lang_conflict.html).
TRIGGERS = (
    f"""CREATE TRIGGER events_follow BEFORE INSERT ON events
WHEN NEW.sequence IS NOT (
    SELECT coalesce(max(sequence) + 1, 0) FROM events WHERE game_id = NEW.game_id
)
{_REFUSED}""",
    f"CREATE TRIGGER events_update BEFORE UPDATE ON events\n{_REFUSED}",
    f"CREATE TRIGGER events_delete BEFORE DELETE ON events\n{_REFUSED}",
    f"""CREATE TRIGGER events_replace BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
{_REFUSED}""",
)


# Errors from SQLite and from the file system.


class UnreadableEventsError(ValueError):
    """The events of a game are not possible in their stored order, so the journal is damaged."""

    def __init__(self, why: Message) -> None:
        self.why = why
        super().__init__(str(why))


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Convert errors of SQLite and the file system into the subclasses of JournalError."""
    try:
        yield
    except sqlite3.Error as error:
        raise _error(path, error) from error
    # SQLite's message quotes the definition of the damaged table, which can contain invalid UTF-8.
    except UnicodeDecodeError as error:
        raise damaged_error(path, str(error)) from error
    except UnreadableEventsError as error:
        raise damaged_error(path, error.why) from error
    except JournalError:
        raise
    except OSError as error:
        raise no_room(path, error.strerror or str(error)) from error


def damaged_error(path: Path, why: Message | str, *, remedy: str = "") -> JournalDamagedError:
    """Return the error for a file that is damaged, or that is not a journal of this program.

    ``why`` can be an SQLite message of several lines, which are joined into one.
    """
    return JournalDamagedError(
        "The journal {path} cannot be read: {why}.",
        remedy=remedy or BEGIN_ANEW,
        path=path,
        why=" ".join(why.split()) if isinstance(why, str) else why,
    )


def no_room(path: Path, why: str) -> JournalFullError:
    """Return the error for a journal that cannot be written to the disk."""
    return JournalFullError(
        "The journal {path} cannot be written: {why}.",
        remedy="Make room on the disk, and check that it is not read-only. Play then goes on.",
        path=path,
        why=why,
    )


def in_use(path: Path, holder: str) -> JournalInUseError:
    """Return the error for a journal that another process has open for writing.

    ``holder`` is the id of that process, empty if unknown.
    """
    return JournalInUseError(
        "The journal {path} is in use by another program{holder}.",
        remedy="Stop that program first, or choose another folder with --state.",
        path=path,
        holder=text(" (process {number})", number=holder) if holder else "",
    )


_BY_CODE: Mapping[int, Callable[[Path, str], JournalError]] = {
    sqlite3.SQLITE_FULL: no_room,
    sqlite3.SQLITE_READONLY: no_room,
    sqlite3.SQLITE_IOERR: no_room,
    sqlite3.SQLITE_CANTOPEN: no_room,
    sqlite3.SQLITE_PERM: no_room,
    sqlite3.SQLITE_CORRUPT: damaged_error,
    sqlite3.SQLITE_NOTADB: damaged_error,
    sqlite3.SQLITE_FORMAT: damaged_error,
    # An SQL statement of this program does not match the table, so damage or another program has
    # changed the table.
    sqlite3.SQLITE_ERROR: damaged_error,
    sqlite3.SQLITE_BUSY: lambda path, _: in_use(path, ""),
    sqlite3.SQLITE_LOCKED: lambda path, _: in_use(path, ""),
    sqlite3.SQLITE_PROTOCOL: lambda path, _: in_use(path, ""),
}


def primary_code(error: Exception) -> int | None:
    """Return SQLite's primary result code, or None for an error that does not come from SQLite."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _error(path: Path, error: sqlite3.Error) -> JournalError:
    code = primary_code(error)
    if code is None:  # The error comes from Python's own layer, so this program has a bug.
        raise error
    if code in _BY_CODE:
        return _BY_CODE[code](path, str(error))
    return JournalError(
        "The journal {path} cannot be used: {why}.",
        remedy="Start the table again; if it stays, report this sentence.",
        path=path,
        why=str(error),
    )


# Functions that open and check a journal.


@contextmanager
def creating(path: Path) -> Iterator[sqlite3.Connection]:
    """Create a journal at ``path`` with the rows that the caller inserts inside the context.

    When the context ends, the complete file appears durably in one step. Raises sqlite3.Error and
    OSError.
    """
    fresh = path.with_name(path.name + ".new")
    for suffix in ("", "-journal", *WAL_SUFFIXES):
        # This file remains from an attempt to create a journal that was interrupted by a power cut.
        # The file never contained a game.
        fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)
    fresh.touch(mode=0o600)  # SQLite gives the -wal and -shm files the same permissions.
    with closing(sqlite3.connect(fresh, isolation_level=None)) as database:
        database.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        database.execute("PRAGMA synchronous = EXTRA")
        database.execute("BEGIN IMMEDIATE")
        database.execute(TABLE)
        yield database
        for statement in TRIGGERS:
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute("COMMIT")
        # SQLite stores this setting in the file's header.
        database.execute("PRAGMA journal_mode = WAL")
    fresh.rename(path)
    sync_directory(path.parent)


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open an existing journal. Raises sqlite3.Error.

    On a read-only card SQLite cannot create the -shm file that a WAL needs. If there is no WAL file
    either, no process writes to the journal, so the file is opened as immutable.
    """
    with ExitStack() as unless_open:
        database = _connect(path, "mode=ro" if read_only else "mode=rw", unless_open)
        try:
            database.execute("PRAGMA schema_version").fetchone()
        except sqlite3.OperationalError as error:
            unwritable = primary_code(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
            if not (read_only and unwritable and path.is_file()) or leftovers(path):
                raise
            database = _connect(path, "mode=ro&immutable=1", unless_open)
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA trusted_schema = OFF")
        unless_open.pop_all()
    return database


def _connect(path: Path, how: str, unless_open: ExitStack) -> sqlite3.Connection:
    database = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None, timeout=BUSY_WAIT_S
    )
    unless_open.callback(database.close)
    database.text_factory = _text
    return database


def _text(raw: bytes) -> str:
    """Decode a text column. Damaged UTF-8 is accepted, because the row's checksum detects the
    damage.
    """
    return raw.decode("utf-8", "surrogateescape")


def check(database: sqlite3.Connection, path: Path, most_pages: int) -> None:
    """Raise JournalDamagedError if the file is not a complete journal that this version can read.

    If the file has at most ``most_pages``, SQLite checks every page and index. The checksums of
    rows are checked later, when the rows are read. Also raises sqlite3.Error.
    """

    def asked(pragma: str) -> object:
        return database.execute(f"PRAGMA {pragma}").fetchone()[0]

    if asked("application_id") != APPLICATION_ID:
        raise damaged_error(path, text("it was made by another program"))
    version = asked("user_version")
    if version != VERSION:
        raise damaged_error(
            path,
            text("another version of tiltboard wrote it (format {version})", version=version),
            remedy="Install that version again. Or start the table: it keeps the file aside.",
        )
    schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
    with closing(_model()) as model:
        if set(database.execute(schema)) != set(model.execute(schema)):
            raise damaged_error(
                path, text("its tables are not those of format {version}", version=version)
            )
    if int(str(asked("page_count"))) <= most_pages:
        found = asked("integrity_check(1)")
        if found != "ok":
            raise damaged_error(path, str(found))


def with_sound_first_page(content: bytes) -> sqlite3.Connection:
    """Return a journal in memory, made from a damaged journal by replacing its first page.

    ``content`` is a complete file of this format without its WAL. The first page can be replaced,
    because the header and the table definitions are the same in every journal. Raises
    sqlite3.Error.
    """
    with closing(_model()) as model:
        page = bytearray(model.serialize()[:PAGE_BYTES])
    # The header field that is replaced contains the file's size in pages (fileformat2, 1.3.7).
    page[28:32] = (len(content) // PAGE_BYTES).to_bytes(4, "big")
    database = sqlite3.connect(":memory:")
    database.deserialize(bytes(page) + content[PAGE_BYTES:])
    database.text_factory = _text
    return database


def _model() -> sqlite3.Connection:
    model = sqlite3.connect(":memory:")
    model.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    for statement in (TABLE, *TRIGGERS):
        model.execute(statement)
    return model


# Functions for SQLite's -wal and -shm files, the lock file and renamed journals.


@dataclass(frozen=True, slots=True)
class SetAside:
    """A report about a damaged journal that was renamed."""

    kept: Path
    """The path of the damaged journal after renaming."""
    problem: JournalDamagedError
    """The error that describes the damage."""
    games: int
    """Number of games saved from the damaged journal; the last moves of some games may be
    missing.
    """
    lost: int
    """Number of rows in the damaged journal that could not be saved."""

    def message(self) -> Message:
        """Return the message that informs the players about the damaged journal."""
        if self.games:
            return text(
                "The journal was damaged and is kept as {name}. Games saved from it: {games};"
                " entries lost: {lost}.",
                name=self.kept.name,
                games=self.games,
                lost=self.lost,
            )
        return text(
            "The journal could not be read. It is kept as {name}, and a new one has begun.",
            name=self.kept.name,
        )


class WriterLock:
    """A lock that allows only one process to write to a journal, by flock(2) on a file beside the
    journal.

    The kernel releases the lock when the process ends for any reason. The journal file itself is
    not locked with flock, because closing a second descriptor of the file would release SQLite's
    own locks (https://www.sqlite.org/howtocorrupt.html, 2.2).
    """

    def __init__(self, journal: Path) -> None:
        """Take the lock. Raises JournalInUseError immediately if another process has the lock. Also
        raises OSError.
        """
        path = journal.with_name(journal.name + ".lock")
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._descriptor, 20).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            raise in_use(journal, holder) from None
        except OSError:
            os.close(self._descriptor)
            raise
        # The lock file contains the id of the process that has the lock. On a full disk the lock
        # works without this id.
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def close(self) -> None:
        """Release the lock. The lock file remains, because another process may be about to lock
        it.
        """
        os.close(self._descriptor)


def leftovers(path: Path) -> tuple[Path, ...]:
    """Return the existing -wal and -shm files that belong to the journal at ``path``."""
    sides = (path.with_name(path.name + suffix) for suffix in WAL_SUFFIXES)
    return tuple(side for side in sides if side.exists())


def set_aside(path: Path, at_s: float) -> Path:
    """Rename ``path`` and its -wal and -shm files without changing their content. Return the new
    path of the main file.

    The main file is renamed first. If the power is cut before the WAL is renamed, a WAL without a
    database remains. The program detects this WAL as damage at the next start. In the opposite
    order, a database without its newest moves could remain, which cannot be detected. Raises
    OSError.
    """
    kept = unused(path.with_name(f"{path.name}.damaged"), at_s)
    if path.exists():
        path.rename(kept)
        sync_directory(path.parent)
    for side in leftovers(path):
        side.rename(kept.with_name(kept.name + side.name.removeprefix(path.name)))
    sync_directory(path.parent)
    return kept


def unused(path: Path, at_s: float) -> Path:
    """Return ``path`` with the date ``at_s`` appended. If a file with that name exists, a number is
    appended too.
    """
    date = datetime.datetime.fromtimestamp(sound_date(at_s), datetime.UTC)
    dated = name = f"{path.name}-{date:%Y%m%dT%H%M%SZ}"
    taken = [entry.name for entry in path.parent.iterdir()]
    number = 1
    while any(each.startswith(name) for each in taken):
        number += 1
        name = f"{dated}-{number}"
    return path.with_name(name)


def sound_date(at_s: float) -> float:
    """Return ``at_s`` limited to dates that the journal can store, because a Pi's clock can be very
    wrong.
    """
    return min(max(float(at_s), 0.0), YEAR_9999_S - 1)


def is_date(at_s: object) -> bool:
    """Return whether a value is a time that the journal can store, in seconds since 1970 and before
    the year 9999.
    """
    return isinstance(at_s, float) and 0 <= at_s < YEAR_9999_S

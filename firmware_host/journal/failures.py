"""SQLite's result codes as the errors of the table (https://www.sqlite.org/rescode.html)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firmware_host.config.errors import (
    JournalDamagedError,
    JournalError,
    JournalFullError,
    JournalInUseError,
)
from firmware_host.journal.records import UnreadableEventsError
from firmware_host.messages import Message, text

NO_ROOM = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
    }
)
# SQLITE_ERROR: statements of this program do not fit the tables, so those are not as it made them.
DAMAGED = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_ERROR,
    }
)
BEGIN_ANEW = "Start the table again: it keeps the file aside and goes on with what is sound."
BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's and the file system's errors into JournalError's branches."""
    try:
        yield
    except sqlite3.Error as error:
        raise _error(path, error) from error
    except UnicodeDecodeError as error:  # SQLite quotes a damaged table's definition
        raise damaged(path, str(error)) from error
    except UnreadableEventsError as error:
        raise damaged(path, error.why) from error
    except JournalError:
        raise
    except OSError as error:
        raise no_room(path, error.strerror or str(error)) from error


def damaged(path: Path, why: Message | str, *, remedy: str = "") -> JournalDamagedError:
    """The error for a file that cannot be this program's journal, or no longer is.

    ``why`` may be SQLite's words, over several lines: here they are one.
    """
    return JournalDamagedError(
        "The journal {path} cannot be read: {why}.",
        remedy=remedy or BEGIN_ANEW,
        path=path,
        why=" ".join(why.split()) if isinstance(why, str) else why,
    )


def no_room(path: Path, why: str) -> JournalFullError:
    """The error for a disk that does not take the next move."""
    return JournalFullError(
        "The journal {path} cannot be written: {why}.",
        remedy="Make room on the disk, and check that it is not read-only. Play then goes on.",
        path=path,
        why=why,
    )


def in_use(path: Path, holder: str) -> JournalInUseError:
    """The error for a journal that another process has open for writing.

    ``holder``: its number, empty if unknown.
    """
    return JournalInUseError(
        "The journal {path} is in use by another program{holder}.",
        remedy="Stop that program first, or choose another folder with --state.",
        path=path,
        holder=text(" (process {number})", number=holder) if holder else "",
    )


def _error(path: Path, error: sqlite3.Error) -> JournalError:
    # Errors that Python's own layer raises carry no code: those are mistakes of the program.
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        raise error
    primary = code & 0xFF
    if primary in NO_ROOM:
        return no_room(path, str(error))
    if primary in DAMAGED:
        return damaged(path, str(error))
    if primary in BUSY:
        return in_use(path, "")
    return JournalError(
        "The journal {path} cannot be used: {why}.",
        remedy="Start the table again; if it stays, report this sentence.",
        path=path,
        why=str(error),
    )

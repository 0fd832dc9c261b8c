"""Tables, triggers, settings of the connection, and the checks of a file before it is trusted.

Settings, for power cuts on SD cards:

- ``journal_mode=WAL``: a commit appends to one file and syncs it once, where a rollback journal
  needs two files and three syncs; a torn tail is recognised by its checksums and dropped
  (https://www.sqlite.org/fileformat2.html, section 4).
- ``synchronous=FULL``: syncs the WAL after each commit. WAL with NORMAL, the usual advice, may lose
  the last commits with the power (https://www.sqlite.org/pragma.html#pragma_synchronous).
- The file is made under another name, synced, and renamed: half a schema is never found.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from firmware_host.journal.failures import damaged
from firmware_host.journal.files import WAL_SUFFIXES, sync_directory
from firmware_host.messages import text

APPLICATION_ID = 0x54494C54  # "TILT"
VERSION = 1
BUSY_WAIT_S = 0.2
# Of 4 KiB each. quick_check reads every page: the bound keeps opening fast (32 MiB is some 10,000
# games). A larger file is still checked page by page as it is read.
CHECKED_PAGES = 8192

_TABLES = """
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    options TEXT NOT NULL,
    started_s REAL NOT NULL,
    note TEXT NOT NULL
) STRICT;
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    game_id INTEGER NOT NULL REFERENCES games (id),
    sequence INTEGER NOT NULL,
    kind TEXT NOT NULL,
    ply INTEGER NOT NULL,
    move TEXT,
    at_s REAL NOT NULL,
    payload TEXT,
    UNIQUE (game_id, sequence)
) STRICT;
CREATE TRIGGER events_follow BEFORE INSERT ON events
WHEN NEW.sequence IS NOT (
    SELECT coalesce(max(sequence) + 1, 0) FROM events WHERE game_id = NEW.game_id
)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
"""

# INSERT OR REPLACE deletes without firing DELETE's trigger, hence the third of each
# (https://www.sqlite.org/lang_conflict.html).
_APPEND_ONLY = """
CREATE TRIGGER {table}_update BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER {table}_delete BEFORE DELETE ON {table}
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER {table}_replace BEFORE INSERT ON {table}
WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
"""


def create(path: Path) -> None:
    """Make an empty journal at ``path``, durably and at once. Raises sqlite3.Error, OSError."""
    fresh = path.with_name(path.name + ".new")
    for suffix in ("", "-journal", *WAL_SUFFIXES):
        # Left by a creation that the power cut short: there was never a game in it.
        fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)
    database = sqlite3.connect(fresh, isolation_level=None)
    try:
        database.execute("PRAGMA synchronous = EXTRA")
        schema = "".join(
            (_TABLES, *(_APPEND_ONLY.format(table=table) for table in ("games", "events")))
        )
        database.executescript(
            f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID};"
            f"PRAGMA user_version = {VERSION}; {schema} COMMIT;"
        )
        database.execute("PRAGMA journal_mode = WAL")  # kept in the file's header
    finally:
        database.close()
    fresh.rename(path)
    sync_directory(path.parent)


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open an existing journal. Raises sqlite3.Error."""
    mode = "ro" if read_only else "rw"
    database = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        timeout=BUSY_WAIT_S,
    )
    try:
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA foreign_keys = ON")
        database.execute("PRAGMA trusted_schema = OFF")
    except sqlite3.Error:
        database.close()
        raise
    return database


def check(database: sqlite3.Connection, path: Path) -> None:
    """Is this a whole journal that this version can read?

    Raises JournalDamagedError and sqlite3.Error. What a page says is not checked here beyond
    SQLite's structure: a flipped bit inside a move shows when the game is replayed.
    """
    application = _number(database, "application_id")
    if application != APPLICATION_ID:
        raise damaged(path, text("it was made by another program"))
    version = _number(database, "user_version")
    if version > VERSION:
        raise damaged(
            path,
            text("it is from a newer tiltboard (format {version})", version=version),
            remedy="Install the newer version again. Or start the table: it keeps the file aside.",
        )
    if version < VERSION:
        raise damaged(path, text("its format {version} is unknown", version=version))
    if _number(database, "page_count") <= CHECKED_PAGES:
        check_pages(path, database)


def check_pages(path: Path, database: sqlite3.Connection) -> None:
    """Have SQLite look at every page. Raises JournalDamagedError."""
    findings = [str(row[0]) for row in database.execute("PRAGMA quick_check(1)")]
    if findings != ["ok"]:
        raise damaged(path, " ".join(findings))


def _number(database: sqlite3.Connection, pragma: str) -> int:
    return int(database.execute(f"PRAGMA {pragma}").fetchone()[0])

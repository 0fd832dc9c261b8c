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
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from firmware_host.journal.failures import damaged
from firmware_host.journal.files import WAL_SUFFIXES, leftovers, sync_directory
from firmware_host.journal.records import EVENT_COLUMNS, GAME_COLUMNS, checksum
from firmware_host.messages import text

APPLICATION_ID = 0x54494C54  # "TILT"
VERSION = 6
# 1 is as 2, without events of the kinds pending and dropped; 3 has checksums, 4 engines, 5 clocks,
# 6 assist and the time that engines thought
OLDEST = 1
FIRST_WITH_CHECKSUMS = 3
BUSY_WAIT_S = 0.2
PAGE_BYTES = 4096
# Of PAGE_BYTES each. integrity_check reads every page: the bound keeps opening fast (32 MiB is some
# 10,000 games). A larger file is still checked page by page as it is read.
CHECKED_PAGES = 8192

TABLES = """
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
"""
# A column of its own statement, so that a file of an older format becomes just what a new one is.
CHECKSUMS = """
ALTER TABLE games ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
"""
_FOLLOW = """
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


TRIGGERS = "".join((_FOLLOW, *(_APPEND_ONLY.format(table=table) for table in ("games", "events"))))


def create(path: Path, fill: Callable[[sqlite3.Connection], None] = lambda _: None) -> None:
    """Make a journal at ``path``, durably and at once. ``fill`` may put rows into it first.

    Raises sqlite3.Error, OSError.
    """
    fresh = path.with_name(path.name + ".new")
    for suffix in ("", "-journal", *WAL_SUFFIXES):
        # Left by a creation that the power cut short: there was never a game in it.
        fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)
    database = sqlite3.connect(fresh, isolation_level=None)
    try:
        database.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        database.execute("PRAGMA synchronous = EXTRA")
        database.execute("BEGIN IMMEDIATE")
        for statement in _statements(TABLES + CHECKSUMS):
            database.execute(statement)
        fill(database)
        for statement in _statements(TRIGGERS):
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute("COMMIT")
        database.execute("PRAGMA journal_mode = WAL")  # kept in the file's header
    finally:
        database.close()
    fresh.rename(path)
    sync_directory(path.parent)


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open an existing journal. Raises sqlite3.Error.

    On a card that is read-only SQLite cannot make the -shm file that a log needs; where there is no
    log either, nobody writes, and the file is read as one that does not change.
    """
    database = _connect(path, "mode=ro" if read_only else "mode=rw")
    try:
        try:
            database.execute("PRAGMA schema_version").fetchone()
        except sqlite3.OperationalError as error:
            unwritable = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
            if (
                not read_only
                or error.sqlite_errorcode & 0xFF not in unwritable
                or not path.is_file()
                or leftovers(path)
            ):
                raise
            database.close()
            database = _connect(path, "mode=ro&immutable=1")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA foreign_keys = ON")
        database.execute("PRAGMA trusted_schema = OFF")
    except BaseException:
        database.close()
        raise
    return database


def _connect(path: Path, how: str) -> sqlite3.Connection:
    database = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None, timeout=BUSY_WAIT_S
    )
    database.text_factory = _text
    database.create_function("checksum", -1, lambda *row: checksum(row), deterministic=True)
    return database


def _text(raw: bytes) -> str:
    """What is not UTF-8 is damage, which the row's checksum shows."""
    return raw.decode("utf-8", "surrogateescape")


def check(database: sqlite3.Connection, path: Path, *, pages: bool = True) -> None:
    """Is this a whole journal that this version can read?

    ``pages``: look at all of a small one's. Raises JournalDamagedError and sqlite3.Error. Rows are
    checked as they are read, by their checksums.
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
    if version < OLDEST:
        raise damaged(path, text("its format {version} is unknown", version=version))
    if _schema_of(database) != _expected(version):
        raise damaged(path, text("its tables are not those of format {version}", version=version))
    if pages and _number(database, "page_count") <= CHECKED_PAGES:
        check_pages(path, database)


def migrate(database: sqlite3.Connection) -> None:
    """Make a journal of an older format this one's, in place and at once. Raises sqlite3.Error.

    Its rows get their checksums, and the number keeps older programs from what they do not know.
    """
    version = _number(database, "user_version")
    if version == VERSION:
        return
    if version >= FIRST_WITH_CHECKSUMS:
        database.execute(f"PRAGMA user_version = {VERSION}")
        return
    triggers = database.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    database.execute("BEGIN IMMEDIATE")
    try:
        for (name,) in triggers:
            database.execute(f"DROP TRIGGER {name}")
        for statement in _statements(CHECKSUMS):
            database.execute(statement)
        database.execute(f"UPDATE games SET crc = checksum({GAME_COLUMNS})")
        database.execute(f"UPDATE events SET crc = checksum({EVENT_COLUMNS})")
        for statement in _statements(TRIGGERS):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def has_checksums(database: sqlite3.Connection) -> bool:
    """Whether the rows carry them. Raises sqlite3.Error."""
    return any(row[1] == "crc" for row in database.execute("PRAGMA table_info(events)"))


def check_pages(path: Path, database: sqlite3.Connection) -> None:
    """Have SQLite look at every page and index. Raises JournalDamagedError."""
    findings = [str(row[0]) for row in database.execute("PRAGMA integrity_check(1)")]
    if findings != ["ok"]:
        raise damaged(path, " ".join(findings))


def with_sound_first_page(content: bytes) -> sqlite3.Connection:
    """A journal in memory: ``content``, a whole file of this format without its log, but with the
    header and the tables' definitions as they are in every one. Raises sqlite3.Error.
    """
    with closing(_model(VERSION)) as model:
        page = bytearray(model.serialize()[:PAGE_BYTES])
    page[28:32] = (len(content) // PAGE_BYTES).to_bytes(4, "big")  # fileformat2, 1.3.7: its size
    database = sqlite3.connect(":memory:")
    database.deserialize(bytes(page) + content[PAGE_BYTES:])
    database.text_factory = _text
    return database


def _expected(version: int) -> set[tuple[str, ...]]:
    with closing(_model(version)) as model:
        return _schema_of(model)


def _model(version: int) -> sqlite3.Connection:
    model = sqlite3.connect(":memory:")
    model.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    model.executescript(
        f"{TABLES} {CHECKSUMS if version >= FIRST_WITH_CHECKSUMS else ''} {TRIGGERS}"
    )
    return model


def _schema_of(database: sqlite3.Connection) -> set[tuple[str, ...]]:
    return set(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def _statements(script: str) -> list[str]:
    """Single statements, because executescript would commit first."""
    found, part = [], ""
    for piece in script.split(";")[:-1]:
        part += piece + ";"
        if sqlite3.complete_statement(part):
            found.append(part)
            part = ""
    return found


def _number(database: sqlite3.Connection, pragma: str) -> int:
    return int(database.execute(f"PRAGMA {pragma}").fetchone()[0])

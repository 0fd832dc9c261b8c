"""Not a test: journals as a tiltboard wrote them that knew no engines (3) or checksums (1, 2)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from firmware_host.journal.records import EVENT_COLUMNS, GAME_COLUMNS
from firmware_host.journal.schema import (
    APPLICATION_ID,
    CHECKSUMS,
    FIRST_WITH_CHECKSUMS,
    TABLES,
    TRIGGERS,
)


def in_format(version: int, path: Path) -> None:
    """Write the journal at ``path`` anew in an older format."""
    crc = ", crc" if version >= FIRST_WITH_CHECKSUMS else ""
    source = sqlite3.connect(path)
    games = source.execute(f"SELECT {GAME_COLUMNS}{crc} FROM games").fetchall()
    events = source.execute(f"SELECT {EVENT_COLUMNS}{crc} FROM events ORDER BY id").fetchall()
    source.close()
    path.unlink()
    database = sqlite3.connect(path)
    columns = CHECKSUMS if crc else ""
    database.executescript(
        f"{TABLES} {columns} {TRIGGERS} PRAGMA application_id = {APPLICATION_ID};"
    )
    for table, names, rows in (
        ("games", GAME_COLUMNS, games),
        ("events", EVENT_COLUMNS, events),
    ):
        marks = ", ".join("?" * len((names + crc).split(",")))
        database.executemany(f"INSERT INTO {table} ({names}{crc}) VALUES ({marks})", rows)
    database.commit()
    database.executescript(f"PRAGMA user_version = {version}; PRAGMA journal_mode = WAL;")
    database.close()

"""Not a test: journals as a tiltboard wrote them that knew no checksums (formats 1 and 2)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from firmware_host.journal.records import EVENT_COLUMNS, GAME_COLUMNS
from firmware_host.journal.schema import APPLICATION_ID, TABLES, TRIGGERS


def in_format(version: int, path: Path) -> None:
    """Write the journal at ``path`` anew in an older format."""
    source = sqlite3.connect(path)
    games = source.execute(f"SELECT {GAME_COLUMNS} FROM games").fetchall()
    events = source.execute(f"SELECT {EVENT_COLUMNS} FROM events ORDER BY id").fetchall()
    source.close()
    path.unlink()
    database = sqlite3.connect(path)
    database.executescript(f"{TABLES} {TRIGGERS} PRAGMA application_id = {APPLICATION_ID};")
    database.executemany(f"INSERT INTO games ({GAME_COLUMNS}) VALUES (?, ?, ?, ?, ?)", games)
    marks = "?, ?, ?, ?, ?, ?, ?"
    database.executemany(f"INSERT INTO events ({EVENT_COLUMNS}) VALUES ({marks})", events)
    database.commit()
    database.executescript(f"PRAGMA user_version = {version}; PRAGMA journal_mode = WAL;")
    database.close()

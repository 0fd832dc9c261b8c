"""The journal: every game as an append-only list of events on disk (docs/journal.md).

A move counts once ``Journal.append`` has returned. State is never kept beside the events: a game is
the fold of its events, and the current game is the one started or resumed last.
"""

from __future__ import annotations

from firmware_host.journal.database import SetAside
from firmware_host.journal.records import (
    EventKind,
    GameRecord,
    GameSummary,
    JournalReader,
    PlayedGame,
)
from firmware_host.journal.text_format import read_and_replay, read_game, replay, write_game
from firmware_host.journal.writer import Journal, Starts

__all__ = [
    "EventKind",
    "GameRecord",
    "GameSummary",
    "Journal",
    "JournalReader",
    "PlayedGame",
    "SetAside",
    "Starts",
    "read_and_replay",
    "read_game",
    "replay",
    "write_game",
]

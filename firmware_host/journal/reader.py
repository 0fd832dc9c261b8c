"""Reading the journal: also beside the process that writes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from firmware_host.errors import NoSuchGameError
from firmware_host.journal import schema
from firmware_host.journal.failures import translated
from firmware_host.journal.records import (
    Event,
    EventKind,
    GameRecord,
    GameSummary,
    fold,
    json_object,
)

# Only a finish has a payload, so the last event's is the result of a game that is over.
_SUMMARIES = """
SELECT g.id, g.game, g.options, g.started_s, e.at_s, e.ply, e.payload
FROM games AS g JOIN events AS e ON e.game_id = g.id AND e.sequence = (
    SELECT sequence FROM events WHERE game_id = g.id AND kind <> 'resume'
    ORDER BY sequence DESC LIMIT 1
)
WHERE ?1 IS NULL OR g.id < ?1 ORDER BY g.id DESC LIMIT ?2
"""


class JournalReader:
    """Games of a journal. One thread only; sees what was confirmed before each call."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        """Use ``open_read_only`` (or ``Journal.open``)."""
        self.path = path
        self._database = database

    @classmethod
    def open_read_only(cls, path: Path) -> JournalReader:
        """Open without the right to write; a table may go on writing meanwhile.

        Raises JournalDamagedError, JournalFullError (no such file, or not readable).
        """
        with translated(path):
            database = schema.connect(path, read_only=True)
            try:
                schema.check(database, path)
            except BaseException:
                database.close()
                raise
        return JournalReader(path, database)

    def close(self) -> None:
        """Let go of the file. Closing twice is allowed."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def current(self) -> GameRecord | None:
        """The game that was started or resumed last; None in an empty journal."""
        with self._snapshot():
            game_id = self._current_id()
            return None if game_id is None else self._load(game_id)

    def load(self, game_id: int) -> GameRecord:
        """One game. Raises NoSuchGameError, JournalDamagedError."""
        with self._snapshot():
            return self._load(game_id)

    def games(self, limit: int = 100, before: int | None = None) -> tuple[GameSummary, ...]:
        """The newest ``limit`` games, newest first; ``before``: only those with a lower number."""
        with self._snapshot():
            current = self._current_id()
            rows = self._database.execute(_SUMMARIES, (before, limit))
            return tuple(_summary(row, current) for row in rows)

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Several selects that see one state."""
        with translated(self.path):
            self._database.execute("BEGIN")
            try:
                yield
            finally:
                self._database.execute("ROLLBACK")

    def _current_id(self) -> int | None:
        row = self._database.execute(
            "SELECT game_id FROM events WHERE kind IN (?, ?) ORDER BY id DESC LIMIT 1",
            (EventKind.START, EventKind.RESUME),
        ).fetchone()
        return None if row is None else int(row[0])

    def _load(self, game_id: int) -> GameRecord:
        row = self._game_row(game_id)
        events = self._database.execute(
            "SELECT sequence, kind, ply, move, at_s, payload FROM events WHERE game_id = ?"
            " ORDER BY sequence",
            (game_id,),
        )
        return fold(game_id, row, (Event(*event) for event in events))

    def _game_row(self, game_id: int) -> tuple[str, str, float, str]:
        row: tuple[str, str, float, str] | None = self._database.execute(
            "SELECT game, options, started_s, note FROM games WHERE id = ?", (game_id,)
        ).fetchone()
        if row is None:
            raise NoSuchGameError(
                "There is no game {number} in the journal.",
                remedy="`tiltboard games` lists those that are there.",
                number=game_id,
            )
        return row

    def _last_event(self, game_id: int) -> Event:
        """The event after which the game stands now. Raises NoSuchGameError."""
        self._game_row(game_id)
        rows = self._database.execute(
            "SELECT sequence, kind, ply, move, at_s, payload FROM events WHERE game_id = ?"
            " AND kind <> ? ORDER BY sequence DESC LIMIT 1",
            (game_id, EventKind.RESUME),
        )
        return Event(*rows.fetchone())


def _summary(
    row: tuple[int, str, str, float, float, int, str | None], current: int | None
) -> GameSummary:
    game_id, game, options, started_s, changed_s, moves, result = row
    return GameSummary(
        id=game_id,
        game=game,
        options=json_object(options, game_id),
        started_s=started_s,
        changed_s=changed_s,
        moves=moves,
        result=None if result is None else json_object(result, game_id),
        current=game_id == current,
    )

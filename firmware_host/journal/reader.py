"""Reading the journal: also beside the process that writes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from firmware_host.config.errors import NoSuchGameError
from firmware_host.journal import schema
from firmware_host.journal.failures import translated
from firmware_host.journal.records import (
    ASIDE,
    EVENT_COLUMNS,
    GAME_COLUMNS,
    Event,
    EventKind,
    GameRecord,
    GameSummary,
    Row,
    StoredGame,
    UnreadableEventsError,
    event_of,
    fold,
    game_of,
    json_object,
    misplaced,
    with_checksum,
)

LARGEST_NUMBER = 2**63 - 1  # that SQLite has


class JournalReader:
    """Games of a journal. One thread only; sees what was confirmed before each call."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        """Use ``open_read_only`` (or ``Journal.open``)."""
        self.path = path
        self._database = database
        crc = ", crc" if schema.has_checksums(database) else ""
        self._game = f"SELECT {GAME_COLUMNS}{crc}"
        self._event = f"SELECT {EVENT_COLUMNS}{crc}"
        self._with_checksum: Callable[[Row], Row] = with_checksum if not crc else lambda row: row

    @classmethod
    def open_read_only(cls, path: Path, *, pages: bool = True) -> JournalReader:
        """Open without the right to write; a table may go on writing meanwhile.

        ``pages``: all of a small one's are looked at first.

        Raises JournalDamagedError, JournalFullError (no such file, or not readable).
        """
        with translated(path):
            database = schema.connect(path, read_only=True)
            try:
                schema.check(database, path, pages=pages)
                return JournalReader(path, database)
            except BaseException:
                database.close()
                raise

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
            try:
                return None if game_id is None else self.load_within(game_id)
            except NoSuchGameError as error:  # its number is what is damaged
                raise misplaced(game_id or 0, 0) from error

    def load(self, game_id: int) -> GameRecord:
        """One game. Raises NoSuchGameError, JournalDamagedError."""
        with self._snapshot():
            return self.load_within(game_id)

    def games(self, limit: int = 100, before: int | None = None) -> tuple[GameSummary, ...]:
        """The newest ``limit`` games, newest first; ``before``: only those with a lower number.

        Those that are damaged are left out; ``damaged`` names them.
        """
        return tuple(game for _, game in self._listed(limit, before) if game is not None)

    def damaged(self, limit: int = 100, before: int | None = None) -> tuple[int, ...]:
        """The numbers of the games that ``games`` leaves out."""
        return tuple(number for number, game in self._listed(limit, before) if game is None)

    def _listed(self, limit: int, before: int | None) -> list[tuple[int, GameSummary | None]]:
        with self._snapshot():
            current = self._current_id()
            rows = self._database.execute(
                f"{self._game} FROM games WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2",
                (before, limit),
            ).fetchall()
            return [(row[0], self._summary(row, current)) for row in rows]

    def _summary(self, row: Row, current: int | None) -> GameSummary | None:
        try:
            game = game_of(self._with_checksum(row))
            last = self._last_event(game.id)
            over = last.kind == EventKind.FINISH and last.payload is not None
            result = json_object(last.payload or "", game.id) if over else None
            options = json_object(game.options, game.id)
        except UnreadableEventsError:
            return None
        return GameSummary(
            id=game.id,
            game=game.game,
            options=options,
            started_s=game.started_s,
            changed_s=last.at_s,
            moves=last.ply,
            result=result,
            current=game.id == current,
        )

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

    def load_within(self, game_id: int) -> GameRecord:
        """As ``load``, within a transaction."""
        game = self._game_row(game_id)
        events = self._database.execute(
            f"{self._event} FROM events WHERE game_id = ?1 AND sequence >= coalesce(("
            " SELECT sequence FROM events WHERE game_id = ?1 AND kind = ?2"
            " ORDER BY sequence DESC LIMIT 1), 0) ORDER BY sequence",
            (game_id, EventKind.STAND),
        )
        return fold(game, (event_of(self._with_checksum(row)) for row in events))

    def _game_row(self, game_id: int) -> StoredGame:
        row = None
        if game_id <= LARGEST_NUMBER:
            row = self._database.execute(
                f"{self._game} FROM games WHERE id = ?", (game_id,)
            ).fetchone()
        if row is None:
            raise NoSuchGameError(
                "There is no game {number} in the journal.",
                remedy="`tiltboard games` lists those that are there.",
                number=game_id,
            )
        return game_of(self._with_checksum(row))

    def _last_event(self, game_id: int) -> Event:
        """The event after which the game stands now. Raises NoSuchGameError."""
        self._game_row(game_id)
        row = self._database.execute(
            f"{self._event} FROM events WHERE game_id = ?"
            f" AND kind NOT IN ({', '.join('?' * len(ASIDE))}) ORDER BY sequence DESC LIMIT 1",
            (game_id, *ASIDE),
        ).fetchone()
        if row is None:
            raise misplaced(game_id, 0)
        return event_of(self._with_checksum(row))

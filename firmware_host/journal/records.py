"""Reads games from the journal by applying their events in order, and recovers games from a damaged
journal.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import msgspec
from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import JournalDamagedError, NoSuchGameError
from tiltboard.firmware_host.config.files import read_file
from tiltboard.firmware_host.config.players import (
    AssistLevel,
    Assists,
    ClockLeft,
    EngineSeat,
    EngineSeats,
)
from tiltboard.firmware_host.journal.database import (
    CHECKED_PAGES,
    VERSION,
    UnreadableEventsError,
    check,
    connect,
    creating,
    is_date,
    primary_code,
    translate_errors,
    with_sound_first_page,
)
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.table.move_line import PendingMove

T = TypeVar("T")
Row = tuple[Any, ...]


class EventKind(StrEnum):
    """The kinds of events in a game.

    ``start`` begins a game and makes it current; ``import`` stores a game that was played
    elsewhere. The first event of each game is one of these two, with the initial PlayedGame as
    payload. ``resume`` makes an earlier game current; after ``left`` no game is current until the
    next ``start`` or ``resume``. ``pending`` stores a move whose pieces are still being moved, and
    ``dropped`` cancels that move. ``takeback`` undoes all moves after number ``ply``. ``engines``,
    ``clock`` and ``assist`` store the players' bots, their remaining time, and their assist.
    ``stand`` summarises all earlier events, so that these need not be read.
    """

    START = "start"
    IMPORT = "import"
    MOVE = "move"
    TAKE_BACK = "takeback"
    FINISH = "finish"
    RESUME = "resume"
    PENDING = "pending"
    DROPPED = "dropped"
    ENGINES = "engines"
    CLOCK = "clock"
    ASSIST = "assist"
    STAND = "stand"
    LEFT = "left"


FIRST = (EventKind.START, EventKind.IMPORT)
_OF_MOVES = {"start", "import", "move", "takeback", "finish"}
ASIDE = tuple(kind for kind in EventKind if kind not in _OF_MOVES)
"""The kinds of events that do not change a game's moves."""


Note = Callable[[EngineSeats | ClockLeft | Assists, EventKind], bool]
"""Function that stores a change to one game's bots, clock or assist, and returns whether the change
was written to disk.
"""


class Event(NamedTuple):
    """A row of the table ``events``, without the row's number and checksum."""

    game_id: int
    sequence: int
    kind: str
    ply: int
    """Number of the game's moves after this event. The number in the last event is the length of
    the game.
    """
    move: str | None
    at_s: float
    payload: str | None
    """JSON data of the event, or None if events of this kind have no data.

    The payload of ``start`` and ``import`` is a PlayedGame. The payload of ``stand`` is a
    JournalGame, the payload of ``finish`` is the result, and the payload of ``pending`` is a
    PendingMove. The payloads of ``engines``, ``clock`` and ``assist`` are EngineSeats, ClockLeft
    and Assists.
    """


COLUMNS = ", ".join(Event._fields)


class PlayedGame(msgspec.Struct, frozen=True):
    """A game as it was played, from the journal or from another source."""

    game: str
    options: Mapping[str, Any]
    started_s: float
    """Time at which the game started, in seconds since 1970 UTC. For an imported game, the time at
    which the original game started.
    """
    note: str
    moves: tuple[str, ...]
    """The moves of the game, without moves that were undone."""
    result: Mapping[str, Any] | None
    """The result as a JSON object, or None while the game is not finished."""
    engines: EngineSeats = {}
    clock: ClockLeft | None = None
    """The remaining time of each player, or None if the game has no clock."""
    assist: Assists = {}


class JournalGame(PlayedGame, frozen=True, kw_only=True):
    """A game in the journal; also the payload of a ``stand`` event."""

    id: int = 0
    changed_s: float = 0.0
    """Time of the last event that changed the game's moves, in seconds since 1970 UTC."""
    taken_back: str | None = None
    """The move that followed ``moves`` until it was undone or cancelled, or None if another move
    has been made after that.
    """
    pending: PendingMove | None = None
    """The move whose pieces are still being moved, or None."""


@dataclass(frozen=True, slots=True)
class JournalSummary:
    """An entry in the list of games. ``moves`` is the number of moves. ``current`` is True for the
    game that is now on the table.
    """

    id: int
    game: str
    options: Mapping[str, Any]
    started_s: float
    changed_s: float
    moves: int
    result: Mapping[str, Any] | None
    current: bool


def fold(game_id: int, events: Iterable[Event]) -> JournalGame:
    """Return the game that results from ``events``.

    ``events`` are all events of the game in order, or only its events starting with a ``stand``.
    Raises UnreadableEventsError if the events are not possible in this order.
    """
    at: JournalGame | None = None
    expected = 0
    for event in events:
        if at is None and event.kind == EventKind.STAND:
            expected = event.sequence
        if event.sequence != expected or (event.kind in FIRST) != (expected == 0):
            raise misplaced_event(game_id, expected)
        if event.kind in (*FIRST, EventKind.STAND):
            at = decode_payload(event, JournalGame)
        elif at is not None:
            at = _after(at, event)
        if at is None or event.ply != len(at.moves):
            raise misplaced_event(game_id, expected)
        if event.kind not in ASIDE:
            at = replace(at, changed_s=event.at_s)
        expected += 1
    if at is None or not is_date(at.started_s):
        raise misplaced_event(game_id, 0)
    return replace(at, id=game_id)


# Kind of event -> name and type of the JournalGame field that the event's payload sets.
_NOTED: Mapping[str, tuple[str, Any]] = {
    EventKind.FINISH: ("result", dict[str, Any]),
    EventKind.PENDING: ("pending", PendingMove),
    EventKind.ENGINES: ("engines", dict[str, EngineSeat]),
    EventKind.CLOCK: ("clock", ClockLeft),
    EventKind.ASSIST: ("assist", dict[str, AssistLevel]),
}


def _after(at: JournalGame, event: Event) -> JournalGame | None:
    """Return the game after ``event``, or None if ``event`` is not possible at this point."""
    kind = event.kind
    if kind in (EventKind.RESUME, EventKind.LEFT):
        return at
    if kind == EventKind.MOVE and event.move and at.result is None:
        return replace(at, moves=(*at.moves, event.move), taken_back=None, pending=None)
    if kind == EventKind.TAKE_BACK and 0 <= event.ply < len(at.moves):
        moves, taken_back = at.moves[: event.ply], at.moves[event.ply]
        return replace(at, moves=moves, taken_back=taken_back, pending=None, result=None)
    # This undo removes only the result, because the players ended the game by agreement.
    if kind == EventKind.TAKE_BACK and at.result is not None:
        return replace(at, result=None)
    if kind == EventKind.DROPPED and at.pending is not None:
        return replace(at, taken_back=at.pending.move, pending=None)
    over = kind == EventKind.PENDING and at.result is not None
    if kind not in _NOTED or event.payload is None or over:
        return None
    name, of = _NOTED[kind]
    return replace(at, **{name: decode_payload(event, of)})


def checksum(row: Sequence[object]) -> int | None:
    """Return the CRC-32 of a row's columns, written as a JSON array. Return None if a column
    contains text that is not UTF-8.
    """
    try:
        return zlib.crc32(msgspec.json.encode(row))
    except UnicodeEncodeError:
        return None


def event_of(row: Row) -> Event:
    """Return the event stored in a row, which consists of COLUMNS and the checksum.

    Raises UnreadableEventsError if the row's checksum or date is wrong.
    """
    event, crc = Event(*row[:-1]), row[-1]
    if crc is None or crc != checksum(event) or not is_date(event.at_s):
        sequence, game = event.sequence, event.game_id
        raise UnreadableEventsError(
            text("event {sequence} of game {game} is damaged", sequence=sequence, game=game)
        )
    return event


def insert(database: sqlite3.Connection, event: Event) -> None:
    """Write an event and its checksum as a row of the table ``events``."""
    database.execute(
        f"INSERT INTO events ({COLUMNS}, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*event, checksum(event)),
    )


def to_json(value: object) -> str:
    """Return a value as one line of JSON, in the form that the journal stores."""
    # This hook encodes any kind of mapping as a JSON object.
    return msgspec.json.encode(value, enc_hook=dict).decode()


def decode_payload(event: Event, kind: type[T]) -> T:
    """Return an event's payload as an object of type ``kind``. Raises UnreadableEventsError if the
    payload has another type.
    """
    try:
        return msgspec.json.decode(event.payload or "", type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UnreadableEventsError(
            text(
                "event {sequence} of game {game} is unreadable",
                sequence=event.sequence,
                game=event.game_id,
            )
        ) from error


def misplaced_event(game_id: int, sequence: int) -> UnreadableEventsError:
    """Return the error for an event that is missing, or that is not possible after the earlier
    events.
    """
    return UnreadableEventsError(
        text(
            "event {sequence} of game {game} does not follow from those before it",
            sequence=sequence,
            game=game_id,
        )
    )


# The class that reads the journal.

LARGEST_NUMBER = 2**63 - 1  # SQLite's largest integer; a larger game number cannot exist.


class JournalReader:
    """Reads the games of a journal, in one thread. Each call uses all data that were committed
    before the call.
    """

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        """Use ``open_read_only`` (or ``Journal.open``) to create a reader."""
        self.path = path
        self._database = database

    @classmethod
    def open_read_only(cls, path: Path, *, most_pages: int = CHECKED_PAGES) -> JournalReader:
        """Open a journal for reading. Another process can write to the journal at the same time.

        If the file has at most ``most_pages`` pages, it is first checked completely. Raises
        JournalDamagedError, and JournalFullError if the file is missing or not readable.
        """
        with translate_errors(path):
            database = connect(path, read_only=True)
            try:
                check(database, path, most_pages)
                return JournalReader(path, database)
            except BaseException:
                database.close()
                raise

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def current(self) -> JournalGame | None:
        """Return the game that was last started or resumed.

        The result is None if the journal has no game, or if that game was left.
        """
        with self._snapshot():
            game_id = self._current_id()
            try:
                return None if game_id is None else self.load_within(game_id)
            # No game in the journal has this number, so the stored number of the current game is
            # damaged.
            except NoSuchGameError as error:
                raise misplaced_event(game_id or 0, 0) from error

    def load(self, game_id: int) -> JournalGame:
        """Return a game by its number. Raises NoSuchGameError and JournalDamagedError."""
        with self._snapshot():
            return self.load_within(game_id)

    def games(self, limit: int = 100) -> tuple[JournalSummary, ...]:
        """Return the newest ``limit`` games, newest first, without damaged games."""
        return self.games_and_damaged(limit)[0]

    def games_and_damaged(self, limit: int) -> tuple[tuple[JournalSummary, ...], tuple[int, ...]]:
        """Return the newest ``limit`` games in two groups. The first group contains the undamaged
        games, the second the numbers of the damaged games.
        """
        with self._snapshot():
            current = self._current_id()
            numbers = self._database.execute(
                "SELECT DISTINCT game_id FROM events ORDER BY game_id DESC LIMIT ?", (limit,)
            ).fetchall()
            listed = [(number, self._summary(number, current)) for (number,) in numbers]
        return (
            tuple(game for _, game in listed if game is not None),
            tuple(number for number, game in listed if game is None),
        )

    def _summary(self, number: int, current: int | None) -> JournalSummary | None:
        try:
            game = decode_payload(self._event(number, "sequence = 0"), JournalGame)
            last = self._last_event(number)
            over = last.kind == EventKind.FINISH
            result = decode_payload(last, dict[str, Any]) if over else None
        except (UnreadableEventsError, NoSuchGameError):
            return None
        return JournalSummary(
            id=number,
            game=game.game,
            options=game.options,
            started_s=game.started_s,
            changed_s=last.at_s,
            moves=last.ply,
            result=result,
            current=number == current,
        )

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Let all queries inside the context read the same state of the journal."""
        with translate_errors(self.path), self._database:
            self._database.execute("BEGIN")
            yield

    def _current_id(self) -> int | None:
        row = self._database.execute(
            "SELECT game_id, kind FROM events WHERE kind IN (?, ?, ?) ORDER BY id DESC LIMIT 1",
            (EventKind.START, EventKind.RESUME, EventKind.LEFT),
        ).fetchone()
        return None if row is None or row[1] == EventKind.LEFT else int(row[0])

    def load_within(self, game_id: int) -> JournalGame:
        """Return a game as ``load`` does, inside a transaction that the caller has started."""
        events = self._database.execute(
            f"SELECT {COLUMNS}, crc FROM events WHERE game_id = ?1 AND sequence >= coalesce(("
            " SELECT sequence FROM events WHERE game_id = ?1 AND kind = ?2"
            " ORDER BY sequence DESC LIMIT 1), 0) ORDER BY sequence",
            (min(game_id, LARGEST_NUMBER), EventKind.STAND),
        ).fetchall()
        if not events:
            raise _no_such_game(game_id)
        return fold(game_id, map(event_of, events))

    def _last_event(self, game_id: int) -> Event:
        """Return the newest event that changes the game's moves. Raises NoSuchGameError."""
        return self._event(game_id, f"kind NOT IN ({', '.join('?' * len(ASIDE))})", *ASIDE)

    def _event(self, game_id: int, which: str, *values: str) -> Event:
        """Return the newest event of the game that fulfils the SQL condition ``which``.

        ``values`` fill the placeholders in ``which``. Raises NoSuchGameError.
        """
        row = self._database.execute(
            f"SELECT {COLUMNS}, crc FROM events WHERE game_id = ? AND {which}"
            " ORDER BY sequence DESC LIMIT 1",
            (min(game_id, LARGEST_NUMBER), *values),
        ).fetchone()
        if row is None:
            raise _no_such_game(game_id)
        return event_of(row)


def _no_such_game(game_id: int) -> NoSuchGameError:
    return NoSuchGameError(
        "There is no game {number} in the journal.",
        remedy="`tiltboard games` lists those that are there.",
        number=game_id,
    )


# Functions that recover games from a damaged journal without changing the journal.

# SQLite's messages can quote unreadable content. The messages cannot always be decoded, because the
# content can be any bytes.
_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
_LOST_PAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR})
# Maximum number of row numbers to try after an unreadable page. A page contains about a hundred
# rows, so reading usually continues after a few hundred numbers. Larger gaps come from pages that
# were lost earlier, so later attempts skip more and more numbers.
_MAX_TRIES = 1_500
_ONE_BY_ONE = 256
_WIDEST_GAP = 5_000
# Maximum size in bytes of a file with a damaged first page, because such a file is read into
# memory.
_MAX_BYTES = 1 << 28


def salvage_name(path: Path) -> Path:
    """Return the path of the recovered journal before it replaces the damaged journal."""
    return path.with_name(path.name + ".salvaged")


def salvage(path: Path) -> tuple[int, int]:
    """Write the undamaged games of the journal at ``path`` to the file that ``salvage_name``
    returns.

    Returns the number of saved games and the number of lost rows. Each game is saved up to its
    first damaged row. If no game can be read, no file is written. Raises sqlite3.Error and OSError
    if writing fails.
    """
    # Do not open an empty file: SQLite would delete its WAL file.
    if not path.is_file() or path.stat().st_size == 0:
        return 0, 0
    saved = 0, 0
    for first_page_is_sound in (True, False):
        if not first_page_is_sound and path.stat().st_size > _MAX_BYTES:
            break
        try:
            with closing(
                connect(path, read_only=True)
                if first_page_is_sound
                else with_sound_first_page(read_file(path, _MAX_BYTES))
            ) as damaged:
                if damaged.execute("PRAGMA user_version").fetchone()[0] > VERSION:
                    break  # Rows in a newer format can have another meaning.
                saved = _salvage(damaged, path)
        except _UNREADABLE as error:
            # An error from a full disk comes from writing the new file, not from reading the
            # damaged file. Raise the error before any file is renamed.
            if primary_code(error) == sqlite3.SQLITE_FULL:
                raise
        if saved[0]:
            break
    return saved


def _salvage(damaged: sqlite3.Connection, path: Path) -> tuple[int, int]:
    saved, lost = salvage_name(path), 0
    following: dict[int, int] = {}
    with creating(saved) as fresh:
        for row in _rows(damaged):
            event = None
            with suppress(UnreadableEventsError):
                event = event_of(row)
            if event is None or following.get(event.game_id, 0) != event.sequence:
                lost += 1
            else:
                following[event.game_id] = event.sequence + 1
                insert(fresh, event)
        # Drop games whose rows have valid checksums but contain an impossible sequence of events. A
        # flipped bit cannot be the cause.
        reader = JournalReader(path, fresh)
        for game_id in list(following):
            try:
                with translate_errors(path):
                    reader.load_within(game_id)
            except JournalDamagedError:
                lost += following.pop(game_id)
                fresh.execute("DELETE FROM events WHERE game_id = ?", (game_id,))
    if not following:
        saved.unlink()
    return len(following), lost


def _rows(database: sqlite3.Connection) -> Iterator[Row]:
    """Yield each row (COLUMNS and checksum) once, in the order of the rows' numbers, without using
    an index.

    A number on an unreadable page yields a row of None values. Numbers have gaps in a journal that
    was recovered earlier, and the numbers themselves can be damaged. If the last number is
    plausible, reading continues after this number when a page is unreadable. Otherwise, reading
    continues after the count of rows read.
    """
    query = f"SELECT id, {COLUMNS}, crc FROM events NOT INDEXED WHERE id >= ? ORDER BY id LIMIT ?"
    nothing = (None,) * (len(Event._fields) + 1)
    given: set[tuple[object, object]] = set()
    after = unreadable = 0
    # After an error, read one row per query, because Python can read a row in advance.
    alone = False
    while unreadable < _MAX_TRIES:
        begun, count = after, 0
        try:
            for number, *row in database.execute(query, (begun + 1, 1 if alone else -1)):
                count += 1
                likely = begun < number <= begun + count + _WIDEST_GAP
                after = number if likely else begun + count
                if (number, row[-1]) not in given:
                    given.add((number, row[-1]))
                    yield from [nothing] * unreadable
                    unreadable = 0
                    yield tuple(row)
            if count == 0 or not alone:
                return
            alone = False
        except _UNREADABLE as error:
            if primary_code(error) not in _LOST_PAGE:
                return
            if alone:
                after, unreadable = begun + max(1, unreadable // _ONE_BY_ONE), unreadable + 1
            alone = True

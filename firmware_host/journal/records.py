"""Games as the journal tells them: values, and the fold of events into them."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

import msgspec

from firmware_host.config.clock_time import ClockLeft
from firmware_host.config.engine_seats import Assist, Assists, EngineSeat, EngineSeats
from firmware_host.messages import Message, text
from firmware_host.table.line import PendingMove

T = TypeVar("T")
Row = tuple[Any, ...]

YEAR_9999_S = 253_370_764_800.0  # the last that dates can be written of


class EventKind(StrEnum):
    """What can happen to a game.

    ``start`` makes the game current, ``import`` stores one that was played elsewhere, whose moves
    are a Stand, without doing so; one of the two is every game's first event. ``resume`` makes an
    earlier game current again.
    ``pending``: a move was made that is not carried out yet; ``dropped``: it never will be.
    ``takeback``: of all moves but the first ``ply``. ``engines``: which of them play.
    ``clock``: how much time each player has left. ``assist``: who is assisted, and was for which
    moves.
    ``stand``: a Stand, what all events before it have come to, so that they need not be read.
    ``left``: the game is not current any more, and none is until the next ``start`` or ``resume``.
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


_OF_MOVES = {"start", "import", "move", "takeback", "finish"}
ASIDE = tuple(kind for kind in EventKind if kind not in _OF_MOVES)
"""Events that change nothing of the moves that stand."""


class Event(NamedTuple):
    """One row of ``events``, but for its number and its checksum.

    ``ply``: how many moves stand after it, so that the last event alone tells where the game is.
    ``payload``: JSON; the result of a ``finish``, the PendingMove of a ``pending``, the engines
    of an ``engines``, the ClockLeft of a ``clock``, the assists of an ``assist``, the Stand of a
    ``stand`` or an ``import``.
    """

    game_id: int
    sequence: int
    kind: str
    ply: int
    move: str | None
    at_s: float
    payload: str | None


class StoredGame(NamedTuple):
    """One row of ``games``, but for its checksum. ``options``: JSON. ``started_s``: seconds since
    1970 UTC.
    """

    id: int
    game: str
    options: str
    started_s: float
    note: str


EVENT_COLUMNS = ", ".join(Event._fields)
GAME_COLUMNS = ", ".join(StoredGame._fields)


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game as it was played, in the journal or not (yet).

    ``started_s``: when it was begun, an imported game too; seconds since 1970 UTC. ``moves``: those
    that stand. ``result``: the contract's result object, None while open. ``engines``: those that
    play. ``clock``: None where the game has none. ``assist``: who is assisted.
    """

    game: str
    options: Mapping[str, Any]
    started_s: float
    note: str
    moves: tuple[str, ...]
    result: Mapping[str, Any] | None
    engines: EngineSeats = field(default_factory=dict)
    clock: ClockLeft | None = None
    assist: Assists = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord(PlayedGame):
    """A game of the journal. ``changed_s``: its last event but for resuming. ``taken_back``: the
    move that was taken back after ``moves``, or dropped, and none made since; else None.
    ``pending``: the move that is being carried out, if any.
    """

    id: int
    changed_s: float
    taken_back: str | None = None
    pending: PendingMove | None = None


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One line of the list of games. ``moves``: how many stand. ``current``: the table's game."""

    id: int
    game: str
    options: Mapping[str, Any]
    started_s: float
    changed_s: float
    moves: int
    result: Mapping[str, Any] | None
    current: bool


class UnreadableEventsError(ValueError):
    """The events do not follow one another; the journal is damaged."""

    def __init__(self, why: Message) -> None:
        self.why = why
        super().__init__(str(why))


class Stand(msgspec.Struct):
    """What a game has come to; fields as in GameRecord."""

    changed_s: float
    moves: list[str] = []
    result: dict[str, Any] | None = None
    taken_back: str | None = None
    pending: PendingMove | None = None
    engines: dict[str, EngineSeat] = {}
    clock: ClockLeft | None = None
    assist: dict[str, Assist] = {}


def stand_of(record: GameRecord) -> Stand:
    """What a ``stand`` event keeps of a game."""
    return msgspec.convert(record, Stand, from_attributes=True)


def fold(game: StoredGame, events: Iterable[Event]) -> GameRecord:
    """A game's row and its events as a record: all of them in order, or those from a ``stand`` on.

    Raises UnreadableEventsError.
    """
    at = Stand(game.started_s)
    expected: int | None = None
    for event in events:
        stood = event.kind in (EventKind.STAND, EventKind.IMPORT) and event.payload is not None
        if expected is None:
            expected = event.sequence if stood else 0
        first = event.kind in (EventKind.START, EventKind.IMPORT)
        if event.sequence != expected or first != (expected == 0):
            raise misplaced(game.id, expected)
        if stood:
            at = _decoded(event, Stand)
        elif not first and not _followed(at, event):
            raise misplaced(game.id, expected)
        if event.ply != len(at.moves):
            raise misplaced(game.id, expected)
        if event.kind not in ASIDE:
            at.changed_s = event.at_s
        expected += 1
    if expected is None:
        raise misplaced(game.id, 0)
    return GameRecord(
        id=game.id,
        game=game.game,
        options=json_object(game.options, game.id),
        started_s=game.started_s,
        note=game.note,
        **(msgspec.structs.asdict(at) | {"moves": tuple(at.moves)}),
    )


# Kind of an event -> what of a Stand its payload is from then on.
_NOTED: Mapping[str, tuple[str, Any]] = {
    EventKind.FINISH: ("result", dict[str, Any]),
    EventKind.PENDING: ("pending", PendingMove),
    EventKind.ENGINES: ("engines", dict[str, EngineSeat]),
    EventKind.CLOCK: ("clock", ClockLeft),
    EventKind.ASSIST: ("assist", dict[str, Assist]),
}


def _followed(at: Stand, event: Event) -> bool:
    """Bring ``at`` up to date with what ``event`` changes; False where it cannot follow."""
    kind = event.kind
    if kind == EventKind.MOVE and event.move and at.result is None:
        at.moves.append(event.move)
        at.taken_back = at.pending = None
    elif kind == EventKind.TAKE_BACK and 0 <= event.ply < len(at.moves):
        at.taken_back, at.pending, at.result = at.moves[event.ply], None, None
        del at.moves[event.ply :]
    elif kind == EventKind.TAKE_BACK and at.result is not None:  # how the players ended it
        at.result = None
    elif kind in (EventKind.RESUME, EventKind.LEFT):
        pass
    elif kind == EventKind.DROPPED and at.pending is not None:
        at.taken_back, at.pending = at.pending.move, None
    elif event.payload is None:
        return False
    elif kind in _NOTED and (kind != EventKind.PENDING or at.result is None):
        name, of = _NOTED[kind]
        setattr(at, name, _decoded(event, of))
    else:
        return False
    return True


def checksum(row: Sequence[object]) -> int | None:
    """CRC-32 of a row's columns as a JSON array; None where a text is not UTF-8."""
    try:
        return zlib.crc32(msgspec.json.encode(row))
    except UnicodeEncodeError:
        return None


def event_of(row: Row) -> Event:
    """A row of EVENT_COLUMNS and its checksum.

    Raises UnreadableEventsError where it is not what was written.
    """
    event = Event(*row[:-1])
    if not _is_sound(event, event.at_s, row[-1]):
        sequence, game = event.sequence, event.game_id
        raise UnreadableEventsError(
            text("event {sequence} of game {game} is damaged", sequence=sequence, game=game)
        )
    return event


def game_of(row: Row) -> StoredGame:
    """A row of GAME_COLUMNS and its checksum.

    Raises UnreadableEventsError where it is not what was written.
    """
    game = StoredGame(*row[:-1])
    if not _is_sound(game, game.started_s, row[-1]):
        raise UnreadableEventsError(text("game {game} is damaged", game=game.id))
    return game


def _is_sound(columns: Row, at_s: object, crc: int | None) -> bool:
    return crc is not None and crc == checksum(columns) and is_date(at_s)


def insert(database: sqlite3.Connection, row: Event | StoredGame) -> None:
    """Write a row and its checksum."""
    table = "events" if isinstance(row, Event) else "games"
    marks = ", ".join("?" * (len(row) + 1))
    database.execute(
        f"INSERT INTO {table} ({', '.join(row._fields)}, crc) VALUES ({marks})",
        (*row, checksum(row)),
    )


def sound_date(at_s: float) -> float:
    """``at_s`` as the journal can keep it, whatever a clock that was never set says."""
    return min(max(float(at_s), 0.0), YEAR_9999_S - 1)


def is_date(at_s: object) -> bool:
    """Whether the journal takes this for a time: no table existed before 1970."""
    return isinstance(at_s, float) and 0 <= at_s < YEAR_9999_S


def to_json(value: object) -> str:
    """A JSON value as the journal stores it, on one line."""
    return msgspec.json.encode(value).decode()


def json_object(encoded: str, game_id: int) -> dict[str, Any]:
    """Options or a result as stored. Raises UnreadableEventsError."""
    try:
        return msgspec.json.decode(encoded, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise UnreadableEventsError(
            text("game {game} has unreadable options or an unreadable result", game=game_id)
        ) from error


def _decoded(event: Event, kind: type[T]) -> T:
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


def misplaced(game_id: int, sequence: int) -> UnreadableEventsError:
    """The error for an event that cannot stand where it does, or is missing there."""
    return UnreadableEventsError(
        text(
            "event {sequence} of game {game} does not follow from those before it",
            sequence=sequence,
            game=game_id,
        )
    )

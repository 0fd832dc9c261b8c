"""Games as the journal tells them: values, and the fold of events into them."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from firmware_host.config.clock_time import ClockLeft
from firmware_host.config.engine_seats import Assist, Assists, EngineSeat, EngineSeats
from firmware_host.messages import Message, text
from firmware_host.table.line import PendingMove

T = TypeVar("T")
Row = tuple[Any, ...]

YEAR_9999_S = 253_370_764_800.0  # the last that dates can be written of


class EventKind(StrEnum):
    """What can happen to a game.

    ``start`` makes the game current, ``import`` stores one that was played elsewhere without doing
    so; one of the two is every game's first event, and has what it begins with, a PlayedGame.
    ``resume`` makes an earlier game current again.
    ``pending``: a move was made that is not carried out yet; ``dropped``: it never will be.
    ``takeback``: of all moves but the first ``ply``. ``engines``: which of them play.
    ``clock``: how much time each player has left. ``assist``: who is assisted, and was for which
    moves.
    ``stand``: what all events before it have come to, so that they need not be read.
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


FIRST = (EventKind.START, EventKind.IMPORT)
_OF_MOVES = {"start", "import", "move", "takeback", "finish"}
ASIDE = tuple(kind for kind in EventKind if kind not in _OF_MOVES)
"""Events that change nothing of the moves that stand."""


class Event(NamedTuple):
    """One row of ``events``, but for its number and its checksum.

    ``ply``: how many moves stand after it, so that the last event alone tells where the game is.
    ``payload``: JSON; the result of a ``finish``, the PendingMove of a ``pending``, the engines
    of an ``engines``, the ClockLeft of a ``clock``, the assists of an ``assist``, the PlayedGame of
    a ``start`` or an ``import``, the GameRecord of a ``stand``.
    """

    game_id: int
    sequence: int
    kind: str
    ply: int
    move: str | None
    at_s: float
    payload: str | None


COLUMNS = ", ".join(Event._fields)


class PlayedGame(msgspec.Struct, frozen=True):
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
    engines: EngineSeats = {}
    clock: ClockLeft | None = None
    assist: Assists = {}


class GameRecord(PlayedGame, frozen=True, kw_only=True):
    """A game of the journal, and the payload of a ``stand``. ``changed_s``: its last event but for
    resuming. ``taken_back``: the move that was taken back after ``moves``, or dropped, and none
    made since; else None. ``pending``: the move that is being carried out, if any.
    """

    id: int = 0
    changed_s: float = 0.0
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


def fold(game_id: int, events: Iterable[Event]) -> GameRecord:
    """A game's events, in order, as a record: all, or from one on that is a whole record.

    Raises UnreadableEventsError.
    """
    at: GameRecord | None = None
    expected = 0
    for event in events:
        if at is None and event.kind == EventKind.STAND:
            expected = event.sequence
        if event.sequence != expected or (event.kind in FIRST) != (expected == 0):
            raise misplaced(game_id, expected)
        if event.kind in (*FIRST, EventKind.STAND):
            at = decoded(event, GameRecord)
        elif at is not None:
            at = _after(at, event)
        if at is None or event.ply != len(at.moves):
            raise misplaced(game_id, expected)
        if event.kind not in ASIDE:
            at = replace(at, changed_s=event.at_s)
        expected += 1
    if at is None or not is_date(at.started_s):
        raise misplaced(game_id, 0)
    return replace(at, id=game_id)


# Kind of an event -> what of a record its payload is from then on.
_NOTED: Mapping[str, tuple[str, Any]] = {
    EventKind.FINISH: ("result", dict[str, Any]),
    EventKind.PENDING: ("pending", PendingMove),
    EventKind.ENGINES: ("engines", dict[str, EngineSeat]),
    EventKind.CLOCK: ("clock", ClockLeft),
    EventKind.ASSIST: ("assist", dict[str, Assist]),
}


def _after(at: GameRecord, event: Event) -> GameRecord | None:
    """The game after ``event``; None where that cannot follow."""
    kind = event.kind
    if kind in (EventKind.RESUME, EventKind.LEFT):
        return at
    if kind == EventKind.MOVE and event.move and at.result is None:
        return replace(at, moves=(*at.moves, event.move), taken_back=None, pending=None)
    if kind == EventKind.TAKE_BACK and 0 <= event.ply < len(at.moves):
        moves, taken_back = at.moves[: event.ply], at.moves[event.ply]
        return replace(at, moves=moves, taken_back=taken_back, pending=None, result=None)
    if kind == EventKind.TAKE_BACK and at.result is not None:  # how the players ended it
        return replace(at, result=None)
    if kind == EventKind.DROPPED and at.pending is not None:
        return replace(at, taken_back=at.pending.move, pending=None)
    over = kind == EventKind.PENDING and at.result is not None
    if kind not in _NOTED or event.payload is None or over:
        return None
    name, of = _NOTED[kind]
    return replace(at, **{name: decoded(event, of)})


def checksum(row: Sequence[object]) -> int | None:
    """CRC-32 of a row's columns as a JSON array; None where a text is not UTF-8."""
    try:
        return zlib.crc32(msgspec.json.encode(row))
    except UnicodeEncodeError:
        return None


def event_of(row: Row) -> Event:
    """A row of COLUMNS and its checksum.

    Raises UnreadableEventsError where it is not what was written.
    """
    event, crc = Event(*row[:-1]), row[-1]
    if crc is None or crc != checksum(event) or not is_date(event.at_s):
        sequence, game = event.sequence, event.game_id
        raise UnreadableEventsError(
            text("event {sequence} of game {game} is damaged", sequence=sequence, game=game)
        )
    return event


def insert(database: sqlite3.Connection, event: Event) -> None:
    """Write a row and its checksum."""
    database.execute(
        f"INSERT INTO events ({COLUMNS}, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*event, checksum(event)),
    )


def sound_date(at_s: float) -> float:
    """``at_s`` as the journal can keep it, whatever a clock that was never set says."""
    return min(max(float(at_s), 0.0), YEAR_9999_S - 1)


def is_date(at_s: object) -> bool:
    """Whether the journal takes this for a time: no table existed before 1970."""
    return isinstance(at_s, float) and 0 <= at_s < YEAR_9999_S


def to_json(value: object) -> str:
    """A JSON value as the journal stores it, on one line."""
    return msgspec.json.encode(value, enc_hook=dict).decode()  # any mapping


def decoded(event: Event, kind: type[T]) -> T:
    """What an event brings. Raises UnreadableEventsError."""
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

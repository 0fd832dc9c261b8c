"""Games as the journal tells them: values, and the fold of events into them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from firmware_host.messages import Message, text


class EventKind(StrEnum):
    """What can happen to a game.

    ``start`` makes the game current, ``import`` stores one that was played elsewhere without doing
    so; one of the two is every game's first event. ``resume`` makes an earlier game current again.
    """

    START = "start"
    IMPORT = "import"
    MOVE = "move"
    TAKE_BACK = "takeback"
    FINISH = "finish"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class Event:
    """One row of ``events``.

    ``ply``: how many moves stand after it, so that the last event alone tells where the game is.
    ``payload``: the result's JSON of a ``finish``.
    """

    sequence: int
    kind: str
    ply: int
    move: str | None
    at_s: float
    payload: str | None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game. Times are seconds since 1970 UTC.

    ``started_s``: when it was begun, an imported game too. ``changed_s``: its last event
    but for resuming.
    ``moves``: those that stand. ``result``: the contract's result object, None while open.
    ``taken_back``: the move that was taken back after them, and none made since; else None.
    """

    id: int
    game: str
    options: Mapping[str, Any]
    started_s: float
    changed_s: float
    note: str
    moves: tuple[str, ...]
    result: Mapping[str, Any] | None
    taken_back: str | None = None


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that is not in the journal (yet); fields as in GameRecord."""

    game: str
    options: Mapping[str, Any]
    started_s: float
    note: str
    moves: tuple[str, ...]
    result: Mapping[str, Any] | None


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


def fold(game_id: int, row: tuple[str, str, float, str], events: Iterable[Event]) -> GameRecord:
    """A game's row (game, options, started_s, note) and its events, in order, as a record.

    Raises UnreadableEventsError.
    """
    game, options, started_s, note = row
    moves: list[str] = []
    result: Mapping[str, Any] | None = None
    taken_back: str | None = None
    changed_s = started_s
    sequence = -1
    for sequence, event in enumerate(events):
        if event.sequence != sequence:
            raise _misplaced(game_id, sequence)
        first = event.kind in (EventKind.START, EventKind.IMPORT)
        if first != (sequence == 0):
            raise _misplaced(game_id, sequence)
        if event.kind == EventKind.MOVE and event.move and result is None:
            moves.append(event.move)
            taken_back = None
        elif event.kind == EventKind.TAKE_BACK and moves:
            taken_back = moves.pop()
            result = None
        elif event.kind == EventKind.FINISH and event.payload is not None:
            result = json_object(event.payload, game_id)
        elif not first and event.kind != EventKind.RESUME:
            raise _misplaced(game_id, sequence)
        if event.ply != len(moves):
            raise _misplaced(game_id, sequence)
        if event.kind != EventKind.RESUME:
            changed_s = event.at_s
    if sequence < 0:
        raise _misplaced(game_id, 0)
    return GameRecord(
        id=game_id,
        game=game,
        options=json_object(options, game_id),
        started_s=started_s,
        changed_s=changed_s,
        note=note,
        moves=tuple(moves),
        result=result,
        taken_back=taken_back,
    )


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


def _misplaced(game_id: int, sequence: int) -> UnreadableEventsError:
    return UnreadableEventsError(
        text(
            "event {sequence} of game {game} does not follow from those before it",
            sequence=sequence,
            game=game_id,
        )
    )

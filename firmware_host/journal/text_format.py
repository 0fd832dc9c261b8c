"""A recorded game gone through by its rules, and as text for people, mail and other programs
(format: docs/journal.md).

    tiltboard game 1
    Game: momentum
    Date: 2026-03-01T18:20:00Z
    Players: red, blue
    Option size: 7
    Engine blue: {"level": 5, "version": "tiltboard 0.1.0"}
    Result: *

    1. d4 e5
    2. a1

The first line names the format's version. ``Option`` lines hold JSON values; an option that is not
set (null) is left out. ``Engine`` lines say which player was no person, ``Assist`` lines who was
assisted. ``Result`` is the
contract's object, or ``*`` while the game goes on. Then one line per round, a move for each player
in turn order. Empty lines and lines that begin with ``#`` mean nothing.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from firmware_host.config.clock_time import ClockLeft
from firmware_host.config.engine_seats import Assist, EngineSeat
from firmware_host.config.errors import GameTextError, NotPossibleError
from firmware_host.journal.records import GameRecord, PlayedGame, is_date, to_json
from firmware_host.messages import Message, nearest, text
from firmware_host.table.line import agreed_end
from games.base import Game, Position, RulesError
from games.registry import game_type

T = TypeVar("T")

FIRST_LINE = "tiltboard game 1"
VIEW = "# What everybody may know while the game goes on: it cannot be played on from here."
MAX_CHARACTERS = 64 * 1024
MAX_MOVES = 2000
MAX_NOTE = 200
UNFINISHED = "*"

_HEADERS = ("Game", "Date", "Players", "Note", "Clock", "Result")
_NEEDED = ("Game", "Date", "Players", "Result")
# Lines that have a name before the colon: an option's, or a player's
_NAMED: Mapping[str, tuple[Any, Message]] = {
    "Option": (object, text("a JSON value after the colon")),
    "Engine": (EngineSeat, text("an engine and its level in JSON")),
    "Assist": (Assist, text("a player's assist in JSON")),
}
_HEADER = re.compile(r"([A-Za-z][A-Za-z_]*(?: [A-Za-z0-9_]+)?): ?(.*)")
_ROUND = re.compile(r"([0-9]{1,6})\.(?:\s+(.*))?")
_DATE = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class Replay:
    """A game gone through. ``positions``: the start and the one after each move."""

    game: Game
    moves: tuple[str, ...]
    positions: tuple[Position, ...]


def rules_of(record: GameRecord) -> Game:
    """The rules that ``record`` was played by. Raises NotPossibleError where there are none."""
    try:
        return game_type(record.game).create(record.options)
    except RulesError as error:
        raise NotPossibleError(
            "Game {number} cannot be played by this version: {why}",
            remedy="Start another game. The journal keeps this one.",
            number=record.id,
            why=text(error.template, **error.params),
        ) from error


def replay(record: GameRecord, known: Replay | None = None) -> Replay:
    """Go through ``record``; ``known``: of the same game, as it stood earlier. What both have in
    common is not gone through again.

    Raises NotPossibleError, naming the move, where the rules do not allow it.
    """
    if known is None:
        game = rules_of(record)
        known = Replay(game, (), (game.start(),))
    same = 0
    for move, earlier in zip(record.moves, known.moves, strict=False):
        if move != earlier:
            break
        same += 1
    reached = list(known.positions[: same + 1])
    for ply, move in enumerate(record.moves[same:], start=same + 1):
        try:
            reached.append(reached[-1].after(move))
        except RulesError as error:
            raise NotPossibleError(
                "Game {number} cannot be replayed. Move {ply}, {move}: {why}",
                remedy="Start another game. The journal keeps this one.",
                number=record.id,
                ply=ply,
                move=move,
                why=text(error.template, **error.params),
            ) from error
    return Replay(known.game, record.moves, tuple(reached))


def write_game(record: GameRecord) -> str:
    """``record`` as text. Raises NotPossibleError where its rules do not allow it (or are gone).

    Players and result are the rules', so that the text is right even if the power was cut between
    the last move and its result; but for a game that its players ended. Of a game with secrets that
    goes on, only what everybody may know.
    """
    replayed = replay(record)
    game, outcome = replayed.game, replayed.positions[-1].outcome
    secret = game.secret_options if outcome is None else ()
    date = datetime.datetime.fromtimestamp(int(record.started_s), datetime.UTC)
    lines = [
        FIRST_LINE,
        f"Game: {record.game}",
        f"Date: {date.strftime(_DATE)}",
        f"Players: {', '.join(game.players)}",
    ]
    lines += [
        f"Option {name}: {to_json(value)}"
        for name, value in record.options.items()
        if value is not None and name not in secret
    ]
    lines += [f"Engine {player}: {to_json(seat)}" for player, seat in record.engines.items()]
    lines += [f"Assist {player}: {to_json(each)}" for player, each in record.assist.items()]
    lines += [] if record.clock is None else [f"Clock: {to_json(record.clock)}"]
    note = "".join(c for c in " ".join(record.note.split()) if c.isprintable())[:MAX_NOTE].strip()
    lines += [f"Note: {note}"] if note else []
    outcome = outcome or agreed_end(game, record.result)
    lines += [f"Result: {_written(None if outcome is None else outcome.as_json())}", ""]
    lines += [VIEW] if secret else []
    per_round = len(game.players)
    made = [game.shown_move(move, "") if secret else move for move in record.moves]
    for first in range(0, len(made), per_round):
        moves = " ".join(made[first : first + per_round])
        lines.append(f"{first // per_round + 1}. {moves}")
    return "\n".join(lines) + "\n"


def read_game(source: str) -> PlayedGame:
    """Read and check a game. Raises GameTextError naming the line and what was expected."""
    return read_and_replay(source)[0]


def read_and_replay(source: str) -> tuple[PlayedGame, Replay]:
    """As ``read_game``, with the positions that it leads through."""
    if len(source) > MAX_CHARACTERS:
        raise GameTextError(
            "The game is too long: at most {limit} characters are read.",
            remedy="Check that the file is one exported game.",
            limit=MAX_CHARACTERS,
        )
    return _replayed(_parsed(source.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")))


@dataclass(slots=True)
class _Parsed:
    """What the lines say, before it is compared with the rules."""

    headers: dict[str, tuple[int, str]] = field(default_factory=dict)
    named: dict[str, dict[str, tuple[int, Any]]] = field(
        default_factory=lambda: {kind: {} for kind in _NAMED}
    )
    rounds: list[tuple[int, list[str]]] = field(default_factory=list)
    end: int = 1


def _parsed(lines: Sequence[str]) -> _Parsed:
    if lines[0].rstrip() != FIRST_LINE:
        raise _unexpected(1, lines[0], text("the line {line}", line=repr(FIRST_LINE)))
    parsed = _Parsed(end=len(lines))
    for number, raw in enumerate(lines[1:], start=2):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        round_line = _ROUND.fullmatch(line)
        header = _HEADER.fullmatch(line)
        if round_line:
            _read_round(parsed, number, line, round_line)
        elif header and not parsed.rounds:
            _read_header(parsed, number, line, header)
        else:
            raise _unexpected(number, line, _next_round(parsed))
    for name in _NEEDED:
        if name not in parsed.headers:
            raise _unexpected(parsed.end, text("the end"), text("a line {name}", name=f"'{name}:'"))
    return parsed


def _read_header(parsed: _Parsed, number: int, line: str, match: re.Match[str]) -> None:
    name, value = match[1], match[2].strip()
    kind, _, key = name.partition(" ")
    if kind in _NAMED and key:
        if key in parsed.named[kind]:
            raise _unexpected(number, line, text("{name} only once", name=name))
        of, expected = _NAMED[kind]
        parsed.named[kind][key] = number, _decoded(value, of, number, line, expected)
    elif name not in _HEADERS:
        raise _unexpected(number, line, text("a known name ({hint})", hint=nearest(name, _HEADERS)))
    elif name in parsed.headers:
        raise _unexpected(number, line, text("{name} only once", name=name))
    else:
        parsed.headers[name] = number, value


def _read_round(parsed: _Parsed, number: int, line: str, match: re.Match[str]) -> None:
    moves = (match[2] or "").split()
    if int(match[1]) != len(parsed.rounds) + 1 or not moves:
        raise _unexpected(number, line, _next_round(parsed))
    if sum(len(earlier) for _, earlier in parsed.rounds) + len(moves) > MAX_MOVES:
        raise _unexpected(number, line, text("at most {limit} moves", limit=MAX_MOVES))
    parsed.rounds.append((number, moves))


def _next_round(parsed: _Parsed) -> Message:
    return text("round {number}, as in '{number}. d4 e5'", number=len(parsed.rounds) + 1)


def _replayed(parsed: _Parsed) -> tuple[PlayedGame, Replay]:
    """Compare with the rules."""
    game = _rules(parsed)
    line, players = parsed.headers["Players"]
    if [name.strip() for name in players.split(",")] != list(game.players):
        raise _unexpected(line, players, text("{players}", players=", ".join(game.players)))
    replayed = _replay(game, parsed.rounds)
    outcome = replayed.positions[-1].outcome
    result = None if outcome is None else outcome.as_json()
    line, claimed = parsed.headers["Result"]
    agreed = None if result is not None else agreed_end(game, _object(claimed))
    result = result if agreed is None else agreed.as_json()
    if not _same(claimed, result):
        raise _unexpected(
            line,
            claimed,
            text("{result}, as the moves give", result=_written(result)),
        )
    engines, assist = parsed.named["Engine"], parsed.named["Assist"]
    for player, (line, _) in (*engines.items(), *assist.items()):
        if player not in game.players:
            raise _unexpected(
                line, player, text("one of {players}", players=", ".join(game.players))
            )
    clock = _clock(parsed, game)
    line, note = parsed.headers.get("Note", (0, ""))
    if len(note) > MAX_NOTE or not note.isprintable():
        raise _unexpected(line, note, text("at most {limit} plain characters", limit=MAX_NOTE))
    played = PlayedGame(
        game=game.name,
        options=game.options,
        started_s=_date(*parsed.headers["Date"]),
        note=note,
        moves=replayed.moves,
        result=result,
        engines={player: seat for player, (_, seat) in engines.items()},
        clock=clock,
        assist={player: each for player, (_, each) in assist.items()},
    )
    return played, replayed


def _clock(parsed: _Parsed, game: Game) -> ClockLeft | None:
    if "Clock" not in parsed.headers:
        return None
    line, value = parsed.headers["Clock"]
    expected = text("the clock's time, and what each player has left")
    clock = _decoded(value, ClockLeft, line, value, expected)
    if clock.left_s.keys() != set(game.players):
        raise _unexpected(line, value, expected)
    return clock


def _decoded(value: str, kind: type[T], number: int, line: str, expected: Message) -> T:
    try:
        return msgspec.json.decode(value, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unexpected(number, line, expected) from error


def _rules(parsed: _Parsed) -> Game:
    line, name = parsed.headers["Game"]
    try:
        kind = game_type(name)
    except RulesError as error:
        raise _refused(line, name, error) from error
    known = {spec.name for spec in kind.option_specs}
    options = parsed.named["Option"]
    for option, (line, _) in options.items():
        if option not in known:
            raise _unexpected(
                line, option, text("an option of the game ({hint})", hint=nearest(option, known))
            )
    try:
        return kind.create({option: value for option, (_, value) in options.items()})
    except RulesError as error:
        lines = [line for line, _ in options.values()]
        raise _refused(lines[0] if lines else line, "Option", error) from error


def _replay(game: Game, rounds: Sequence[tuple[int, list[str]]]) -> Replay:
    reached = [game.start()]
    played: list[str] = []
    for index, (line, moves) in enumerate(rounds):
        if len(moves) > len(game.players) or (
            len(moves) < len(game.players) and index + 1 < len(rounds)
        ):
            raise _unexpected(
                line, " ".join(moves), text("{count} moves in a round", count=len(game.players))
            )
        for move in moves:
            try:
                reached.append(reached[-1].after(move))
            except RulesError as error:
                raise _refused(line, move, error) from error
            played.append(move)
    return Replay(game, tuple(played), tuple(reached))


def _written(result: Mapping[str, Any] | None) -> str:
    return UNFINISHED if result is None else to_json(result)


def _object(claimed: str) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(claimed, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return None


def _same(claimed: str, result: Mapping[str, Any] | None) -> bool:
    if claimed == UNFINISHED or result is None:
        return claimed == _written(result)
    try:
        return bool(msgspec.json.decode(claimed) == result)
    except (msgspec.DecodeError, RecursionError):
        return False


def _date(line: int, value: str) -> float:
    try:
        date_s = datetime.datetime.strptime(value, _DATE).replace(tzinfo=datetime.UTC).timestamp()
    except ValueError:
        date_s = -1.0
    if not is_date(date_s):
        raise _unexpected(line, value, text("a date like 2026-03-01T18:20:00Z"))
    return date_s


def _unexpected(line: int, found: str | Message, expected: Message) -> GameTextError:
    return GameTextError(
        "Line {line} has {found}; expected was {expected}.",
        remedy="Correct that line.",
        line=line,
        found=found if isinstance(found, Message) else repr(found[:40]),
        expected=expected,
    )


def _refused(line: int, found: str, error: RulesError) -> GameTextError:
    return GameTextError(
        "Line {line}, {found}: {why}",
        remedy="Correct that line.",
        line=line,
        found=repr(found[:40]),
        why=text(error.template, **error.params),
    )

"""Replays recorded games by their rules, and reads and writes games as text for people and other
programs (format: docs/journal.md).

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
set (null) has no line. ``Engine`` lines name the players that were bots, ``Assist`` lines the
players with assist. ``Result`` is the result as a JSON object, or ``*`` while the game continues.
Then follows one line per round, with a move for each player in turn order. Empty lines and lines
that begin with ``#`` are ignored.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any

import msgspec

from tiltboard.firmware_host.config.errors import GameTextError, NotPossibleError
from tiltboard.firmware_host.config.players import AssistLevel, ClockLeft, EngineSeat
from tiltboard.firmware_host.journal.database import is_date
from tiltboard.firmware_host.journal.records import JournalGame, PlayedGame, to_json
from tiltboard.firmware_host.messages import Message, nearest, text
from tiltboard.firmware_host.table.move_line import Line, agreed_end
from tiltboard.games.base import Game, RulesError
from tiltboard.games.registry import game_type

FIRST_LINE = "tiltboard game 1"
VIEW = "# What everybody may know while the game goes on: it cannot be played on from here."
MAX_CHARACTERS = 64 * 1024
MAX_MOVES = 2000
MAX_NOTE = 200
UNFINISHED = "*"

_HEADERS = ("Game", "Date", "Players", "Note", "Clock", "Result")
_NEEDED = ("Game", "Date", "Players", "Result")
# Headers whose first word is followed by the name of an option or a player.
_NAMED = ("Option", "Engine", "Assist")
_JSON: Mapping[str, tuple[Any, Message]] = {
    "Option": (object, text("a JSON value after the colon")),
    "Engine": (EngineSeat, text("an engine and its level in JSON")),
    "Assist": (AssistLevel, text("a player's assist in JSON")),
    "Clock": (ClockLeft, text("the clock's time, and what each player has left")),
}
_HEADER = re.compile(r"([A-Za-z][A-Za-z_]*(?: [A-Za-z0-9_]+)?): ?(.*)")
_ROUND = re.compile(r"([0-9]{1,6})\.(?:\s+(.*))?")
_DATE = "%Y-%m-%dT%H:%M:%SZ"


def replay(record: JournalGame, known: Line | None = None) -> Line:
    """Replay a game by its rules.

    ``known`` is an earlier state of the same game; the first moves that both states have in common
    are not replayed. Raises NotPossibleError if the rules are missing, or if the rules forbid a
    move. The error names the forbidden move.
    """
    if known is None:
        try:
            known = Line.of(game_type(record.game).create(record.options), record.id)
        except RulesError as error:
            raise NotPossibleError(
                "Game {number} cannot be played by this version: {why}",
                remedy="Start another game. The journal keeps this one.",
                number=record.id,
                why=text(error.template, **error.params),
            ) from error
    pairs = zip(record.moves, known.moves, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    reached = list(known.reached[: same + 1])
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
    agreed = None if reached[-1].outcome is not None else agreed_end(known.game, record.result)
    return Line.of(known.game, record.id, record.moves, reached, agreed=agreed)


def write_game(record: JournalGame) -> str:
    """Return ``record`` as text. Raises NotPossibleError if the game's rules are missing or forbid
    a move.

    The players and the result are computed by the rules, unless the players ended the game by
    agreement. The text is therefore correct even if the power was cut between the last move and the
    storing of its result. An unfinished game is written without its hidden information.
    """
    line = replay(record)
    game, outcome = line.game, line.outcome
    secret = game.secret_options if line.position.outcome is None else ()
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
    lines += [f"Result: {_result_text(None if outcome is None else outcome.as_json())}", ""]
    lines += [VIEW] if secret else []
    per_round = len(game.players)
    made = [game.shown_move(move, "") if secret else move for move in record.moves]
    for first in range(0, len(made), per_round):
        moves = " ".join(made[first : first + per_round])
        lines.append(f"{first // per_round + 1}. {moves}")
    return "\n".join(lines) + "\n"


def read_game(source: str) -> PlayedGame:
    """Read and check a game in text form. Raises GameTextError, which names the invalid line and
    the expected content.
    """
    return read_and_replay(source)[0]


def read_and_replay(source: str) -> tuple[PlayedGame, Line]:
    """Read and check a game as ``read_game`` does. Return the game and its replayed positions."""
    if len(source) > MAX_CHARACTERS:
        raise GameTextError(
            "The game is too long: at most {limit} characters are read.",
            remedy="Check that the file is one exported game.",
            limit=MAX_CHARACTERS,
        )
    headers, rounds = _parse(source.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    game = _rules(headers)
    line, named = headers["Players"]
    if [name.strip() for name in named.split(",")] != list(game.players):
        raise _unexpected_line(line, named, text("{players}", players=", ".join(game.players)))
    replayed = _replay(game, rounds)
    line, claimed = headers["Result"]
    try:
        claimed_result = (
            None if claimed == UNFINISHED else msgspec.json.decode(claimed, type=dict[str, Any])
        )
    except (msgspec.DecodeError, RecursionError):
        claimed_result = {}
    outcome = replayed.position.outcome or agreed_end(game, claimed_result)
    result = None if outcome is None else outcome.as_json()
    if claimed_result != result:
        expected = text("{result}, as the moves give", result=_result_text(result))
        raise _unexpected_line(line, claimed, expected)
    engines, assist = _headers_by_name(headers, "Engine"), _headers_by_name(headers, "Assist")
    for player, (line, _) in (*engines.items(), *assist.items()):
        if player not in game.players:
            players = text("one of {players}", players=", ".join(game.players))
            raise _unexpected_line(line, player, players)
    line, clock = headers.get("Clock", (0, None))
    if clock is not None and clock.left_s.keys() != set(game.players):
        raise _unexpected_line(line, "Clock", _JSON["Clock"][1])
    line, note = headers.get("Note", (0, ""))
    if len(note) > MAX_NOTE or not note.isprintable():
        raise _unexpected_line(line, note, text("at most {limit} plain characters", limit=MAX_NOTE))
    played = PlayedGame(
        game=game.name,
        options=game.options,
        started_s=_date(*headers["Date"]),
        note=note,
        moves=replayed.moves,
        result=result,
        engines={player: seat for player, (_, seat) in engines.items()},
        clock=clock,
        assist={player: each for player, (_, each) in assist.items()},
    )
    return played, replayed


# Name of a header -> line number and value of the header.
_Headers = dict[str, tuple[int, Any]]
_Rounds = list[tuple[int, list[str]]]


def _parse(lines: Sequence[str]) -> tuple[_Headers, _Rounds]:
    """Return the headers and the rounds in the lines, without checking them by the game's rules."""
    if lines[0].rstrip() != FIRST_LINE:
        raise _unexpected_line(1, lines[0], text("the line {line}", line=repr(FIRST_LINE)))
    headers: _Headers = {}
    rounds: _Rounds = []
    for number, raw in enumerate(lines[1:], start=2):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        header = None if rounds else _HEADER.fullmatch(line)
        if header:
            headers[header[1]] = number, _value(headers, number, line, header)
            continue
        found = _ROUND.fullmatch(line)
        moves = (found[2] or "").split() if found else []
        if not found or int(found[1]) != len(rounds) + 1 or not moves:
            following = text("round {number}, as in '{number}. d4 e5'", number=len(rounds) + 1)
            raise _unexpected_line(number, line, following)
        if sum(len(earlier) for _, earlier in rounds) + len(moves) > MAX_MOVES:
            raise _unexpected_line(number, line, text("at most {limit} moves", limit=MAX_MOVES))
        rounds.append((number, moves))
    for name in _NEEDED:
        if name not in headers:
            missing = text("a line {name}", name=f"'{name}:'")
            raise _unexpected_line(len(lines), text("the end"), missing)
    return headers, rounds


def _value(headers: _Headers, number: int, line: str, header: re.Match[str]) -> Any:
    name, value = header[1], header[2].strip()
    kind, _, key = name.partition(" ")
    if not (kind in _NAMED if key else name in _HEADERS):
        raise _unexpected_line(
            number, line, text("a known name ({hint})", hint=nearest(name, _HEADERS))
        )
    if name in headers:
        raise _unexpected_line(number, line, text("{name} only once", name=name))
    if kind not in _JSON:
        return value
    of, expected = _JSON[kind]
    try:
        return msgspec.json.decode(value, type=of)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unexpected_line(number, line, expected) from error


def _headers_by_name(headers: _Headers, kind: str) -> _Headers:
    """Return the headers of one kind. The keys are the options or players that the headers name."""
    return {
        name.partition(" ")[2]: found
        for name, found in headers.items()
        if name.startswith(f"{kind} ")
    }


def _rules(headers: _Headers) -> Game:
    line, name = headers["Game"]
    try:
        kind = game_type(name)
    except RulesError as error:
        raise _rules_error(line, name, error) from error
    known = {spec.name for spec in kind.option_specs}
    options = _headers_by_name(headers, "Option")
    for option, (at, _) in options.items():
        if option not in known:
            hint = nearest(option, known)
            raise _unexpected_line(at, option, text("an option of the game ({hint})", hint=hint))
    try:
        return kind.create({option: value for option, (_, value) in options.items()})
    except RulesError as error:
        first = next(iter(options.values()), headers["Game"])
        raise _rules_error(first[0], "Option", error) from error


def _replay(game: Game, rounds: _Rounds) -> Line:
    reached = [game.start()]
    each = len(game.players)
    for number, (line, moves) in enumerate(rounds, start=1):
        if len(moves) > each or (len(moves) < each and number < len(rounds)):
            raise _unexpected_line(
                line, " ".join(moves), text("{count} moves in a round", count=each)
            )
        for move in moves:
            try:
                reached.append(reached[-1].after(move))
            except RulesError as error:
                raise _rules_error(line, move, error) from error
    return Line.of(game, 0, [move for _, moves in rounds for move in moves], reached)


def _result_text(result: Mapping[str, Any] | None) -> str:
    return UNFINISHED if result is None else to_json(result)


def _date(line: int, value: str) -> float:
    with suppress(ValueError):
        date = datetime.datetime.strptime(value, _DATE).replace(tzinfo=datetime.UTC)
        if is_date(date.timestamp()):
            return date.timestamp()
    raise _unexpected_line(line, value, text("a date like 2026-03-01T18:20:00Z"))


def _unexpected_line(line: int, found: str | Message, expected: Message) -> GameTextError:
    return GameTextError(
        "Line {line} has {found}; expected was {expected}.",
        remedy="Correct that line.",
        line=line,
        found=found if isinstance(found, Message) else repr(found[:40]),
        expected=expected,
    )


def _rules_error(line: int, found: str, error: RulesError) -> GameTextError:
    return GameTextError(
        "Line {line}, {found}: {why}",
        remedy="Correct that line.",
        line=line,
        found=repr(found[:40]),
        why=text(error.template, **error.params),
    )

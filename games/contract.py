"""The ``tiltboard rules`` contract: games and positions as JSON objects, and options as texts.

This module reads and writes no files or streams; ``tiltboard.firmware_host.cli.rules`` does. The
answer to a question is one of

- the position after the moves, with all earlier ``positions`` if a trace is requested;
- ``{"error": {"index": 3, "move": "d4", "reason": "..."}}``: move number 3, counted from 0, is
  illegal;
- ``{"error": {"reason": "..."}}``: the question is invalid (``error_answer``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tiltboard.games.base import (
    Game,
    GameType,
    IllegalMoveError,
    OptionError,
    OptionSpec,
    Position,
    RulesError,
    json_object,
)
from tiltboard.games.registry import EVERY_GAME, game_type

Answer = dict[str, Any]
ReadBoard = Callable[[GameType, str, str], Mapping[str, Any]]
"""A function that reads a board from a file: it takes the game type, the name of the option and the
file name, and returns the value of the option. Raises OptionError.
"""

_QUESTION_KEYS = ("game", "options", "moves", "view")
_KEYS_LISTED = ", ".join(_QUESTION_KEYS)
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,400}")


class QuestionError(RulesError):
    """Raised if a line of a batch is not a valid question: the line is not JSON, or the JSON has
    the wrong structure.
    """


def answer(
    game: Game, moves: Sequence[str], *, trace: bool = False, view: str | None = None
) -> Answer:
    """Return the position after ``moves`` as a JSON object. If a move is illegal, return the error
    object of the first illegal move instead.

    If ``view`` is a player's name, the object contains only what that player may see. Raises
    OptionError if there is no such player.
    """
    if view is not None:
        game.number_of(view)
    position = game.start()
    positions = [position]
    for index, move in enumerate(moves):
        try:
            position = position.play(move).position
        except IllegalMoveError as error:
            return {"error": {"index": index, "move": move, "reason": str(error)}}
        positions.append(position)
    answered = {
        "game": game.name,
        "options": dict(game.options),
        "moves": [move if view is None else game.shown_move(move, view) for move in moves],
        **describe(position, view),
    }
    if trace:
        answered["positions"] = [describe(each, view) for each in positions]
    return answered


def describe(position: Position, view: str | None = None) -> Answer:
    """Return a position as a JSON object that omits the game, its options and the moves. If
    ``view`` is a player's name, the object contains only what that player may see.
    """
    if view is not None:
        position = position.view(view)
    outcome = position.outcome
    return {
        "to_move": position.to_move,
        "cells": dict(position.cells),
        "reserve": dict(position.reserve),
        "legal": list(position.legal()),
        "result": None if outcome is None else outcome.as_json(),
        **position.game.more(position),
    }


def error_answer(error: RulesError) -> Answer:
    """Return the JSON object for a question that cannot be answered."""
    return {"error": {"reason": str(error)}}


def answer_line(line: bytes, *, trace: bool = False, read_board: ReadBoard | None = None) -> Answer:
    """Return the answer to ``line``, one question of a batch. Without ``read_board``, boards are
    not read from files.

    Raises QuestionError, UnknownGameError or OptionError if the question is invalid. An illegal
    move raises no exception; the answer contains the error.
    """
    try:
        question = json.loads(line)
    except UnicodeDecodeError:
        raise QuestionError("This line is not JSON: {why}.", why="it is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise QuestionError(
            "This line is not JSON: {why}.", why=str(error) if line.strip() else "it is empty"
        ) from None
    if not isinstance(question, dict):
        raise QuestionError("A question is a JSON object with the keys {keys}.", keys=_KEYS_LISTED)
    for key in question:
        if key not in _QUESTION_KEYS:
            raise QuestionError(
                "{key} is not a key of a question; it has {keys}.", key=key, keys=_KEYS_LISTED
            )
    name, view = question.get("game"), question.get("view")
    options, moves = question.get("options", {}), question.get("moves", [])
    if not isinstance(name, str):
        raise QuestionError("game must be the name of a game.")
    if not isinstance(options, dict):
        raise QuestionError("options must be an object.")
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise QuestionError("moves must be a list of strings.")
    if view is not None and not isinstance(view, str):
        raise QuestionError("view must be the name of a player.")
    kind = game_type(name, EVERY_GAME)
    options = {key: _from_file(kind, key, value, read_board) for key, value in options.items()}
    return answer(kind.create(options), moves, trace=trace, view=view)


def options_from_text(
    kind: GameType, texts: Iterable[str], *, read_board: ReadBoard | None = None
) -> dict[str, Any]:
    """Read texts of the form ``KEY=VALUE`` as options in JSON types. Raises OptionError if a text
    has another form.

    ``kind.create`` checks whether the options are known, in range and free of conflicts. Without
    ``read_board``, boards are not read from files.
    """
    given: dict[str, str] = {}
    for each in texts:
        key, equals, value = each.partition("=")
        if not equals:
            raise OptionError("{text} is not an option: write KEY=VALUE.", text=each)
        if key in given:
            raise OptionError("{key} is given twice.", key=key)
        given[key] = value.strip()
    specs = {spec.name: spec for spec in kind.option_specs}
    commas = kind.commas_in_places(given)
    return {
        key: _from_file(kind, key, _value(specs[key], value, commas), read_board)
        if key in specs
        else value
        for key, value in given.items()
    }


def _from_file(kind: GameType, key: str, value: Any, read_board: ReadBoard | None) -> Any:
    """Return the board that a file contains if ``value`` is the file's name. Return any other
    ``value`` unchanged.
    """
    if read_board is None or not isinstance(value, str):
        return value
    boards = (spec for spec in kind.option_specs if spec.kind == "board" and spec.name == key)
    return (
        read_board(kind, key, value) if any(value not in spec.choices for spec in boards) else value
    )


def _value(spec: OptionSpec, value: str, commas_in_places: bool) -> Any:
    if spec.kind == "places":
        return _split(value, commas_in_places)
    if spec.kind == "bool" and value in ("true", "false"):
        return value == "true"
    if spec.kind == "int" and _WHOLE_NUMBER.fullmatch(value):
        return int(value)
    if spec.kind == "board" and value.startswith("{"):
        return json_object(spec.name, value)
    return value


def moves_from_text(game: Game, text: str) -> list[str]:
    """Split a list of moves at spaces and commas. If the game's place names contain commas, split
    only at spaces.
    """
    return _split(text, any("," in place for place in game.board))


def _split(text: str, commas_in_places: bool) -> list[str]:
    return (text if commas_in_places else text.replace(",", " ")).split()

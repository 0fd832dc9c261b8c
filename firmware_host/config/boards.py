"""Board files that a person names: read here, because games do no input of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firmware_host.config.errors import ConfigError
from firmware_host.config.reading import read_text
from games.base import GameType, OptionError
from games.gravity_trap.board import Board, read


def load_board(path: Path) -> Board:
    """A board file, checked completely. Raises ConfigError naming the file and what is wrong."""
    try:
        return read(read_text(path))
    except OptionError as error:
        raise ConfigError(
            "{path}: {why}",
            remedy="Correct the file, and ask `tiltboard board check` again.",
            path=path,
            why=error,
        ) from error


def read_board(kind: GameType, option: str, name: str) -> Mapping[str, Any]:
    """The board (or deck) in a file, as a game's ``option`` holds it. Raises OptionError."""
    try:
        return kind.board_of(read_text(Path(name)))
    except OptionError as error:
        problem = f"{name}: {error}"
        raise OptionError("{option}={problem}", option=option, problem=problem) from error
    except ConfigError as error:
        if Path(name).exists():
            raise OptionError("{option}={problem}", option=option, problem=error.problem) from error
        known = next((spec.choices for spec in kind.option_specs if spec.name == option), ())
        raise OptionError(
            "There is no {option} and no file {name}; there are the {option}s: {known}.",
            option=option,
            name=name,
            known=", ".join(known),
        ) from error

"""Board files that a person names: read here, because games do no input of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firmware_host.config import read_text
from firmware_host.errors import ConfigError
from games.base import OptionError
from games.contract import json_object
from games.gravity_trap import boardfile
from games.gravity_trap.board import Board


def load_board(path: Path) -> Board:
    """A board file, checked completely. Raises ConfigError naming the file and what is wrong."""
    try:
        return boardfile.read(read_text(path))
    except OptionError as error:
        raise ConfigError(
            "{path}: {why}",
            remedy="Correct the file, and ask `tiltboard board check` again.",
            path=path,
            why=error,
        ) from error


def board_of(content: str) -> Mapping[str, Any]:
    """The board in a board file's text, TOML or JSON, as the option ``board`` holds it.

    Raises OptionError.
    """
    if content.lstrip().startswith("{"):
        return Board.from_json(json_object("board", content)).as_json()
    return boardfile.read(content).as_json()


def read_board(name: str) -> Mapping[str, Any]:
    """The board in a file, as the option ``board`` holds it. Raises OptionError."""
    try:
        return load_board(Path(name)).as_json()
    except ConfigError as error:
        if Path(name).exists():
            raise OptionError("board={problem}", problem=error.problem) from error
        raise OptionError(
            "There is no board and no file {name}; there are the boards: {known}.",
            name=name,
            known=", ".join(boardfile.SHIPPED),
        ) from error

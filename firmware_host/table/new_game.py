"""Reads a new game as a person types it: the name of the game, and its options as KEY=VALUE."""

from __future__ import annotations

from collections.abc import Sequence

from tiltboard.firmware_host.config.files import read_board
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.games.contract import options_from_text
from tiltboard.games.registry import game_type


def new_game(name: str, options: Sequence[str]) -> NewGame:
    """Return the request for a new game. An option for a board can be the name of a file. Raises
    RulesError if the game, an option or a value does not exist. The game checks later whether the
    options fit together.
    """
    kind = game_type(name)
    return NewGame(kind.name, options_from_text(kind, options, read_board=read_board))

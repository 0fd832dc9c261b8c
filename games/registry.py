"""The games there are. A new game is one module and one line here."""

from __future__ import annotations

from collections.abc import Mapping

from games.attraktion import ATTRAKTION
from games.base import GameType, UnknownGameError
from games.gravity_connect import GRAVITY_CONNECT
from games.gravity_trap import GRAVITY_TRAP
from games.momentum import MOMENTUM

GAMES: Mapping[str, GameType] = {
    game.name: game for game in (MOMENTUM, ATTRAKTION, GRAVITY_CONNECT, GRAVITY_TRAP)
}


def game_type(name: str) -> GameType:
    """The game called ``name``. Raises UnknownGameError, naming those that exist."""
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownGameError(
            "There is no game {name}; the games are: {known}.", name=name, known=", ".join(GAMES)
        ) from None

"""Names of players, pieces and colours as people say them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.messages import Message, text
from firmware_host.table.sight import UNKNOWN_PIECE
from games.base import PieceLook
from games.registry import GAMES

_COLOURS: Mapping[str, Message] = {
    "red": text("red"),
    "blue": text("blue"),
    "white": text("white"),
    "black": text("black"),
    "green": text("green"),
    "orange": text("orange"),
    "gray": text("gray"),
    "purple": text("purple"),
}


def colour(name: str) -> Message:
    """A colour: "gray"."""
    return _COLOURS.get(name, Message(name))


def player(name: str) -> Message:
    """A player: "red"."""
    return colour(name)


def players(names: Sequence[str]) -> Message:
    """One or more players: "red and white"."""
    first, *rest = names
    if not rest:
        return player(first)
    return text("{one} and {others}", one=player(first), others=players(rest))


def piece(game: str, kind: str) -> Message:
    """A piece without its article: "red marble"."""
    if kind == UNKNOWN_PIECE:
        return text("strange piece")
    known = GAMES.get(game)  # an old game's package may be gone
    if known is None and kind not in _COLOURS:
        return Message(kind)
    look = PieceLook() if known is None else known.look_of(kind)
    return Message(look.noun, {"colour": player(kind)})

"""Names of players and pieces as people say them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.messages import Message, text
from firmware_host.sight import UNKNOWN_PIECE

_COLOURS: Mapping[str, Message] = {
    "red": text("red"),
    "blue": text("blue"),
    "white": text("white"),
    "green": text("green"),
}


def player(name: str) -> Message:
    """A player: "red"."""
    return _COLOURS.get(name, Message(name))


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
    if game == "momentum":
        return text("{colour} marble", colour=player(kind))
    return text("{colour} piece", colour=player(kind))

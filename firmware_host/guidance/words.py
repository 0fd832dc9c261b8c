"""Names of players, pieces and colours as people say them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.messages import Message, text
from firmware_host.sight import UNKNOWN_PIECE

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
    if kind == "pod":
        return text("pod")
    match game:
        case "momentum":
            return text("{colour} marble", colour=player(kind))
        case "gravity-connect":
            return text("{colour} tile", colour=player(kind))
        case "gravity-trap":
            return text("{colour} ship", colour=player(kind))
    return text("{colour} piece", colour=player(kind))

"""Sentences while the plate is tilted so that a tile slides."""

from __future__ import annotations

from firmware_host.guidance.words import piece
from firmware_host.messages import Message, text

RAISE = {
    "left": text("Raise the left side"),
    "right": text("Raise the right side"),
    "top": text("Raise the top side"),
    "bottom": text("Raise the bottom side"),
}


def slide(said: Message, side: str, game: str, kind: str) -> Message:
    """``said``, and how it comes about. ``side``: the one from which it falls."""
    return text(
        "{said} {raise} until the {piece} slides, or do it by hand.",
        **{"said": said, "raise": RAISE[side], "piece": piece(game, kind)},
    )


def further(side: str, now_deg: int, least_deg: int) -> Message:
    """Nothing slides yet."""
    return text(
        "{raise} further: {now} of {least} degrees.",
        **{"raise": RAISE[side], "now": now_deg, "least": least_deg},
    )


def straight(side: str) -> Message:
    """The plate is tilted some other way, too."""
    return text("{raise} and no other.", **{"raise": RAISE[side]})


def less(most_deg: int) -> Message:
    """Too steep."""
    return text("Not so steep: {most} degrees at most.", most=most_deg)


def hold(game: str, kind: str) -> Message:
    """As it should be."""
    return text("Hold the plate so: the {piece} slides.", piece=piece(game, kind))


def arrived(game: str, kind: str, place: str) -> Message:
    """It has come to where it was to go."""
    return text(
        "The {piece} is on {place}: level the plate, and press it down.",
        piece=piece(game, kind),
        place=place,
    )

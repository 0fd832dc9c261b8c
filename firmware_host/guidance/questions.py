"""Sentences of the questions that the table asks."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.guidance.words import colour, piece
from firmware_host.messages import Message, text


def which_side(game: str, kind: str) -> Message:
    """Several slots bring a piece to where it stands."""
    return text("From which side does the {piece} come?", piece=piece(game, kind))


def side(name: str, tint: str, slot: str) -> Message:
    """One of them."""
    where = _side(name)
    return text("{side}, {colour}, slot {slot}", side=where, colour=colour(tint), slot=slot)


def which_move(places: Sequence[str]) -> Message:
    """Several moves fit, because nobody sees what stands on ``places``."""
    return text("The table cannot see {places}. Which move was it?", places=", ".join(places))


def landed(game: str, kind: str, place: str) -> Message:
    """One of those moves."""
    return text("{piece} on {place}", piece=piece(game, kind), place=place)


def is_there(places: Sequence[str]) -> Message:
    """Whether a move that nobody would see has been made."""
    if len(places) == 1:
        return text("The table cannot see {place}. Is the piece there?", place=places[0])
    return text(
        "The table cannot see {places}. Is the piece on one of them?", places=", ".join(places)
    )


def where_is_it() -> Message:
    """A piece was put, as somebody says, and no sensor tells where."""
    return text("Where is the piece that the table does not see?")


def is_done(places: Sequence[str]) -> Message:
    """Whether what was asked for has been done where nobody sees."""
    return text("The table cannot see {places}. Is it done?", places=", ".join(places))


def is_that_done() -> Message:
    """The same of a place that the table can see, as far as it knows."""
    return text("Is that done?")


def done() -> Message:
    """It is."""
    return text("done")


def which_game() -> Message:
    """The menu."""
    return text("Which game?")


def asked(question: Message, at: Message) -> Message:
    """A question with the choice to which the buttons have come, and what the buttons do."""
    return text(
        "{question} Chosen now: {choice}. Hold confirm for yes, press it for the next one.",
        question=question,
        choice=at,
    )


def asked_tilting(question: Message, at: Message) -> Message:
    """The same where the plate may be tilted, too."""
    return text(
        "{question} Chosen now: {choice}. Hold confirm for yes, press it for the next one, or "
        "tilt the plate a little the way it falls.",
        question=question,
        choice=at,
    )


def _side(name: str) -> Message:
    known = {
        "left": text("left"),
        "right": text("right"),
        "top": text("top"),
        "bottom": text("bottom"),
    }
    return known.get(name, Message(name))

"""Sentences about sensors and magnets that do not do their work."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.messages import Message, text

_FAILED = {
    "dead": text("The sensor of {place} is dead."),
    "stuck": text("The sensor of {place} is stuck."),
    "noisy": text("The sensor of {place} is too noisy."),
    "drifting": text("The sensor of {place} drifts."),
    "silent": text("The sensor of {place} does not feel its piece."),
    "swapped": text("The sensor of {place} was wired to another place; the table allows for it."),
}


def failed(why: str, place: str) -> Message:
    """A sensor is not read any more. ``why``: as in Observation.masked."""
    what = Message(_FAILED[why].template, {"place": place})
    if why == "swapped":
        return what
    return text("{what} Its neighbours watch {place} now; play goes on.", what=what, place=place)


def weak_magnet(place: str) -> Message:
    """The piece's magnet, not its place, is what cannot be read."""
    return text("The piece on {place} has a weak magnet. Put another one there.", place=place)


def confirm_put(said: Message, place: str) -> Message:
    """A drop there cannot be seen."""
    return text(
        "{said} The table cannot see {place}: press confirm if you put it there.",
        said=said,
        place=place,
    )


def confirm_done(said: Message, place: str) -> Message:
    """Whether what was asked for has been done cannot be seen."""
    return text(
        "{said} The table cannot see {place}: press confirm when it is done.",
        said=said,
        place=place,
    )


def one_of(said: Message, places: Sequence[str]) -> Message:
    """Drops on several places cannot be seen."""
    return text(
        "{said} The table cannot see {places}: put it elsewhere.",
        said=said,
        places=", ".join(places),
    )

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
    "contradicting": text("The switches of {place} say north and south at once."),
    "left-out": text("The sensor of {place} was left out of the calibration."),
}


def failed(why: str, place: str, *, blind: bool) -> Message:
    """A sensor is not read any more. ``why``: as in Observation.masked; ``blind``: as there."""
    what = Message(_FAILED[why].template, {"place": place})
    if blind:
        return text(
            "{what} The table asks about {place} now, and play goes on.", what=what, place=place
        )
    return text(
        "{what} Its neighbours watch {place} now, and play goes on.", what=what, place=place
    )


def contradicted(one: str, other: str) -> Message:
    """The neighbours of two places say that each reads the other's piece."""
    return text("Check {one} and {other}, and run the sweep.", one=one, other=other)


def weak_magnet(place: str) -> Message:
    """The piece's magnet, not its place, is what cannot be read."""
    return text("The piece on {place} has a weak magnet. Put another one there.", place=place)


def confirm_put(said: Message, places: Sequence[str]) -> Message:
    """A piece that is put there cannot be seen."""
    if len(places) == 1:
        return text(
            "{said} The table cannot see {place}: press confirm if you put it there.",
            said=said,
            place=places[0],
        )
    return text(
        "{said} The table cannot see {places}: press confirm if you put it on one of them.",
        said=said,
        places=", ".join(places),
    )


def confirm_move(said: Message, places: Sequence[str]) -> Message:
    """A piece may have been carried from where it cannot be seen."""
    return text(
        "{said} The table cannot see {places}: press confirm if this is your move.",
        said=said,
        places=", ".join(places),
    )


def confirm_missed(said: Message) -> Message:
    """Somebody pressed confirm, and nothing has changed on the board."""
    return text(
        "{said} If you have put a piece that does not show, press confirm again.", said=said
    )


def confirm_done(said: Message, places: Sequence[str]) -> Message:
    """Whether what was asked for has been done cannot be seen."""
    return text(
        "{said} The table cannot see {places}: press confirm when it is done.",
        said=said,
        places=", ".join(places),
    )


def if_done(said: Message) -> Message:
    """What was asked for has not been seen for a while, and it may be the sensor's fault."""
    return text("{said} If that is done, press confirm.", said=said)


_ANY = Message("")
_BY_BUTTON = {
    each.template
    for each in (
        confirm_put(_ANY, ("a1",)),
        confirm_put(_ANY, ("a1", "b1")),
        confirm_move(_ANY, ("a1",)),
        confirm_missed(_ANY),
        confirm_done(_ANY, ("a1",)),
        if_done(_ANY),
    )
}


def without_buttons(say: Message) -> Message:
    """``say`` where answers are pressed on a screen: without what the button confirm would do."""
    params = {
        name: without_buttons(each) if isinstance(each, Message) else each
        for name, each in say.params.items()
    }
    said = params.get("said")
    if say.template in _BY_BUTTON and isinstance(said, Message):
        return said
    return Message(say.template, params, capital=say.capital)

"""The sentences about faults, mistakes and places that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table.sight import Happening
from tiltboard.games.base import RulesError
from tiltboard.games.names import PLAYERS
from tiltboard.ground.errors import TiltboardError

NOT_READY = text("One moment – checking the board.")
# Sentences about an event shortly before a mistake, for events that may have caused the mistake.
HAPPENED = {
    Happening.SLID: text("A piece was pushed along."),
    Happening.KNOCKED: text("Something got knocked."),
    Happening.BUMPED: text("The table was bumped."),
}


def refused(error: RulesError) -> Message:
    """Return the rules' reason for refusing a move, as a message."""
    named = {
        name: Message(value, capital=True) if name in PLAYERS and isinstance(value, str) else value
        for name, value in error.params.items()
    }
    return Message(error.template, named)


def unclear(place: str) -> Message:
    """Return the request to centre a piece that the sensor of ``place`` cannot read."""
    return text("Move the piece on {place} to the middle of its space.", place=place)


def unreadable(place: str) -> Message:
    """Return the request to centre or remove an unknown object on a place that should be empty."""
    return text(
        "The table cannot read {place}. Move the piece there to the middle of its space, "
        "or take it off.",
        place=place,
    )


def part_missing(faults: Sequence[TiltboardError]) -> Message:
    """Return a message with the problem and the remedy of the first fault, such as a lost part or a
    disk that cannot be written.
    """
    first = faults[0]
    return text(
        "{problem} {remedy}",
        problem=Message(first.template, first.params),
        remedy=Message(first.remedy_template, first.params),
    )


_FAILED = {
    "dead": text("The sensor of {place} is dead."),
    "stuck": text("The sensor of {place} is stuck."),
    "noisy": text("The sensor of {place} is too noisy."),
    "drifting": text("The sensor of {place} drifts."),
    "silent": text("The sensor of {place} does not feel its piece."),
    "contradicting": text("The switches of {place} report north and south together."),
    "left-out": text("The calibration does not include the sensor of {place}."),
}


def unread(why: str, place: str) -> Message:
    """Return the reason why the readings of a sensor are ignored. ``why``: the kind of failure, as
    in Observation.faulty. ``place``: the place of the sensor.
    """
    return Message(_FAILED[why].template, {"place": place})


_PUT_THERE = text("{said} The table cannot see {place}: press confirm if you put it there.")
_CONFIRM = {
    "put": text(
        "{said} The table cannot see {places}: press confirm if you put it on one of them."
    ),
    "moved": text("{said} The table cannot see {places}: press confirm if this is your move."),
    "still-there": text("{said} If the piece on {places} is still there, press confirm."),
    "missed": text("{said} If you have put a piece that does not show, press confirm again."),
    "done": text("{said} The table cannot see {places}: press confirm when it is done."),
    "perhaps-done": text("{said} If that is done, press confirm."),
    "must-pass": text("{said} Press confirm to pass."),
    "may-pass": text("{said} Or press confirm to pass."),
}
_BY_BUTTON = {each.template for each in (_PUT_THERE, *_CONFIRM.values())}


def confirm(what: str, said: Message, places: Sequence[str] = ()) -> Message:
    """Return ``said`` with the reason to press confirm. ``places``: places that no sensor can read.

    ``what``: the reason, which is one of the following texts.

    "put" or "moved": a piece was put or moved where no sensor can read it.

    "still-there": a piece is on its place although it is no longer detected.

    "missed": a piece on an unknown place was not detected.

    "done": a requested step is done where no sensor can read it.

    "perhaps-done": a requested step may be done but has not been detected for a while.

    "must-pass": the player has no other move.

    "may-pass": the player has other moves.
    """
    if what == "put" and len(places) == 1:
        return Message(_PUT_THERE.template, {"said": said, "place": places[0]})
    return Message(_CONFIRM[what].template, {"said": said, "places": ", ".join(places)})


def without_buttons(say: Message) -> Message:
    """Return ``say`` without the words about the confirm button, for pages on which people answer
    on the screen.
    """
    params = {
        name: without_buttons(each) if isinstance(each, Message) else each
        for name, each in say.params.items()
    }
    said = params.get("said")
    if say.template in _BY_BUTTON and isinstance(said, Message):
        return said
    return Message(say.template, params, capital=say.capital)

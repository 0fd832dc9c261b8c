"""What a person at a real table is asked to do, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.config.profile import Profile, place_name
from firmware_host.config.wiring import DualSwitchHall, MuxAdcHall, NodeHall
from firmware_host.guidance import words
from firmware_host.messages import Message, text
from firmware_host.table.buttons import LONG_PRESS_S
from firmware_host.table.commands import Drop, Press, Put, Tilt

LONGER_S = 0.5  # nobody counts two seconds exactly

CLEAR = text("Take every piece off the plate.")
SET_UP = text("Set the board up as the lights show.")
LEVEL = text("Let the plate come back to level.")
BUMP = text("Knock against the table, lightly.")
PLUG_IN = text("Plug it in again.")
POWER_OFF = text("Switch the plate's supply off. Leave this computer on.")
POWER_ON = text("Switch the plate's supply on again.")
RESTARTED = text("The service has been started again.")
KEYS = text(
    "Type 'again' to be asked again and given more time, 'skip' to leave it out, or 'stop'."
)


def plugs(profile: Profile) -> Mapping[str, Message]:
    """Faults of a table that a person can make and mend without a tool: what to pull."""
    hall = profile.hall
    if isinstance(hall, NodeHall):
        return {"node-unplugged": text("Pull the cable of the plate's own computer.")}
    pulled: dict[str, Message] = {}
    if isinstance(hall, MuxAdcHall):
        pulled["spi-silent"] = text("Pull the plug of the sensors' board.")
    if isinstance(hall, DualSwitchHall) or profile.imu is not None:
        pulled["i2c-nack"] = text("Pull the plug of the parts on the I2C bus.")
    return pulled


def put(game: str, profile: Profile, step: Put) -> Message:
    """``put``, off centre or not."""
    piece = words.piece(game, step.piece)
    x_mm, y_mm = step.offset_mm
    ways = [
        text("{mm} mm toward {side}", mm=f"{abs(mm):g}", side=side)
        for mm, side in ((x_mm, _column(profile, x_mm > 0)), (y_mm, _row(profile, y_mm > 0)))
        if mm
    ]
    if not ways:
        return text("Put a {piece} on {place}.", piece=piece, place=step.place)
    return text(
        "Put a {piece} on {place}, off its middle: {ways}.",
        piece=piece,
        place=step.place,
        ways=_and(ways),
    )


def take(place: str) -> Message:
    """``take``."""
    return text("Take the piece off {place}.", place=place)


def move(source: str, target: str) -> Message:
    """``move``."""
    return text("Lift the piece on {source} and put it on {target}.", source=source, target=target)


def slide(source: str, target: str) -> Message:
    """``slide``."""
    return text(
        "Slide the piece from {source} to {target} without lifting it.",
        source=source,
        target=target,
    )


def knock(places: Sequence[str]) -> Message:
    """``knock``."""
    return text(
        "Knock each of these pieces to a free place beside it: {places}.", places=", ".join(places)
    )


def drop(game: str, step: Drop) -> Message:
    """``drop``."""
    return text(
        "Hold a {piece} {mm} mm above {place} and let it fall.",
        piece=words.piece(game, step.piece),
        mm=f"{step.from_mm:g}",
        place=step.place,
    )


def push(source: str, target: str) -> Message:
    """``push``."""
    return text("Flick the piece on {source} toward {target}.", source=source, target=target)


def spin_plate(turns: float) -> Message:
    """``spin-plate``, seen from above."""
    count = f"{abs(turns):g}"
    if turns < 0:
        return text("Turn the plate clockwise, {turns} times round.", turns=count)
    return text("Turn the plate counterclockwise, {turns} times round.", turns=count)


def tilt(profile: Profile, step: Tilt) -> Message:
    """``tilt``: which sides go up. About x the highest row does, about y column a."""
    ways = [
        text("the side of {side} goes up by {angle} degrees", side=side, angle=f"{abs(angle):g}")
        for angle, side in (
            (step.x_deg, _row(profile, step.x_deg > 0)),
            (step.y_deg, _column(profile, step.y_deg < 0)),
        )
        if angle
    ]
    if not ways:
        return LEVEL
    return text("Tilt the plate and hold it: {ways}.", ways=_and(ways))


def press(step: Press) -> Message:
    """``press``."""
    if step.held_s < LONG_PRESS_S:
        return text("Press {button} and let go.", button=step.button)
    return text(
        "Hold {button} for {seconds} seconds.",
        button=step.button,
        seconds=f"{step.held_s + LONGER_S:g}",
    )


def _row(profile: Profile, last: bool) -> Message:
    return text("row {row}", row=profile.rows if last else 1)


def _column(profile: Profile, last: bool) -> Message:
    name = place_name(profile.columns - 1 if last else 0, 0)[0]
    return text("column {column}", column=name)


def _and(ways: Sequence[Message]) -> Message:
    one, *rest = ways
    return text("{one} and {other}", one=one, other=rest[0]) if rest else one

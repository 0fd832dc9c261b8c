"""What calibration says: the next thing to do, and why a reading is not accepted, with remedies."""

from __future__ import annotations

from math import hypot

from drivers.errors import PartError
from firmware_host.commissioning.mounting import NORTH, Edge
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text
from firmware_host.table.observation import Magnet

STANDS_RIGHT = text("It stands right")  # what somebody says where a reading is unlikely
NOT_LEVEL = text("The plate is not level. Level it; then leave it alone.")
KNOCKED = text("The plate was knocked. Leave it alone for two seconds.")

# Of one place, and what it reads, in mT: filled by ``of_place``
LOOKS_DOWN = text("It was not turned over: {place} looks down")
LEAVE_OUT = text("Leave {place} out: its sensor is broken")
OFF_SCALE = text(
    "{place} reads {mt:+.1f} mT, past the end of its scale: its wire is broken, or it has no"
    " supply."
)
NOT_EMPTY = text(
    "{place} reads {mt:+.1f} mT though the plate should be empty. Take away what stands there."
    " If nothing does, check that sensor's wires."
)
NOISY = text(
    "{place} is noisy ({mt:.2f} mT). Check its solder joints and the capacitor at its supply."
)
NO_REACTION = text(
    "{place} does not react. If the piece stands there, check that sensor's wires and supply."
)
TWO_PIECES = text("Something stands on {place} too. Take it away.")
NO_WEAK_ONE = text("{place} reads {mt:.1f} mT: that is a strong piece. Put a weak one there.")
TOO_WEAK = text(
    "{place} reads only {mt:.1f} mT. Move the piece to the middle. If it stands there, the"
    " sensor sits too deep or is another part, or the piece is a weak one."
)
TOO_STRONG = text(
    "{place} reads {mt:.1f} mT, far more than the others. Use the same piece for every place;"
    " if it is, the sensor sits too high."
)
STILL_THERE = text("A piece still stands on {place}.")
RESTLESS = text(
    "{place} does not come to rest. Let go of the piece, and keep hands and metal away. If"
    " nothing moves, that sensor is noisy: check its solder joints and the capacitor at its"
    " supply."
)


def of_place(profile: Profile, place: int, what: Message, mt: float = 0.0) -> Message:
    """``what`` of the table above, said of a place, with its reading where that is told."""
    return Message(what.template, {"place": profile.places[place], "mt": mt})


def piece(magnet: Magnet) -> Message:
    """A strong piece, by its magnet."""
    if magnet is Magnet.N_STRONG:
        return text("a strong piece, north down (the first player's)")
    return text("a strong piece, south down (the second player's)")


def put_here(
    profile: Profile, place: int, magnet: Magnet | None, *, carried: bool, same: bool
) -> Message:
    """Where the piece goes next. ``carried``: it is on the plate; ``same``: it was before."""
    name = profile.places[place]
    if carried:
        return text("Slide or carry it on to {place}, to the middle.", place=name)
    if same and magnet is None:
        return text("Put the same strong piece as before on the middle of {place}.", place=name)
    return text(
        "Put {piece} on the middle of {place}, and no other piece on the plate.",
        piece=piece(magnet or Magnet.S_STRONG),
        place=name,
    )


def put_weak(profile: Profile, place: int) -> Message:
    """Where a weak piece goes."""
    return text(
        "Put a weak piece on the middle of {place}, and no other piece on the plate.",
        place=profile.places[place],
    )


def lift_edge(edge: Edge) -> Message:
    """Tilt the plate."""
    if edge is NORTH:
        return text(
            "Take the pieces off. Lift the lit edge, with the highest row, by a hand's width, and"
            " hold it still."
        )
    return text(
        "Level the plate. Lift the lit edge, with the last column, by a hand's width, and hold it"
        " still."
    )


def no_part(fault: PartError | None) -> Message:
    """A part does not answer; None: it is still starting."""
    if fault is None:
        return text("The sensors do not answer yet.")
    return text(
        "{problem} {remedy}",
        problem=Message(fault.template, fault.params),
        remedy=Message(fault.remedy_template, fault.params),
    )


def elsewhere(profile: Profile, place: int, wire: int) -> Message:
    """An input that is known to be another place's."""
    return text(
        "{there} reacts, not {place}. Put the piece on {place}.",
        place=profile.places[place],
        there=profile.places[wire],
    )


def other_pole(profile: Profile, place: int, magnet: Magnet) -> Message:
    """Not the pole that was asked for, or that the places before saw."""
    return text(
        "{place} sees the other pole. If the piece was turned over, turn it back: {piece}. If not,"
        " that sensor looks down, and the table can read it so.",
        place=profile.places[place],
        piece=piece(magnet),
    )


def off_the_middle(profile: Profile, place: int, east_mm: float, north_mm: float) -> Message:
    """The neighbours say where the piece is."""
    row, column = divmod(place, profile.columns)
    if abs(east_mm) > abs(north_mm):
        column += -1 if east_mm > 0 else 1
    else:
        row += -1 if north_mm > 0 else 1
    inside = 0 <= column < profile.columns and 0 <= row < profile.rows
    back = row * profile.columns + column
    return text(
        "The piece on {place} stands some {mm:.0f} mm off the middle. Move it toward {back}.",
        place=profile.places[place],
        mm=hypot(east_mm, north_mm),
        back=profile.places[back] if inside else text("the edge"),
    )

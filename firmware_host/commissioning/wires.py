"""Where the wire of a place goes, and what a multimeter shows on it."""

from __future__ import annotations

from firmware_host.config.profile import Profile
from firmware_host.config.wiring import DualSwitchHall, MatrixHall, MuxAdcHall
from firmware_host.messages import Message, text

MUX_INPUTS = 16


def wire_of(profile: Profile, place: int) -> Message:
    """The pins that a place's sensor is read by."""
    row, column = divmod(place, profile.columns)
    match profile.hall:
        case MuxAdcHall():
            return text(
                "multiplexer {number}, input I{input}",
                number=place // MUX_INPUTS,
                input=place % MUX_INPUTS,
            )
        case DualSwitchHall(addresses=addresses):
            return text(
                "the MCP23017 at {address:#04x}, GPA{column} and GPB{column}",
                address=addresses[row],
                column=column,
            )
        case MatrixHall() as hall:
            return text(
                "GPIO{row}, and GPIO{north} and GPIO{south}",
                row=hall.row_pins[row],
                north=hall.north_pins[column],
                south=hall.south_pins[column],
            )
        case _:
            return text("the plate's own board")


def measure(profile: Profile, place: int) -> Message:
    """What to hold a multimeter to where a place does not react."""
    if isinstance(profile.hall, MuxAdcHall):
        volt = profile.hall.reference_v
        return text(
            "With a multimeter, at {wire}: {half:.2f} V without a magnet, and some 0.7 V more or"
            " less with one. 0 V: a broken wire, or no supply at the sensor's first pin"
            " ({full:.1f} V). If that is right, the fault lies behind the input.",
            wire=wire_of(profile, place),
            half=volt / 2,
            full=volt,
        )
    return text(
        "With a multimeter, at {wire}: a line must fall to 0 V when a magnet comes, one for each"
        " pole. If it does, the fault lies behind it; else look at the switch's supply and joints.",
        wire=wire_of(profile, place),
    )


def supply_of(part: str) -> Message:
    """What to measure at a part that does not answer at all, or makes no sense."""
    match part:
        case "hall":
            return text(
                "If that is right, with a multimeter: the sensors' supply at VDD and VREF of the"
                " converter (or at the port chips), 0 V between its ground and the Pi's; then each"
                " wire from end to end."
            )
        case "imu":
            return text(
                "If that is right, with a multimeter: 3.3 V at its supply, and 3.3 V at SDA and SCL"
                " while nothing is read. 0 V on one of them: a short, or a missing wire."
            )
        case "lights":
            return text(
                "If that is right, with a multimeter: 5 V at the strip and at the 74AHCT125."
            )
        case _:
            return text(
                "If that is right, with a multimeter: each wire from the Pi's pin to the part, end"
                " to end."
            )

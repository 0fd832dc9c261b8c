"""The results of a sweep (the guided check of a new table): findings for the builder, and the
calibration that perception uses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from statistics import median

from msgspec.structs import replace

from tiltboard.drivers.attitude import FLAT, gravity_tilt
from tiltboard.firmware_host.commissioning.blinking import lit_findings
from tiltboard.firmware_host.commissioning.findings import Finding, join_names, note, problem
from tiltboard.firmware_host.commissioning.mounting import describe, mounting_of
from tiltboard.firmware_host.commissioning.progress import Progress, SweepPart, wire_of_places
from tiltboard.firmware_host.commissioning.tasks import tasks
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.wiring import DualSwitchHall, MatrixHall, MuxAdcHall, NodeHall
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.perception.calibration import (
    MAX_GAIN,
    MIN_GAIN,
    Calibration,
    Kernel,
    assumed_calibration,
)
from tiltboard.firmware_host.perception.field import STRONG
from tiltboard.firmware_host.table.sight import SensorFault

MUX_INPUTS = 16
NODE_V = 3.3
MAPPED = text("It may stay so: the table knows it now.")


def wire_of(profile: Profile, place: int) -> Message:
    """Return a description of the pins that connect the sensor of a place."""
    row, column = divmod(place, profile.columns)
    match profile.hall:
        case MuxAdcHall() | NodeHall():
            return text(
                "U{number}, input I{input}",
                number=place // MUX_INPUTS + 1,
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
    """Return instructions for checking, with a multimeter, a place that does not react."""
    if profile.measures:
        # The converter on a plate with its own controller uses the same reference voltage
        # (docs/wiring-node.md).
        volt = profile.hall.reference_v if isinstance(profile.hall, MuxAdcHall) else NODE_V
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


_SUPPLY = {
    "hall": text(
        "If that is right, with a multimeter: the sensors' supply at VDD and VREF of the"
        " converter (or at the port chips), 0 V between its ground and the Pi's; then each"
        " wire from end to end."
    ),
    "imu": text(
        "If that is right, with a multimeter: 3.3 V at its supply, and 3.3 V at SDA and SCL"
        " while nothing is read. 0 V on one of them: a short, or a missing wire."
    ),
    "lights": text("If that is right, with a multimeter: 5 V at the strip and at the 74AHCT125."),
}


def supply_of(part: str) -> Message:
    """Return instructions for checking the supply of a part that does not answer, or that gives
    impossible answers.
    """
    return _SUPPLY.get(part) or text(
        "If that is right, with a multimeter: each wire from the Pi's pin to the part, end to end."
    )


def _lights(progress: Progress) -> Iterator[Finding]:
    if progress.picture is False:
        yield problem(
            "lights",
            text("Some lights are dark, have other colours, or are in a different order."),
            text(
                "With a multimeter: 5 V at the strip and across the first dark light; DOUT of each"
                " must reach DIN of the next. All dark: 5 V at the supply of the 74AHCT125, and its"
                " enable pin at ground. Other colours: use WS2812B, which take green first; if they"
                " flicker, a 74AHCT125 and not a 74HC125. Another order: wire the chain as the"
                " wiring page's table of lights says."
            ),
        )
    elif progress.picture and progress.light_at:
        yield note(
            "lights",
            text("The chain of lights runs in a different order than the profile says."),
            text("It may stay so: the table lights the right places."),
        )


def _sensors(profile: Profile, progress: Progress) -> Iterator[Finding]:
    """Yield findings about sensors that are drifting, broken, upside down, or on another input than
    in the profile.
    """
    names = profile.places
    moved = sorted((i, wire) for i, wire in progress.inputs.items() if i != wire)
    if moved:
        pairs = join_names([f"{names[place]} -> {names[wire]}" for place, wire in moved])
        found = text("Read at the input of another place: {pairs}.", pairs=pairs)
        yield note("sensors", found, MAPPED)
    dead = dead_multiplexers(profile, progress.broken)
    for mux in dead:
        yield dead_multiplexer(profile, mux)
    for place in sorted(progress.broken):
        if place // MUX_INPUTS in dead:
            continue
        found = text("{place} does not react, or reads nonsense.", place=names[place])
        yield problem("sensors", found, measure(profile, place))
    drifted = [names[place] for place in progress.drifted if place not in progress.broken]
    if drifted:
        yield problem(
            "sensors",
            text(
                "Sensors have drifted since the plate was empty: {places}.",
                places=join_names(drifted),
            ),
            text(
                "If a piece or metal has come near, take it away. Otherwise check their solder"
                " joints, and the capacitors at their supply."
            ),
        )
    down = _upside_down(profile, progress)
    if down and len(down) == len(progress.own_mt):
        yield note(
            "sensors",
            text("Every sensor looks down. The table knows it now."),
            text(
                "If none does, the piece stood with its north pole down:"
                " tiltboard bringup --from places"
            ),
        )
    elif down:
        found = text("Sensors look down: {places}.", places=join_names([names[i] for i in down]))
        yield note("sensors", found, MAPPED)


def dead_multiplexers(profile: Profile, broken: Collection[int]) -> list[int]:
    """Return the numbers of the multiplexers whose sensors are all in ``broken``. In this case, the
    multiplexer itself is probably the only fault.
    """
    if not isinstance(profile.hall, MuxAdcHall | NodeHall):
        return []
    sensors = Counter(place // MUX_INPUTS for place in range(profile.size))
    failed = Counter(place // MUX_INPUTS for place in broken)
    return [mux for mux, number in sensors.items() if failed[mux] == number > 2]


def dead_multiplexer(profile: Profile, mux: int, subject: str = "sensors") -> Finding:
    """Return the finding for a multiplexer of which no sensor can be read. ``mux`` is the
    multiplexer's number, counted from 0.
    """
    first, last = mux * MUX_INPUTS, min((mux + 1) * MUX_INPUTS, profile.size) - 1
    return problem(
        subject,
        text(
            "U{number} does not answer: none of its places reacts, {first} to {last}.",
            number=mux + 1,
            first=profile.places[first],
            last=profile.places[last],
        ),
        text(
            "With a multimeter, at this multiplexer: supply at pin 24, 0 V at pins 12 and 15;"
            " then the wire from pin 1 to the converter's CH{channel}.",
            channel=mux,
        ),
    )


def _upside_down(profile: Profile, progress: Progress) -> list[int]:
    """Return the places whose sensors read the opposite pole of the piece on the place."""
    # On a table with Hall switches, the first pass uses a piece with its north pole down.
    up = 1.0 if profile.measures else -1.0
    return [place for place, mt in sorted(progress.own_mt.items()) if mt * up < 0]


def findings(
    profile: Profile, progress: Progress, parts: Collection[SweepPart] = tuple(SweepPart)
) -> Iterator[Finding]:
    """Yield the faults of the given parts, and the differences between the parts and the profile.
    Parts that the sweep has not checked are omitted.
    """
    if SweepPart.LIGHTS in parts:
        yield from _lights(progress)
        yield from lit_findings(profile, progress)
    if SweepPart.BUTTONS in parts:
        yield from _panel(progress)
    orientation = mounting_of(progress.level, progress.edges)
    if SweepPart.EDGES in parts and orientation is not None and orientation != FLAT:
        yield note("imu", describe(orientation), MAPPED)
    if SweepPart.PLACES in parts:
        yield from _sensors(profile, progress)


def to_mend(profile: Profile, progress: Progress) -> tuple[SweepPart, ...]:
    """Return the parts that have faults."""
    found = {
        SweepPart.LIGHTS: progress.picture is False or any(lit_findings(profile, progress)),
        SweepPart.BUTTONS: any(_panel(progress)),
        SweepPart.PLACES: bool(progress.broken or progress.drifted),
    }
    return tuple(part for part, wrong in found.items() if wrong)


def calibration_of(
    profile: Profile,
    progress: Progress,
    made_s: float,
    *,
    before: Calibration | None,
    proven: Collection[SweepPart],
) -> Calibration:
    """Return the calibration that results from a sweep. Parts that are not in ``proven``, and parts
    that the sweep did not finish, keep their values from ``before``. ``made_s`` is the time in
    seconds since 1970-01-01 UTC.
    """
    found = before or assumed_calibration(profile)
    if SweepPart.LIGHTS in proven and progress.picture:
        found = replace(found, lights=progress.light_at)
    orientation = mounting_of(progress.level, progress.edges)
    if orientation is not None and progress.level is not None:
        level_rad = gravity_tilt(orientation.on_plate(progress.level))
        axes = orientation.east, orientation.north, orientation.up
        found = replace(found, level_rad=level_rad, mounting=axes)
    places = tasks(replace(progress, wanted=(SweepPart.PLACES,)), profile)
    if SweepPart.PLACES not in proven or not all(done for _, done in places):
        return found
    wire, broken = wire_of_places(profile, progress), progress.broken
    down = _upside_down(profile, progress)
    read = [place not in broken for place in range(profile.size)]
    found = replace(
        found,
        made_s=made_s,
        offset_mt=tuple(ok * progress.offset_mt[i] for ok, i in zip(read, wire, strict=True)),
        zeroed=tuple(read),
        noise_mt=tuple(ok * progress.noise_mt[i] for ok, i in zip(read, wire, strict=True)),
        gain=tuple(-1.0 if place in down else 1.0 for place in range(profile.size)),
        failed=tuple((place, SensorFault.LEFT_OUT) for place in sorted(broken)),
        wire=() if wire == tuple(range(profile.size)) else wire,
    )
    if not profile.measures:
        return found
    nominal, usual = assumed_calibration(profile), median(map(abs, progress.own_mt.values()))
    gains = (usual / abs(progress.own_mt.get(i, usual)) for i in range(profile.size))
    signed = zip(found.gain, gains, strict=True)
    return replace(
        found,
        gain=tuple(sign * min(max(gain, MIN_GAIN), MAX_GAIN) for sign, gain in signed),
        strong_mt=_scale_field(nominal.strong_mt, usual / STRONG.centred_mt),
        weak_mt=_scale_field(nominal.weak_mt, usual / STRONG.centred_mt),
        carried_mt=usual,
    )


def _scale_field(kernel: Kernel, own: float) -> Kernel:
    """Return a kernel (the readings around a magnet) in which the reading of the sensor under the
    magnet is multiplied by ``own``. The other readings stay the same, because the air gap hardly
    affects them.
    """
    first, *others = kernel
    return (first[0] * own, *first[1:]), *others


def _panel(progress: Progress) -> Iterator[Finding]:
    closed = progress.buttons
    if closed == {"confirm": ("back",), "back": ("confirm",)}:
        yield problem(
            "panel",
            text("The buttons confirm and back are exchanged."),
            text("Exchange their wires, or their pins in the profile."),
        )
        closed = {}
    for button, names in closed.items():
        if names == ():
            yield problem(
                "panel",
                text("The button {button} does nothing.", button=button),
                text(
                    "With a multimeter, at its pin: 3.3 V when it is let go, 0 V when pressed."
                    " Always 3.3 V: its wire or its ground is broken."
                ),
            )
        elif names != (button,):
            others = " and ".join(names)
            yield problem(
                "panel",
                text("Pressing {button} closes {others}.", button=button, others=others),
                text("Look for wires that touch, or go to the wrong pin."),
            )
    if progress.buzzer is False:
        yield problem(
            "panel",
            text("The buzzer is silent."),
            text(
                "It must be a passive one. With a multimeter: about 1.6 V at its pin while it"
                " should sound, 0 V otherwise."
            ),
        )

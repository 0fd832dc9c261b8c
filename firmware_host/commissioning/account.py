"""What a sweep has found out: what is worth saying, and the calibration that perception reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from statistics import fmean, median

from msgspec.structs import replace

from drivers.attitude import FLAT, Mounting, gravity_tilt
from firmware_host.commissioning import light_map, sensor_map
from firmware_host.commissioning.findings import Finding, note, problem
from firmware_host.commissioning.light_map import NO_LIGHT, pairs
from firmware_host.commissioning.mounting import EDGES, describe, mounting_of
from firmware_host.commissioning.progress import Part, Progress, wire_of_places
from firmware_host.commissioning.tasks import next_task
from firmware_host.config.profile import Profile
from firmware_host.messages import text
from firmware_host.perception.calibration import (
    LEAST_GAIN,
    LEFT_OUT,
    MOST_GAIN,
    Calibration,
    Kernel,
    uncalibrated,
)
from firmware_host.perception.field import STRONG, WEAK

FAR_SHARES = (0.6, 1.5)  # beyond, the fit is no measurement


def findings(profile: Profile, progress: Progress) -> Iterator[Finding]:
    """What is wrong, and what is other than the profile says; of what has been done."""
    if progress.picture is not None:
        yield from _colours(progress.colours)
        yield from light_map.judge(
            profile, progress.lights, progress.light_at, right=progress.picture
        )
    yield from _panel(progress)
    orientation = _orientation(progress)
    if orientation not in (None, FLAT):
        yield note("imu", describe(orientation or FLAT), sensor_map.MAPPED)
    yield from sensor_map.judge(profile, progress)


def to_mend(progress: Progress) -> tuple[Part, ...]:
    """The parts that did not come out well."""
    found = {
        Part.LIGHTS: progress.picture is False,
        Part.BUTTONS: any(_panel(progress)),
        Part.PLACES: bool(progress.broken),
    }
    return tuple(part for part, wrong in found.items() if wrong)


def calibration_of(
    profile: Profile,
    progress: Progress,
    made_s: float,
    *,
    before: Calibration | None,
    proven: Collection[Part],
) -> Calibration:
    """What is known of the table. ``proven``: the parts that were wanted of the sweep; of others,
    and of what it was done without, ``before`` is still right. ``made_s``: since 1970-01-01 UTC.
    """
    found = before or uncalibrated(profile)
    if Part.LIGHTS in proven and progress.picture:
        found = replace(found, lights=progress.light_at)
    orientation = _orientation(progress)
    if orientation is not None and progress.level is not None:
        level_rad = gravity_tilt(orientation.on_plate(progress.level))
        found = replace(
            found,
            level_rad=level_rad,
            mounting=(orientation.east, orientation.north, orientation.up),
        )
    places = replace(progress, wanted=(Part.PLACES,))
    if Part.PLACES not in proven or next_task(places, profile) is not None:
        return found
    return _of_places(profile, progress, replace(found, made_s=made_s))


def _of_places(profile: Profile, progress: Progress, found: Calibration) -> Calibration:
    nominal, wire, size = uncalibrated(profile), wire_of_places(profile, progress), profile.size
    broken = progress.broken
    down = sensor_map.upside_down(profile, progress)
    found = replace(
        found,
        offset_mt=tuple(0.0 if i in broken else progress.offset_mt[wire[i]] for i in range(size)),
        zeroed=tuple(i not in broken for i in range(size)),
        noise_mt=tuple(0.0 if i in broken else progress.noise_mt[wire[i]] for i in range(size)),
        gain=tuple(-1.0 if i in down else 1.0 for i in range(size)),
        failed=tuple((i, LEFT_OUT) for i in sorted(broken)),
        wire=() if wire == tuple(range(size)) else wire,
    )
    if not profile.capabilities.measures:
        return found
    usual = median(map(abs, progress.own_mt.values()))
    gain = tuple(
        sign * min(max(usual / abs(progress.own_mt.get(i, usual)), LEAST_GAIN), MOST_GAIN)
        for i, sign in enumerate(found.gain)
    )
    near = usual / STRONG.centred_mt
    ratio = _far(progress, near) / near
    weak_mt = [abs(mt * gain[i]) for i, mt in progress.weak_mt.items()] or [WEAK.centred_mt]
    return replace(
        found,
        gain=gain,
        strong_mt=_scaled(nominal.strong_mt, near, ratio),
        weak_mt=_scaled(nominal.weak_mt, fmean(weak_mt) / WEAK.centred_mt, ratio),
        carried_mt=usual,
        weak_pieces=bool(progress.weak_mt),
    )


def _far(progress: Progress, near: float) -> float:
    """Factor of what the neighbours feel, against the datasheet's model."""
    products, squares = progress.far
    if squares <= 0:
        return near
    low, high = FAR_SHARES
    return min(max(products / squares, low * near), high * near)


def _scaled(kernel: Kernel, own: float, ratio: float) -> Kernel:
    """``own``: factor of the magnet's own reading; ``ratio``: of the others' against it."""
    return tuple(
        tuple(mt * own * (1.0 if down == across == 0 else ratio) for across, mt in enumerate(line))
        for down, line in enumerate(kernel)
    )


def _orientation(progress: Progress) -> Mounting | None:
    """How the tilt sensor lies; None while that is not known."""
    if progress.level is None or len(progress.edges) < len(EDGES):
        return None
    return mounting_of(progress.level, progress.edges)


def _colours(seen: Mapping[str, str]) -> Iterator[Finding]:
    if {*seen.values()} == {NO_LIGHT}:
        yield problem(
            "lights",
            text("The first light stays dark."),
            text(
                "With a multimeter: 5 V at the strip, and the data wire at its DIN end. The"
                " 74AHCT125 needs 5 V at its supply, and its enable pin at ground."
            ),
        )
    elif any(saw != shown for shown, saw in seen.items()):
        yield problem(
            "lights",
            text("Colours are exchanged: {seen}.", seen=pairs(seen.items())),
            text("The table needs WS2812B, which take green first. Use such a strip."),
        )


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

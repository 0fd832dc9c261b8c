"""Asks every part of a table whether it is there and makes sense, without anybody's help."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees, hypot

from drivers.attitude import FLAT
from drivers.buses import Buses
from drivers.errors import PartError
from drivers.frame import Frame
from firmware_host.commissioning.findings import Finding, note, of_error, ok, problem
from firmware_host.commissioning.mounting import describe, up_axis
from firmware_host.config.profile import Profile
from firmware_host.host.assemble import plate_for
from firmware_host.messages import text
from firmware_host.perception.calibration import Calibration
from firmware_host.perception.stillness import LEVEL_UNKNOWN_RAD

SCANS = 40  # long enough for a tilt sensor to start, and for a part to be tried again
# Past the end of DRV5055A1's scale (+-22 mT; its output keeps 0.2 V from both rails, 24 mT).
OFF_SCALE_MT = 25.0
STILL_S = 0.02


def check_parts(
    profile: Profile, buses: Buses, calibration: Calibration | None = None
) -> list[Finding]:
    """A line or more for each part that ``profile`` has."""
    plate = plate_for(profile, buses)
    if calibration is not None:
        plate.mount(calibration.orientation)
    try:
        frames = []
        for number in range(SCANS):
            frames.append(plate.scan())
            if number == 0:
                plate.show([(0.0, 0.0, 0.0)] * profile.size)
            buses.clock.sleep(STILL_S)
    finally:
        plate.close()
    last = frames[-1]
    faults = {fault.part: fault for fault in last.faults}
    return [
        *_hall(profile, last, faults.get("hall")),
        *_imu(profile, last, faults.get("imu"), calibration),
        *_lights(profile, faults.get("lights")),
        *_panel(profile, frames, faults.get("panel")),
    ]


def _hall(profile: Profile, frame: Frame, fault: PartError | None) -> Iterator[Finding]:
    if fault is not None:
        yield of_error("hall", fault)
        return
    yield ok("hall", text("{count} sensors answer.", count=len(frame.field_mt)))
    off = [
        place
        for place, mt in zip(profile.places, frame.field_mt, strict=True)
        if abs(mt) > OFF_SCALE_MT
    ]
    if off:
        yield problem(
            "hall",
            text(
                "These sensors read past the end of their scale: {places}.", places=", ".join(off)
            ),
            text("Check their wires and their supply, one by one with: tiltboard bringup"),
        )
    if frame.temperature_c is not None:
        yield ok("hall", text("The board is at {c:.0f} C.", c=frame.temperature_c))


def _imu(
    profile: Profile, frame: Frame, fault: PartError | None, calibration: Calibration | None
) -> Iterator[Finding]:
    if profile.imu is None:
        return
    motion = frame.motion
    if fault is not None or motion is None:
        if fault is not None:
            yield of_error("imu", fault)
        else:
            yield problem(
                "imu",
                text("The tilt sensor has not begun to measure."),
                text("Leave the table alone, and try again."),
            )
        return
    known = calibration is not None and calibration.level_rad is not None
    if up_axis(motion.specific_force_m_s2) != "+z":
        if known:
            yield problem(
                "imu",
                text("The tilt sensor lies otherwise than when it was looked at."),
                text("Run: tiltboard bringup --again edges"),
            )
        else:
            yield note(
                "imu",
                text("The tilt sensor does not lie flat with its face up."),
                text("It may stay so: tiltboard bringup finds out how it lies."),
            )
        return
    zero = (0.0, 0.0)
    if calibration is not None and calibration.level_rad is not None:
        zero = calibration.level_rad
    lean = hypot(motion.tilt_rad[0] - zero[0], motion.tilt_rad[1] - zero[1])
    found = text("The plate leans by {angle:.1f} degrees.", angle=degrees(lean))
    if lean > LEVEL_UNKNOWN_RAD:
        remedy = text("Level the plate.")
        if not known:
            remedy = text("Level the plate before it is calibrated.")
        yield note("imu", found, remedy)
    else:
        yield ok("imu", found)
    if calibration is not None and calibration.orientation != FLAT:
        yield ok("imu", describe(calibration.orientation))


def _lights(profile: Profile, fault: PartError | None) -> Iterator[Finding]:
    if profile.lights is None:
        return
    if fault is not None:
        yield of_error("lights", fault)
    else:
        yield ok(
            "lights",
            text(
                "Bytes go out to {count} lights. See them with: tiltboard bringup",
                count=profile.size,
            ),
        )


def _panel(profile: Profile, frames: list[Frame], fault: PartError | None) -> Iterator[Finding]:
    if profile.panel is None:
        return
    if fault is not None:
        yield of_error("panel", fault)
        return
    held = frozenset.intersection(*(frame.pressed for frame in frames))
    if not held:
        yield ok("panel", text("No button is held down."))
    for button in sorted(held):
        yield problem(
            "panel",
            text("The button {button} is closed all the time.", button=button),
            text("Let go of it; else its wires touch, or it is wired to the wrong pin."),
        )

"""Asks every part of a table whether it is there and makes sense, without anybody's help."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees, hypot

from drivers.attitude import FLAT
from drivers.buses import Buses
from drivers.frame import Frame
from firmware_host.commissioning.findings import Finding, note, of_error, ok, problem
from firmware_host.commissioning.mounting import describe, up_axis
from firmware_host.config.profile import Profile
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
    plate = profile.plate(buses)
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
    there = {
        "hall": True,
        "imu": profile.imu is not None,
        "lights": profile.lights is not None,
        "panel": profile.panel is not None,
    }
    found: list[Finding] = []
    for part in (part for part, has in there.items() if has):
        if part in faults:
            found.append(of_error(part, faults[part]))
        elif part == "hall":
            found += _hall(profile, last)
        elif part == "imu":
            found += _imu(last, calibration)
        elif part == "lights":
            sent = text(
                "Bytes go out to {count} lights. See them with: tiltboard bringup",
                count=profile.size,
            )
            found.append(ok("lights", sent))
        else:
            found += _panel(frames)
    return found


def _hall(profile: Profile, frame: Frame) -> Iterator[Finding]:
    yield ok("hall", text("{count} sensors answer.", count=len(frame.field_mt)))
    read = zip(profile.places, frame.field_mt, strict=True)
    off = ", ".join(place for place, mt in read if abs(mt) > OFF_SCALE_MT)
    if off:
        yield problem(
            "hall",
            text("These sensors read past the end of their scale: {places}.", places=off),
            text("Check their wires and their supply, one by one with: tiltboard bringup"),
        )
    if frame.temperature_c is not None:
        yield ok("hall", text("The board is at {c:.0f} C.", c=frame.temperature_c))


def _imu(frame: Frame, calibration: Calibration | None) -> Iterator[Finding]:
    motion = frame.motion
    if motion is None:
        yield problem(
            "imu",
            text("The tilt sensor has not begun to measure."),
            text("Leave the table alone, and try again."),
        )
        return
    zero = None if calibration is None else calibration.level_rad
    if up_axis(motion.specific_force_m_s2) != "+z":
        if zero is not None:
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
    x_rad, y_rad = zero or (0.0, 0.0)
    lean = hypot(motion.tilt_rad[0] - x_rad, motion.tilt_rad[1] - y_rad)
    found = text("The plate leans by {angle:.1f} degrees.", angle=degrees(lean))
    if lean > LEVEL_UNKNOWN_RAD:
        before = text("Level the plate before it is calibrated.")
        yield note("imu", found, before if zero is None else text("Level the plate."))
    else:
        yield ok("imu", found)
    if calibration is not None and calibration.orientation != FLAT:
        yield ok("imu", describe(calibration.orientation))


def _panel(frames: list[Frame]) -> Iterator[Finding]:
    held = frozenset.intersection(*(frame.pressed for frame in frames))
    if not held:
        yield ok("panel", text("No button is held down."))
    for button in sorted(held):
        yield problem(
            "panel",
            text("The button {button} is closed all the time.", button=button),
            text("Let go of it; else its wires touch, or it is wired to the wrong pin."),
        )

"""Runs a calibration on a plate: scans, lights, sounds, and progress kept after every place."""

from __future__ import annotations

from collections.abc import Callable

from drivers.plate import Plate
from firmware_host.buttons import CONFIRM, Buttons
from firmware_host.lighting.palette import BLUISH_GREEN, VERMILLION, WHITE, YELLOW, Rgb
from firmware_host.profile import Profile
from firmware_host.setup.advice import Advice, Light
from firmware_host.setup.calibrate import Calibrator

SHADES: dict[Light, tuple[Rgb, float]] = {
    Light.TARGET: (WHITE, 1.0),
    Light.DONE: (BLUISH_GREEN, 0.3),
    Light.WRONG: (VERMILLION, 1.0),
    Light.LIFT: (YELLOW, 0.8),
}
ACCEPTED_HZ = 1046.5
TONE_S = 0.08


def run_calibration(
    calibrator: Calibrator,
    plate: Plate,
    profile: Profile,
    wait: Callable[[], None],
    tell: Callable[[Advice], None],
) -> None:
    """Until everything is done. ``wait``: until the next scan is due; ``tell``: after each scan.

    The button confirm says what ``Advice.confirm`` is.
    """
    place_at_light = sorted(range(profile.size), key=profile.light_of)
    buttons = Buttons()
    silent_s = 0.0
    while True:
        frame = plate.scan()
        presses = buttons.update(frame.pressed, frame.time_s)
        if any(press.button == CONFIRM for press in presses):
            calibrator.confirm()
        advice = calibrator.step(frame)
        colours = [_colour(advice.lights.get(index)) for index in range(profile.size)]
        plate.show([colours[index] for index in place_at_light])
        if advice.accepted:
            silent_s = frame.time_s + TONE_S
        plate.tone(ACCEPTED_HZ if frame.time_s < silent_s else None)
        tell(advice)
        if advice.done:
            return
        wait()


def _colour(light: Light | None) -> tuple[float, float, float]:
    if light is None:
        return (0.0, 0.0, 0.0)
    (red, green, blue), level = SHADES[light]
    return red / 255 * level, green / 255 * level, blue / 255 * level

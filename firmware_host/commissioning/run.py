"""Runs a sweep on a plate of its own: scans, lights, sounds, and progress kept as it grows."""

from __future__ import annotations

from collections.abc import Callable

from drivers.plate import Plate
from firmware_host.commissioning.step import Step
from firmware_host.commissioning.sweep import Sweep

ACCEPTED_HZ = 1046.5
TRIED_HZ = 880.0  # the buzzer
TONE_S = 0.08


def run_sweep(
    sweep: Sweep,
    plate: Plate,
    wait: Callable[[], None],
    tell: Callable[[Step], str | None],
    save: Callable[[], None],
) -> None:
    """Until everything is done. ``wait``: until the next scan is due; ``tell``: after each scan,
    the answer to it, if there is one; ``save``: keep the sweep's progress.
    """
    silent_s = 0.0
    while True:
        frame = plate.scan()
        step = sweep.update(frame)
        if step.accepted or sweep.done:
            save()
        plate.show(sweep.strip)
        if step.accepted:
            silent_s = frame.time_s + TONE_S
        accepted_hz = ACCEPTED_HZ if frame.time_s < silent_s else None
        plate.tone(TRIED_HZ if step.sounds else accepted_hz)
        value = tell(step)
        if sweep.done:
            return
        if value is not None:
            sweep.answer(value)
        wait()

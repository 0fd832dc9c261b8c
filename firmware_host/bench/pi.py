"""The time budget of a scan on each Pi: counted calls times published figures per call.

Nothing here was measured on a Pi; every line can be checked with its source and a calculator.
The processor's part is measured here and scaled by a published run of a Python program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware_host.bench.computers import COMPUTERS, PI4_STEP_US, WIRE_US, Computer, nbody_step_us
from firmware_host.bench.scan import scan_cpu_ms

GOAL_SHARE = 0.6
IMU_MS = 0.39  # a burst of 14 bytes at 400 kHz (HARDWARE.md)
CONVERSIONS = 112
PINS = 18  # an address line for each of sixteen addresses, and two buttons
SEND_MS = 0.2  # a frame of lights handed to its thread, at most


@dataclass(frozen=True, slots=True)
class Budget:
    """A scan with its lights moving. ``parts_ms``: SPI, pins, tilt sensor, lights, processor.
    ``of_period`` and ``of_core``: shares; while the wire works the processor is free, 20 us of each
    SPI call and the tilt sensor's burst.
    """

    parts_ms: tuple[float, ...]
    of_period: float
    of_core: float

    @property
    def sum_ms(self) -> float:
        """From the first call to the last."""
        return sum(self.parts_ms)


def budget(computer: Computer, pi4_ms: float) -> Budget:
    """Of plate-10. ``pi4_ms``: the processor's part on a Pi 4."""
    spi_ms, pins_ms = CONVERSIONS * computer.spi_us / 1000, PINS * computer.pin_us / 1000
    parts_ms = (spi_ms, pins_ms, IMU_MS, SEND_MS, pi4_ms * computer.slower)
    period_ms = 1000 / computer.goal
    busy_ms = sum(parts_ms) - CONVERSIONS * WIRE_US / 1000 - IMU_MS
    return Budget(parts_ms, sum(parts_ms) / period_ms, busy_ms / period_ms)


def run(echo: Callable[[str], None], scans: int = 2000) -> None:
    """Print the budget of plate-10's scan with its lights moving."""
    here_ms = scan_cpu_ms("plate-10", scans)[2] or 0.0
    step_us = nbody_step_us()
    factor = PI4_STEP_US / step_us
    echo(
        f"here: {here_ms:.2f} ms of CPU a scan; an n-body step {step_us:.1f} us, on a Pi 4 31.7 us:"
    )
    echo(f"a Pi 4 takes {factor:.1f} times as long")
    echo("  ms of a scan       SPI   pins   tilt lights    CPU    sum  of the period   of a core")
    for computer in COMPUTERS:
        found = budget(computer, here_ms * factor)
        figures = "".join(f"{part:7.2f}" for part in (*found.parts_ms, found.sum_ms))
        kept = "kept" if found.of_core <= GOAL_SHARE else "too much"
        echo(
            f"  {computer.name:<10} {computer.goal:3}/s {figures}"
            f"  {found.of_period:6.0%} of {1000 / computer.goal:.0f} ms"
            f" {found.of_core:6.0%}, {kept}"
        )
    echo(f"goal: under {GOAL_SHARE:.0%} of a core")

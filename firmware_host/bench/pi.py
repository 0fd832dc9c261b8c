"""The time budget of a scan on each Pi: counted calls times published figures per call.

Nothing here was measured on a Pi; every line can be checked with its source and a calculator.
The processor's part is measured here and scaled by a published run of a Python program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

from drivers.clock import cpu_s
from firmware_host.bench.service import scan_cpu_ms

GOAL_SHARE = 0.6
STEPS = 20_000  # of the n-body program
# chaitanyamehta.github.io, "Performance Analysis of Languages on Raspberry Pi": 5 million steps of
# five bodies that attract each other take Python 158.4 s on a Pi 4 at 1.5 GHz.
PI4_STEP_US = 158.4 / 5
IMU_MS = 0.39  # a burst of 14 bytes at 400 kHz (HARDWARE.md)
CONVERSIONS = 112
WIRE_US = 20.0  # of each conversion: 27 clocks at 1.35 MHz
PINS = 18  # an address line for each of sixteen addresses, and two buttons
SEND_MS = 0.2  # a frame of lights handed to its thread, at most


@dataclass(slots=True)
class _Body:
    at: list[float]
    speed: list[float]
    mass: float


@dataclass(frozen=True, slots=True)
class Computer:
    """``spi_us``: a call of three bytes, WIRE_US included. ``pin_us``: a pin through lgpio.
    ``slower``: how much longer Python takes than on a Pi 4. ``goal``: scans a second.
    """

    name: str
    spi_us: float
    pin_us: float
    slower: float
    goal: int


# spi_us: raspberrypi/linux 6854 (Pi 5: 21 to 24, Pi 3 and 4: 31 to 38), the upper ends; a Zero 2 W
# is a Pi 3 at 1.0 of 1.2 GHz. pin_us: rpi-lgpio issue 2 (Zero 2 W: 40 to 80); the others' in
# proportion of their Python. slower: the maker's words at each launch (a Pi 4 three times a Pi 3, a
# Pi 5 two to three times a Pi 4).
COMPUTERS = (
    Computer("Zero 2 W", 46.0, 80.0, 3.6, 25),
    Computer("Pi 3", 38.0, 67.0, 3.0, 25),
    Computer("Pi 4", 38.0, 22.0, 1.0, 50),
    Computer("Pi 5", 24.0, 11.0, 0.5, 50),
)


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


def nbody_step_us() -> float:
    """CPU of one step of the program whose time on a Pi 4 is published: five bodies, ten pairs."""
    bodies = [_Body([n, n / 3, n / 7], [n / 9, 0.2, -n / 9], 1 / (n + 1)) for n in range(5)]
    pairs = list(combinations(bodies, 2))
    began_s = cpu_s()
    for _ in range(STEPS):
        for one, other in pairs:
            (x, y, z), (u, v, w) = one.at, other.at
            x, y, z = x - u, y - v, z - w
            pull = 0.001 * (x * x + y * y + z * z + 1.0) ** -1.5
            mine, theirs = other.mass * pull, one.mass * pull
            speed, back = one.speed, other.speed
            speed[0] -= x * mine
            speed[1] -= y * mine
            speed[2] -= z * mine
            back[0] += x * theirs
            back[1] += y * theirs
            back[2] += z * theirs
        for body in bodies:
            at, (x, y, z) = body.at, body.speed
            at[0] += 0.001 * x
            at[1] += 0.001 * y
            at[2] += 0.001 * z
    return (cpu_s() - began_s) / STEPS * 1e6

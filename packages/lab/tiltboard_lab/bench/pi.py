"""Estimates the CPU time of a scan without its drivers, and the time budget of a scan on each
Raspberry Pi.

The figures are not measured on a Pi. The CPU time is measured on this machine and scaled with a
program whose time on a Pi 4 is published. Each line states its source, so that it can be checked
with a calculator.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from tiltboard.drivers.frame import Frame
from tiltboard.ground.clock import cpu_s
from tiltboard.ground.measured import Measured
from tiltboard.hw_sim.session.bench import (
    TURNS,
    cpu_per_step_ms,
    freeze,
    play_quietly,
    quiet_turns,
    scan_cpu_ms,
    session_of,
)

GOAL_QUIET_MS = 0.15
GOAL_BUSY_MS = 0.35
GOAL_SHARE = 0.6
IMU_MS = 0.39  # Time to read 14 bytes from the tilt sensor at 400 kHz, in ms.
CONVERSIONS = 112
# Number of pin calls per scan: 16 writes (each of the 16 addresses changes one address line) and 2
# reads of the buttons.
PINS = 18
SEND_MS = 0.2  # Maximum time for passing a frame of lights to the sending thread, in ms.
PROFILE = "plate-10"


def host_cpu_ms(profile: str, scans: int, *, busy: bool) -> float:
    """Return the CPU time of a host step in ms, without the time in which the drivers scan.

    ``busy``: True to have a piece between two places during the measurement.
    """
    spent = 0.0
    with tempfile.TemporaryDirectory() as state, session_of(profile, Path(state)) as session:
        play_quietly(session)
        if busy:
            position = session.host.status.position
            piece, place = quiet_turns(session.host.game, TURNS + 1)[-1]
            if position is not None:
                piece = position.to_move or piece
            action = session.hands.put(piece, session.host.overlay.index_of(place), (9.0, 0.0))
            session.run_until(action.end_s + 1.0)
        freeze(session)
        scan = session.host.plate.scan

        def timed() -> Frame:
            nonlocal spent
            begun = cpu_s()
            frame = scan()
            spent += cpu_s() - begun
            return frame

        session.host.plate.scan = timed  # type: ignore[method-assign]
        whole = cpu_per_step_ms(session, scans)
    return whole - spent / scans * 1000


# Published figures for each Raspberry Pi model, and the published time of a program on a Pi 4.

# Time of each conversion on the SPI bus in microseconds: 27 clock pulses at 1.35 MHz.
WIRE_US = 20.0
STEPS = 20_000  # Number of steps of the n-body program.
# Source: chaitanyamehta.github.io, "Performance Analysis of Languages on Raspberry Pi". In Python,
# 5 million steps of five bodies that attract each other take 158.4 s on a Pi 4 at 1.5 GHz.
PI4_STEP_US = 158.4 / 5
# Names of the printed times of a scan: the times in ScanBudget.parts_ms, and their sum.
PARTS_MS = ("spi_ms", "pins_ms", "tilt_ms", "lights_ms", "cpu_ms", "sum_ms")


_SUN, _YEAR_D = 4 * math.pi**2, 365.24
# Position, speed per day and mass (in solar masses) of Jupiter, Saturn, Uranus and Neptune.
_PLANETS = (
    (
        (4.84143144246472090, -1.16032004402742839, -0.103622044471123109),
        (1.66007664274403694e-3, 7.69901118419740425e-3, -6.90460016972063023e-5),
        9.54791938424326609e-4,
    ),
    (
        (8.34336671824457987, 4.12479856412430479, -0.403523417114321381),
        (-2.76742510726411040e-3, 4.99852801234917238e-3, 2.30417297573763929e-5),
        2.85885980666130812e-4,
    ),
    (
        (12.8943695621391310, -15.1111514016986312, -0.223307578892655734),
        (2.96460137564761618e-3, 2.37847173959480950e-3, -2.96589568540237556e-5),
        4.36624404335156298e-5,
    ),
    (
        (15.3796971148509165, -25.9193146099879641, 0.179258772950371181),
        (2.68067772490389322e-3, 1.62824170038242295e-3, -9.51592254519715870e-5),
        5.15138902046611451e-5,
    ),
)


@dataclass(frozen=True, slots=True)
class PiModel:
    """A Raspberry Pi model, and the published times of its input and output calls."""

    name: str
    spi_us: float
    """Time of an SPI call of three bytes in microseconds, including ``WIRE_US`` on the bus."""
    pin_us: float
    """Time to change one pin through lgpio, in microseconds."""
    slower: float
    """Factor by which Python on this model is slower than on a Pi 4."""
    goal: int
    """Number of scans per second that the table needs."""


# Sources of the figures. spi_us: raspberrypi/linux issue 6854 (Pi 5: 21 to 24; Pi 3 and 4: 31 to
# 38), the upper limits; a Zero 2 W is a Pi 3 with 1.0 instead of 1.2 GHz. pin_us: rpi-lgpio issue 2
# (Zero 2 W: 40 to 80); for the other models, in proportion to their speed with Python. slower: the
# manufacturer's figures at each launch (a Pi 4 is three times as fast as a Pi 3, a Pi 5 two to
# three times as fast as a Pi 4).
COMPUTERS = (
    PiModel("Zero 2 W", 46.0, 80.0, 3.6, 25),
    PiModel("Pi 3", 38.0, 67.0, 3.0, 25),
    PiModel("Pi 4", 38.0, 22.0, 1.0, 50),
    PiModel("Pi 5", 24.0, 11.0, 0.5, 50),
)


Body = tuple[list[float], list[float], float]
"""A body in space, as a tuple: the position in astronomical units, the velocity in astronomical
units per year, and the mass in solar masses times 4 pi^2.
"""
Pair = tuple[Body, Body]


def planets() -> list[Body]:
    """Return the Sun, Jupiter, Saturn, Uranus and Neptune, with a total momentum of 0.

    The values are the initial values of the n-body program in the Computer Language Benchmarks Game
    (benchmarksgame-team.pages.debian.net).
    """
    bodies: list[Body] = [
        ([x, y, z], [u * _YEAR_D, v * _YEAR_D, w * _YEAR_D], mass * _SUN)
        for (x, y, z), (u, v, w), mass in _PLANETS
    ]
    drift = [-sum(body[1][axis] * body[2] for body in bodies) / _SUN for axis in range(3)]
    return [([0.0, 0.0, 0.0], drift, _SUN), *bodies]


def advance(bodies: list[Body], pairs: list[Pair], steps: int, step_years: float = 0.01) -> None:
    """Run ``steps`` steps of the n-body program, written in the same way as the common Python
    version.

    ``pairs``: all pairs of two bodies. ``step_years``: the duration of a step in years.
    """
    for _ in range(steps):
        for ([x1, y1, z1], v1, m1), ([x2, y2, z2], v2, m2) in pairs:
            dx = x1 - x2
            dy = y1 - y2
            dz = z1 - z2
            pull = step_years * (dx * dx + dy * dy + dz * dz) ** -1.5
            pull1 = m1 * pull
            pull2 = m2 * pull
            v1[0] -= dx * pull2
            v1[1] -= dy * pull2
            v1[2] -= dz * pull2
            v2[0] += dx * pull1
            v2[1] += dy * pull1
            v2[2] += dz * pull1
        for at, [u, v, w], _mass in bodies:
            at[0] += step_years * u
            at[1] += step_years * v
            at[2] += step_years * w


def nbody_step_us() -> float:
    """Return the CPU time of one step of the n-body benchmark (five bodies), in microseconds.

    The published time of a step on a Pi 4 is ``PI4_STEP_US``.
    """
    bodies = planets()
    pairs = list(combinations(bodies, 2))
    began_s = cpu_s()
    advance(bodies, pairs, STEPS)
    return (cpu_s() - began_s) / STEPS * 1e6


@dataclass(frozen=True, slots=True)
class ScanBudget:
    """The time budget of a scan during which the lights change.

    ``of_period`` is the duration of the scan as a fraction of the scan period. ``of_core`` is the
    CPU time as a fraction of one core; the processor is free for 20 us of each SPI call and while
    the tilt sensor is read.
    """

    parts_ms: tuple[float, ...]
    """Times in ms for the SPI calls, the pins, the tilt sensor, the lights and the processor, in
    this order.
    """
    of_period: float
    of_core: float

    @property
    def sum_ms(self) -> float:
        """The time from the start of the first call to the end of the last call, in ms."""
        return sum(self.parts_ms)


def budget(computer: PiModel, pi4_ms: float) -> ScanBudget:
    """Return the time budget of a scan of the table ``plate-10`` on one model of Pi.

    ``pi4_ms``: the processor's time for a scan on a Pi 4, in ms.
    """
    spi_ms, pins_ms = CONVERSIONS * computer.spi_us / 1000, PINS * computer.pin_us / 1000
    parts_ms = (spi_ms, pins_ms, IMU_MS, SEND_MS, pi4_ms * computer.slower)
    period_ms = 1000 / computer.goal
    busy_ms = sum(parts_ms) - CONVERSIONS * WIRE_US / 1000 - IMU_MS
    return ScanBudget(parts_ms, sum(parts_ms) / period_ms, busy_ms / period_ms)


def run(echo: Callable[[str], None], scans: int = 2000) -> None:
    """Print the time budget of a scan of ``plate-10`` while the lights change, and the CPU time of
    the scan without its drivers.
    """
    here_ms = scan_cpu_ms(PROFILE, scans)[2] or 0.0
    step_us = nbody_step_us()
    factor = PI4_STEP_US / step_us
    echo(
        Measured(
            "here: {here_ms:.2f} ms of CPU a scan; an n-body step {step_us:.1f} us,"
            " on a Pi 4 {pi4_step_us:.1f} us:",
            here_ms=here_ms,
            step_us=step_us,
            pi4_step_us=PI4_STEP_US,
        )
    )
    echo(Measured("a Pi 4 takes {pi4_x:.1f} times as long", pi4_x=factor))
    echo("  ms of a scan       SPI   pins   tilt lights    CPU    sum  of the period   of a core")
    for computer in COMPUTERS:
        found = budget(computer, here_ms * factor)
        parts_ms = dict(zip(PARTS_MS, (*found.parts_ms, found.sum_ms), strict=True))
        kept = "kept" if found.of_core <= GOAL_SHARE else "too much"
        echo(
            Measured(
                "  {pi:<10} {scans_per_s:3}/s {parts}  {of_period:6.0%} of {period_ms:.0f} ms"
                " {of_core:6.0%}, {goal}",
                pi=computer.name,
                scans_per_s=computer.goal,
                parts=Measured("".join(f"{{{name}:7.2f}}" for name in parts_ms), **parts_ms),
                of_period=found.of_period,
                period_ms=1000 / computer.goal,
                of_core=found.of_core,
                goal=kept,
            )
        )
    echo(Measured("goal: under {goal_of_core:.0%} of a core", goal_of_core=GOAL_SHARE))
    _say_steps(echo, scans)


def _say_steps(echo: Callable[[str], None], scans: int) -> None:
    """Print the CPU time of a scan without its drivers, once at rest and once while perception
    evaluates a piece between two places.
    """
    quiet, busy = (host_cpu_ms(PROFILE, scans, busy=busy) for busy in (False, True))
    step_us = nbody_step_us()
    echo("  from the frame to the lights, a quiet scan, and one with a piece between two places:")
    echo(
        Measured(
            "  here {quiet_ms:.3f} and {busy_ms:.3f} ms;"
            " goal: at most {goal_quiet_ms} and {goal_busy_ms}",
            quiet_ms=quiet,
            busy_ms=busy,
            goal_quiet_ms=GOAL_QUIET_MS,
            goal_busy_ms=GOAL_BUSY_MS,
        )
    )
    echo(
        Measured(
            "  {quiet_nbody_steps:.0f} and {busy_nbody_steps:.0f} steps of the n-body program",
            quiet_nbody_steps=1000 * quiet / step_us,
            busy_nbody_steps=1000 * busy / step_us,
        )
    )
    for computer in COMPUTERS:
        slower = PI4_STEP_US / step_us * computer.slower
        share = quiet * slower * 50 / 1000
        echo(
            Measured(
                "    {pi:<10} {quiet_ms:5.2f} and {busy_ms:5.2f} ms;"
                " 50 quiet ones a second take {of_core:.0%} of a core",
                pi=computer.name,
                quiet_ms=quiet * slower,
                busy_ms=busy * slower,
                of_core=share,
            )
        )

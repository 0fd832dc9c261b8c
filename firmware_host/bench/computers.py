"""The Pis: published figures of each, and a program whose time on one of them is published."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from drivers.clock import cpu_s

WIRE_US = 20.0  # of each conversion: 27 clocks at 1.35 MHz
STEPS = 20_000  # of the n-body program
# chaitanyamehta.github.io, "Performance Analysis of Languages on Raspberry Pi": 5 million steps of
# five bodies that attract each other take Python 158.4 s on a Pi 4 at 1.5 GHz.
PI4_STEP_US = 158.4 / 5


_SUN, _YEAR_D = 4 * math.pi**2, 365.24
# Where, how fast (a day), how heavy (of a sun): Jupiter, Saturn, Uranus, Neptune.
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


Body = tuple[list[float], list[float], float]
"""Where it is (astronomical units), its speed (those a year), its mass (suns times 4 pi^2)."""
Pair = tuple[Body, Body]


def planets() -> list[Body]:
    """The Sun, which takes the others' momentum, Jupiter, Saturn, Uranus and Neptune, as n-body of
    the Computer Language Benchmarks Game begins (benchmarksgame-team.pages.debian.net).
    """
    bodies: list[Body] = [
        ([x, y, z], [u * _YEAR_D, v * _YEAR_D, w * _YEAR_D], mass * _SUN)
        for (x, y, z), (u, v, w), mass in _PLANETS
    ]
    drift = [-sum(body[1][axis] * body[2] for body in bodies) / _SUN for axis in range(3)]
    return [([0.0, 0.0, 0.0], drift, _SUN), *bodies]


def advance(bodies: list[Body], pairs: list[Pair], steps: int, step_years: float = 0.01) -> None:
    """So many steps of that program, which is written as everybody's Python version is."""
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
    """CPU of one step of the program whose time on a Pi 4 is published: five bodies, ten pairs."""
    bodies = planets()
    pairs = list(combinations(bodies, 2))
    began_s = cpu_s()
    advance(bodies, pairs, STEPS)
    return (cpu_s() - began_s) / STEPS * 1e6

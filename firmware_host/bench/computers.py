"""The Pis: published figures of each, and a program whose time on one of them is published."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from drivers.clock import cpu_s

WIRE_US = 20.0  # of each conversion: 27 clocks at 1.35 MHz
STEPS = 20_000  # of the n-body program
# chaitanyamehta.github.io, "Performance Analysis of Languages on Raspberry Pi": 5 million steps of
# five bodies that attract each other take Python 158.4 s on a Pi 4 at 1.5 GHz.
PI4_STEP_US = 158.4 / 5


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

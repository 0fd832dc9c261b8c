"""Measures how long a light update delays the scan loop. All lights change in each update, and a
separate thread sends the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiltboard.drivers.light_links import (
    BUFFER_SIZE,
    SPI_HZ,
    SendBy,
    SpiSender,
    ThreadSender,
    strip_of,
)
from tiltboard.drivers.lights import WRITE_EVERY_S, LightPattern, LightsSettings, LightStrip
from tiltboard.ground.clock import Clock, SystemClock
from tiltboard.ground.measured import Measured
from tiltboard.hw_sim.session.bench import at_share

if TYPE_CHECKING:
    from tiltboard.drivers.neopixel_strip import SentStrip

COUNT = 100
SHADES = 8  # Number of different colours in each update.
GOAL_MS = 0.2


class _Wire:
    """A stand-in for spidev.SpiDev that waits as long as the transfer takes. Other threads can run
    during this time.
    """

    mode = bits_per_word = max_speed_hz = 0

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def writebytes2(self, values: bytes, /) -> None:
        """Wait as long as sending ``values`` takes."""
        self._clock.sleep(8 * len(values) / SPI_HZ)

    def close(self) -> None:
        """Do nothing, because no device is open."""


class _Buses:
    """A stand-in for tiltboard.drivers.buses.Buses with only the parts that a light strip needs."""

    def __init__(self, clock: Clock, send_by: SendBy) -> None:
        self.clock = clock
        self._send_by = send_by

    def pixels(self, count: int) -> SentStrip:
        """Return a strip of ``count`` lights on a simulated wire."""
        wire: Any = _Wire(self.clock)
        return strip_of(count, lambda: self._send_by(SpiSender(wire, count, BUFFER_SIZE)))


def run(echo: Callable[[str], None], updates: int = 150) -> None:
    """Measure ``updates`` light updates with and without the sending thread. Print the times."""
    echo(
        Measured(
            "What sending a light update costs the scan loop, {lights} lights,"
            " each of a new colour",
            lights=COUNT,
        )
    )
    ways: tuple[tuple[str, SendBy], ...] = (
        ("a thread sends", ThreadSender),
        ("without the thread", lambda sender: sender),
    )
    for name, send_by in ways:
        costs_ms = sorted(cost_s * 1000 for cost_s in costs_s(send_by, updates))
        median_ms, most_ms = at_share(costs_ms, 0.5), at_share(costs_ms, 0.95)
        echo(
            Measured(
                "  {way}: median {median_ms:.3f} ms, 95 % within {in_95_percent_ms:.3f} ms",
                way=name,
                median_ms=median_ms,
                in_95_percent_ms=most_ms,
            )
        )
        if send_by is ThreadSender:
            echo(
                Measured(
                    "    goal: at most {goal_ms} ms ({of_goal:.2f})",
                    goal_ms=GOAL_MS,
                    of_goal=median_ms / GOAL_MS,
                )
            )


def costs_s(send_by: SendBy, updates: int) -> list[float]:
    """Return how long each light update delays its caller, in seconds of real time."""
    clock = SystemClock()
    buses: Any = _Buses(clock, send_by)
    lights = LightStrip(buses, LightsSettings(count=COUNT, supply_a=40.0))
    found = []
    for number in range(updates):
        shades = [
            LightPattern((5 * (number + shade) % 250, 255 * shade // SHADES, 128))
            for shade in range(SHADES)
        ]
        lights.ask([shades[index % SHADES] for index in range(COUNT)])
        began_s = clock.now()
        lights.flush()
        found.append(clock.now() - began_s)
        clock.sleep(WRITE_EVERY_S)
    lights.close()
    return found[1:]  # The first update opens the strip, so its time does not count.

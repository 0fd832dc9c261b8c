"""Virtual time, which advances only when something waits or a bus is busy."""

from __future__ import annotations

import math
from collections.abc import Callable

from tiltboard.hw_sim.errors import SimulationError

START_CALENDAR_S = 1_767_268_800.0
"""Calendar time at time 0, in seconds since 1970-01-01 UTC: 2026-01-01 12:00:00 UTC."""


SHORTEST_SLEEP_S = 0.001


def in_time() -> float:
    """Return 0.0 s, the wake-up delay of a process that always wakes on time."""
    return 0.0


class VirtualClock:
    """A virtual clock (``tiltboard.drivers.Clock``) that starts at 0. A wait takes no real time.

        >>> clock = VirtualClock()
        >>> clock.sleep(3600)
        >>> clock.now()
        3600.0

    Waiting and being busy both only add to the time. The sum of many small durations is exact to
    1e-12 s over days, and the same on every machine.
    """

    __slots__ = ("_now_s", "late_s", "start_calendar_s")

    def __init__(self) -> None:
        self._now_s = 0.0
        self.late_s: Callable[[], float] = in_time
        """Function that returns how late the process wakes from a sleep, in s. Waits shorter than
        ``SHORTEST_SLEEP_S`` are busy loops and never late.
        """
        self.start_calendar_s = START_CALENDAR_S
        """Calendar time at time 0, in seconds since 1970-01-01 UTC."""

    def now(self) -> float:
        """Return the seconds since the start."""
        return self._now_s

    def sleep(self, duration_s: float) -> None:
        """Advance the time by ``duration_s`` and by the wake-up delay. If ``duration_s`` is not
        positive, do nothing.
        """
        if duration_s >= SHORTEST_SLEEP_S:
            self._now_s += duration_s + self.late_s()
        elif duration_s > 0:
            self._now_s += duration_s

    def calendar(self) -> float:
        """Return the calendar time in seconds since 1970-01-01 UTC."""
        return self.start_calendar_s + self._now_s

    def advance(self, duration_s: float) -> None:
        """Advance the time by ``duration_s``. Raises SimulationError if ``duration_s`` is negative
        or not finite.
        """
        if not isinstance(duration_s, int | float) or not 0 <= duration_s < math.inf:
            raise SimulationError(
                "Time advances by 0 or more seconds, not by {given!r}.", given=duration_s
            )
        self._now_s += duration_s

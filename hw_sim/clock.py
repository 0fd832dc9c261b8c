"""Virtual time, which moves only when something waits or a bus is busy."""

from __future__ import annotations

import math
from collections.abc import Callable

from tiltboard.hw_sim.errors import SimulationError

START_CALENDAR_S = 1_767_268_800.0
"""The calendar's default at time 0: 2026-01-01 12:00:00 UTC."""


SHORTEST_SLEEP_S = 0.001


def in_time() -> float:
    """Return 0.0 s: every sleep ends in time."""
    return 0.0


class VirtualClock:
    """A clock in virtual time (``tiltboard.drivers.Clock``). Starts at 0; a wait costs nothing.

        >>> clock = VirtualClock()
        >>> clock.sleep(3600)
        >>> clock.now()
        3600.0



    Waiting and being busy are the same thing here: both add to the time. Adding many small
    durations to a float is exact to 1e-12 s over days, and the same on every machine.
    """

    __slots__ = ("_now_s", "late_s", "start_calendar_s")

    def __init__(self) -> None:
        self._now_s = 0.0
        self.late_s: Callable[[], float] = in_time
        """Returns for each sleep how many seconds late the process wakes; waits shorter than
        ``SHORTEST_SLEEP_S`` are busy loops and never late.
        """
        self.start_calendar_s = START_CALENDAR_S
        """The calendar's time at the start, in seconds since 1970-01-01 UTC."""

    def now(self) -> float:
        """Seconds since the start."""
        return self._now_s

    def sleep(self, duration_s: float) -> None:
        """Move on by ``duration_s`` seconds (not at all if it is not positive)."""
        if duration_s >= SHORTEST_SLEEP_S:
            self._now_s += duration_s + self.late_s()
        elif duration_s > 0:
            self._now_s += duration_s

    def calendar(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        return self.start_calendar_s + self._now_s

    def advance(self, duration_s: float) -> None:
        """Move on by ``duration_s`` seconds. Raises SimulationError for what is not a number from 0
        on.
        """
        if not isinstance(duration_s, int | float) or not 0 <= duration_s < math.inf:
            raise SimulationError(
                "Time moves on by a number of seconds from 0 on, not {given!r}.", given=duration_s
            )
        self._now_s += duration_s

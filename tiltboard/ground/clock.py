"""The clock that drivers and host get as an argument. Only this module reads real time."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Monotonic time and waiting: ``SystemClock`` in real time, ``VirtualClock`` in tests.

    >>> def seconds_of(clock: Clock, work) -> float:
    ...     began_s = clock.now()
    ...     work()
    ...     return clock.now() - began_s
    """

    def now(self) -> float:
        """Return the time in seconds since an arbitrary start. The time never goes back."""

    def sleep(self, duration_s: float) -> None:
        """Return after ``duration_s`` seconds, or immediately if ``duration_s`` is not positive."""

    def calendar(self) -> float:
        """Return the time in seconds since 1970-01-01 UTC, for dates that people read. The time can
        jump.
        """


class SystemClock:
    """The real clock of this machine.

    >>> clock = SystemClock()
    >>> began_s = clock.now()
    >>> clock.now() >= began_s
    True
    """

    def now(self) -> float:
        """Return the time of the monotonic clock in seconds."""
        return time.monotonic()

    def sleep(self, duration_s: float) -> None:
        """Sleep in real time. Return immediately if ``duration_s`` is not positive."""
        if duration_s > 0:
            time.sleep(duration_s)

    def calendar(self) -> float:
        """Return the time in seconds since 1970-01-01 UTC."""
        return time.time()


def cpu_s() -> float:
    """Return the CPU time (user and system) of this process in seconds, for measurements only."""
    return time.process_time()

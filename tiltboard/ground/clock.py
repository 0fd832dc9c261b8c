"""The clock that drivers and host are handed; the only module that reads real time."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Monotonic seconds, and waiting: ``SystemClock`` in real time, ``VirtualClock`` in tests.

    >>> def seconds_of(clock: Clock, work) -> float:
    ...     began_s = clock.now()
    ...     work()
    ...     return clock.now() - began_s
    """

    def now(self) -> float:
        """Seconds since an arbitrary start; never goes back."""

    def sleep(self, duration_s: float) -> None:
        """Return after ``duration_s`` seconds (at once if it is not positive)."""

    def calendar(self) -> float:
        """Seconds since 1970-01-01 UTC, for dates that people read; may jump."""


class SystemClock:
    """The machine's own clock.

    >>> clock = SystemClock()
    >>> began_s = clock.now()
    >>> clock.now() >= began_s
    True
    """

    def now(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()

    def sleep(self, duration_s: float) -> None:
        """Sleep in real time."""
        if duration_s > 0:
            time.sleep(duration_s)

    def calendar(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        return time.time()


def cpu_s() -> float:
    """CPU seconds (user and system) that this process has used; for measurements only."""
    return time.process_time()

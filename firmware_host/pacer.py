"""Keeping a steady rate on whatever clock there is."""

from __future__ import annotations

from drivers.clock import Clock


class Pacer:
    """Lets a loop run ``rate_hz`` times a second; a late turn is skipped, never made up for."""

    def __init__(self, clock: Clock, rate_hz: float) -> None:
        self._clock = clock
        self._period_s = 1 / rate_hz
        self._due_s = clock.now()
        self.skipped = 0

    def wait(self) -> None:
        """Sleep until the next turn is due."""
        self._due_s += self._period_s
        now_s = self._clock.now()
        if self._due_s <= now_s:
            late = int((now_s - self._due_s) / self._period_s) + 1
            self.skipped += late
            self._due_s += late * self._period_s
        self._clock.sleep(self._due_s - now_s)

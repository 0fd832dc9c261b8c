"""A loop with a steady rate that adapts to the load, and settings that shorten the pauses of
Python's interpreter.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

from tiltboard.ground.clock import Clock

WINDOW_S = 5.0  # Time over which the load is averaged before the rate changes, in seconds.
# Maximum load (0 to 1); above this load, scans are late and other threads cannot run.
MAX_BUSY = 0.9
MAX_LATE = 0.25  # Maximum fraction of skipped turns; above this fraction, the rate is halved.
# Maximum load (0 to 1) that is expected at the faster rate; the faster rate is tried again only
# below this load.
BUSY_LITTLE = 0.6
# Number of consecutive averaging windows with a low load before the faster rate is tried.
EASY_WINDOWS = 12
# Minimum rate in Hz; even at this rate, an average of four scans takes only a third of a second.
SLOWEST_HZ = 12.5


class Pacer:
    """Runs a loop ``rate_hz`` times a second. Late turns are skipped and not repeated later."""

    def __init__(self, clock: Clock, rate_hz: float) -> None:
        self._clock = clock
        self.rate_hz = rate_hz
        self._due_s = clock.now()
        self.skipped = 0

    def wait(self) -> None:
        """Sleep until the next turn is due."""
        period_s = 1 / self.rate_hz
        self._due_s += period_s
        now_s = self._clock.now()
        if self._due_s <= now_s:
            late = int((now_s - self._due_s) / period_s) + 1
            self.skipped += late
            self._due_s += late * period_s
        self._clock.sleep(self._due_s - now_s)


class AdaptivePacer(Pacer):
    """A pacer that halves its rate under load, and later returns to ``rate_hz`` step by step. The
    function ``tell`` is called with the new rate after each change; other code can set ``tell``.
    """

    def __init__(self, clock: Clock, rate_hz: float) -> None:
        super().__init__(clock, rate_hz)
        self._fastest_hz = rate_hz
        self.tell: Callable[[float], None] = lambda _: None
        self._woke_s = self._since_s = clock.now()
        self._busy_s = 0.0
        self._skipped_before = 0
        self._easy = 0

    def wait(self) -> None:
        """Sleep until the next turn is due, and adapt the rate once per ``WINDOW_S`` seconds."""
        now_s = self._clock.now()
        self._busy_s += now_s - self._woke_s
        if now_s - self._since_s >= WINDOW_S:
            took_s = now_s - self._since_s
            late = (self.skipped - self._skipped_before) / (took_s * self.rate_hz)
            self._judge(self._busy_s / took_s, late)
            self._since_s, self._busy_s, self._skipped_before = now_s, 0.0, self.skipped
        super().wait()
        self._woke_s = self._clock.now()

    def _judge(self, busy: float, late: float) -> None:
        behind = busy > MAX_BUSY or late > MAX_LATE
        if behind and self.rate_hz / 2 >= SLOWEST_HZ:
            self._change(self.rate_hz / 2)
        elif self.rate_hz < self._fastest_hz and busy * 2 < BUSY_LITTLE:
            self._easy += 1
            if self._easy >= EASY_WINDOWS:
                self._change(self.rate_hz * 2)
        else:
            self._easy = 0

    def _change(self, rate_hz: float) -> None:
        self._easy = 0
        self.rate_hz = rate_hz
        self.tell(rate_hz)


# Maximum time for which another thread can keep Python's interpreter while the scan waits for it,
# in seconds. The scan needs the interpreter again after each journal statement and each bus
# transfer, so delays of 5 ms (Python's default) add up. In `tiltboard bench loop` with all its
# floods of requests, 95 % of the gaps between scans were below 32 ms of CPU time with the default,
# and below 18 ms with this value.
SWITCH_S = 0.0005


def favour_the_scan() -> None:
    """Keep Python from delaying scans. Call this function once, after everything has been started.

    All objects that exist at the time of the call are kept until the program ends. The garbage
    collector then skips these objects; in a measurement, checking them stopped all threads for 60
    ms.
    """
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()

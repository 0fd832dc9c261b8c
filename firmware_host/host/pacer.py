"""A steady rate for a loop, which adapts to the load, and settings that keep Python's pauses
short.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

from tiltboard.ground.clock import Clock

WINDOW_S = 5.0  # Averaging window for the load that changes the rate, in seconds.
MAX_BUSY = 0.9  # Maximum load (0 to 1); above it, scans are late and nothing else can run.
MAX_LATE = 0.25  # Maximum fraction of skipped turns; above it, the rate is halved.
BUSY_LITTLE = 0.6  # Maximum load (0 to 1), expected at the faster rate, for trying that rate again.
# Number of consecutive averaging windows with little load before the faster rate is tried.
EASY_WINDOWS = 12
SLOWEST_HZ = 12.5  # Minimum rate; four averaged scans still take only a third of a second.


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
    function in ``tell`` is called with the new rate after each change; other parts can set it.
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


# Maximum time for which another thread keeps the interpreter once the scan needs it, in seconds.
# The scan needs the interpreter again after each statement of the journal and each transfer on a
# bus, so Python's default of 5 ms adds up. With all the floods of `tiltboard bench loop`, 95 % of
# the gaps were below 32 ms of CPU time with the default, and below 18 ms with this value.
SWITCH_S = 0.0005


def favour_the_scan() -> None:
    """Keep Python from delaying scans. Call this function once, after everything has been started.

    The objects that exist then last until the program ends. The garbage collector need not visit
    these objects again; such visits stopped all threads for 60 ms in a measurement.
    """
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()

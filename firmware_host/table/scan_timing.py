"""Checks that scans arrive in time, using the times of the sensor readings."""

from __future__ import annotations

from tiltboard.drivers.errors import PartError, PartReadingError
from tiltboard.drivers.frame import Frame

LATE_S = 0.25  # Maximum gap between scans, in seconds; perception starts again after a longer gap.
# Number of late scans after which a fault is reported; a single late scan is not reported.
STALLS = 2
STEADY_S = 0.5  # The fault ends when no scan has been late for this time, in seconds.

BUSY = PartReadingError(
    "computer",
    "The Pi is too busy to read the sensors in time.",
    remedy="Stop other programs on it, and check that it is not too hot.",
)


class ScanWatch:
    """Checks the times of scans, and reports a fault if scans are late repeatedly."""

    def __init__(self) -> None:
        self.late = False
        """True if the last scan was late."""
        self._last_s: float | None = None
        self._stalls = 0
        self._steady_since_s = 0.0

    def update(self, frame: Frame) -> PartError | None:
        """Process one scan. Return the fault while scans are late, or None. A scan does not count
        as late if it was delayed by a lost part whose bus timed out.
        """
        now_s, last_s = frame.time_s, self._last_s
        self._last_s = now_s
        self.late = last_s is not None and now_s - last_s > LATE_S
        if self.late and not frame.faults:
            self._stalls += 1
            self._steady_since_s = now_s
        elif now_s - self._steady_since_s >= STEADY_S:
            self._stalls = 0
        return BUSY if self._stalls >= STALLS else None

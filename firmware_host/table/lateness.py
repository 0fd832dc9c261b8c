"""Whether the scans of a table come in time, by the frames' own times."""

from __future__ import annotations

from tiltboard.drivers.errors import PartError, PartReadingError
from tiltboard.drivers.frame import Frame

LATE_S = 0.25  # perception begins again after such a gap
STALLS = 2  # a single late scan passes without a word
STEADY_S = 0.5  # of scans in time, then it is over

BUSY = PartReadingError(
    "computer",
    "The table's computer is too busy to read the sensors in time.",
    remedy="Stop other programs on it, and check that it is not too hot.",
)


class ScanWatch:
    """``late``: the last scan was."""

    def __init__(self) -> None:
        self.late = False
        self._last_s: float | None = None
        self._stalls = 0
        self._steady_since_s = 0.0

    def update(self, frame: Frame) -> PartError | None:
        """Take one scan in; the fault, while there is one: scans do not come in time, where no part
        that is lost has taken its bus's time-out.
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

"""The latest calibrated scans: the average that is judged, and whether a reading is at rest."""

from __future__ import annotations

from collections import deque
from itertools import islice
from operator import add

AVERAGED = 4  # HARDWARE, pieces and the field: average at least four samples


class History:
    """At most ``length`` scans, newest last, each a list of mT per sensor."""

    def __init__(self, length: int) -> None:
        self._scans: deque[list[float]] = deque(maxlen=length)

    def __len__(self) -> int:
        return len(self._scans)

    @property
    def filled(self) -> bool:
        """Whether there are enough scans for an average."""
        return len(self._scans) >= AVERAGED

    def push(self, scan: list[float]) -> None:
        """Add the newest scan."""
        self._scans.append(scan)

    def clear(self) -> None:
        """Forget everything."""
        self._scans.clear()

    def mean(self) -> list[float]:
        """Per sensor, the average of the last four scans."""
        a, b, c, d = islice(reversed(self._scans), AVERAGED)
        return [total * 0.25 for total in map(add, map(add, map(add, a, b), c), d)]

    def latest(self) -> list[float]:
        """The newest scan."""
        return self._scans[-1]

    def series(self, index: int, count: int) -> list[float]:
        """The last ``count`` readings of one sensor, oldest first; fewer if there are no more."""
        scans = list(islice(reversed(self._scans), count))
        return [scan[index] for scan in reversed(scans)]

    def flatten(self, index: int, value_mt: float) -> None:
        """Restate one sensor's past as always the same."""
        for scan in self._scans:
            scan[index] = value_mt

    def shift(self, index: int, by_mt: float) -> None:
        """Restate one sensor's past after its zero has moved up by ``by_mt``."""
        for scan in self._scans:
            scan[index] -= by_mt


def trend(series: list[float]) -> float:
    """Mean of the later half less the mean of the earlier one."""
    half = len(series) // 2
    return sum(series[-half:]) / half - sum(series[:half]) / half

"""The latest calibrated scans: the average that is judged, and whether a reading is at rest."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice

# HARDWARE, pieces and the field: average at least four samples. Noise goes by their number, so this
# is no time.
AVERAGED = 4


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

    def mean_less(self, known_mt: Sequence[float]) -> list[float]:
        """Per sensor, the average of the last four scans, without what is known to add to it."""
        four = islice(reversed(self._scans), AVERAGED)
        scans = zip(*four, known_mt, strict=True)
        return [(a + b + c + d) * 0.25 - known for a, b, c, d, known in scans]

    def mean(self) -> list[float]:
        """Per sensor, the average of the last four scans."""
        four = islice(reversed(self._scans), AVERAGED)
        return [(a + b + c + d) * 0.25 for a, b, c, d in zip(*four, strict=True)]

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

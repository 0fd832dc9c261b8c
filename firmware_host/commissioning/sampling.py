"""Readings gathered until they rest."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import sqrt

from firmware_host.config.profile import Profile

REST_S = 0.24
HINT_AFTER_S = 8.0  # until it is said what may keep something from coming to rest


def scans(profile: Profile, duration_s: float) -> int:
    """How many of that table's scans last so long; at least eight."""
    return max(8, round(duration_s * profile.scans_per_s))


class Window:
    """The last ``length`` scans, newest last."""

    def __init__(self, length: int) -> None:
        self._scans: deque[tuple[float, ...]] = deque(maxlen=length)
        self._length = length

    @property
    def full(self) -> bool:
        """Whether there are ``length`` scans."""
        return len(self._scans) == self._length

    def push(self, scan: Sequence[float]) -> None:
        """Add the newest scan."""
        self._scans.append(tuple(scan))

    def clear(self) -> None:
        """Begin anew."""
        self._scans.clear()

    def means(self) -> list[float]:
        """Per sensor."""
        count = len(self._scans)
        return [sum(series) / count for series in zip(*self._scans, strict=True)]

    def sigmas(self) -> list[float]:
        """Per sensor, the standard deviation."""
        count = len(self._scans)
        found = []
        for series in zip(*self._scans, strict=True):
            mean = sum(series) / count
            found.append(sqrt(sum((x - mean) ** 2 for x in series) / (count - 1)))
        return found

    def swing(self, index: int) -> float:
        """How far one sensor's readings lie apart."""
        series = [scan[index] for scan in self._scans]
        return max(series) - min(series)

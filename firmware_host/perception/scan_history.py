"""The latest scans: their times and readings, and the noise of each sensor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf

# Readings are averaged over this many scans. Noise falls with their number, so this is not a time.
AVERAGED = 4
LONGEST_SEEN_S = 1.2  # History that is kept, and the longest time that a judgement looks back.
LOOK_S = 0.04  # Shortest time between two looks at noise and health.

_PERIODS = 9  # Periods between scans whose median tells the present scan rate.
_LATE = 1.2  # Factor over the profile's period from which the measured one is used.
_RANGE_MT = 0.6  # Scans agree within this: three times the data sheet's noise, peak to peak.
_RANGE_SHARE = 0.08  # Share of a strong reading within which scans agree as well.


class ScanHistory:
    """Calibrated scans since the last interruption, and the times of all scans."""

    scans_per_s: float
    """Measured rate; the profile's while the Pi keeps up."""
    now_s: float
    """Time of the latest scan; minus infinity before the first."""
    first_field_s: float | None
    """Time of the first scan that had a field, or None."""
    count: int
    """Scans with a field so far; -1 right after a start, so that the next one is due for all."""
    scans: list[list[float]]
    """Calibrated readings in mT, newest last; none right after an interruption."""

    def __init__(self, scans_per_s: float) -> None:
        self.scans_per_s = scans_per_s
        self.now_s, self.first_field_s, self.count = -inf, None, 0
        self.scans = []
        self._wanted_per_s = scans_per_s
        self._periods_s: list[float] = []
        self._kept = max(AVERAGED, round(LONGEST_SEEN_S * scans_per_s))

    def tick(self, time_s: float, *, has_field: bool) -> None:
        """Note that a scan came at ``time_s``."""
        if has_field:
            self.count += 1
            if self.first_field_s is None:
                self.first_field_s = time_s
        if self.now_s > -inf:
            self._periods_s = [*self._periods_s, time_s - self.now_s][-_PERIODS:]
        if len(self._periods_s) == _PERIODS:
            usual_s = sorted(self._periods_s)[_PERIODS // 2]
            late = usual_s * self._wanted_per_s > _LATE
            self.scans_per_s = 1 / usual_s if late else self._wanted_per_s
        self.now_s = time_s

    def append(self, scan: list[float]) -> None:
        """Add the calibrated readings of one scan."""
        self.scans = [*self.scans, scan][-self._kept :]

    def clear(self) -> None:
        """Forget the scans: later ones cannot be averaged with them."""
        self.scans = []

    def set_readings(self, index: int, mt: float) -> None:
        """Replace one sensor's readings in all scans."""
        for scan in self.scans:
            scan[index] = mt

    def average_latest(self, count: int) -> None:
        """Let the average be that of the last ``count`` scans alone, fewer than it is made of."""
        latest = self.scans[-count:]
        mean = [sum(readings) / count for readings in zip(*latest, strict=True)]
        instead = [mean.copy() for _ in range(AVERAGED - count)]
        self.scans = [*self.scans[:-AVERAGED], *instead, *latest]

    def shift(self, by_mt: Mapping[int, float]) -> None:
        """Subtract from each sensor's readings what has turned out to be its zero."""
        for scan in self.scans:
            for index, mt in by_mt.items():
                scan[index] -= mt

    def scans_in(self, duration_s: float) -> int:
        """Return the number of scans in ``duration_s``, at least those of an average."""
        return max(AVERAGED, round(duration_s * self.scans_per_s))

    def is_due(self, every_s: float) -> bool:
        """Return whether work that is done every ``every_s`` is due in this scan."""
        return self.count % max(1, round(every_s * self.scans_per_s)) == 0

    def averaged(self, known_mt: Sequence[float]) -> list[float]:
        """Average the last four scans of each sensor and subtract ``known_mt`` of it."""
        scans = zip(*self.scans[-AVERAGED:], known_mt, strict=True)
        return [(d + c + b + a) * 0.25 - known for a, b, c, d, known in scans]

    def series(self, index: int, count: int) -> list[float]:
        """Return up to ``count`` latest readings of one sensor, oldest first."""
        return [scan[index] for scan in self.scans[-count:]]

    def agrees(self, index: int, count: int) -> bool:
        """Return whether the last ``count`` scans of one sensor differ only by noise."""
        series = self.series(index, count)
        low, high = min(series), max(series)
        most = max(abs(low), abs(high)) * _RANGE_SHARE
        return len(series) >= count and high - low <= max(_RANGE_MT, most)

    def mean(self, index: int, count: int) -> float:
        """Return the mean of one sensor's last ``count`` scans, neighbours included."""
        return sum(self.series(index, count)) / count


START_NOISE_MT = 0.05
_NOISE_SHARE = 1 / 32  # Weight of each new step in the running mean: a time constant of 1.3 s.
_MAX_STEP_MT = 1.0  # Larger steps are cut to this, so that one glitch does not count as noise.
_SIGMA_OF_STEP = 0.886  # Sigma of a normal value over the mean size of its steps: sqrt(pi) / 2.
# The DRV5055's noise is 0.2 mT peak to peak (SBAS640), a sigma of about 0.035 mT. Its steps have a
# mean of 1.1 sigma: these limits are seven and five times that.
_NOISY_MT = 0.27
_CALM_MT = 0.2


class NoiseMeter:
    """Measures each sensor's noise by its steps from look to look."""

    noisy: frozenset[int]
    """Sensors whose noise is over the limit, with hysteresis."""

    def __init__(self, size: int) -> None:
        self._mean_step_mt = [START_NOISE_MT] * size
        self.noisy = frozenset()

    def update(self, before: Sequence[float], now: Sequence[float], skip: Iterable[int]) -> None:
        """Take in the step between two scans, except at places in ``skip``, where pieces move."""
        old = self._mean_step_mt
        steps = [abs(a - b) for a, b in zip(before, now, strict=True)]
        largest = max(steps)
        if largest > _MAX_STEP_MT:
            steps = [min(step, _MAX_STEP_MT) for step in steps]
        new = [m + _NOISE_SHARE * (d - m) for m, d in zip(old, steps, strict=True)]
        for index in skip:
            new[index] = old[index]
        self._mean_step_mt = new
        if self.noisy or largest > _NOISY_MT:  # A mean rises only toward a larger step.
            limits = ((i, m, _CALM_MT if i in self.noisy else _NOISY_MT) for i, m in enumerate(new))
            self.noisy = frozenset(i for i, m, limit_mt in limits if m > limit_mt)

    def sigma_mt(self, index: int) -> float:
        """Return the standard deviation of one sensor's single readings, in mT."""
        return _SIGMA_OF_STEP * self._mean_step_mt[index]

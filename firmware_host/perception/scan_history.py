"""Keeps the latest scans with their times and readings, and measures the noise of each sensor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf

# Number of scans in an average. The number of scans is fixed rather than the duration, because
# noise decreases with the number of scans.
AVERAGED = 4
# Length of the history in seconds; no decision uses older scans.
LONGEST_SEEN_S = 1.2
LOOK_S = 0.04  # Interval in seconds between two checks of the sensors for noise and faults.

_PERIODS = 9  # Number of latest scan periods whose median gives the current scan rate.
# If the measured scan period is at least this many times the profile's scan period, the measured
# period is used.
_LATE = 1.2
# Scans agree if their readings differ by at most this many mT, which is three times the data
# sheet's peak-to-peak noise.
_RANGE_MT = 0.6
# Scans of a strong magnet agree if their readings differ by at most this fraction of the reading.
_RANGE_SHARE = 0.08


class ScanHistory:
    """The calibrated scans since the last interruption, and the times of all scans."""

    scans_per_s: float
    """Number of scans per second: the profile's rate if the Pi reaches this rate, otherwise the
    measured rate.
    """
    now_s: float
    """Time of the latest scan; minus infinity before the first scan."""
    first_field_s: float | None
    """Time of the first scan with sensor readings, or None before that scan."""
    count: int
    """Number of scans with sensor readings. The number is -1 directly after a start, so that all
    periodic work is due in the next scan.
    """
    scans: list[list[float]]
    """Calibrated readings in mT of each scan, newest last; empty directly after an interruption."""

    def __init__(self, scans_per_s: float) -> None:
        self.scans_per_s = scans_per_s
        self.now_s, self.first_field_s, self.count = -inf, None, 0
        self.scans = []
        self._wanted_per_s = scans_per_s
        self._periods_s: list[float] = []
        self._kept = max(AVERAGED, round(LONGEST_SEEN_S * scans_per_s))

    def tick(self, time_s: float, *, has_field: bool) -> None:
        """Record that a scan arrived at ``time_s``. ``has_field`` is True if the scan has sensor
        readings.
        """
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
        """Add the calibrated readings of one scan, in mT by plate index."""
        self.scans = [*self.scans, scan][-self._kept :]

    def clear(self) -> None:
        """Discard all scans, because later scans cannot be averaged with them."""
        self.scans = []

    def set_readings(self, index: int, mt: float) -> None:
        """Set one sensor's reading to ``mt`` in all stored scans."""
        for scan in self.scans:
            scan[index] = mt

    def average_latest(self, count: int) -> None:
        """Make the present average use only the last ``count`` scans.

        ``count``: a number of scans less than ``AVERAGED``.
        """
        latest = self.scans[-count:]
        mean = [sum(readings) / count for readings in zip(*latest, strict=True)]
        instead = [mean.copy() for _ in range(AVERAGED - count)]
        self.scans = [*self.scans[:-AVERAGED], *instead, *latest]

    def shift(self, by_mt: Mapping[int, float]) -> None:
        """Subtract the newly found zero offsets in ``by_mt`` from the sensors' readings in all
        stored scans.
        """
        for scan in self.scans:
            for index, mt in by_mt.items():
                scan[index] -= mt

    def scans_in(self, duration_s: float) -> int:
        """Return the number of scans in ``duration_s`` seconds. The result is at least
        ``AVERAGED``.
        """
        return max(AVERAGED, round(duration_s * self.scans_per_s))

    def is_due(self, every_s: float) -> bool:
        """Return whether work that is done every ``every_s`` seconds is due in this scan."""
        return self.count % max(1, round(every_s * self.scans_per_s)) == 0

    def recent_averages(self, known_mt: Sequence[float]) -> list[float]:
        """Return each sensor's average of the last four scans, minus the sensor's value in
        ``known_mt``.
        """
        scans = zip(*self.scans[-AVERAGED:], known_mt, strict=True)
        return [(d + c + b + a) * 0.25 - known for a, b, c, d, known in scans]

    def series(self, index: int, count: int) -> list[float]:
        """Return the latest readings of one sensor, at most ``count``, oldest first."""
        return [scan[index] for scan in self.scans[-count:]]

    def agrees(self, index: int, count: int) -> bool:
        """Return whether the last ``count`` scans of one sensor differ only by noise."""
        series = self.series(index, count)
        low, high = min(series), max(series)
        most = max(abs(low), abs(high)) * _RANGE_SHARE
        return len(series) >= count and high - low <= max(_RANGE_MT, most)

    def mean(self, index: int, count: int) -> float:
        """Return the mean of one sensor's last ``count`` scans in mT, including the field of
        magnets on other places.
        """
        return sum(self.series(index, count)) / count


START_NOISE_MT = 0.05
# Weight of each new step in the running mean, which gives a time constant of 1.3 s.
_NOISE_SHARE = 1 / 32
# A step larger than this, in mT, counts as a step of this size, so that a single glitch does not
# count as noise.
_MAX_STEP_MT = 1.0
# Ratio of a normal distribution's sigma to the mean step between its values: sqrt(pi) / 2.
_SIGMA_OF_STEP = 0.886
# The DRV5055's noise is 0.2 mT peak to peak (SBAS640), which is a sigma of about 0.035 mT. The mean
# step between successive readings is 1.1 sigma. So the two limits are seven and five times the mean
# step of a healthy sensor.
_NOISY_MT = 0.27
_CALM_MT = 0.2


class NoiseMeter:
    """Measures each sensor's noise from the differences between its readings in successive
    checks.
    """

    noisy: frozenset[int]
    """Sensors whose noise is above the limit, with hysteresis."""

    def __init__(self, size: int) -> None:
        self._mean_step_mt = [START_NOISE_MT] * size
        self.noisy = frozenset()

    def update(self, before: Sequence[float], now: Sequence[float], skip: Iterable[int]) -> None:
        """Process the change between two scans, except at the places in ``skip``, where pieces are
        moving.
        """
        old = self._mean_step_mt
        steps = [abs(a - b) for a, b in zip(before, now, strict=True)]
        largest = max(steps)
        if largest > _MAX_STEP_MT:
            steps = [min(step, _MAX_STEP_MT) for step in steps]
        new = [m + _NOISE_SHARE * (d - m) for m, d in zip(old, steps, strict=True)]
        for index in skip:
            new[index] = old[index]
        self._mean_step_mt = new
        # A running mean can exceed the limit only after a step that exceeds the limit.
        if self.noisy or largest > _NOISY_MT:
            limits = ((i, m, _CALM_MT if i in self.noisy else _NOISY_MT) for i, m in enumerate(new))
            self.noisy = frozenset(i for i, m, limit_mt in limits if m > limit_mt)

    def sigma_mt(self, index: int) -> float:
        """Return the standard deviation of one sensor's individual readings, in mT."""
        return _SIGMA_OF_STEP * self._mean_step_mt[index]

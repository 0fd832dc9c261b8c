"""What is known of the sensors, and of the plate at this scan, as one value: the average of the
latest scans, and the places whose readings have left their bands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from math import exp
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from firmware_host.config.profile import Profile
from firmware_host.perception.bands import Bands
from firmware_host.perception.calibration import Calibration
from firmware_host.perception.field import SIGN_OF
from firmware_host.perception.zeroing import Crosstalk, Zeros
from firmware_host.table.sight import Magnet

# HARDWARE, pieces and the field: average at least four samples. Noise goes by their number, so this
# is no time.
AVERAGED = 4


class History(deque[list[float]]):
    """Scans, newest last, each a list of mT per sensor."""

    def mean_less(self, known_mt: Sequence[float]) -> list[float]:
        """Per sensor, the average of the last four scans, without what is known to add to it."""
        scans = zip(*islice(reversed(self), AVERAGED), known_mt, strict=True)
        return [(a + b + c + d) * 0.25 - known for a, b, c, d, known in scans]

    def series(self, index: int, count: int) -> list[float]:
        """The last ``count`` readings of one sensor, oldest first; fewer if there are no more."""
        return [scan[index] for scan in islice(reversed(self), count)][::-1]

    def flatten(self, index: int, value_mt: float) -> None:
        """Make one sensor's past one reading throughout."""
        for scan in self:
            scan[index] = value_mt

    def shift(self, index: int, by_mt: float) -> None:
        """Restate one sensor's past after its zero has moved up by ``by_mt``."""
        for scan in self:
            scan[index] -= by_mt


def trend(series: list[float]) -> float:
    """Mean of the later half less the mean of the earlier one."""
    half = len(series) // 2
    return sum(series[-half:]) / half - sum(series[:half]) / half


LOOK_S = 0.04  # between looks at noise and health, where scans do not come more slowly
_SHARE = 1 / 32  # of each new difference: 1.3 s
_MOST_MT = 1.0  # what a difference counts at most, so that a glitch is no noise
_START_MT = 0.05
_SIGMA = 0.886  # a normal sigma over the mean size of differences: sqrt(pi) / 2
# HARDWARE gives 0.2 mT peak to peak, a sigma of about 0.035 mT. Steps are
# 1.1 sigma on average: these are seven and five times the usual.
_NOISY_MT = 0.27
_CALM_MT = 0.2


class NoiseMeter:
    """Looks at a scan every LOOK_S. ``noisy``: sensors that are, with hysteresis."""

    def __init__(self, size: int) -> None:
        self._mean_mt = [_START_MT] * size
        self.noisy: frozenset[int] = frozenset()

    def update(self, before: list[float], now: list[float], skip: Iterable[int]) -> None:
        """One step between scans, except at the places where something moves."""
        old = self._mean_mt
        steps = [abs(a - b) for a, b in zip(before, now, strict=True)]
        largest = max(steps)
        if largest > _MOST_MT:
            steps = [min(step, _MOST_MT) for step in steps]
        new = [m + _SHARE * (d - m) for m, d in zip(old, steps, strict=True)]
        for index in skip:
            new[index] = old[index]
        self._mean_mt = new
        if self.noisy or largest > _NOISY_MT:  # a mean rises only toward what is larger
            self.noisy = frozenset(
                i for i, m in enumerate(new) if m > (_CALM_MT if i in self.noisy else _NOISY_MT)
            )

    def sigma_mt(self, index: int) -> float:
        """The noise of one sensor's single readings."""
        return _SIGMA * self._mean_mt[index]

    def sigmas_mt(self) -> list[float]:
        """The noise of every sensor's single readings."""
        return [_SIGMA * m for m in self._mean_mt]


@lru_cache(maxsize=1024)
def nearby(row: int, column: int, reach: int, rows: int, columns: int) -> Sequence[int]:
    """Of a plate with so many, those at most ``reach`` places from one, which may lie beside it."""
    return [
        r * columns + c
        for r in range(max(0, row - reach), min(rows, row + reach + 1))
        for c in range(max(0, column - reach), min(columns, column + reach + 1))
    ]


LONGEST_SEEN_S = 1.2
_PERIODS = 9  # between scans; their median tells how often the table scans now
_LATE = 1.2  # of the profile's period: then the computer does not keep it
_RANGE_MT = 0.6  # scans agree within this, about three times the datasheet's noise, peak to peak
_RANGE_SHARE = 0.08  # or within this share of a strong reading


class Sensors:
    """The sensors of one plate: zeros and gains, noise, what neighbours add, the bands that their
    readings stay in, and the latest scans. ``scans_per_s``: the profile's, or fewer on a computer
    that does not keep that. ``around``: of each place, the up to eight beside it.
    """

    def __init__(self, profile: Profile, calibration: Calibration) -> None:
        self.profile = profile
        columns, rows = profile.columns, profile.rows
        self.around = [
            tuple(i for i in nearby(*divmod(index, columns), 1, rows, columns) if i != index)
            for index in range(profile.size)
        ]
        self.scans_per_s = float(profile.scans_per_s)
        self._periods_s: deque[float] = deque(maxlen=_PERIODS)
        self.zeros = Zeros(calibration)
        self.crosstalk = Crosstalk(calibration, columns, rows)
        self.noise = NoiseMeter(profile.size)
        self.history = History(maxlen=self.scans(LONGEST_SEEN_S))
        self.bands = Bands(profile.size)

    def scans(self, duration_s: float) -> int:
        """The number of scans in that time; at least those of an average."""
        return max(AVERAGED, round(duration_s * self.scans_per_s))

    def came_after(self, period_s: float) -> None:
        """Take the time between two scans in."""
        self._periods_s.append(period_s)
        if len(self._periods_s) == _PERIODS:
            usual_s, wanted = sorted(self._periods_s)[_PERIODS // 2], self.profile.scans_per_s
            self.scans_per_s = 1 / usual_s if usual_s * wanted > _LATE else float(wanted)

    def agree(self, index: int, count: int) -> bool:
        """Whether the last ``count`` scans of a place differ only by noise."""
        series = self.history.series(index, count)
        low, high = min(series), max(series)
        most = max(abs(low), abs(high)) * _RANGE_SHARE
        return len(series) >= count and high - low <= max(_RANGE_MT, most)

    def mean(self, index: int, count: int) -> float:
        """The mean of a place's last ``count`` scans, neighbours included."""
        return sum(self.history.series(index, count)) / count

    def move_zero(self, index: int, by_mt: float) -> None:
        """Move the sensor's zero by that much."""
        self.zeros.move(index, by_mt)
        self.history.shift(index, by_mt)

    def set_bands(self, index: int, state: PlateState) -> None:
        """Set a place's bands, after its magnet or its zero has changed."""
        zeroed, reading = self.zeros.zeroed[index], state.readings[index]
        self.bands.set(index, state.magnets[index], reading, zeroed=zeroed)


_HANGS_MT = 0.12  # of a strong magnet 45 mm up; drift that zeros have yet to follow is less
_REST_S = 0.4  # the readings at rest follow those of now with this time constant
_RESTS = 5  # kept, 0.16 s each: what a hand brings is felt for half a second before


def hung_over(before_mt: Sequence[float], index: int, magnet: Magnet) -> bool:
    """Whether ``magnet`` was felt at its place before it stood there, from a hand that waited above
    it: what the sensors read without it is not known then.
    """
    return magnet is not Magnet.NONE and SIGN_OF[magnet] * before_mt[index] > _HANGS_MT


class Pending(Struct, frozen=True):
    """A place whose reading has left its class's band.

    ``moved_s``: when it was last seen to change. ``rest_mt``, ``rest_magnets``: of all places, as
    they were before; ``alone_mt``: before a hand came near.
    """

    since_s: float
    moved_s: float
    rest_mt: Sequence[float]
    rest_magnets: tuple[Magnet, ...]
    alone_mt: Sequence[float]


class PlateState(Struct, frozen=True):
    """What is known of the plate after a scan: each stage of the next makes another of it.

    ``magnets``: what each place is taken for, of the ``classes`` that may be met. ``readings``: the
    average of the latest scans in mT, neighbours removed; ``rest``: as they were when nothing
    moved, and ``rests`` before. ``pending``: places that are being judged. ``trail``: places over
    which something has moved since then, the last one at ``trail_s``. ``doubt``: places that may be
    empty or hold a weak magnet -> the reading if they are empty.
    """

    classes: frozenset[Magnet]
    magnets: tuple[Magnet, ...]
    readings: Sequence[float]
    rest: Sequence[float]
    rests: tuple[Sequence[float], ...] = ()
    pending: Mapping[int, Pending] = {}
    trail: tuple[int, ...] = ()
    trail_s: float = 0.0
    doubt: Mapping[int, float] = {}

    def interrupted(self) -> PlateState:
        """The readings were interrupted, or the plate was not still."""
        return replace(self, pending={}, trail=()) if self.pending or self.trail else self

    def left(self, index: int, now_s: float) -> PlateState:
        """The state as a reading has just left the band of its class."""
        alone_mt = self.rests[0] if self.rests else self.rest
        pending = Pending(now_s, now_s, self.rest, self.magnets, alone_mt)
        return replace(
            self,
            pending={**self.pending, index: pending},
            trail=(*self.trail, index),
            trail_s=now_s,
        )

    def rested(self, *, anew: bool, after_s: float = 0.0) -> PlateState:
        """Nothing moves: these readings are what later changes are compared with, at once or as
        they are followed. ``after_s``: since this was last so.
        """
        rest, rests = self.rest, self.rests
        if anew:
            rest, rests = self.readings, ()
        elif after_s:
            share = 1 - exp(-after_s / _REST_S)
            rest = [q + share * (r - q) for r, q in zip(self.readings, rest, strict=True)]
            rests = (*rests, rest)[-_RESTS:]
        elif not self.trail:
            return self
        return replace(self, rest=rest, rests=rests, trail=())

    def standing(self, index: int, magnet: Magnet) -> PlateState:
        """``magnet`` is taken for standing there: nothing of the place is pending any more."""
        magnets = (*self.magnets[:index], magnet, *self.magnets[index + 1 :])
        return replace(self, magnets=magnets, pending=without(self.pending, index))

    def reading(self, index: int, mt: float) -> PlateState:
        """The state with another reading of that sensor, as is known now."""
        readings = list(self.readings)
        readings[index] = mt
        rest = readings if self.rest is self.readings else self.rest
        return replace(self, readings=readings, rest=rest, doubt=without(self.doubt, index))


T = TypeVar("T")


def without(known: Mapping[int, T], index: int) -> Mapping[int, T]:
    """``known`` without that place."""
    if index not in known:
        return known
    return {i: value for i, value in known.items() if i != index}

"""All that is known of one plate after a scan, as one frozen value. Each stage of the next scan is
a function that makes another value of it, and keeps nothing for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tiltboard.drivers.frame import Frame
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.perception.bands import Bands
from tiltboard.firmware_host.perception.calibration import Calibration
from tiltboard.firmware_host.perception.levels import Crosstalk, Zeros
from tiltboard.firmware_host.perception.motion_gate import Gate
from tiltboard.firmware_host.table.sight import Magnet

if TYPE_CHECKING:
    from tiltboard.firmware_host.perception.positions import Standing
    from tiltboard.firmware_host.perception.sensor_monitor import Beliefs, Health

# docs/add-a-board.md: average at least four samples. Noise goes by their number, so this
# is no time.
AVERAGED = 4

LOOK_S = 0.04  # between looks at noise and health, where scans do not come more slowly
_SHARE = 1 / 32  # of each new difference: 1.3 s
_MOST_MT = 1.0  # what a difference counts at most, so that a glitch is no noise
START_MT = 0.05
_SIGMA = 0.886  # a normal sigma over the mean size of differences: sqrt(pi) / 2
# The data sheet gives 0.2 mT peak to peak, a sigma of about 0.035 mT. Steps are
# 1.1 sigma on average: the limits are seven and five times that.
_NOISY_MT = 0.27
_CALM_MT = 0.2


class Noise(Struct, frozen=True):
    """``mean_mt``: of each sensor's steps from look to look. ``noisy``: sensors that are, with
    hysteresis.
    """

    mean_mt: Sequence[float]
    noisy: frozenset[int] = frozenset()

    def after(self, before: Sequence[float], now: Sequence[float], skip: Iterable[int]) -> Noise:
        """One step between scans later, except at the places where something moves."""
        old = self.mean_mt
        steps = [abs(a - b) for a, b in zip(before, now, strict=True)]
        largest = max(steps)
        if largest > _MOST_MT:
            steps = [min(step, _MOST_MT) for step in steps]
        new = [m + _SHARE * (d - m) for m, d in zip(old, steps, strict=True)]
        for index in skip:
            new[index] = old[index]
        if not self.noisy and largest <= _NOISY_MT:  # a mean rises only toward what is larger
            return Noise(new)
        most = ((i, m, _CALM_MT if i in self.noisy else _NOISY_MT) for i, m in enumerate(new))
        return Noise(new, frozenset(i for i, m, most_mt in most if m > most_mt))

    def sigma_mt(self, index: int) -> float:
        """The noise of one sensor's single readings."""
        return _SIGMA * self.mean_mt[index]


@lru_cache(maxsize=1024)
def nearby(row: int, column: int, reach: int, rows: int, columns: int) -> Sequence[int]:
    """The indices of places at most ``reach`` from one, which may itself lie beside the plate."""
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


class Layout(Struct, frozen=True):
    """What does not change. ``expected``: what should have stood there at the start, None if that
    is not known. ``around``: of each place, the up to eight beside it.
    """

    profile: Profile
    calibration: Calibration
    expected: Mapping[int, Magnet] | None
    around: Sequence[Sequence[int]]
    centres_mm: Sequence[tuple[float, float]]


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
    """``magnets``: what each place is taken for, of the ``classes`` that may be met; as ``told``
    last. ``readings``: the average of the latest scans in mT, neighbours removed; ``rest``: as they
    were when nothing moved, and ``rests`` before. ``pending``: places that are being judged.
    ``trail``: places over which something has moved since then, the last one at ``trail_s``.
    ``doubt``: places that may be empty or hold a weak magnet -> the reading if they are empty.

    ``history``: calibrated scans, newest last. ``now_s``: time of the last one, -inf before the
    first; ``seen_s``: of the first that had a field. ``scans_per_s``: the
    profile's, or fewer on a computer that does not keep that; ``scans``: so far. ``ready``: the
    sensors are zeroed, which began at ``start_s``. ``blind``: since the last interruption nothing
    has been at rest. ``learnt`` grows when something was found out that should be stored at once.
    """

    layout: Layout
    classes: frozenset[Magnet]
    gate: Gate
    zeros: Zeros
    crosstalk: Crosstalk
    noise: Noise
    bands: Bands
    health: Health
    beliefs: Beliefs
    standing: Standing
    magnets: tuple[Magnet, ...]
    readings: Sequence[float]
    rest: Sequence[float]
    scans_per_s: float
    rests: tuple[Sequence[float], ...] = ()
    pending: Mapping[int, Pending] = {}
    trail: tuple[int, ...] = ()
    trail_s: float = 0.0
    doubt: Mapping[int, float] = {}
    history: tuple[list[float], ...] = ()
    periods_s: tuple[float, ...] = ()
    scans: int = 0
    now_s: float = -inf
    seen_s: float | None = None
    start_s: float | None = None
    ready: bool = False
    blind: bool = True
    learnt: int = 0
    told: tuple[Magnet, ...] = ()
    foreign: frozenset[int] = frozenset()  # of those told, what this game has not
    confidence: tuple[float, ...] = ()

    # Scans

    def scans_in(self, duration_s: float) -> int:
        """The number of scans in that time; at least those of an average."""
        return max(AVERAGED, round(duration_s * self.scans_per_s))

    def is_time(self, every_s: float) -> bool:
        """Whether this scan is the one of so many in which something is done."""
        return self.scans % max(1, round(every_s * self.scans_per_s)) == 0

    def averaged(self, known_mt: Sequence[float]) -> list[float]:
        """Per sensor, the average of the last four scans, without what is known to add to it."""
        scans = zip(*self.history[-AVERAGED:], known_mt, strict=True)
        return [(d + c + b + a) * 0.25 - known for a, b, c, d, known in scans]

    def series(self, index: int, count: int) -> list[float]:
        """The last ``count`` readings of one sensor, oldest first; fewer if there are no more."""
        return [scan[index] for scan in self.history[-count:]]

    def agree(self, index: int, count: int) -> bool:
        """Whether the last ``count`` scans of a place differ only by noise."""
        series = self.series(index, count)
        low, high = min(series), max(series)
        most = max(abs(low), abs(high)) * _RANGE_SHARE
        return len(series) >= count and high - low <= max(_RANGE_MT, most)

    def mean(self, index: int, count: int) -> float:
        """The mean of a place's last ``count`` scans, neighbours included."""
        return sum(self.series(index, count)) / count

    def scanned(self, frame: Frame, gate: Gate) -> PlateState:
        """The state at the time of another scan."""
        now_s, scans, seen_s = frame.time_s, self.scans, self.seen_s
        if frame.field_mt:
            scans += 1
            seen_s = now_s if seen_s is None else seen_s
        periods_s, scans_per_s = self.periods_s, self.scans_per_s
        if self.now_s > -inf:
            periods_s = (*periods_s, now_s - self.now_s)[-_PERIODS:]
        if len(periods_s) == _PERIODS:
            usual_s, wanted = sorted(periods_s)[_PERIODS // 2], self.layout.profile.scans_per_s
            scans_per_s = 1 / usual_s if usual_s * wanted > _LATE else float(wanted)
        return replace(
            self,
            gate=gate,
            now_s=now_s,
            seen_s=seen_s,
            scans=scans,
            periods_s=periods_s,
            scans_per_s=scans_per_s,
        )

    # Places

    def stand(self, index: int, magnet: Magnet) -> PlateState:
        """``magnet`` is taken for standing there: nothing of the place is pending any more."""
        magnets = (*self.magnets[:index], magnet, *self.magnets[index + 1 :])
        pending, crosstalk = without(self.pending, index), self.crosstalk.stand(index, magnet)
        return replace(self, magnets=magnets, pending=pending, crosstalk=crosstalk)

    def reading(self, changed_mt: Mapping[int, float]) -> PlateState:
        """The state with other readings of those sensors, as is known now."""
        readings = list(self.readings)
        for index, mt in changed_mt.items():
            readings[index] = mt
        rest = readings if self.rest is self.readings else self.rest
        return replace(self, readings=readings, rest=rest, doubt=without(self.doubt, *changed_mt))

    def zeroed(self, by_mt: Mapping[int, float]) -> PlateState:
        """Take that much of each place's reading for its sensor's zero, in all scans."""
        history = tuple([scan.copy() for scan in self.history])
        for scan in history:
            for index, mt in by_mt.items():
                scan[index] -= mt
        state = replace(self, zeros=self.zeros.moved(by_mt), history=history)
        return state.reading({index: self.readings[index] - mt for index, mt in by_mt.items()})

    def with_bands(self, *places: int) -> PlateState:
        """Set the bands of places whose magnet or zero has changed."""
        known = self.magnets, self.readings, self.zeros.zeroed, self.classes
        return replace(self, bands=self.bands.set(places, *known))


T = TypeVar("T")


def without(known: Mapping[int, T], *places: int) -> Mapping[int, T]:
    """``known`` without those places."""
    if known.keys().isdisjoint(places):
        return known
    return {i: value for i, value in known.items() if i not in places}

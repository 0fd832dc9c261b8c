"""The classifier: it decides which magnet is on each place, by bands with hysteresis.

A reading leaves its class by leaving the wider band; it enters another when the average of four
scans is in that class's band and the scans agree, or when three scans leave no doubt of a strong
magnet. Changes that belong together are accepted together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import TypeVar

from msgspec.structs import replace

from tiltboard.firmware_host.perception import bands
from tiltboard.firmware_host.perception.settling import Pending, Trail
from tiltboard.firmware_host.table.sight import Magnet

TRACK_S = 0.16  # Shortest time between two looks at what changes slowly.
_REST_S = 0.4  # Time constant with which the readings at rest follow the present ones.
_RESTS = 5  # Kept, one each 0.16 s: a hand is felt for half a second before its piece.

T = TypeVar("T")


def without(known: Mapping[int, T], *places: int) -> Mapping[int, T]:
    """Return ``known`` without those places."""
    if known.keys().isdisjoint(places):
        return known
    return {i: value for i, value in known.items() if i not in places}


class RestReadings:
    """Readings of the plate while nothing moved, with which later changes are compared."""

    mt: Sequence[float]
    """The readings at rest, followed slowly."""

    def __init__(self, readings_mt: Sequence[float]) -> None:
        self.mt = readings_mt
        self._earlier: list[Sequence[float]] = []

    @property
    def before_hand_mt(self) -> Sequence[float]:
        """The readings of up to 0.8 s ago, before a hand came near."""
        return self._earlier[0] if self._earlier else self.mt

    def restart(self, readings_mt: Sequence[float]) -> None:
        """Take these readings for the plate at rest."""
        self.mt, self._earlier = readings_mt, []

    def follow(self, readings_mt: Sequence[float]) -> None:
        """Follow the readings of a plate that stays at rest; call every ``TRACK_S``."""
        share = 1 - exp(-TRACK_S / _REST_S)
        self.mt = [q + share * (r - q) for r, q in zip(readings_mt, self.mt, strict=True)]
        self._earlier = [*self._earlier, self.mt][-_RESTS:]


class Classifier:
    """Holds the accepted class of each place, and what is being judged."""

    classes: frozenset[Magnet]
    """Magnets that may be met; strong ones are always told."""
    magnets: tuple[Magnet, ...]
    """The magnet on each place."""
    readings: Sequence[float]
    """Average of the latest scans in mT, neighbours removed."""
    rest: RestReadings
    pending: Mapping[int, Pending]
    """Places that are being judged."""
    trail: Trail
    doubt: Mapping[int, float]
    """Places that are either empty or hold a weak magnet, and their reading if they are empty."""
    bands: bands.Bands

    def __init__(self, size: int, classes: frozenset[Magnet]) -> None:
        """Start with ``size`` empty places of which nothing is known."""
        self.classes = classes
        self.magnets = (Magnet.NONE,) * size
        self.readings = [0.0] * size
        self.rest = RestReadings(self.readings)
        self.pending, self.doubt, self.trail = {}, {}, Trail()
        self.bands = bands.Bands.of_empty(size)

    def start(self, magnets: Sequence[Magnet], readings: Sequence[float]) -> None:
        """Take what the first scans say as given."""
        self.magnets, self.readings = tuple(magnets), readings
        self.rest.restart(readings)
        self.trail = self.trail._replace(is_blind=False)

    def interrupt(self) -> None:
        """Drop what is being judged: the plate is tilted, or scans are missing."""
        self.pending, self.trail = {}, Trail((), self.trail.last_s)

    def stand(self, index: int, magnet: Magnet) -> None:
        """Accept that ``magnet`` stands on a place, which is no longer pending."""
        self.magnets = (*self.magnets[:index], magnet, *self.magnets[index + 1 :])
        self.pending = without(self.pending, index)

    def drop(self, index: int) -> None:
        """Stop judging a place by its own sensor."""
        self.pending, self.doubt = without(self.pending, index), without(self.doubt, index)

    def set_readings(self, changed_mt: Mapping[int, float]) -> None:
        """Replace the readings of some places, which are then no longer in doubt."""
        readings = list(self.readings)
        for index, mt in changed_mt.items():
            readings[index] = mt
        if self.rest.mt is self.readings:
            self.rest.mt = readings
        self.readings, self.doubt = readings, without(self.doubt, *changed_mt)

    def set_bands(self, places: Iterable[int], zeroed: Sequence[bool]) -> None:
        """Set the bands of places whose magnet or zero has changed."""
        known = self.magnets, self.readings, zeroed, self.classes
        self.bands = self.bands.set(places, *known)

    def set_confidence_scale(self, sigma_mt: Sequence[float]) -> None:
        """Tell how much a millitesla means on each place, by its sensor's noise."""
        per_mt = [
            1 / (bands.CONFIDENCE_UNITS * (sigma + bands.TOLERANCE_MT[magnet]))
            for sigma, magnet in zip(sigma_mt, self.magnets, strict=True)
        ]
        self.bands = replace(self.bands, per_mt=per_mt)

    def watch(self, left: Sequence[int], now_s: float) -> None:
        """Begin to judge places whose readings have just left their bands."""
        if left:
            new = Pending(now_s, now_s, self.rest.mt, self.magnets, self.rest.before_hand_mt)
            self.pending = {**self.pending, **dict.fromkeys(left, new)}
            self.trail = self.trail._replace(places=(*self.trail.places, *left), last_s=now_s)

    def come_to_rest(self, *, restart: bool, is_due: bool) -> bool:
        """Take the present readings for the plate at rest; return whether it could not be read
        until now.

        ``restart`` compares later changes with the present readings at once. Otherwise these are
        followed, when that ``is_due``.
        """
        was_blind = self.trail.is_blind
        if restart or was_blind:
            self.rest.restart(self.readings)
        elif is_due:
            self.rest.follow(self.readings)
        self.trail = self.trail._replace(places=(), is_blind=False)
        return was_blind

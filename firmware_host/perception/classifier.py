"""Decides which magnet is on each place, by bands of readings with hysteresis.

A place leaves its magnet class when its reading leaves the wider band of that class. The place
enters another class when four scans agree and their average is in that class's entry band, or when
three scans prove a strong magnet. Related changes are accepted together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import TypeVar

from msgspec.structs import replace

from tiltboard.firmware_host.perception import bands
from tiltboard.firmware_host.perception.settling import Pending, Trail
from tiltboard.firmware_host.table.sight import Magnet

TRACK_S = 0.16  # Interval between two updates of slowly changing values, in seconds.
_REST_S = 0.4  # Time constant, in seconds, of the average that gives the readings at rest.
# Number of earlier readings at rest that are stored, one every 0.16 s. A hand that holds a piece
# affects the readings up to half a second before the piece is put down.
_RESTS = 5

T = TypeVar("T")


def without(known: Mapping[int, T], *places: int) -> Mapping[int, T]:
    """Return ``known`` without the entries of ``places``."""
    if known.keys().isdisjoint(places):
        return known
    return {i: value for i, value in known.items() if i not in places}


class RestReadings:
    """Readings of the plate at rest, with which later readings are compared."""

    mt: Sequence[float]
    """Readings at rest in mT, by plate index, corrected for slow drift."""

    def __init__(self, readings_mt: Sequence[float]) -> None:
        self.mt = readings_mt
        self._earlier: list[Sequence[float]] = []

    @property
    def before_hand_mt(self) -> Sequence[float]:
        """Readings at rest in mT from up to 0.8 s ago, before a hand came near the plate."""
        return self._earlier[0] if self._earlier else self.mt

    def restart(self, readings_mt: Sequence[float]) -> None:
        """Use ``readings_mt`` as the readings at rest, and discard the earlier readings."""
        self.mt, self._earlier = readings_mt, []

    def follow(self, readings_mt: Sequence[float]) -> None:
        """Move the readings at rest towards ``readings_mt``. Call this every ``TRACK_S`` while
        nothing moves.
        """
        share = 1 - exp(-TRACK_S / _REST_S)
        self.mt = [q + share * (r - q) for r, q in zip(readings_mt, self.mt, strict=True)]
        self._earlier = [*self._earlier, self.mt][-_RESTS:]


class Classifier:
    """Stores the accepted magnet of each place, and the places whose magnet is being decided."""

    classes: frozenset[Magnet]
    """Magnet classes of the game's pieces. Strong magnets are reported even if they are not among
    these classes.
    """
    magnets: tuple[Magnet, ...]
    """The accepted magnet on each place."""
    readings: Sequence[float]
    """Average of the latest scans in mT, after the field of magnets on other places is
    subtracted.
    """
    rest: RestReadings
    pending: Mapping[int, Pending]
    """Places whose readings have left their band, and whose new magnet class is not decided yet."""
    trail: Trail
    unclassified: Mapping[int, float]
    """Places that either are empty or hold a weak magnet -> reading in mT. If the place is empty,
    this reading is the sensor's zero offset.
    """
    bands: bands.Bands

    def __init__(self, size: int, classes: frozenset[Magnet]) -> None:
        """Create a classifier for ``size`` places, which are assumed to be empty until the first
        scans.
        """
        self.classes = classes
        self.magnets = (Magnet.NONE,) * size
        self.readings = [0.0] * size
        self.rest = RestReadings(self.readings)
        self.pending, self.unclassified, self.trail = {}, {}, Trail()
        self.bands = bands.Bands.of_empty(size)

    def start(self, magnets: Sequence[Magnet], readings: Sequence[float]) -> None:
        """Accept the magnets and readings that were found in the first scans."""
        self.magnets, self.readings = tuple(magnets), readings
        self.rest.restart(readings)
        self.trail = self.trail._replace(is_blind=False)

    def interrupt(self) -> None:
        """Stop deciding about pending places, because the plate is tilted or scans are missing."""
        self.pending, self.trail = {}, Trail((), self.trail.last_s)

    def set_magnet(self, index: int, magnet: Magnet) -> None:
        """Accept ``magnet`` as the magnet on a place; the place is no longer pending."""
        self.magnets = (*self.magnets[:index], magnet, *self.magnets[index + 1 :])
        self.pending = without(self.pending, index)

    def drop(self, index: int) -> None:
        """Ignore a place, because its sensor has failed."""
        self.pending, self.unclassified = (
            without(self.pending, index),
            without(self.unclassified, index),
        )

    def set_readings(self, changed_mt: Mapping[int, float]) -> None:
        """Replace the readings of some places, and treat their zero offsets as no longer in
        doubt.
        """
        readings = list(self.readings)
        for index, mt in changed_mt.items():
            readings[index] = mt
        if self.rest.mt is self.readings:
            self.rest.mt = readings
        self.readings, self.unclassified = readings, without(self.unclassified, *changed_mt)

    def set_bands(self, places: Iterable[int], zeroed: Sequence[bool]) -> None:
        """Recompute the reading bands of the places whose magnet or zero offset has changed."""
        known = self.magnets, self.readings, zeroed, self.classes
        self.bands = self.bands.set(places, *known)

    def set_confidence_scale(self, sigma_mt: Sequence[float]) -> None:
        """Compute how much confidence increases for each mT of distance from a band's boundary.
        ``sigma_mt`` is the noise of each sensor in mT.
        """
        per_mt = [
            1 / (bands.CONFIDENCE_UNITS * (sigma + bands.TOLERANCE_MT[magnet]))
            for sigma, magnet in zip(sigma_mt, self.magnets, strict=True)
        ]
        self.bands = replace(self.bands, per_mt=per_mt)

    def watch(self, left: Sequence[int], now_s: float) -> None:
        """Add the places in ``left``, whose readings have just left their bands, to the pending
        places.
        """
        if left:
            new = Pending(now_s, now_s, self.rest.mt, self.magnets, self.rest.before_hand_mt)
            self.pending = {**self.pending, **dict.fromkeys(left, new)}
            self.trail = self.trail._replace(places=(*self.trail.places, *left), last_s=now_s)

    def come_to_rest(self, *, restart: bool, is_due: bool) -> bool:
        """Use the present readings as the readings at rest. Return whether the plate was unreadable
        until now.

        ``restart``: True to compare later changes with exactly the present readings. Otherwise, if
        ``is_due`` is True, the readings at rest move slowly towards the present readings.
        """
        was_blind = self.trail.is_blind
        if restart or was_blind:
            self.rest.restart(self.readings)
        elif is_due:
            self.rest.follow(self.readings)
        self.trail = self.trail._replace(places=(), is_blind=False)
        return was_blind

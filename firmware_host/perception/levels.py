"""The conversion of raw fields into calibrated readings, and the search for each sensor's zero.

Zeros and first occupancy are found together, from the first scans at rest. Pieces may be on the
plate, a DRV5055A1 may be +-1 mT off, a weak magnet reads as little as 1.3 mT and neighbours add up
to 1.8 mT. So strong readings are pieces, what they add elsewhere is subtracted, and the rest is
compared with the zeros of the last run, if there are any. A reading between an empty place and a
weak magnet is in doubt, unless the journal's expectation decides it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tiltboard.firmware_host.perception.bands import (
    STRONG_CLASSES,
    UNZEROED_EMPTY_MT,
    WEAK_CLASSES,
    classify,
)
from tiltboard.firmware_host.perception.calibration import Calibration
from tiltboard.firmware_host.perception.field import SIGN_OF
from tiltboard.firmware_host.table.sight import Magnet

FOLLOW_S = 30.0  # Time constant with which the zeros of empty places follow drift.
MAX_FOLLOW_MT = 0.25  # Greatest distance from the zero as it was last measured.


class Field(NamedTuple):
    """One scan, by place."""

    raw_mt: Sequence[float]
    """The reading as the driver gave it."""
    mt: list[float]
    """Calibrated, neighbours included."""


class Levels:
    """Each place's input, zero and gain."""

    offset_mt: Sequence[float]
    gain: Sequence[float]
    zeroed: Sequence[bool]
    """Whether each zero was measured; otherwise it is known within the data sheet's tolerance."""

    def __init__(self, calibration: Calibration) -> None:
        """Start from what is known of the sensors."""
        self._wire = calibration.wire
        self.offset_mt, self.gain = calibration.offset_mt, calibration.gain
        self.zeroed = calibration.zeroed
        self._anchor_mt: Sequence[float] = calibration.offset_mt  # Zeros as last measured.

    def apply(self, field_mt: Sequence[float]) -> Field:
        """Return a driver's scan in the order of places, raw and calibrated."""
        raw_mt = [field_mt[each] for each in self._wire] if self._wire else field_mt
        known = zip(raw_mt, self.offset_mt, self.gain, strict=True)
        return Field(raw_mt, [(mt - zero) * gain for mt, zero, gain in known])

    def set_zero(self, by_mt: Mapping[int, float]) -> None:
        """Take the calibrated readings in ``by_mt`` for the zeros of their sensors."""
        offset, anchor, zeroed = list(self.offset_mt), list(self._anchor_mt), list(self.zeroed)
        for index, mt in by_mt.items():
            offset[index] = anchor[index] = offset[index] + mt / self.gain[index]
            zeroed[index] = True
        self.offset_mt, self._anchor_mt, self.zeroed = offset, anchor, zeroed

    def follow(self, places: Iterable[int], readings_mt: Sequence[float], over_s: float) -> None:
        """Move the zeros of empty ``places`` slowly towards what they read over ``over_s``."""
        offset, anchor, gain = list(self.offset_mt), self._anchor_mt, self.gain
        share, most = over_s / FOLLOW_S, MAX_FOLLOW_MT
        for i in places:
            moved = offset[i] + share * readings_mt[i] / gain[i]
            off = moved - anchor[i]
            offset[i] = moved if -most <= off <= most else anchor[i] + (most if off > 0 else -most)
        self.offset_mt = offset


START_AVERAGE_S = 0.32  # 16 scans at 50 a second.
# Drift since the last run that is taken for the new zero; beyond it the old zero stays.
_DRIFT_MT = 0.35
# Without a stored zero: even a weak magnet 5 mm off centre reads more, at the worst zero.
_SURELY_EMPTY_MT = 0.65
_HINTED_WEAK_MT = 0.3


class Start(NamedTuple):
    """The result of the first scans for one place."""

    magnet: Magnet
    zero_mt: float | None = None
    """The reading that is the sensor's zero, or None if that is not known yet."""
    in_doubt: bool = False
    """Whether the reading may be either a weak magnet or the zero."""


def first_state(
    reading_mt: float, classes: frozenset[Magnet], hint: Magnet | None, *, zeroed: bool
) -> Start:
    """Judge by its average reading, neighbours removed, which magnet is on a place.

    ``classes`` are the magnets that may be met. ``hint`` is the magnet that the journal expects
    there, or None if it expects nothing. ``zeroed`` tells whether the stored offset was measured.
    """
    if zeroed:
        magnet = classify(reading_mt)
        if magnet is Magnet.NONE:
            return Start(magnet, reading_mt if abs(reading_mt) <= _DRIFT_MT else 0.0)
        return Start(magnet if magnet in STRONG_CLASSES | classes else Magnet.NONE, 0.0)
    magnet, weak = classify(reading_mt, zeroed=False), classes & WEAK_CLASSES
    if magnet in STRONG_CLASSES | weak:
        return Start(magnet)
    size = abs(reading_mt)
    known_empty = not weak or hint is Magnet.NONE
    if size <= _SURELY_EMPTY_MT or (size <= UNZEROED_EMPTY_MT and known_empty):
        return Start(Magnet.NONE, reading_mt)
    if hint in WEAK_CLASSES and hint in classes and reading_mt * SIGN_OF[hint] > _HINTED_WEAK_MT:
        return Start(hint)
    return Start(Magnet.NONE, in_doubt=True)

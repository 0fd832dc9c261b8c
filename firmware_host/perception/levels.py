"""Converts raw sensor readings into calibrated readings, and finds each sensor's zero offset.

The zero offsets and the first pieces are found together from the first scans at rest, because there
can already be pieces on the plate. A DRV5055A1's zero offset can be up to 1 mT, a weak magnet can
read as little as 1.3 mT, and neighbouring magnets add up to 1.8 mT. Strong readings are classified
as pieces, and their field at other sensors is subtracted. The remaining readings are compared with
the zero offsets of the last run, if they are known. A reading between an empty place and a weak
magnet stays in doubt, unless the position in the journal decides.
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

# Time constant in seconds with which the zero offsets of empty places follow drift.
FOLLOW_S = 30.0
# Maximum difference in mT between a drifting zero offset and the last measured offset.
MAX_FOLLOW_MT = 0.25


class Field(NamedTuple):
    """The readings of one scan, by plate index."""

    raw_mt: Sequence[float]
    """The readings in mT as the driver returned them."""
    mt: list[float]
    """The calibrated readings in mT, including the neighbours' field."""


class Levels:
    """The sensor input, the zero offset and the gain for each place."""

    offset_mt: Sequence[float]
    gain: Sequence[float]
    zeroed: Sequence[bool]
    """True for each place whose zero offset was measured; False if only the data sheet's tolerance
    limits the offset.
    """

    def __init__(self, calibration: Calibration) -> None:
        """Start from a stored calibration, or from a calibration computed from data sheets."""
        self._wire = calibration.wire
        self.offset_mt, self.gain = calibration.offset_mt, calibration.gain
        self.zeroed = calibration.zeroed
        # Each sensor's last measured zero offset, in mT.
        self._anchor_mt: Sequence[float] = calibration.offset_mt

    def apply(self, field_mt: Sequence[float]) -> Field:
        """Return a driver's scan in the order of the places, as raw and as calibrated readings."""
        raw_mt = [field_mt[each] for each in self._wire] if self._wire else field_mt
        known = zip(raw_mt, self.offset_mt, self.gain, strict=True)
        return Field(raw_mt, [(mt - zero) * gain for mt, zero, gain in known])

    def set_zero(self, by_mt: Mapping[int, float]) -> None:
        """Use the present reading of each sensor in ``by_mt`` as zero. ``by_mt`` maps a plate index
        to the calibrated reading in mT, by which the sensor's offset is shifted.
        """
        offset, anchor, zeroed = list(self.offset_mt), list(self._anchor_mt), list(self.zeroed)
        for index, mt in by_mt.items():
            offset[index] = anchor[index] = offset[index] + mt / self.gain[index]
            zeroed[index] = True
        self.offset_mt, self._anchor_mt, self.zeroed = offset, anchor, zeroed

    def follow(self, places: Iterable[int], readings_mt: Sequence[float], over_s: float) -> None:
        """Move the zero offsets of empty ``places`` slowly towards their readings.

        ``over_s`` is the time in seconds since the last call.
        """
        offset, anchor, gain = list(self.offset_mt), self._anchor_mt, self.gain
        share, most = over_s / FOLLOW_S, MAX_FOLLOW_MT
        for i in places:
            moved = offset[i] + share * readings_mt[i] / gain[i]
            off = moved - anchor[i]
            offset[i] = moved if -most <= off <= most else anchor[i] + (most if off > 0 else -most)
        self.offset_mt = offset


START_AVERAGE_S = 0.32  # Averaging time at the start, in seconds: 16 scans at 50 scans per second.
# If a reading has changed since the last run by at most this many mT, the change counts as drift of
# the zero offset. After a larger change the stored offset is kept.
_DRIFT_MT = 0.35
# Maximum reading of an empty place in mT if no zero offset is stored. A weak magnet 5 mm off centre
# reads more, even with the most unfavourable offset.
_SURELY_EMPTY_MT = 0.65
_HINTED_WEAK_MT = 0.3


class Start(NamedTuple):
    """The magnet found on one place in the first scans, and the zero offset of the place's
    sensor.
    """

    magnet: Magnet
    zero_mt: float | None = None
    """The sensor's zero offset in mT, or None if the offset is not known yet."""
    in_doubt: bool = False
    """True if the reading can come either from a weak magnet or from the zero offset of an empty
    place.
    """


def first_state(
    reading_mt: float, classes: frozenset[Magnet], hint: Magnet | None, *, zeroed: bool
) -> Start:
    """Return the magnet and the zero offset of one place.

    ``reading_mt`` is the place's average reading, from which the field of magnets on other places
    is subtracted. ``classes`` are the magnets that the game uses. ``hint`` is the magnet that the
    journal expects on the place, or None if the journal expects nothing. ``zeroed`` is True if the
    stored offset was measured.
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

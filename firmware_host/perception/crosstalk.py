"""Subtracts the field of the magnets on other places from each sensor's reading.

A strong magnet adds about -0.16 mT to the reading of each adjacent sensor. A full plate shifts a
reading by up to 1.8 mT, which is more than the reading of a weak magnet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import sub

from tiltboard.firmware_host.perception.bands import (
    STRONG_CLASSES,
    STRONG_MT,
    STRONG_STAYS_MT,
    strong,
)
from tiltboard.firmware_host.perception.calibration import Calibration
from tiltboard.firmware_host.perception.field import SIGN_OF
from tiltboard.firmware_host.table.sight import Magnet

# Maximum number of passes over all places. At its own sensor, a magnet's field is always stronger
# than the field of the neighbouring magnets, so a few passes are enough.
_ROUNDS = 8


class Crosstalk:
    """Sum of the fields of the magnets on all other places, for each sensor. The sum is updated
    only when a magnet changes, which saves computing time.
    """

    total_mt: Sequence[float]
    """Field in mT at each sensor that magnets on all other places cause."""

    def __init__(self, calibration: Calibration, columns: int, rows: int) -> None:
        """Start with an empty plate of ``columns`` by ``rows`` places."""
        size = columns * rows
        cells = [divmod(index, columns) for index in range(size)]
        self._weak_rows, self._strong_rows = (
            [
                [
                    0.0
                    if there == here
                    else kernel[abs(there[0] - here[0])][abs(there[1] - here[1])]
                    for there in cells
                ]
                for here in cells
            ]
            for kernel in (calibration.weak_mt, calibration.strong_mt)
        )
        self._standing = [Magnet.NONE] * size
        self.total_mt = [0.0] * size

    def set_magnet(self, index: int, magnet: Magnet) -> bool:
        """Set the magnet on a place. Return whether the place had another magnet before."""
        before, total_mt = self._standing[index], self.total_mt
        if magnet is before:
            return False
        for which, sign in ((before, -1.0), (magnet, 1.0)):
            if which is not Magnet.NONE:
                factor, row = sign * SIGN_OF[which], self._row(which, index)
                total_mt = [x + factor * k for x, k in zip(total_mt, row, strict=True)]
        self._standing[index], self.total_mt = magnet, total_mt
        return True

    def remove(self, readings_mt: Sequence[float]) -> list[float]:
        """Return the readings in mT minus the field of the magnets on other places."""
        return list(map(sub, readings_mt, self.total_mt))

    def share_mt(self, source: int, index: int) -> float:
        """Return the field in mT that a strong south magnet at ``source`` adds to the sensor at
        ``index``.
        """
        return self._strong_rows[source][index]

    def adds_mt(self, magnet: Magnet, source: int, index: int) -> float:
        """Return the field in mT that ``magnet`` (not NONE) at ``source`` adds to the sensor at
        ``index``.
        """
        return SIGN_OF[magnet] * self._row(magnet, source)[index]

    def resolve(self, readings_mt: Sequence[float]) -> None:
        """Find the strong magnets from the first readings, while the magnets on the plate are
        unknown.
        """
        for _ in range(_ROUNDS):
            result = self.remove(readings_mt)
            if not self.follow_strong(range(len(result)), result):
                break

    def follow_strong(self, places: Iterable[int], readings_mt: Sequence[float]) -> bool:
        """Add or remove strong magnets on ``places`` as soon as the readings show a change, before
        the magnets are accepted.

        Returns whether any magnet has changed.
        """
        changed = False
        for index in places:
            reading, now = readings_mt[index], self._standing[index]
            kind = strong(reading)
            if abs(reading) >= STRONG_MT or (abs(reading) >= STRONG_STAYS_MT and now is kind):
                changed |= self.set_magnet(index, kind)
            elif now in STRONG_CLASSES:
                changed |= self.set_magnet(index, Magnet.NONE)
        return changed

    def _row(self, magnet: Magnet, index: int) -> Sequence[float]:
        """Return the field in mT that a south magnet at ``index``, as strong as ``magnet``, adds to
        each sensor.
        """
        return (self._strong_rows if magnet in STRONG_CLASSES else self._weak_rows)[index]

"""Removes from each reading what the magnets on other places add to it.

A strong magnet adds some -0.16 mT to each sensor beside it, so a full plate shifts a reading by up
to 1.8 mT, which is more than a weak magnet reads.
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

_ROUNDS = 8  # A strong reading never hides behind its neighbours, so a few rounds suffice.


class Crosstalk:
    """Keeps the sum of what all standing magnets add elsewhere; only a change costs anything."""

    total_mt: Sequence[float]
    """The field at each sensor of the magnets on all other places."""

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

    def stand(self, index: int, magnet: Magnet) -> bool:
        """Set what stands on a place; return whether that is a change."""
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
        """Return the readings without the neighbours' share."""
        return list(map(sub, readings_mt, self.total_mt))

    def share_mt(self, source: int, index: int) -> float:
        """Return what a strong south magnet at ``source`` adds to the sensor ``index``."""
        return self._strong_rows[source][index]

    def adds_mt(self, magnet: Magnet, source: int, index: int) -> float:
        """Return what ``magnet``, which is not NONE, at ``source`` adds to the sensor ``index``."""
        return SIGN_OF[magnet] * self._row(magnet, source)[index]

    def resolve(self, readings_mt: Sequence[float]) -> None:
        """Find the strong magnets among readings of a plate of which nothing is known."""
        for _ in range(_ROUNDS):
            result = self.remove(readings_mt)
            if not self.follow_strong(range(len(result)), result):
                break

    def follow_strong(self, places: Iterable[int], readings_mt: Sequence[float]) -> bool:
        """Let what reads as strong on ``places`` count at once, before it is accepted.

        Returns whether anything has changed.
        """
        changed = False
        for index in places:
            reading, now = readings_mt[index], self._standing[index]
            kind = strong(reading)
            if abs(reading) >= STRONG_MT or (abs(reading) >= STRONG_STAYS_MT and now is kind):
                changed |= self.stand(index, kind)
            elif now in STRONG_CLASSES:
                changed |= self.stand(index, Magnet.NONE)
        return changed

    def _row(self, magnet: Magnet, index: int) -> Sequence[float]:
        """Return what a south magnet of that strength at ``index`` adds to every other sensor."""
        return (self._strong_rows if magnet in STRONG_CLASSES else self._weak_rows)[index]

"""What the magnets that are known to stand on the plate add to every other sensor: a strong one
some -0.16 mT to each beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import sub

from firmware_host.perception.bands import STRONG_CLASSES, STRONG_MT, STRONG_STAYS_MT, strong
from firmware_host.perception.calibration import Calibration
from firmware_host.perception.field import SIGN_OF
from firmware_host.table.sight import Magnet

_ROUNDS = 8  # a strong reading never hides behind its neighbours, so a few rounds always suffice


class Crosstalk:
    """``total_mt``: per sensor, the sum over all ``standing`` magnets elsewhere. Sparse: only a
    change of what stands costs anything.
    """

    def __init__(self, calibration: Calibration, columns: int, rows: int) -> None:
        self._columns = columns
        self._rows = rows
        self._strong = calibration.strong_mt
        self._weak = calibration.weak_mt
        self._cache: dict[tuple[bool, int], list[float]] = {}
        self.standing = [Magnet.NONE] * (columns * rows)
        self.total_mt = [0.0] * (columns * rows)

    def stand(self, index: int, magnet: Magnet) -> None:
        """Let ``magnet`` be what stands at ``index`` from now on."""
        before = self.standing[index]
        if magnet is before:
            return
        self.standing[index] = magnet
        for which, sign in ((before, -1.0), (magnet, 1.0)):
            if which is not Magnet.NONE:
                factor = sign * SIGN_OF[which]
                row = self._row(which in STRONG_CLASSES, index)
                self.total_mt = [x + factor * k for x, k in zip(self.total_mt, row, strict=True)]

    def removed(self, readings_mt: Sequence[float]) -> list[float]:
        """The readings without the neighbours."""
        return list(map(sub, readings_mt, self.total_mt))

    def share_mt(self, source: int, index: int) -> float:
        """What a strong south magnet at ``source`` adds to the sensor ``index``."""
        return self._row(True, source)[index]

    def adds_mt(self, magnet: Magnet, source: int, index: int) -> float:
        """What ``magnet`` at ``source`` adds to the sensor ``index``."""
        if magnet is Magnet.NONE:
            return 0.0
        return SIGN_OF[magnet] * self._row(magnet in STRONG_CLASSES, source)[index]

    def resolve(self, readings_mt: Sequence[float]) -> list[float]:
        """Find the strong magnets among readings of which nothing is known, and remove them."""
        for _ in range(_ROUNDS):
            result = self.removed(readings_mt)
            if not self.update(range(len(result)), result):
                break
        return self.removed(readings_mt)

    def update(self, places: Sequence[int], readings_mt: Sequence[float]) -> bool:
        """Let strong readings radiate at once, before they are accepted. Whether any changed."""
        changed = False
        for index in places:
            reading, now = readings_mt[index], self.standing[index]
            kind = strong(reading)
            if abs(reading) >= STRONG_MT or (abs(reading) >= STRONG_STAYS_MT and now is kind):
                wanted = kind
            else:
                wanted = Magnet.NONE if now in STRONG_CLASSES else now
            if wanted is not now:
                self.stand(index, wanted)
                changed = True
        return changed

    def _row(self, is_strong: bool, index: int) -> list[float]:
        row = self._cache.get((is_strong, index))
        if row is None:
            kernel = self._strong if is_strong else self._weak
            y, x = divmod(index, self._columns)
            row = [
                kernel[abs(r - y)][abs(c - x)]
                for r in range(self._rows)
                for c in range(self._columns)
            ]
            row[index] = 0.0
            self._cache[is_strong, index] = row
        return row

"""What is taken off each reading: its sensor's zero, and what the magnets that are known to stand
on the plate add to every other sensor, a strong one some -0.16 mT to each beside it.

Zeros and first occupancy are found together, from the first scans at rest. Pieces may be standing,
DRV5055A1 may be +-1 mT off, a weak magnet reads as little as 1.3 mT and neighbours add up to
1.8 mT. So strong readings are pieces, what they add elsewhere is subtracted, and the rest is
compared with the zeros of the last run, where there are any. What is left between an empty place
and a weak magnet is in doubt, unless the journal's word decides it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import sub
from typing import NamedTuple

import msgspec

from firmware_host.perception.bands import (
    STRONG_CLASSES,
    STRONG_MT,
    STRONG_STAYS_MT,
    UNZEROED_EMPTY_MT,
    WEAK_CLASSES,
    classify,
    strong,
)
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


FOLLOW_S = 30.0
FOLLOW_MOST_MT = 0.25  # away from where the zero was last measured


class Zeros:
    """Each sensor's zero and gain. ``zeroed``: whether its zero was measured, or is a guess."""

    def __init__(self, calibration: Calibration) -> None:
        self._stored = calibration
        self._offset = list(calibration.offset_mt)
        self._anchor = list(self._offset)
        self._gain = list(calibration.gain)
        self.zeroed = list(calibration.zeroed)

    def calibration(self) -> Calibration:
        """The calibration of the last run, with what is known of the zeros by now."""
        return msgspec.structs.replace(
            self._stored,
            offset_mt=tuple(self._offset),
            gain=tuple(self._gain),
            zeroed=tuple(self.zeroed),
        )

    def removed(self, field_mt: Sequence[float]) -> list[float]:
        """One scan as calibrated readings."""
        known = zip(field_mt, self._offset, self._gain, strict=True)
        return [(mt - zero) * gain for mt, zero, gain in known]

    def move(self, index: int, by_mt: float) -> None:
        """The calibrated reading ``by_mt`` is that sensor's zero; now that is known."""
        self._offset[index] += by_mt / self._gain[index]
        self._anchor[index] = self._offset[index]
        self.zeroed[index] = True

    def follow(self, places: Iterable[int], readings_mt: Sequence[float], over_s: float) -> None:
        """Empty ``places`` have read so for ``over_s``: their zeros follow, slowly and not far."""
        offset, gain, anchor = self._offset, self._gain, self._anchor
        share, most = over_s / FOLLOW_S, FOLLOW_MOST_MT
        for i in places:
            moved = offset[i] + share * readings_mt[i] / gain[i]
            off = moved - anchor[i]
            offset[i] = moved if -most <= off <= most else anchor[i] + (most if off > 0 else -most)


AVERAGED_S = 0.32  # 16 scans of 50 a second
# Drift since the last run that is taken for the new zero; beyond, the old one stands.
_DRIFT_MT = 0.35
# Without a stored zero: even a weak magnet 5 mm off centre reads more, at the worst zero.
_SURELY_EMPTY_MT = 0.65
_HINTED_WEAK_MT = 0.3


class Start(NamedTuple):
    """One place's first state. ``zero_mt``: the reading that is the sensor's zero, None where that
    is not known yet. ``doubt``: the reading may be a weak magnet or the zero.
    """

    magnet: Magnet
    zero_mt: float | None = None
    doubt: bool = False


def zero(
    mean_mt: Sequence[float],
    zeroed: Sequence[bool],
    crosstalk: Crosstalk,
    classes: frozenset[Magnet],
    expected: Mapping[int, Magnet] | None,
) -> tuple[Start, ...]:
    """Per place, what stands there and what its zero is.

    ``mean_mt``: average reading with the stored offsets. ``zeroed``: whether that offset was
    measured. ``expected``: a hint, place -> magnet (others: empty), or None. Sets up ``crosstalk``.
    """
    readings = crosstalk.resolve(mean_mt)
    starts = []
    for index, (reading, known) in enumerate(zip(readings, zeroed, strict=True)):
        hint = None if expected is None else expected.get(index, Magnet.NONE)
        start = _stored(reading, classes) if known else _fresh(reading, classes, hint)
        starts.append(start)
        crosstalk.stand(index, start.magnet)
    return tuple(starts)


def _stored(reading: float, classes: frozenset[Magnet]) -> Start:
    magnet = classify(reading)
    if magnet is Magnet.NONE:
        return Start(magnet, reading if abs(reading) <= _DRIFT_MT else 0.0)
    if magnet is None or magnet not in classes:
        magnet = magnet if magnet in STRONG_CLASSES else Magnet.NONE
    return Start(magnet, 0.0)


def _fresh(reading: float, classes: frozenset[Magnet], hint: Magnet | None) -> Start:
    magnet, weak = classify(reading, zeroed=False), classes & WEAK_CLASSES
    if magnet in STRONG_CLASSES | weak:
        return Start(magnet)
    size = abs(reading)
    known_empty = not weak or hint is Magnet.NONE
    if size <= _SURELY_EMPTY_MT or (size <= UNZEROED_EMPTY_MT and known_empty):
        return Start(Magnet.NONE, reading)
    if hint in WEAK_CLASSES and hint in classes and reading * SIGN_OF[hint] > _HINTED_WEAK_MT:
        return Start(hint)
    return Start(Magnet.NONE, doubt=True)

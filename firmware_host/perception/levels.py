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

from msgspec import Struct

from tiltboard.firmware_host.perception.bands import (
    STRONG_CLASSES,
    STRONG_MT,
    STRONG_STAYS_MT,
    UNZEROED_EMPTY_MT,
    WEAK_CLASSES,
    classify,
    strong,
)
from tiltboard.firmware_host.perception.calibration import Calibration
from tiltboard.firmware_host.perception.field import SIGN_OF
from tiltboard.firmware_host.table.sight import Magnet

_ROUNDS = 8  # a strong reading never hides behind its neighbours, so a few rounds always suffice


class Crosstalk(Struct, frozen=True):
    """``total_mt``: per sensor, the sum over all ``standing`` magnets elsewhere. Sparse: only a
    change of what stands costs anything. ``rows``: of a weak and of a strong south magnet on each
    place, what it adds to every other sensor.
    """

    rows: tuple[Sequence[Sequence[float]], Sequence[Sequence[float]]]
    standing: tuple[Magnet, ...]
    total_mt: Sequence[float]

    @classmethod
    def of(cls, calibration: Calibration, columns: int, rows: int) -> Crosstalk:
        """Of an empty plate."""
        size = columns * rows
        cells = [divmod(index, columns) for index in range(size)]
        weak, strong_rows = (
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
        return cls((weak, strong_rows), (Magnet.NONE,) * size, [0.0] * size)

    def stand(self, index: int, magnet: Magnet) -> Crosstalk:
        """As it is once ``magnet`` is what stands at ``index``."""
        before, total_mt = self.standing[index], self.total_mt
        if magnet is before:
            return self
        for which, sign in ((before, -1.0), (magnet, 1.0)):
            if which is not Magnet.NONE:
                factor, row = sign * SIGN_OF[which], self.rows[which in STRONG_CLASSES][index]
                total_mt = [x + factor * k for x, k in zip(total_mt, row, strict=True)]
        standing = (*self.standing[:index], magnet, *self.standing[index + 1 :])
        return Crosstalk(self.rows, standing, total_mt)

    def removed(self, readings_mt: Sequence[float]) -> list[float]:
        """The readings without the neighbours."""
        return list(map(sub, readings_mt, self.total_mt))

    def share_mt(self, source: int, index: int) -> float:
        """What a strong south magnet at ``source`` adds to the sensor ``index``."""
        return self.rows[True][source][index]

    def adds_mt(self, magnet: Magnet, source: int, index: int) -> float:
        """What ``magnet``, which is one, at ``source`` adds to the sensor ``index``."""
        return SIGN_OF[magnet] * self.rows[magnet in STRONG_CLASSES][source][index]

    def resolved(self, readings_mt: Sequence[float]) -> Crosstalk:
        """With the strong magnets that are found among readings of which nothing is known."""
        now = self
        for _ in range(_ROUNDS):
            before, result = now, now.removed(readings_mt)
            now = before.updated(range(len(result)), result)
            if now is before:
                break
        return now

    def updated(self, places: Sequence[int], readings_mt: Sequence[float]) -> Crosstalk:
        """With what reads as strong radiating at once, before it is accepted."""
        result = self
        for index in places:
            reading, now = readings_mt[index], self.standing[index]
            kind = strong(reading)
            if abs(reading) >= STRONG_MT or (abs(reading) >= STRONG_STAYS_MT and now is kind):
                result = result.stand(index, kind)
            elif now in STRONG_CLASSES:
                result = result.stand(index, Magnet.NONE)
        return result


FOLLOW_S = 30.0
FOLLOW_MOST_MT = 0.25  # away from where the zero was last measured


class Zeros(Struct, frozen=True):
    """Each sensor's zero and gain. ``anchor_mt``: its zero as last measured; ``zeroed``: whether it
    was, or is a guess.
    """

    offset_mt: Sequence[float]
    anchor_mt: Sequence[float]
    gain: Sequence[float]
    zeroed: Sequence[bool]

    def removed(self, field_mt: Sequence[float]) -> list[float]:
        """One scan as calibrated readings."""
        known = zip(field_mt, self.offset_mt, self.gain, strict=True)
        return [(mt - zero) * gain for mt, zero, gain in known]

    def moved(self, by_mt: Mapping[int, float]) -> Zeros:
        """As the calibrated reading in ``by_mt`` is a sensor's zero; now that is known."""
        offset, anchor, zeroed = list(self.offset_mt), list(self.anchor_mt), list(self.zeroed)
        for index, mt in by_mt.items():
            offset[index] = anchor[index] = offset[index] + mt / self.gain[index]
            zeroed[index] = True
        return Zeros(offset, anchor, self.gain, zeroed)

    def followed(self, places: Iterable[int], readings_mt: Sequence[float], over_s: float) -> Zeros:
        """Empty ``places`` have read so for ``over_s``: their zeros follow, slowly and not far."""
        offset, anchor, gain = list(self.offset_mt), self.anchor_mt, self.gain
        share, most = over_s / FOLLOW_S, FOLLOW_MOST_MT
        for i in places:
            moved = offset[i] + share * readings_mt[i] / gain[i]
            off = moved - anchor[i]
            offset[i] = moved if -most <= off <= most else anchor[i] + (most if off > 0 else -most)
        return Zeros(offset, self.anchor_mt, self.gain, self.zeroed)


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


def first(
    reading: float, classes: frozenset[Magnet], hint: Magnet | None, *, zeroed: bool
) -> Start:
    """What stands on a place, by its average reading with the stored offset, neighbours removed.
    ``zeroed``: whether that offset was measured. ``hint``: what should stand there, None if that is
    not known.
    """
    if zeroed:
        magnet = classify(reading)
        if magnet is Magnet.NONE:
            return Start(magnet, reading if abs(reading) <= _DRIFT_MT else 0.0)
        return Start(magnet if magnet in STRONG_CLASSES | classes else Magnet.NONE, 0.0)
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

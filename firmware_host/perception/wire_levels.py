"""Two sensors that have taken each other's level: their wires have changed sides.

Zeros spread by 1 mT to either side, so that the sensor of an empty place is known by its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet

from firmware_host.perception import bands
from firmware_host.perception.blind import apart, around
from firmware_host.perception.field import WEAK
from firmware_host.perception.history import AVERAGED
from firmware_host.perception.observation import Magnet
from firmware_host.perception.watched import Watched

LEVEL_MT = 0.15  # two means of four scans of the same sensor differ by less
FELT_MT2 = 0.02  # halfway between two places a strong magnet adds 0.12 mT to each of four others
FROM_S, TO_S = 0.1, 0.2
# Squares of what two readings are off. Of a weak magnet that much off its middle a zero explains no
# more than half: what leaves less than the first has never been more than that and the second.
FITS_MT2 = 0.2
ODD_MT2 = 0.3
Pair = tuple[int, int]


def just_exchanged(watched: Watched, now_s: float, failed: Collection[int]) -> Pair | None:
    """Where two sensors of empty places have taken each other's level at once. With a weak magnet
    on one of them it could as well have been knocked to the other.
    """
    total = watched.crosstalk.total_mt
    for index, pending in watched.pending.items():
        if not FROM_S <= now_s - pending.since_s <= TO_S:
            continue
        if watched.crosstalk.standing != list(pending.rest_magnets):
            continue
        if watched.magnets[index] is not Magnet.NONE:
            continue
        before, now = (
            [watched.zeros.raw(i, r + t) for i, (r, t) in enumerate(zip(mt, total, strict=True))]
            for mt in (pending.rest_mt, watched.readings)
        )
        other = next(
            (
                i
                for i in range(len(now))
                if i not in failed
                and watched.magnets[i] is Magnet.NONE
                and abs(now[i] - before[index]) < LEVEL_MT
                and abs(now[index] - before[i]) < LEVEL_MT
                and abs(now[i] - before[i]) > 2 * LEVEL_MT
                and watched.agree(i, AVERAGED)
            ),
            None,
        )
        if other is None or other == index:
            continue
        ages = [_step_age(watched, i, pending.rest_mt[i] + total[i]) for i in (index, other)]
        if abs(ages[0] - ages[1]) <= 1:
            return index, other
    return None


def _step_age(watched: Watched, index: int, before_mt: float) -> int:
    """How many scans ago that sensor left the level ``before_mt`` for that of now. A piece that is
    pushed from place to place leaves the one before it comes to the other.
    """
    series = watched.history.series(index, len(watched.history))
    now_mt = sum(series[-AVERAGED:]) / AVERAGED
    age = 0
    for value in reversed(series):
        if abs(value - now_mt) > abs(value - before_mt):
            break
        age += 1
    return age


def exchanged_at_rest(watched: Watched, failed: Collection[int]) -> Pair | None:
    """Where two places read something that no piece there would be, and each nothing with the
    other's zero. A piece between two places beside each other could look like that: a strong one
    is felt around them, a weak one is not.
    """
    zeroed, history = watched.zeros.zeroed, watched.history
    odd = [
        i
        for i, reading in enumerate(watched.readings)
        if _is_odd(reading) and zeroed[i] and i not in failed and watched.agree(i, len(history))
    ]
    for one in odd:
        if one not in watched.pending:
            continue
        for other in odd:
            if apart(one, other, watched.profile.columns) <= 1 and (
                watched.classes & bands.WEAK_CLASSES or _is_felt_beside(watched, one, other)
            ):
                continue
            pair = (one, other), (other, one)
            if all(abs(as_other(watched, watched.readings, *p)) < LEVEL_MT for p in pair):
                return one, other
    return None


def _is_felt_beside(watched: Watched, one: int, other: int) -> bool:
    columns, rows = watched.profile.columns, watched.profile.rows
    near = {*around(one, columns, rows), *around(other, columns, rows)} - {one, other}
    free = [i for i in near if watched.crosstalk.standing[i] is Magnet.NONE]
    return sum(watched.readings[i] ** 2 for i in free) > FELT_MT2


def put_right(watched: Watched, wire: Sequence[int], failed: AbstractSet[int]) -> Pair | None:
    """Where two places that are read from each other's inputs read what hardly any piece would be,
    and each what it should with the other's zero. A single piece off its middle does not.
    """
    for one, other in enumerate(wire):
        if one >= other or wire[other] != one or not failed.isdisjoint((one, other)):
            continue
        pair = (one, other), (other, one)
        if not all(watched.agree(i, len(watched.history)) for i in pair[0]):
            continue
        now = sum(misfit_mt(watched, watched.readings[i]) ** 2 for i in pair[0])
        then = sum(misfit_mt(watched, as_other(watched, watched.readings, *p)) ** 2 for p in pair)
        if then < FITS_MT2 and now > then + ODD_MT2:
            return one, other
    return None


def misfit_mt(watched: Watched, reading_mt: float) -> float:
    """How far that reading is from those of an empty place and of a magnet in its middle; any
    large one is a strong magnet's.
    """
    size = abs(reading_mt)
    if size > bands.STRONG_STAYS_MT:
        return 0.0
    weak = bands.WEAK_CLASSES & watched.classes
    return min(size, abs(size - WEAK.centred_mt)) if weak else size


def exchanged_meanwhile(
    watched: Watched,
    mean_mt: Sequence[float],
    expected: Mapping[int, Magnet] | None,
    failed: Collection[int],
    wire: Sequence[int],
) -> Pair | None:
    """At the start, where two sensors have exchanged levels since the zeros were stored, as where
    somebody has put right what was allowed for. ``mean_mt``: calibrated, at rest; ``expected``:
    what should stand there; where that is unknown, weak magnets may be what looks like zeros;
    ``wire``: as it was.
    """
    if expected is None and watched.classes & bands.WEAK_CLASSES:
        return None
    readings = watched.crosstalk.resolve(mean_mt)
    hints = expected or {}

    def should(index: int) -> Magnet:
        return hints.get(index, Magnet.NONE)

    def fit(one: int, other: int) -> bool:
        """Whether what is read at one is what should stand at the other, by that one's zero."""
        reading = as_other(watched, readings, one, other)
        if should(other) is Magnet.NONE:
            return abs(reading) < LEVEL_MT
        return bands.classify(reading) is should(other)

    def is_missed(one: int, other: int) -> bool:
        """Whether something else is read at either than the journal knows of."""
        read = (bands.classify(readings[one]), bands.classify(readings[other]))
        return expected is not None and read != (should(one), should(other))

    def is_right(index: int) -> bool:
        """Whether what should stand there is read already: a weak magnet's reading is as large as
        zeros may differ.
        """
        if should(index) is Magnet.NONE:
            return not _is_odd(readings[index])
        return bands.classify(readings[index]) is should(index)

    places = [i for i, zeroed in enumerate(watched.zeros.zeroed) if zeroed and i not in failed]
    # What reads empty, but by another's zero: no piece that was knocked along does that.
    pairs = [(i, j) for i in places if _is_odd(readings[i]) for j in places if i != j]
    pairs += [(i, j) for i, j in enumerate(wire) if wire[j] == i != j and is_missed(i, j)]
    for one, other in pairs:
        if should(other) is not Magnet.NONE or not (fit(one, other) and fit(other, one)):
            continue
        if not (is_right(one) and is_right(other)):
            return one, other
    return None


def _is_odd(reading_mt: float) -> bool:
    return 2 * LEVEL_MT < abs(reading_mt) < bands.STRONG_STAYS_MT


def as_other(watched: Watched, readings_mt: Sequence[float], index: int, other: int) -> float:
    """The reading of ``index`` if it were the sensor of ``other``."""
    total = watched.crosstalk.total_mt
    reading = readings_mt[index] + total[index]
    return watched.zeros.read_as(index, reading, other) - total[other]

"""Where more than one piece stands on a place, from what the sensors around it feel change.

A piece put on another adds a tenth to what the sensor below reads; a push of half a millimetre may
do the same. But a magnet 15 mm higher up is felt otherwise by the sensors around, and a push leaves
their sum as it was. So what may have happened (a push, a piece put on top or taken off, a tower set
down) is weighed by how likely each makes that change, with offsets, strengths and what is common to
all sensors averaged over. Strong magnets on top are told so. Weak ones are felt by their own
sensor alone, and are there only perhaps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import exp, hypot, log, sqrt
from operator import add, mul
from typing import NamedTuple

from firmware_host.config.profile import Profile
from firmware_host.perception.distrust import around
from firmware_host.perception.field import DISC_OF, SIGN_OF, STRONG, WEAK, Disc, raised_mt
from firmware_host.perception.watched import Watched, hung_over
from firmware_host.table.sight import SURE, BoardEvent, Happening, Magnet, Stack
from games.base import PieceBody

BODY_MM = PieceBody().height_mm
MOST = 3  # pieces that are told from fewer; as many, or more
REACH = 2  # places each way
_LEAST = 0.001  # what is less likely is not weighed
_COMMON_MT = 0.1  # of all sensors: what the lights' current does to the ground
_STRENGTH = 0.09
_TOP_MM, _NUDGED_MM, _PUSHED_MM = 3.0, 0.7, 3.0  # sigmas, each way
_BENT_MM2 = 8.0  # of the squares of a push
_TOWER = 0.05  # how often a tower of each kind is set down as a whole
_EACH = 0.1  # how often each kind of piece is put on top, for one push
CELLS = tuple(
    cell for cell in product(range(-REACH, REACH + 1), repeat=2) if cell != (0, 0)
)  # rows and columns from a place to those around it


class Felt(NamedTuple):
    """A disc so high up, in mT: its own sensor; of those around, what they read, how that changes
    with each mm that the disc stands further east and north, and with the squares of those.
    """

    own: float
    reads: tuple[float, ...]
    slopes: tuple[tuple[float, ...], ...]
    bends: tuple[tuple[float, ...], ...]


class Case(NamedTuple):
    """What may have happened, after which there are so many ``pieces``. ``disc``: what came on
    level ``level`` (``factor`` 1, or -1 with the other pole) or went; None: at most a push.
    ``came``: what stands below came, too.
    """

    share: float
    pieces: int
    disc: Disc | None = None
    level: int = 0
    factor: float = 1.0
    came: bool = False


def cases(stood: Stack | None) -> Iterator[Case]:
    """What may have happened where that stood, None for nothing."""
    if stood is None:
        yield Case(1.0, 1, came=True)
        for top, factor in product((STRONG, WEAK), (1.0, -1.0)):
            yield Case(_TOWER, 2, top, 1, factor, came=True)
        return
    for pieces, share in ((1, 1 - stood.likely), (max(2, stood.pieces), stood.likely)):
        if share < _LEAST:
            continue
        yield Case(share, pieces)
        for top, factor in product((STRONG, WEAK), (1.0, -1.0)):
            # One more, or, with the other sign, one less of those above that are not counted
            yield Case(_EACH * share, min(pieces + 1, MOST), top, pieces, factor)
            if pieces > 1:
                yield Case(_EACH * share, pieces - 1, top, pieces - 1, -factor)


def likely(
    changes: Sequence[float],
    weights: Sequence[float],
    base: Felt,
    top: Felt | None,
    case: Case,
) -> float:
    """Log of the likelihood of ``changes`` around, in mT and as if a south pole faced the sensors,
    but for a constant.
    """
    rest = list(changes)
    unknown = [[_COMMON_MT] * len(rest)]
    if top is not None:
        rest = [mt - case.factor * felt for mt, felt in zip(rest, top.reads, strict=True)]
        unknown.append([_STRENGTH * mt for mt in top.reads])
        unknown += [[_TOP_MM * mt for mt in slope] for slope in top.slopes]
    if case.came:
        rest = [mt - felt for mt, felt in zip(rest, base.reads, strict=True)]
        unknown.append([_STRENGTH * mt for mt in base.reads])
    pushed = case.came or top is None
    off_mm = _PUSHED_MM if pushed else _NUDGED_MM
    unknown += [[off_mm * mt for mt in slope] for slope in base.slopes]
    if pushed:
        unknown += [[_BENT_MM2 * mt for mt in bend] for bend in base.bends]
    weighted = [[mt * weight for mt, weight in zip(each, weights, strict=True)] for each in unknown]
    matrix = [[sum(map(mul, one, other)) for other in unknown] for one in weighted]
    for number, line in enumerate(matrix):
        line[number] += 1.0
    along = [sum(map(mul, each, rest)) for each in weighted]
    squares = sum(weight * mt * mt for mt, weight in zip(rest, weights, strict=True))
    explained, logdet = _solved(matrix, along)
    return (explained - squares - logdet) / 2


def _solved(matrix: list[list[float]], right: Sequence[float]) -> tuple[float, float]:
    """The product b A^-1 b, and the log of A's determinant, by Cholesky's factors."""
    lower: list[list[float]] = []
    part: list[float] = []
    logdet = 0.0
    for number, line in enumerate(matrix):
        row: list[float] = []
        for column in range(number):
            row.append((line[column] - sum(map(mul, row, lower[column]))) / lower[column][column])
        pivot = sqrt(line[number] - sum(map(mul, row, row)))
        part.append((right[number] - sum(map(mul, row, part))) / pivot)
        lower.append([*row, pivot])
        logdet += 2 * log(pivot)
    return sum(map(mul, part, part)), logdet


def own_likely(change_mt: float, before_mt: float, top: Felt | None, case: Case) -> float:
    """Log of the likelihood of the own sensor's change; a push changes it by what it likes."""
    if top is None:
        usual_mt = 0.15 * abs(before_mt)
        return -abs(change_mt) / usual_mt - log(2 * usual_mt)
    sigma_mt = hypot(0.15 * top.own, 0.02 * before_mt, 0.03)
    off = (change_mt - case.factor * top.own) / sigma_mt
    return -off * off / 2 - log(sigma_mt * 2.5066)


@cache
def felt(disc: Disc, gap_mm: float, pitch_mm: float, level: int) -> Felt:
    """Of a south disc ``level`` bodies above the plate, over the middle of its place."""

    def mt(off_mm: float) -> float:
        return raised_mt(disc, gap_mm, level * BODY_MM, off_mm)

    step_mm = 0.5
    reads, east, north, bend_east, bend_north, bend_both = ([] for _ in range(6))
    for row, column in CELLS:
        x_mm, y_mm = column * pitch_mm, row * pitch_mm
        off_mm = hypot(x_mm, y_mm)
        here, nearer, farther = mt(off_mm), mt(off_mm - step_mm), mt(off_mm + step_mm)
        rise, bend = (farther - nearer) / 2 / step_mm, (nearer + farther - 2 * here) / step_mm**2
        x, y = x_mm / off_mm, y_mm / off_mm
        reads.append(here)
        east.append(-rise * x)
        north.append(-rise * y)
        bend_east.append((bend * x * x + rise / off_mm * y * y) / 2)
        bend_north.append((bend * y * y + rise / off_mm * x * x) / 2)
        bend_both.append((bend - rise / off_mm) * x * y)
    slopes = tuple(map(tuple, (east, north)))
    bends = tuple(map(tuple, (bend_east, bend_north, bend_both)))
    return Felt(mt(0.0), tuple(reads), slopes, bends)


_PERHAPS = 0.3
_AT_MOST = 0.95  # where it may be a weak magnet, which the sensors around hardly feel
_LOOKS = 10  # at rest, 0.16 s each: longer than a hand is near
_BEFORE = 6  # of them, the oldest; and the scans that their mean is as good as
_BEFORE_SCANS = 30
_AFTER_S = 0.8
_LEAST_MT, _LEAST_SIGMAS = 0.1, 1.5  # of a change that is looked into
_MODEL_MT = 0.008


@dataclass(slots=True)
class _Due:
    """A place whose reading has changed. ``before``: all sensors; ``stood``: what stood there then,
    None for nothing. ``last_mt``: its reading at the last look. ``sums``, ``scans``: since it
    rests. ``unusable``: sensors by which something else has changed.
    """

    magnet: Magnet
    stood: Stack | None
    before: list[float]
    last_mt: float
    sums: list[float]
    unusable: frozenset[int]
    scans: int = 0
    work: Iterator[Stack | None] | None = None


ONE, PERHAPS_MORE = Stack(1, 0.0), Stack(2, 0.5)


class Stacks:
    """``known``: places on which more than one piece stands, or perhaps does."""

    def __init__(self, profile: Profile, watched: Watched) -> None:
        self._profile, self._watched = profile, watched
        self._looks: deque[list[float]] = deque(maxlen=_LOOKS)
        self._due: dict[int, _Due] = {}
        self._near: dict[int, int] = {}  # sensors by which something came or went, for some looks
        self._stirred: dict[int, int] = {}  # places that were looked into, for some looks
        self.known: Mapping[int, Stack] = {}
        if profile.capabilities.measures:
            for disc, level in product((STRONG, WEAK), range(MOST + 1)):  # before the first scan
                felt(disc, profile.gap_mm, profile.pitch_mm, level)

    def accepted(self, changes: Mapping[int, tuple[Magnet, Magnet]], *, blind: bool) -> None:
        """Other magnets stand there now. ``blind``: nobody saw them come."""
        unseen = {i: PERHAPS_MORE for i, due in self._due.items() if due.stood is not None}
        self._due.clear()
        known = {**self.known, **unseen}
        self.known = {i: stack for i, stack in known.items() if i not in changes}
        rows, columns = self._profile.rows, self._profile.columns
        for index, (was, magnet) in changes.items():
            alone = len(changes) == 1 and was is Magnet.NONE and not blind
            if alone and magnet is not Magnet.NONE and self._looks:
                self._watch(index, magnet, None)
            self._near |= dict.fromkeys((index, *around(index, columns, rows)), _LOOKS)

    def interrupt(self) -> None:
        """The readings were interrupted, or the plate was not still: what was read before counts
        all the same, once it is at rest.
        """
        for due in self._due.values():
            due.scans, due.work = 0, None

    def look(self, failed: Collection[int], now_s: float, *, calm: bool) -> BoardEvent | None:
        """At rest, after each scan; ``calm``: and whether a reading has changed. What has come to
        be known.
        """
        if calm:
            self._notice(failed)
        for index, due in self._due.items():
            stack = self._followed(index, due, failed)
            if stack is not None:
                del self._due[index]
                self._looks.clear()  # what was before is no more
                return self._told(index, due, stack, now_s)
        return None

    def _notice(self, failed: Collection[int]) -> None:
        watched, rest = self._watched, self._watched.rest
        if self._looks:
            first, near = self._looks[0], self._near
            standing = [i for i, m in enumerate(watched.magnets) if m is not Magnet.NONE]
            for index in standing:
                off = abs(rest[index] - first[index])
                if off <= _LEAST_MT or index in near or index in failed or index in self._due:
                    continue
                if off > _LEAST_SIGMAS * watched.noise.sigma_mt(index):
                    self._watch(index, watched.magnets[index], self.known.get(index, ONE))
        self._looks.append(rest)
        self._near = _fewer(self._near)
        self._stirred = _fewer(self._stirred)

    def _watch(self, index: int, magnet: Magnet, stood: Stack | None) -> None:
        oldest = list(self._looks)[:_BEFORE]
        before = [sum(column) / len(oldest) for column in zip(*oldest, strict=True)]
        if stood is None and hung_over(before, index, magnet):
            return
        last_mt, zeros = self._watched.readings[index], [0.0] * len(before)
        near = frozenset(self._near)
        self._due[index] = _Due(magnet, stood, before, last_mt, zeros, near)
        self._stirred[index] = _LOOKS

    def _followed(self, index: int, due: _Due, failed: Collection[int]) -> Stack | None:
        """One scan more, or one case more weighed."""
        if due.work is not None:
            return next(due.work)
        watched = self._watched
        readings = watched.readings
        sigma_mt = watched.noise.sigma_mt(index)
        if abs(readings[index] - due.last_mt) > _LEAST_MT / 2 + 2 * sigma_mt:
            due.last_mt, due.scans = readings[index], 0
        due.sums = list(map(add, due.sums, readings)) if due.scans else list(readings)
        due.scans += 1
        if due.scans >= watched.scans(_AFTER_S):
            due.work = self._weighed(index, due, failed)
        return None

    def _told(self, index: int, due: _Due, stack: Stack, now_s: float) -> BoardEvent | None:
        self.known = {i: known for i, known in self.known.items() if i != index}
        if stack.likely > _PERHAPS:
            self.known = {**self.known, index: stack}
        before = 1 if due.stood is None else due.stood.pieces
        if stack.pieces > before and stack.sure:
            return BoardEvent(now_s, Happening.STACKED, (index,), (due.magnet,))
        if due.stood is not None and due.stood.sure and stack.pieces < before:
            return BoardEvent(now_s, Happening.UNSTACKED, (index,), (due.magnet,))
        return None

    def _weighed(self, index: int, due: _Due, failed: Collection[int]) -> Iterator[Stack | None]:
        """None for each case that has been looked at, and at last what stands there."""
        watched, profile = self._watched, self._profile
        sign, row, column = SIGN_OF[due.magnet], *divmod(index, profile.columns)
        changes, weights = [], []
        scans = 1 / due.scans + 1 / _BEFORE_SCANS
        stirred = [each for each in self._stirred if each != index]
        unusable = {*failed, *due.unusable, *stirred}
        unusable.update(*(around(each, profile.columns, profile.rows) for each in stirred))
        for up, right in CELLS:
            sensor = (row + up) * profile.columns + column + right
            there = 0 <= row + up < profile.rows and 0 <= column + right < profile.columns
            if not there or sensor in unusable:
                changes.append(0.0)
                weights.append(0.0)
                continue
            came = 0.0 if due.stood else watched.crosstalk.adds_mt(due.magnet, index, sensor)
            changes.append(sign * (due.sums[sensor] / due.scans - due.before[sensor] + came))
            noise_mt = watched.noise.sigma_mt(sensor)
            weights.append(1 / (noise_mt * noise_mt * scans + _MODEL_MT * _MODEL_MT))
        before_mt = sign * due.before[index]
        own_mt = sign * due.sums[index] / due.scans - before_mt
        gap_mm, pitch_mm = profile.gap_mm, profile.pitch_mm
        base = felt(DISC_OF[due.magnet], gap_mm, pitch_mm, 0)
        found: list[tuple[float, int, bool]] = []
        for case in cases(due.stood):
            top = None if case.disc is None else felt(case.disc, gap_mm, pitch_mm, case.level)
            evidence = likely(changes, weights, base, top, case)
            if due.stood is not None:
                evidence += own_likely(own_mt, before_mt, top, case)
            found.append((log(case.share) + evidence, case.pieces, case.disc is not WEAK))
            yield None
        most = max(each for each, *_ in found)
        shares: dict[int, float] = {}
        felt_above = 0.0
        for each, pieces, told in found:
            share = exp(each - most)
            shares[pieces] = shares.get(pieces, 0.0) + share
            felt_above += share if told and pieces > 1 else 0.0
        total = sum(shares.values())
        pieces = max(shares, key=shares.__getitem__)
        likely_more = 1 - shares.get(1, 0.0) / total
        if felt_above < SURE * total:
            likely_more = min(likely_more, _AT_MOST)
        yield Stack(pieces, likely_more)


def _fewer(looks: Mapping[int, int]) -> dict[int, int]:
    return {index: left - 1 for index, left in looks.items() if left > 1}

"""How likely something makes what the sensors around a place were seen to change by.

Everything is linear in what is not known (offsets, strengths, what is common to all sensors), and
that is normal, so that it can be averaged over exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from math import hypot, log, sqrt
from operator import mul
from typing import NamedTuple

from firmware_host.perception.field import STRONG, WEAK, Disc, raised_mt
from firmware_host.table.sight import Stack
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

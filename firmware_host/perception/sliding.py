"""Where a sliding piece is at one scan, from a few sensors and from where it should be by now."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from math import hypot, inf, sqrt
from typing import NamedTuple

from firmware_host.perception.field import Disc, field_mt

FIRST_MM, _FIRST_MM_S = 3.0, 500.0  # sigmas of place and speed when it begins
_PUSH_MM_S2 = 7000.0  # friction stops it with 4 m/s2, what it meets with more
_REACH_MM, _STEP_MM = 130.0, 0.5  # of the table of the field
_SHARE = 0.12  # of a reading that strength, gap and a lean leave unknown: HARDWARE
_ROUNDS, _MOST_MM, _LEAST_MM = 3, 8.0, 0.2  # steps, how far each goes at most, and the last
_SURPRISE = 20.0  # what being elsewhere than expected counts at most, in squares of sigmas
_SEARCH_MM, _SEARCH_STEP_MM = 21, 7
_UNLIKELY = (
    60.0  # of squares of sigmas: a point that costs so much more than another is not looked at
)
OTHER_MM = 6.0  # between two places that are two
_LIKELIER = 25.0  # of squares of sigmas, what one sensor may say at most in one scan


class Axis(NamedTuple):
    """Where it is along one axis, in mm, and how fast, in mm/s; with variances and covariance."""

    at: float
    speed: float = 0.0
    var: float = FIRST_MM**2
    both: float = 0.0
    speed_var: float = _FIRST_MM_S**2

    def later(self, after_s: float) -> Axis:
        """Where it should be by now."""
        pushed = (_PUSH_MM_S2 * after_s) ** 2
        return Axis(
            self.at + self.speed * after_s,
            self.speed,
            self.var + (2 * self.both + (self.speed_var + pushed / 4) * after_s) * after_s,
            self.both + (self.speed_var + pushed / 2) * after_s,
            self.speed_var + pushed,
        )

    def seen(self, at: float, var: float) -> Axis:
        """It is there, with what was expected taken into account."""
        share = self.both / self.var
        return Axis(
            at,
            self.speed + share * (at - self.at),
            var,
            share * var,
            max(1.0, self.speed_var - share * self.both * (1 - var / self.var)),
        )


class Fit(NamedTuple):
    """``cost``: squares of what is left over, in sigmas. ``sigma``: of the worst direction."""

    cost: float
    x: float
    y: float
    var_x: float
    var_y: float
    sigma: float


class Read(NamedTuple):
    """What a sensor at ``x``, ``y`` reads of the piece, in mT, and the variance of that."""

    sensor: int
    x: float
    y: float
    mt: float
    var: float


class Fitting(NamedTuple):
    """``table``: as of ``table_of``; ``factor``: strength and sign of the piece. ``east``,
    ``north``: where it should be. ``blur_mm``: so far from where it is its field may
    be met: all that a sensor says where the field changes sign.
    """

    table: Sequence[float]
    factor: float
    reads: Sequence[Read]
    east: Axis
    north: Axis
    blur_mm: float

    def fitted(self, start: tuple[float, float]) -> Fit:
        """Gauss and Newton's steps from there."""
        x, y = start
        table, factor, blur_mm = self.table, self.factor, self.blur_mm
        east, north = self.east, self.north
        last = len(table) - 2  # nothing is felt from there on
        for _ in range(_ROUNDS):
            xx, yy, xy = 1 / east.var, 1 / north.var, 0.0
            along_x, along_y = (east.at - x) * xx, (north.at - y) * yy
            for _, at_x, at_y, mt, var in self.reads:
                by_x, by_y = x - at_x, y - at_y
                off = hypot(by_x, by_y) + 1e-6
                step = int(off / _STEP_MM)
                step = min(step, last)
                here = table[step]
                rise = factor * (table[step + 1] - here) / _STEP_MM
                felt = factor * here + rise * (off - step * _STEP_MM)
                unsure, blur = _SHARE * felt, rise * blur_mm
                weight = rise / ((var + unsure * unsure + blur * blur) * off)
                pull, steep = weight * (mt - felt), weight * rise
                steep_x = steep * (by_x / off)
                xx += steep_x * by_x
                yy += steep * (by_y / off) * by_y
                xy += steep_x * by_y
                along_x += pull * by_x
                along_y += pull * by_y
            det = xx * yy - xy * xy
            step_x, step_y = (
                (yy * along_x - xy * along_y) / det,
                (xx * along_y - xy * along_x) / det,
            )
            step_mm = hypot(step_x, step_y)
            far = max(1.0, step_mm / _MOST_MM)
            x, y = x + step_x / far, y + step_y / far
            if step_mm < _LEAST_MM:
                break
        worst = 2 / (xx + yy - hypot(xx - yy, 2 * xy))
        return Fit(self._cost(x, y), x, y, yy / det, xx / det, sqrt(worst))

    def _cost(self, x: float, y: float) -> float:
        """Squares of all that is off, in sigmas: of the readings, and of where it should be."""
        off = (x - self.east.at) ** 2 / self.east.var + (y - self.north.at) ** 2 / self.north.var
        total, table, factor = min(off, _SURPRISE), self.table, self.factor
        last, blur_steps = len(table) - 2, self.blur_mm / _STEP_MM
        for _, at_x, at_y, mt, var in self.reads:
            off = hypot(at_x - x, at_y - y) / _STEP_MM
            step = min(int(off), last)
            here = table[step]
            rise = factor * (table[step + 1] - here)
            felt = factor * here + rise * (off - step)
            unsure, blur, more = _SHARE * felt, rise * blur_steps, mt - felt
            total += more * more / (var + unsure * unsure + blur * blur)
        return total

    def searched(self) -> list[tuple[float, float]]:
        """Of points around where it should be the likeliest, and the likeliest not beside it, if
        that is at all likely.
        """
        reach = range(-_SEARCH_MM, _SEARCH_MM + 1, _SEARCH_STEP_MM)
        east, north, table, factor = self.east, self.north, self.table, self.factor
        last = len(table) - 2  # nothing is felt there: a piece that flies off may be far away
        grid = factor * _SEARCH_STEP_MM / 2 / _STEP_MM
        reads = sorted(self.reads, key=lambda read: -abs(read.mt))
        costs, most = [], inf
        for x, y in product(reach, reach):
            cost = min(x * x / east.var + y * y / north.var, _SURPRISE)
            x_mm, y_mm = x + east.at, y + north.at
            for _, at_x, at_y, mt, var in reads:
                step = min(int(hypot(at_x - x_mm, at_y - y_mm) / _STEP_MM), last)
                here = table[step]
                felt, blur = factor * here, grid * (table[step + 1] - here)
                unsure = _SHARE * felt
                cost += (mt - felt) ** 2 / (var + unsure * unsure + blur * blur)
                if cost > most:
                    break
            else:
                costs.append((cost, x_mm, y_mm))
                most = min(most, cost + _UNLIKELY)
        best = min(costs)[1:]
        away = 2 * OTHER_MM
        others = (each for each in costs if hypot(each[1] - best[0], each[2] - best[1]) > away)
        return [best, *(other[1:] for other in [min(others, default=None)] if other)]

    def likelier(self, x: float, y: float, own: int) -> tuple[float, float]:
        """Log of how much likelier what is read is with the piece there than without it; and what
        the sensor ``own`` says of that.
        """
        total = by_own = 0.0
        for sensor, at_x, at_y, mt, var in self.reads:
            felt = self.factor * reads_mt(self.table, hypot(at_x - x, at_y - y))
            square = var + (_SHARE * felt) ** 2
            without = min(_LIKELIER, mt * mt / square)
            more = (without - min(_LIKELIER, (mt - felt) ** 2 / square)) / 2
            total += more
            by_own += more if sensor == own else 0.0
        return total, by_own


@cache
def table_of(disc: Disc, gap_mm: float) -> tuple[float, ...]:
    """Of a south disc, in mT, for every half millimetre away; beyond its reach nothing."""
    steps = int(_REACH_MM / _STEP_MM) + 2
    return (*(field_mt(disc, gap_mm, _STEP_MM * step) for step in range(steps)), *[0.0] * 500)


def reads_mt(table: Sequence[float], off_mm: float) -> float:
    """So far away, in mT."""
    step = int(off_mm / _STEP_MM)
    if step + 1 >= len(table):
        return 0.0
    here = table[step]
    return here + (table[step + 1] - here) / _STEP_MM * (off_mm - step * _STEP_MM)

"""Pieces that slide, followed from scan to scan: where each is, and how far that may be wrong.

A piece begins to be followed as soon as its sensor reads something else. What all sensors read
without it is known from when it stood; its strength, too. So each scan gives its place by a few
steps of least squares from where it should be by now. It counts as sliding once the sensors that it
comes over say so: a piece that is lifted is missed by its own, and felt by no other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from math import dist, exp, hypot, inf, sqrt
from operator import add, sub
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tiltboard.firmware_host.perception.bands import STRONG_CLASSES
from tiltboard.firmware_host.perception.field import DISC_OF, SIGN_OF, Disc, field_mt
from tiltboard.firmware_host.perception.state import PlateState, nearby
from tiltboard.firmware_host.table.sight import Magnet, Position, Track

FIRST_MM, _FIRST_MM_S = 3.0, 500.0  # sigmas of place and speed when it begins
_PUSH_MM_S2 = 7000.0  # friction stops it with 4 m/s2, what it meets with more
_REACH_MM, _STEP_MM = 130.0, 0.5  # of the table of the field
_SHARE = 0.12  # of a reading that strength, gap and a lean leave unknown: HARDWARE
_ROUNDS, _MOST_MM, _LEAST_MM = 3, 8.0, 0.2  # steps, how far each goes at most, and the last
_SURPRISE = 20.0  # what being elsewhere than expected counts at most, in squares of sigmas
_SEARCH_MM, _SEARCH_STEP_MM = 21, 7
_UNLIKELY = 60.0  # squares of sigmas; a point that costs so much more than another is left out
OTHER_MM = 6.0  # between two places that are two
_LIKELIER = 25.0  # of squares of sigmas, what one sensor may say at most in one scan


class Axis(NamedTuple):
    """Where it is along one axis, in mm, and how fast, in mm/s; with variances and covariance."""

    at: float
    speed: float = 0.0
    var: float = FIRST_MM**2
    both: float = 0.0
    speed_var: float = _FIRST_MM_S**2

    def predicted(self, after_s: float) -> Axis:
        """Where it should be by now."""
        pushed = (_PUSH_MM_S2 * after_s) ** 2
        return Axis(
            self.at + self.speed * after_s,
            self.speed,
            self.var + (2 * self.both + (self.speed_var + pushed / 4) * after_s) * after_s,
            self.both + (self.speed_var + pushed / 2) * after_s,
            self.speed_var + pushed,
        )

    def updated(self, at: float, var: float) -> Axis:
        """The axis after a measurement, weighed against what was expected (Kalman)."""
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
            step_x = (yy * along_x - xy * along_y) / det
            step_y = (xx * along_y - xy * along_x) / det
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
    """The field of a south disc in mT, for every half millimetre away as far as it reaches."""
    steps = int(_REACH_MM / _STEP_MM) + 2
    return (*(field_mt(disc, gap_mm, _STEP_MM * step) for step in range(steps)), *[0.0] * 500)


def reads_mt(table: Sequence[float], off_mm: float) -> float:
    """What a sensor reads of a magnet so far away, in mT, from a table of it."""
    step = int(off_mm / _STEP_MM)
    if step + 1 >= len(table):
        return 0.0
    here = table[step]
    return here + (table[step + 1] - here) / _STEP_MM * (off_mm - step * _STEP_MM)


MOST = 6  # at once: more than slide by themselves
_LOOKS, _BEGINS = 3, 2  # in one scan: what it has time for
_AROUND, _LOUD, _FELT = 1, 2, 3  # places each way: what tells of a piece, has it, feels it
_MOVED_MT = {True: 0.8, False: 0.5}  # of a strong one's own reading, of a weak one's
_ZERO_MT = 0.05  # of the background that is unknown
_SKEW_S = 0.0015  # between the readings of one scan: plate-10 takes 4.3 ms for it
# Where the field changes sign, a gap 0.5 mm off moves that by 0.7 mm; a piece that leans by 4
# degrees, as 5 of 100 do that are flicked, by 1.4.
_LEANS_MM = 1.5
_BAD = 15.0  # a cost beyond which it is looked for all around
_BESIDE_MT = 6.0
_NARROW_MM = 3.5  # sigma of where it should be: there is no other place to think of
_DARK_MT = 1.0  # all sensors around read less: more than one place may explain it
_JUMP_MM = 25.0  # from where it should be: looked at again
_SURE, _LOST = 15.0, -8.0  # log of how much likelier it is there than nowhere
_DECIDED_S = 0.6
_LOST_MM = 30.0  # sigma, after which it may be anywhere
_TOLD_MM = 35.0  # the widest circle that is told
_CIRCLE = 2.45  # sigmas, which hold 95 of 100 in a plane
_REST_SCANS, _REST_MM = 12, 1.5
_DRAWN_MM, _DRAWN_SIGMA_MM = 4.0, 5.0  # between points of a path, and of each
_UNFELT_S = 0.6  # at rest, without a field that only it explains: it is not there
_FELT_LIKELY = 4.0  # log of how much likelier what is read is with it than without
_PATH = 120


class Slide(Struct, frozen=True):
    """One piece that is followed. ``index``: the place that it left. ``east``, ``north``: of the
    middle of the plate. ``table``, ``factor``: as of Fitting. ``said``: by the sensors of other
    places, log of how much likelier it is there than nowhere, and ``lately``. ``felt_s``: when its
    field was last read beside what stands on places. ``last``: where it was in the last scans.
    """

    number: int
    index: int
    magnet: Magnet
    table: Sequence[float]
    factor: float
    since_s: float
    felt_s: float
    east: Axis
    north: Axis
    path: tuple[tuple[float, float], ...]
    sigma: float = FIRST_MM
    said: float = 0.0
    lately: float = 0.0
    shown: bool = False
    last: tuple[tuple[float, float], ...] = ()

    @property
    def rests(self) -> bool:
        """Whether the piece has not moved lately by more than the scans' noise."""
        if len(self.last) < _REST_SCANS:
            return False
        x, y = zip(*self.last, strict=True)
        half = _REST_SCANS // 2
        off = (sum(each[half:]) - sum(each[:half]) for each in (x, y))
        return hypot(*off) / half < _REST_MM + self.sigma

    @property
    def at(self) -> tuple[float, float]:
        """Where the piece is; at rest, by the last scans together."""
        if not self.rests:
            return self.east.at, self.north.at
        x, y = (sum(each) / len(self.last) for each in zip(*self.last, strict=True))
        return x, y

    @property
    def within_mm(self) -> float:
        """The radius that holds it in 95 of 100 cases."""
        return _CIRCLE * self.sigma

    def later(self, after_s: float) -> Slide:
        """A scan later that nobody has looked at: where it should be by now, less surely."""
        east, north = self.east.predicted(after_s), self.north.predicted(after_s)
        return replace(self, east=east, north=north, sigma=sqrt(max(east.var, north.var)))

    def reads_mt(self, x: float, y: float) -> float:
        """What a sensor there reads of it."""
        return self.factor * reads_mt(self.table, hypot(x - self.east.at, y - self.north.at))


class Slides(Struct, frozen=True):
    """The pieces that slide, or have slid to between places: ``live``, and of these what is told.
    ``full_mt``: what all sensors read at the last rest, ``rest_mt`` without what others add, and
    ``without_mt`` without the pieces that are followed. ``armed``: pieces that stand, and the
    change in mT that makes one followed. ``count``: of all that were.
    """

    live: tuple[Slide, ...] = ()
    told: tuple[Track, ...] = ()
    full_mt: Sequence[float] = ()
    rest_mt: Sequence[float] = ()
    without_mt: Sequence[float] = ()
    armed: Sequence[tuple[int, float]] = ()
    count: int = 0

    @property
    def moving(self) -> bool:
        """Whether a piece is followed that has not come to rest: that takes the scan's time."""
        return any(not slide.rests for slide in self.live)


def slid(state: PlateState) -> Mapping[int, int | None]:
    """Place that was left -> place on which the piece is by now, as far as it is on one."""
    return {each.index: _place(state, each) for each in state.slides.live if each.shown}


def armed(state: PlateState) -> PlateState:
    """Now and then, while nothing moves: what is read is remembered."""
    if state.slides.moving:
        return state
    standing = [
        (index, _MOVED_MT[magnet in STRONG_CLASSES])
        for index, magnet in enumerate(state.magnets)
        if magnet is not Magnet.NONE and index not in state.health.masked
    ]
    full_mt = list(map(add, state.rest, state.crosstalk.total_mt))
    slides = replace(state.slides, full_mt=full_mt, rest_mt=state.rest, armed=standing)
    return replace(state, slides=slides)


def followed(state: PlateState, scan_mt: Sequence[float], *, still: bool) -> PlateState:
    """After a look at one scan, neighbours and all. Where a piece that was followed came to rest on
    a place, it stands there.
    """
    slides, full = state.slides, state.slides.full_mt
    moved = [i for i, most_mt in slides.armed if abs(scan_mt[i] - full[i]) > most_mt]
    for index in moved[:_BEGINS]:
        slides = _begun(state, slides, index)
    if not slides.live:
        return state if slides is state.slides else replace(state, slides=slides)
    left = list(map(sub, scan_mt, slides.without_mt))
    common = sorted(left)[len(left) // 2]
    live, may_search = list(slides.live), True
    for at, slide in enumerate(live[:_LOOKS]):
        others = live[:at] + live[at + 1 :]
        live[at], searched = _found(state, slide, others, left, common, may_search=may_search)
        may_search = may_search and not searched
    coasting = [slide.later(1 / state.scans_per_s) for slide in live[_LOOKS:]]
    live = _felt(state, coasting + live[:_LOOKS], scan_mt, still=still)  # the others' turn
    going_on, standing = [], state.standing
    for slide in live:
        if _is_over(slide, state.now_s):
            continue
        place = _place(state, slide) if slide.shown and still and slide.rests else None
        if place is None or state.magnets[place] is not slide.magnet:
            going_on.append(slide)
        else:
            east, north = map(sub, slide.at, state.layout.centres_mm[place])
            at_mm = Position(east, north, slide.within_mm)
            standing = standing.arrived(place, at_mm, state.rest[place])
    told = tuple(
        Track(one.number, one.index, one.magnet, *one.at, one.within_mm, not one.rests, one.path)
        for one in going_on
        if one.shown and one.within_mm < _TOLD_MM
    )
    slides = replace(slides, live=tuple(going_on), told=told)
    return replace(state, slides=slides, standing=standing)


def _begun(state: PlateState, slides: Slides, index: int) -> Slides:
    """With the piece followed that stood on that place."""
    layout, magnet = state.layout, state.magnets[index]
    slides = replace(slides, armed=[each for each in slides.armed if each[0] != index])
    if magnet is Magnet.NONE or len(slides.live) >= MOST:
        return slides
    east, north, _ = state.standing.known.get(index, (0.0, 0.0, 0.0))
    centre_x, centre_y = layout.centres_mm[index]
    x, y = centre_x + east, centre_y + north
    table, sign = table_of(DISC_OF[magnet], layout.profile.gap_mm), SIGN_OF[magnet]
    per_mt = sign * reads_mt(table, hypot(east, north))
    factor = sign * min(1.2, max(0.8, slides.rest_mt[index] / per_mt))
    count, now_s = slides.count + 1, state.now_s
    slide = Slide(count, index, magnet, table, factor, now_s, now_s, Axis(x), Axis(y), ((x, y),))
    without_mt = list(slides.without_mt if slides.live else slides.full_mt)
    for sensor in _near(state, x, y, _FELT):
        without_mt[sensor] -= slide.reads_mt(*layout.centres_mm[sensor])
    return replace(slides, live=(*slides.live, slide), without_mt=without_mt, count=count)


def _found(
    state: PlateState,
    slide: Slide,
    others: Sequence[Slide],
    left: Sequence[float],
    common: float,
    *,
    may_search: bool,
) -> tuple[Slide, bool]:
    """One slide after one scan; and whether it was looked for all around. ``left``: what is read
    beyond the background, of which all have ``common``.
    """
    coasting = slide.later(1 / state.scans_per_s)
    east, north = coasting.east, coasting.north
    there = east.at, north.at
    centres, sign = state.layout.centres_mm, SIGN_OF[slide.magnet]
    # The sensor not far off that feels most of its pole
    near = [(sign * (left[each] - common), each) for each in _near(state, *there, _LOUD)]
    loud = max(near)[1] if near else slide.index
    elsewhere = centres[loud]
    sensors, starts = _near(state, *there, _AROUND), [there]
    if dist(elsewhere, there) > _JUMP_MM:
        sensors = [*{*sensors, *_near(state, *elsewhere, _AROUND)}]
        starts.append(elsewhere)
    reads = [_read(state, each, left[each] - common, others) for each in sensors]
    blur_mm = hypot(_LEANS_MM, _SKEW_S * hypot(east.speed, north.speed))
    fitting = Fitting(slide.table, slide.factor, reads, east, north, blur_mm)
    felt_mt, searched = left[loud] * sign, False
    wide = max(east.var, north.var) >= _NARROW_MM**2
    if wide and felt_mt < _DARK_MT:
        if not may_search:
            return coasting, False
        searched = True
        starts += fitting.searched()
    elif wide and felt_mt < _BESIDE_MT:  # all around that sensor others hardly tell
        x, y = there[0] - elsewhere[0], there[1] - elsewhere[1]
        starts += [(elsewhere[0] + e, elsewhere[1] + n) for e, n in ((-x, -y), (-y, x), (y, -x))]
    fits = sorted(map(fitting.fitted, starts))
    if fits[0].cost > _BAD and may_search and not searched:
        searched = True
        fits = sorted([*fits, *map(fitting.fitted, fitting.searched())])
    found, unsure = fits[0], 0.0
    for other in fits[1:]:
        apart = hypot(other.x - found.x, other.y - found.y)
        if apart > OTHER_MM:
            unsure = max(unsure, exp((found.cost - other.cost) / 2) * apart * apart)
    at, path = (found.x, found.y), slide.path
    everywhere, own = fitting.likelier(*at, slide.index)
    slide = replace(
        slide,
        east=east.updated(found.x, found.var_x + unsure / 2),
        north=north.updated(found.y, found.var_y + unsure / 2),
        sigma=sqrt(found.sigma**2 + unsure),
        said=slide.said + everywhere - own,
        lately=slide.lately + (everywhere - slide.lately) * 0.2,
        last=(*slide.last, at)[-_REST_SCANS:],
    )
    if slide.rests:
        path = (slide.at,)
    elif dist(at, path[-1]) > _DRAWN_MM and slide.sigma < _DRAWN_SIGMA_MM:
        path = (*path, at)[-_PATH:]
    return replace(slide, path=path, shown=slide.shown or slide.said > _SURE), searched


def _felt(
    state: PlateState, live: Sequence[Slide], scan_mt: Sequence[float], *, still: bool
) -> list[Slide]:
    """Note which have a residual of their own: a field beyond that of the pieces that stand on
    places now and of surer tracks. What stands on a plate that is not still is not known: there any
    field will do.
    """
    magnets, standing_mt = state.magnets, state.crosstalk.total_mt
    felt: list[Slide] = []
    for slide in sorted(live, key=lambda each: -each.said):
        x, y = slide.east.at, slide.north.at
        reads = [
            _read(state, sensor, scan_mt[sensor] - still * standing_mt[sensor], felt)
            for sensor in _near(state, x, y, _AROUND)
            if magnets[sensor] is Magnet.NONE or not still
        ]
        fitting = Fitting(slide.table, slide.factor, reads, slide.east, slide.north, _LEANS_MM)
        if fitting.likelier(x, y, slide.index)[0] > _FELT_LIKELY:
            felt.append(slide)
    numbers = {slide.number for slide in felt}
    return [
        replace(slide, felt_s=state.now_s) if slide.number in numbers else slide for slide in live
    ]


def _is_over(slide: Slide, now_s: float) -> bool:
    """Whether it is lost, or was none."""
    if slide.sigma > _LOST_MM or now_s - slide.felt_s > _UNFELT_S:
        return True
    if slide.shown:
        return slide.lately < _LOST / 4
    return slide.said < _LOST or now_s - slide.since_s > _DECIDED_S


def _read(state: PlateState, sensor: int, mt: float, others: Sequence[Slide]) -> Read:
    x, y = state.layout.centres_mm[sensor]
    if others:
        mt -= sum([each.reads_mt(x, y) for each in others])
    sigma_mt = state.noise.sigma_mt(sensor)
    return Read(sensor, x, y, mt, sigma_mt * sigma_mt + _ZERO_MT * _ZERO_MT)


def _near(state: PlateState, x: float, y: float, reach: int) -> Sequence[int]:
    """The sensors of the place nearest to that point, and so many around it each way."""
    profile = state.layout.profile
    row = round(y / profile.pitch_mm + (profile.rows - 1) / 2)
    column = round(x / profile.pitch_mm + (profile.columns - 1) / 2)
    return nearby(row, column, reach, profile.rows, profile.columns)


def _place(state: PlateState, slide: Slide) -> int | None:
    """The place on which the piece stands; None between places."""
    half_mm = state.layout.profile.pitch_mm / 2
    there = slide.east.at, slide.north.at
    for sensor in _near(state, *there, _AROUND):
        x, y = state.layout.centres_mm[sensor]
        if max(abs(x - there[0]), abs(y - there[1])) <= half_mm:
            return sensor
    return None

"""Whether what has changed has come to rest, as what, and what a person did: the patience that slow
hands need.

Between places a strong magnet is nearly invisible to the nearest sensors, but from 20 mm away on,
the others read its return field. In the hand they read nothing, or a little of its own pole.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product
from math import hypot, sqrt
from operator import mul
from typing import NamedTuple

from msgspec.structs import replace

from tiltboard.firmware_host.perception.bands import WEAK_CLASSES, classify
from tiltboard.firmware_host.perception.field import SIGN_OF, STRONG, reads_mt, table_of
from tiltboard.firmware_host.perception.scan_history import (
    AVERAGED,
    LONGEST_SEEN_S,
    Pending,
    PlateState,
)
from tiltboard.firmware_host.perception.sensor_monitor import is_noisy
from tiltboard.firmware_host.table.sight import BoardEvent, Happening, Magnet

_NEAR_MM = 20.0  # inside, the reading depends on millimetres
_REACH = 2  # places each way that are compared
_STEP_MM = 5.0
_STEPS = 5
_LEFT_MM = 7.0  # nearer to the middle it has not left its place

_AROUND = tuple(
    cell for cell in product(range(-_REACH, _REACH + 1), repeat=2) if cell != (0, 0)
)  # rows and columns from a place to those around it


class _Template(NamedTuple):
    """A strong south magnet lying at one point: what the places around read of it, half the square
    of each, and of all.
    """

    expected: tuple[float, ...]
    squares: tuple[float, ...]
    total: float


@cache
def templates_of(gap_mm: float, pitch_mm: float) -> tuple[_Template, ...]:
    """Of all points within reach, the weakest first."""
    steps = [_STEP_MM * i for i in range(-_STEPS, _STEPS + 1)]
    found, table = [], table_of(STRONG, gap_mm)
    for x, y in product(steps, steps):
        if hypot(x, y) > _LEFT_MM:
            offs = [hypot(column * pitch_mm - x, row * pitch_mm - y) for row, column in _AROUND]
            expected = tuple(reads_mt(table, off) * (off >= _NEAR_MM) for off in offs)
            squares = tuple(mt * mt / 2 for mt in expected)
            found.append(_Template(expected, squares, sum(squares)))
    return tuple(sorted(found, key=lambda template: template.total))


def understand(state: PlateState, verdicts: Mapping[int, Magnet]) -> tuple[BoardEvent, ...]:
    """Explain by events why what stands in ``state`` becomes what ``verdicts`` say of places."""
    now_s, before = state.now_s, state.magnets
    if len(verdicts) >= 3:
        places = tuple(sorted(verdicts))
        after = tuple(verdicts[i] for i in places)
        return (BoardEvent(now_s, Happening.KNOCKED, places, after),)
    # What was lifted comes first: the same hand may have put it down again.
    order = tuple(sorted(verdicts, key=lambda i: (verdicts[i] is not Magnet.NONE, i)))
    if len(order) == 2 and _is_slide(state, *order, verdicts):
        after = Magnet.NONE, verdicts[order[1]]
        return (BoardEvent(now_s, Happening.SLID, order, after),)
    events = []
    for index in order:
        happening = Happening.REPLACED
        if before[index] is Magnet.NONE:
            happening = Happening.PLACED
        elif verdicts[index] is Magnet.NONE:
            happening = Happening.LIFTED
        events.append(BoardEvent(now_s, happening, (index,), (verdicts[index],)))
    return tuple(events)


def _is_slide(state: PlateState, source: int, target: int, verdicts: Mapping[int, Magnet]) -> bool:
    """Whether one piece went from ``source`` to ``target`` without leaving the plate: over
    neighbouring places over which something moved, or while the plate could not be read.
    """
    before = state.magnets
    if before[source] is not verdicts[target] or before[target] is not verdicts[source]:
        return False
    if before[target] is not Magnet.NONE:
        return False
    if state.blind:
        return True
    left = {*state.trail, target} - {source}
    edge = [source]
    while edge:
        near = left.intersection(state.layout.around[edge.pop()])
        if target in near:
            return True
        left -= near
        edge.extend(near)
    return False


# A strong magnet on its way down or up passes the weak band. A weak one rests as long as its
# reading took to get there (so a slow hand shows), and longer where only one far off centre reads.
_WEAK_REST_S = 0.12
_WEAK_EDGE_REST_S = 0.6
_WEAK_LONGEST_REST_S = 0.6
_WEAK_EDGE_MT = 1.3
_USUAL_SIGMA_MT = 0.035  # 0.2 mT peak to peak; noisier sensors are watched longer
_WEAK_MOST_NOISIER = 4.0
_SLIDE_REST_S = 0.2  # a piece that slid over a place did not stop there
_WEAK_GONE_S = 0.3  # a weak magnet is invisible between places; this long it may be sliding there
_MOST_UNUSABLE = 3  # with more places changing at once, fields cannot be compared with those before
_LOOSE_S = 1.5  # after that, a piece that stands between places has left its own
_LIVELY_S = 0.5  # other changes wait for a place that moved within this time
_LONGEST_WAIT_S = 3.0


def settled(state: PlateState) -> tuple[PlateState, Mapping[int, Magnet] | None]:
    """The class that each place has come to rest in, where it has; None while something still
    moves that may belong to it. And the state in which it is known when each was last seen to
    change.
    """
    verdicts: dict[int, Magnet] = {}
    pending, lively, now_s = dict(state.pending), False, state.now_s
    for index, each in state.pending.items():
        magnet, moved_s, noisy = None, each.moved_s, is_noisy(state, index)
        if not state.agree(index, AVERAGED):
            moved_s, pending[index] = now_s, replace(each, moved_s=now_s)
        elif not noisy:
            magnet = classify(state.readings[index], zeroed=state.zeros.zeroed[index])
            if magnet in WEAK_CLASSES and not _weak_rests(state, index, magnet, each):
                magnet = None
        if magnet is not None and magnet is not state.magnets[index]:
            verdicts[index] = magnet
        elif now_s - moved_s < _LIVELY_S and now_s - each.since_s < _LONGEST_WAIT_S and not noisy:
            lively = True
    return replace(state, pending=pending), None if lively else verdicts


def _weak_rests(state: PlateState, index: int, magnet: Magnet, pending: Pending) -> bool:
    """Whether that is a weak magnet, not a strong one in the hand or far off centre."""
    if magnet not in state.classes:
        return False
    sigma = state.noise.sigma_mt(index)
    series = state.series(index, state.scans_in(state.now_s - pending.since_s))
    level = sum(series[-AVERAGED:]) / AVERAGED
    run = 0
    for value in reversed(series):
        if abs(value - level) > 0.1 + 3 * sigma:
            break
        run += 1
    edge = abs(state.readings[index]) < _WEAK_EDGE_MT
    noisier = min(max(sigma / _USUAL_SIGMA_MT, 1.0), _WEAK_MOST_NOISIER)
    least = state.scans_in((_WEAK_EDGE_REST_S if edge else _WEAK_REST_S) * noisier)
    least = min(least, state.scans_in(LONGEST_SEEN_S))
    if run < max(least, min(len(series) - run, state.scans_in(_WEAK_LONGEST_REST_S))):
        return False
    # It is final only when it has stopped rising: the halves' means differ by no more than one
    # sigma of that and a little for the steps. At rest two looks of three pass, so soon one
    # does; a hand of 3 mm/s at three times the noise is five sigma off.
    half = run // 2
    rise = sum(series[-half:]) / half - sum(series[-run:][:half]) / half
    if abs(rise) > 0.02 + sigma * sqrt(2 / half):
        return False
    # What a hand held over it is in what was read before: a magnet that lies near shows on
    # empty places, too.
    rest = zip(state.magnets, pending.rest_mt, strict=True)
    empty = [0.0 if stands is Magnet.NONE else mt for stands, mt in rest]
    return not all(
        _lies_near(state, index, index, magnet, replace(pending, rest_mt=before))
        for before in (pending.rest_mt, empty)
    )


def on_its_way(state: PlateState, verdicts: Mapping[int, Magnet]) -> bool:
    """Whether a piece may still be sliding, over places or between them."""
    if not state.blind and Magnet.NONE in verdicts.values():
        # one has just come over a place while another place was left
        count = state.scans_in(_SLIDE_REST_S)
        reached = [index for index, magnet in verdicts.items() if magnet is not Magnet.NONE]
        if not all(state.agree(index, count) for index in reached):
            return True
    return any(_still_loose(state, index, verdicts) for index in verdicts)


def _still_loose(state: PlateState, index: int, verdicts: Mapping[int, Magnet]) -> bool:
    """Whether the piece that left a place may still be on the plate, between places."""
    gone = state.magnets[index]
    if verdicts[index] is not Magnet.NONE or gone in verdicts.values():
        return False
    pending = state.pending[index]
    waited_s = state.now_s - max(pending.since_s, state.trail_s)
    if gone in WEAK_CLASSES:
        return waited_s < _WEAK_GONE_S
    return waited_s < _LOOSE_S and any(
        _lies_near(state, index, centre, gone, pending)
        for centre in dict.fromkeys((index, *state.trail[-2:]))
    )


def _lies_near(
    state: PlateState, source: int, centre: int, magnet: Magnet, pending: Pending
) -> bool:
    """Whether a strong magnet of the pole of ``magnet``, which left ``source``, lies 7 to 35 mm
    from ``centre``: by the readings less those before it moved, its own contribution removed.
    Sensors over which something else has changed are not asked.
    """
    profile, readings, rest = state.layout.profile, state.readings, pending.rest_mt
    change = [r - q for r, q in zip(readings, rest, strict=True)]
    now, before = state.magnets, pending.rest_magnets
    unusable = {i for i, (a, b) in enumerate(zip(now, before, strict=True)) if a is not b}
    unusable.update(state.pending)
    unusable.discard(source)
    if len(unusable) > _MOST_UNUSABLE or not profile.measures:
        return False
    if source != centre:
        change[source] = readings[source]
    sign, (y, x) = SIGN_OF[magnet], divmod(centre, profile.columns)
    felt, missing = [], []
    for at, (row, column) in enumerate(_AROUND):
        where = centre + row * profile.columns + column
        there = 0 <= x + column < profile.columns and 0 <= y + row < profile.rows
        if there and where not in unusable:
            felt.append(sign * change[where])
        else:
            felt.append(0.0)
            missing.append(at)
    templates = templates_of(profile.gap_mm, profile.pitch_mm)
    # What agrees with none by more than its half, for which it would have to be as strong
    if not missing and sum(map(mul, felt, felt)) <= templates[0].total / 2:
        return False
    for expected, squares, total in templates:
        left = total - sum([squares[at] for at in missing]) if missing else total
        if sum(map(mul, felt, expected)) > left:
            return True
    return False

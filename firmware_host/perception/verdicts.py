"""Whether what has changed has come to rest, as what, and what a person did: the patience that slow
hands need.

Between places a strong magnet is nearly invisible to the nearest sensors, but from 20 mm away on,
the others read its return field. In the hand they read nothing, or a little of its own pole.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import product
from math import hypot, sqrt
from operator import mul
from typing import NamedTuple

from msgspec.structs import replace

from firmware_host.perception import bands
from firmware_host.perception.distrust import Distrust
from firmware_host.perception.field import SIGN_OF, STRONG
from firmware_host.perception.state import (
    AVERAGED,
    LONGEST_SEEN_S,
    Pending,
    PlateState,
    Sensors,
    trend,
)
from firmware_host.perception.tracks import reads_mt, table_of
from firmware_host.table.sight import BoardEvent, Happening, Magnet

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
def _templates(gap_mm: float, pitch_mm: float) -> tuple[_Template, ...]:
    steps = [_STEP_MM * i for i in range(-_STEPS, _STEPS + 1)]
    found, table = [], table_of(STRONG, gap_mm)
    for x, y in product(steps, steps):
        if hypot(x, y) > _LEFT_MM:
            offs = [hypot(column * pitch_mm - x, row * pitch_mm - y) for row, column in _AROUND]
            expected = tuple(reads_mt(table, off) * (off >= _NEAR_MM) for off in offs)
            squares = tuple(mt * mt / 2 for mt in expected)
            found.append(_Template(expected, squares, sum(squares)))
    return tuple(found)


Change = tuple[Magnet, Magnet]  # before, after


def understand(
    time_s: float,
    changes: Mapping[int, Change],
    *,
    columns: int,
    seen_between: Collection[int] | None,
    slid: Mapping[int, int | None],
) -> tuple[BoardEvent, ...]:
    """The events that explain ``changes`` (place -> before and after).

    ``seen_between``: places over which something moved meanwhile; None where nobody could look.
    ``slid``: source and target of pieces that were followed.
    """
    if len(changes) >= 3:
        places = tuple(sorted(changes))
        after = tuple(changes[i][1] for i in places)
        return (BoardEvent(time_s, Happening.KNOCKED, places, after),)
    if len(changes) == 2:
        slide = _slide(changes, columns, seen_between, slid)
        if slide is not None:
            magnets = tuple(changes[i][1] for i in slide)
            return (BoardEvent(time_s, Happening.SLID, slide, magnets),)
    # What was lifted comes first: the same hand may have put it down again.
    order = sorted(changes, key=lambda i: (changes[i][1] is not Magnet.NONE, i))
    return tuple(BoardEvent(time_s, _single(changes[i]), (i,), (changes[i][1],)) for i in order)


def _single(change: Change) -> Happening:
    before, after = change
    if before is Magnet.NONE:
        return Happening.PLACED
    return Happening.LIFTED if after is Magnet.NONE else Happening.REPLACED


def _slide(
    changes: Mapping[int, Change],
    columns: int,
    seen_between: Collection[int] | None,
    slid: Mapping[int, int | None],
) -> tuple[int, int] | None:
    """Source and target, where the two changes are one piece that never left the plate."""
    first, second = changes
    source, target = (first, second) if changes[first][1] is Magnet.NONE else (second, first)
    if changes[source] != (changes[target][1], Magnet.NONE):
        return None
    if changes[target][0] is not Magnet.NONE:
        return None
    if slid.get(source) == target:
        return source, target
    if seen_between is not None and not _joined(source, target, columns, seen_between):
        return None
    return source, target


def _joined(source: int, target: int, columns: int, seen: Collection[int]) -> bool:
    """Whether steps to neighbouring places that were passed lead from source to target."""
    left = {*seen, target} - {source}
    edge = [source]
    while edge:
        y, x = divmod(edge.pop(), columns)
        near = [i for i in left if abs(i // columns - y) <= 1 and abs(i % columns - x) <= 1]
        if target in near:
            return True
        left.difference_update(near)
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


class Verdicts:
    """Judges the pending places of one plate."""

    def __init__(self, sensors: Sensors, distrust: Distrust) -> None:
        self._sensors = sensors
        self._distrust = distrust
        self._profile = profile = sensors.profile
        self._templates: tuple[_Template, ...] = ()
        if profile.measures:  # before the first scan
            self._templates = _templates(profile.gap_mm, profile.pitch_mm)
        self._least = min((each.total for each in self._templates), default=0.0) / 2

    def settled(
        self, state: PlateState, now_s: float
    ) -> tuple[PlateState, Mapping[int, Magnet] | None]:
        """The class that each place has come to rest in, where it has; None while something still
        moves that may belong to it. And the state in which it is known when each was last seen to
        change.
        """
        verdicts: dict[int, Magnet] = {}
        pending, lively = dict(state.pending), False
        for index, each in state.pending.items():
            verdict, moved_s = None, each.moved_s
            if self._sensors.agree(index, AVERAGED):
                verdict = self._verdict(state, index, each, now_s)
            else:
                moved_s, pending[index] = now_s, replace(each, moved_s=now_s)
            if verdict is not None:
                verdicts[index] = verdict
            elif (
                now_s - moved_s < _LIVELY_S
                and now_s - each.since_s < _LONGEST_WAIT_S
                and not self._distrust.is_noisy(index)
            ):
                lively = True
        return replace(state, pending=pending), None if lively else verdicts

    def wait(
        self, state: PlateState, verdicts: Mapping[int, Magnet], now_s: float, *, sliding: bool
    ) -> bool:
        """Whether a piece may still be on its way. ``sliding``: whether it could slide."""
        if sliding and self._still_sliding(verdicts):
            return True
        return any(self._still_loose(state, index, verdicts, now_s) for index in verdicts)

    def _verdict(
        self, state: PlateState, index: int, pending: Pending, now_s: float
    ) -> Magnet | None:
        """The class that the place has come to rest in, None while it has not."""
        zeroed = self._sensors.zeros.zeroed[index]
        magnet = bands.classify(state.readings[index], zeroed=zeroed)
        if magnet is None or magnet is state.magnets[index] or self._distrust.is_noisy(index):
            return None
        if magnet in bands.WEAK_CLASSES and not self._weak_rests(
            state, index, magnet, pending, now_s
        ):
            return None
        return magnet

    def _weak_rests(
        self, state: PlateState, index: int, magnet: Magnet, pending: Pending, now_s: float
    ) -> bool:
        """Whether that is a weak magnet, not a strong one in the hand or far off centre."""
        sensors = self._sensors
        if magnet not in state.classes:
            return False
        sigma = sensors.noise.sigma_mt(index)
        series = sensors.history.series(index, sensors.scans(now_s - pending.since_s))
        level = sum(series[-AVERAGED:]) / AVERAGED
        run = 0
        for value in reversed(series):
            if abs(value - level) > 0.1 + 3 * sigma:
                break
            run += 1
        edge = abs(state.readings[index]) < _WEAK_EDGE_MT
        noisier = min(max(sigma / _USUAL_SIGMA_MT, 1.0), _WEAK_MOST_NOISIER)
        least = sensors.scans((_WEAK_EDGE_REST_S if edge else _WEAK_REST_S) * noisier)
        least = min(least, sensors.scans(LONGEST_SEEN_S))
        if run < max(least, min(len(series) - run, sensors.scans(_WEAK_LONGEST_REST_S))):
            return False
        # It is final only when it has stopped rising: the halves' means differ by no more than one
        # sigma of that and a little for the steps. At rest two looks of three pass, so soon one
        # does; a hand of 3 mm/s at three times the noise is five sigma off.
        if abs(trend(series[-run:])) > 0.02 + sigma * sqrt(2 / (run // 2)):
            return False
        # What a hand held over it is in what was read before: a magnet that lies near shows on
        # empty places, too.
        rest = zip(state.magnets, pending.rest_mt, strict=True)
        empty = [0.0 if stands is Magnet.NONE else mt for stands, mt in rest]
        return not all(
            self._lies_near(state, index, index, magnet, replace(pending, rest_mt=before))
            for before in (pending.rest_mt, empty)
        )

    def _still_sliding(self, verdicts: Mapping[int, Magnet]) -> bool:
        """Whether a piece has just come over a place while another place was left."""
        if Magnet.NONE not in verdicts.values():
            return False
        count = self._sensors.scans(_SLIDE_REST_S)
        return any(
            magnet is not Magnet.NONE and not self._sensors.agree(index, count)
            for index, magnet in verdicts.items()
        )

    def _still_loose(
        self, state: PlateState, index: int, verdicts: Mapping[int, Magnet], now_s: float
    ) -> bool:
        """Whether the piece that left a place may still be on the plate, between places."""
        gone = state.magnets[index]
        if verdicts[index] is not Magnet.NONE or gone in verdicts.values():
            return False
        pending = state.pending[index]
        waited_s = now_s - max(pending.since_s, state.trail_s)
        if gone in bands.WEAK_CLASSES:
            return waited_s < _WEAK_GONE_S
        return waited_s < _LOOSE_S and any(
            self._lies_near(state, index, centre, gone, pending)
            for centre in dict.fromkeys((index, *state.trail[-2:]))
        )

    def _lies_near(
        self, state: PlateState, source: int, centre: int, magnet: Magnet, pending: Pending
    ) -> bool:
        readings, rest = state.readings, pending.rest_mt
        change = [r - q for r, q in zip(readings, rest, strict=True)]
        now, before = state.magnets, pending.rest_magnets
        unusable = {i for i, (a, b) in enumerate(zip(now, before, strict=True)) if a is not b}
        unusable.update(state.pending)
        unusable.discard(source)
        if len(unusable) > _MOST_UNUSABLE:
            return False
        if source != centre:
            change[source] = readings[source]
        return self._present(change, unusable, centre, SIGN_OF[magnet])

    def _present(
        self, change_mt: Sequence[float], unusable: Collection[int], index: int, sign: float
    ) -> bool:
        """Whether a strong magnet of that ``sign`` lies 7 to 35 mm from place ``index``.

        ``change_mt``: readings less those before it moved, its own contribution removed.
        ``unusable``: sensors over which something else has changed.
        """
        columns, rows = self._profile.columns, self._profile.rows
        y, x = divmod(index, columns)
        change, missing = [], []
        for at, (row, column) in enumerate(_AROUND):
            where = index + row * columns + column
            if 0 <= x + column < columns and 0 <= y + row < rows and where not in unusable:
                change.append(sign * change_mt[where])
            else:
                change.append(0.0)
                missing.append(at)
        # What agrees with none by more than its half, for which it would have to be as strong
        if not missing and sum(map(mul, change, change)) <= self._least:
            return False
        for expected, squares, total in self._templates:
            left = total - sum([squares[at] for at in missing]) if missing else total
            if sum(map(mul, change, expected)) > left:
                return True
        return False

"""The decision whether a change has come to rest, in which class, and what a person did.

Between places a strong magnet is nearly invisible to the nearest sensors, but from 20 mm away on
the others read its return field. In the hand they read nothing, or a little of its own pole. Slow
hands need patience: a class is final only when nothing that may belong to it still moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from math import hypot, sqrt
from operator import mul
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tiltboard.firmware_host.perception.bands import STRONG_CLASSES, WEAK_CLASSES, classify
from tiltboard.firmware_host.perception.field import SIGN_OF, STRONG, reads_mt, table_of
from tiltboard.firmware_host.perception.layout import PlateLayout
from tiltboard.firmware_host.perception.scan_history import (
    AVERAGED,
    LONGEST_SEEN_S,
    NoiseMeter,
    ScanHistory,
)
from tiltboard.firmware_host.table.sight import BoardEvent, Happening, Magnet


class Pending(Struct, frozen=True):
    """A place whose reading has left its class's band."""

    since_s: float
    """The time at which it left the band."""
    moved_s: float
    """The time of the last change that was seen."""
    rest_mt: Sequence[float]
    """Readings of all places while nothing moved."""
    rest_magnets: tuple[Magnet, ...]
    """The magnets on all places at that time."""
    alone_mt: Sequence[float]
    """Readings of all places before a hand came near."""


class Trail(NamedTuple):
    """Places over which something has moved since the plate was last at rest."""

    places: tuple[int, ...] = ()
    last_s: float = 0.0
    """The time at which the last place was added."""
    is_blind: bool = True
    """Whether nothing has been at rest since readings were interrupted."""


class Scene(NamedTuple):
    """One scan as the functions of this module read it; nothing here is changed by them."""

    layout: PlateLayout
    history: ScanHistory
    noise: NoiseMeter
    classes: frozenset[Magnet]
    """Magnets that may be met."""
    magnets: tuple[Magnet, ...]
    """The magnet on each place, as accepted so far."""
    readings: Sequence[float]
    """Averages in mT, neighbours removed."""
    zeroed: Sequence[bool]
    pending: Mapping[int, Pending]

    def classify(self, index: int) -> Magnet | None:
        """Return the class that the reading of a place is in, or None between classes."""
        return classify(self.readings[index], zeroed=self.zeroed[index])


# A strong magnet on its way down or up passes the weak band. A weak one has to rest for as long as
# its reading took to get there, so that a slow hand shows, and longer if it is far off centre.
_WEAK_REST_S = 0.12
_WEAK_EDGE_REST_S = 0.6
_WEAK_MAX_REST_S = 0.6
_WEAK_EDGE_MT = 1.3
_USUAL_SIGMA_MT = 0.035  # 0.2 mT peak to peak; noisier sensors are watched longer.
_WEAK_MAX_NOISIER = 4.0
_SLIDE_REST_S = 0.2  # A piece that slid over a place did not stop there.
_WEAK_GONE_S = 0.3  # A weak magnet is invisible between places; it may be sliding for this long.
_MAX_UNUSABLE = 3  # With more places changing at once, fields cannot be compared with earlier ones.
_LOOSE_S = 1.5  # After this time a piece that stands between places has left its own.
_LIVELY_S = 0.5  # Other changes wait for a place that moved within this time.
_MAX_WAIT_S = 3.0
# A strong reading well inside its band needs three scans that agree closely rather than four that
# agree loosely. A piece that passes over the place at more than 70 mm/s changes it by more than
# that in three scans; in four it has to pass at 80 mm/s to be told from one at rest. Two scans that
# lie evenly before and after the middle agree at every speed.
SURE_SCANS = 3
_SURE_SHARE = 0.025
_SURE_SIGMAS = 4.0


def is_sure(scene: Scene, index: int) -> Magnet | None:
    """Return the strong magnet that the last three scans of an empty place leave no doubt of.

    They lie four standard deviations inside its band, and differ by less than 2.5 %, or by what
    four standard deviations of a difference are. None where the sensor's noise hides so small a
    change, where sensors are switches, and where the scans say anything else.
    """
    if scene.magnets[index] is not Magnet.NONE or not scene.layout.profile.measures:
        return None
    series = scene.history.series(index, SURE_SCANS)
    own_mt = scene.readings[index] - scene.history.mean(index, AVERAGED)
    low, high = min(series) + own_mt, max(series) + own_mt
    least, sigma = min(abs(low), abs(high)), scene.noise.sigma_mt(index)
    spread = max(_SURE_SHARE * least, _SURE_SIGMAS * sqrt(2) * sigma)
    if spread > 2 * _SURE_SHARE * least or high - low > spread:
        return None
    inside = _SURE_SIGMAS * sigma
    found = {classify(mt, zeroed=True) for mt in (low - inside, low, high, high + inside)}
    magnet = found.pop()
    return magnet if not found and magnet in STRONG_CLASSES else None


def settle(
    scene: Scene, faulty: Mapping[int, object]
) -> tuple[dict[int, Pending], dict[int, Magnet] | None]:
    """Judge the pending places.

    Returns them with the time at which each was last seen to change, and the new class of each that
    has come to rest in one, or None while something still moves that may belong to it. A sensor
    that is noisy, and not among the ``faulty`` ones, is not classified.
    """
    verdicts: dict[int, Magnet] = {}
    pending, lively, now_s = dict(scene.pending), False, scene.history.now_s
    for index, each in scene.pending.items():
        magnet, moved_s = None, each.moved_s
        noisy = index in scene.noise.noisy and index not in faulty
        sure = None if noisy or index in faulty else is_sure(scene, index)
        if sure is not None:
            magnet = sure
        elif not scene.history.agrees(index, AVERAGED):
            moved_s, pending[index] = now_s, replace(each, moved_s=now_s)
        elif not noisy:
            magnet = scene.classify(index)
            if magnet in WEAK_CLASSES and not _weak_rests(scene, index, magnet, each):
                magnet = None
        if magnet is not None and magnet is not scene.magnets[index]:
            verdicts[index] = magnet
        elif now_s - moved_s < _LIVELY_S and now_s - each.since_s < _MAX_WAIT_S and not noisy:
            lively = True
    return pending, None if lively else verdicts


def explain(scene: Scene, verdicts: Mapping[int, Magnet], trail: Trail) -> tuple[BoardEvent, ...]:
    """Return the events that turn what stands on the plate into what ``verdicts`` say."""
    now_s, before = scene.history.now_s, scene.magnets
    if len(verdicts) >= 3:
        places = tuple(sorted(verdicts))
        after = tuple(verdicts[i] for i in places)
        return (BoardEvent(now_s, Happening.KNOCKED, places, after),)
    # What was lifted comes first: the same hand may have put it down again.
    order = tuple(sorted(verdicts, key=lambda i: (verdicts[i] is not Magnet.NONE, i)))
    if len(order) == 2 and _is_slide(scene, *order, verdicts, trail):
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


def _is_slide(
    scene: Scene, source: int, target: int, verdicts: Mapping[int, Magnet], trail: Trail
) -> bool:
    """Return whether one piece went from ``source`` to ``target`` without leaving the plate.

    It went over neighbouring places over which something moved, or the plate could not be read.
    """
    before = scene.magnets
    if before[source] is not verdicts[target] or before[target] is not verdicts[source]:
        return False
    if before[target] is not Magnet.NONE:
        return False
    if trail.is_blind:
        return True
    left = {*trail.places, target} - {source}
    edge = [source]
    while edge:
        near = left.intersection(scene.layout.around[edge.pop()])
        if target in near:
            return True
        left -= near
        edge.extend(near)
    return False


def _weak_rests(scene: Scene, index: int, magnet: Magnet, pending: Pending) -> bool:
    """Return whether that is a weak magnet, not a strong one in the hand or far off centre."""
    if magnet not in scene.classes:
        return False
    history, sigma = scene.history, scene.noise.sigma_mt(index)
    series = history.series(index, history.scans_in(history.now_s - pending.since_s))
    level = sum(series[-AVERAGED:]) / AVERAGED
    run = 0
    for value in reversed(series):
        if abs(value - level) > 0.1 + 3 * sigma:
            break
        run += 1
    edge = abs(scene.readings[index]) < _WEAK_EDGE_MT
    noisier = min(max(sigma / _USUAL_SIGMA_MT, 1.0), _WEAK_MAX_NOISIER)
    least = history.scans_in((_WEAK_EDGE_REST_S if edge else _WEAK_REST_S) * noisier)
    least = min(least, history.scans_in(LONGEST_SEEN_S))
    if run < max(least, min(len(series) - run, history.scans_in(_WEAK_MAX_REST_S))):
        return False
    # A reading is final only when it has stopped rising: the means of its two halves differ by
    # no more than one sigma of that difference, and a little for the converter's steps. At rest
    # two scans of three pass, so one soon does; a hand at 3 mm/s is five sigma off.
    half = run // 2
    rise = sum(series[-half:]) / half - sum(series[-run:][:half]) / half
    if abs(rise) > 0.02 + sigma * sqrt(2 / half):
        return False
    # What a hand held over it is in what was read before: a magnet that lies near shows on
    # empty places as well.
    rest = zip(scene.magnets, pending.rest_mt, strict=True)
    empty = [0.0 if stands is Magnet.NONE else mt for stands, mt in rest]
    return not all(
        _lies_near(scene, index, index, magnet, replace(pending, rest_mt=before))
        for before in (pending.rest_mt, empty)
    )


def may_still_move(scene: Scene, verdicts: Mapping[int, Magnet], trail: Trail) -> bool:
    """Return whether a piece may still be sliding, over places or between them."""
    if not trail.is_blind and Magnet.NONE in verdicts.values():
        # One has just come over a place while another place was left.
        count = scene.history.scans_in(_SLIDE_REST_S)
        reached = [index for index, magnet in verdicts.items() if magnet is not Magnet.NONE]
        if not all(scene.history.agrees(index, count) for index in reached):
            return True
    return any(_is_loose(scene, index, verdicts, trail) for index in verdicts)


def _is_loose(scene: Scene, index: int, verdicts: Mapping[int, Magnet], trail: Trail) -> bool:
    """Return whether the piece that left a place may still be on the plate, between places."""
    gone = scene.magnets[index]
    if verdicts[index] is not Magnet.NONE or gone in verdicts.values():
        return False
    pending = scene.pending[index]
    waited_s = scene.history.now_s - max(pending.since_s, trail.last_s)
    if gone in WEAK_CLASSES:
        return waited_s < _WEAK_GONE_S
    return waited_s < _LOOSE_S and any(
        _lies_near(scene, index, centre, gone, pending)
        for centre in dict.fromkeys((index, *trail.places[-2:]))
    )


def _lies_near(scene: Scene, source: int, centre: int, magnet: Magnet, pending: Pending) -> bool:
    """Return whether the magnet that left ``source`` lies 7 to 35 mm from ``centre``.

    Compares the readings with those before it moved, its own contribution removed, and takes it for
    a strong one of the pole of ``magnet``. Sensors over which something else has changed are left
    out.
    """
    profile, readings, rest = scene.layout.profile, scene.readings, pending.rest_mt
    change = [r - q for r, q in zip(readings, rest, strict=True)]
    now, before = scene.magnets, pending.rest_magnets
    unusable = {i for i, (a, b) in enumerate(zip(now, before, strict=True)) if a is not b}
    unusable.update(scene.pending)
    unusable.discard(source)
    if len(unusable) > _MAX_UNUSABLE or not profile.measures:
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
    # Readings that fall short of half of the weakest template agree with none.
    if not missing and sum(map(mul, felt, felt)) <= templates[0].total / 2:
        return False
    for expected, squares, total in templates:
        left = total - sum([squares[at] for at in missing]) if missing else total
        if sum(map(mul, felt, expected)) > left:
            return True
    return False


_NEAR_MM = 20.0  # Closer to a sensor, the reading depends on millimetres.
_REACH = 2  # Places each way that are compared.
_STEP_MM = 5.0
_STEPS = 5
_LEFT_MM = 7.0  # Closer to the middle, a piece has not left its place.

_AROUND = tuple(
    cell for cell in product(range(-_REACH, _REACH + 1), repeat=2) if cell != (0, 0)
)  # Rows and columns from a place to those around it.


class _SettlingTemplate(NamedTuple):
    """The readings of the places around a strong south magnet at one point."""

    expected: tuple[float, ...]
    squares: tuple[float, ...]
    """Half of the square of each expected reading."""
    total: float
    """The sum of ``squares``."""


@cache
def templates_of(gap_mm: float, pitch_mm: float) -> tuple[_SettlingTemplate, ...]:
    """Return a template for each point within reach, the weakest first."""
    steps = [_STEP_MM * i for i in range(-_STEPS, _STEPS + 1)]
    found, table = [], table_of(STRONG, gap_mm)
    for x, y in product(steps, steps):
        if hypot(x, y) > _LEFT_MM:
            offs = [hypot(column * pitch_mm - x, row * pitch_mm - y) for row, column in _AROUND]
            expected = tuple(reads_mt(table, off) * (off >= _NEAR_MM) for off in offs)
            squares = tuple(mt * mt / 2 for mt in expected)
            found.append(_SettlingTemplate(expected, squares, sum(squares)))
    return tuple(sorted(found, key=lambda template: template.total))

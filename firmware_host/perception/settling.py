"""Decides when changed readings have settled, which magnets they mean, and what a player did.

A strong magnet between places is almost undetectable for the nearest sensors, but sensors at least
20 mm away detect its return field. While a hand holds the magnet above the plate, these sensors
detect nothing, or a weak field of the magnet's own pole. Hands can be slow, so a magnet class is
final only when no related reading is still changing.
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
    """A place whose reading has left the band of its magnet class."""

    since_s: float
    """The time in seconds at which the reading left the band."""
    moved_s: float
    """The time in seconds at which the reading last changed."""
    rest_mt: Sequence[float]
    """Readings of all places in mT while nothing moved."""
    rest_magnets: tuple[Magnet, ...]
    """The magnets on all places while nothing moved."""
    alone_mt: Sequence[float]
    """Readings of all places in mT before a hand came near the plate."""


class Trail(NamedTuple):
    """Places over which a piece or hand has moved since the plate was last at rest."""

    places: tuple[int, ...] = ()
    last_s: float = 0.0
    """The time in seconds at which the last place was added to the trail."""
    is_blind: bool = True
    """True if the plate has not been at rest since readings were interrupted."""


class Scene(NamedTuple):
    """The data of one scan. The functions of this module read the data and do not change them."""

    layout: PlateLayout
    history: ScanHistory
    noise: NoiseMeter
    classes: frozenset[Magnet]
    """Magnet classes that the game uses."""
    magnets: tuple[Magnet, ...]
    """The accepted magnet on each place."""
    readings: Sequence[float]
    """Average readings in mT, after the field of magnets on other places is subtracted."""
    zeroed: Sequence[bool]
    pending: Mapping[int, Pending]

    def classify(self, index: int) -> Magnet | None:
        """Return the magnet class of a place's reading, or None if the reading is between
        classes.
        """
        return classify(self.readings[index], zeroed=self.zeroed[index])


# A strong magnet that is put down or lifted passes through the band of weak magnets. So a weak
# reading must be steady for as long as the reading took to change, because hands can be slow. The
# reading must be steady for longer if the magnet is far off centre.
_WEAK_REST_S = 0.12
_WEAK_EDGE_REST_S = 0.6
_WEAK_MAX_REST_S = 0.6
_WEAK_EDGE_MT = 1.3
# Standard deviation of typical noise, which is 0.2 mT peak to peak, in mT. Noisier sensors are
# observed for longer.
_USUAL_SIGMA_MT = 0.035
_WEAK_MAX_NOISIER = 4.0
# Minimum time in seconds for which a piece must rest after a slide; a piece that only passes over a
# place does not stop.
_SLIDE_REST_S = 0.2
# Maximum time in seconds for which a lifted weak magnet may still be sliding. A weak magnet cannot
# be detected between places.
_WEAK_GONE_S = 0.3
# Maximum number of places whose readings change at the same time. If more places change, readings
# cannot be compared with earlier readings.
_MAX_UNUSABLE = 3
# A piece that rests between two places for longer than this many seconds counts as lifted.
_LOOSE_S = 1.5
_LIVELY_S = 0.5  # Time in seconds after a movement during which no other changes are accepted.
_MAX_WAIT_S = 3.0
# A strong reading well inside its band needs only three scans that agree closely, instead of four
# that agree loosely. A piece that passes over the place faster than 70 mm/s changes the reading by
# more than the close limit in three scans. Four scans with the loose limit detect a passing piece
# only if it is faster than 80 mm/s. Two scans are not enough: if one is made just before the centre
# and one just after it, they agree at every speed.
SURE_SCANS = 3
_SURE_SHARE = 0.025
_SURE_SIGMAS = 4.0


def is_sure(scene: Scene, index: int) -> Magnet | None:
    """Return the strong magnet that the last three scans of an empty place prove, or None.

    The readings must be at least four standard deviations inside the band of the class. They must
    differ by less than 2.5 %, or by less than four standard deviations of a difference. The result
    is also None for switches, and if the sensor's noise is too large for this test.
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
    """Decide about the pending places.

    Returns the pending places, with the time of the last change updated, and the new magnet of each
    place whose reading has settled. The second value is None while a related reading is still
    changing. The place of a noisy sensor is not classified, unless it is in ``faulty``.
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
    """Return the events that lead from the accepted magnets to those in ``verdicts``."""
    now_s, before = scene.history.now_s, scene.magnets
    if len(verdicts) >= 3:
        places = tuple(sorted(verdicts))
        after = tuple(verdicts[i] for i in places)
        return (BoardEvent(now_s, Happening.KNOCKED, places, after),)
    # Report lifted pieces first, because the same hand may have put the piece down again.
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
    """Return whether one piece slid from ``source`` to ``target`` without leaving the plate.

    The magnet that left ``source`` must have reached ``target``. A chain of adjacent places over
    which something moved must connect the two places, unless the plate was unreadable during the
    movement.
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
    """Return whether the reading comes from a resting weak magnet, rather than from a strong magnet
    that is in a hand or far off centre.
    """
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
    # A reading is final only when it has stopped rising: the means of the first and the second half
    # of the scans must differ by at most one sigma of that difference, plus a little for the
    # converter's steps. At rest, two of three scans pass this test, so the wait is short. A hand
    # that moves at 3 mm/s gives a difference of five sigma.
    half = run // 2
    rise = sum(series[-half:]) / half - sum(series[-run:][:half]) / half
    if abs(rise) > 0.02 + sigma * sqrt(2 / half):
        return False
    # The earlier readings contain the field of a magnet that a hand held above the place. A nearby
    # magnet also affects the readings of empty places.
    rest = zip(scene.magnets, pending.rest_mt, strict=True)
    empty = [0.0 if stands is Magnet.NONE else mt for stands, mt in rest]
    return not all(
        _is_near(scene, index, index, magnet, replace(pending, rest_mt=before))
        for before in (pending.rest_mt, empty)
    )


def may_still_move(scene: Scene, verdicts: Mapping[int, Magnet], trail: Trail) -> bool:
    """Return whether a piece may still be sliding over the plate."""
    if not trail.is_blind and Magnet.NONE in verdicts.values():
        # Check whether a piece has just reached one place while a piece left another place.
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
        _is_near(scene, index, centre, gone, pending)
        for centre in dict.fromkeys((index, *trail.places[-2:]))
    )


def _is_near(scene: Scene, source: int, centre: int, magnet: Magnet, pending: Pending) -> bool:
    """Return whether the magnet that left ``source`` is now 7 to 35 mm from ``centre``.

    The present readings are compared with the readings before the magnet moved, from which the
    magnet's own field is subtracted. The magnet is assumed to be a strong one with the pole of
    ``magnet``. Sensors whose reading has changed for another reason since the move are ignored.
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
    # If the readings are weaker than half of the weakest template, they match no template.
    if not missing and sum(map(mul, felt, felt)) <= templates[0].total / 2:
        return False
    for expected, squares, total in templates:
        left = total - sum([squares[at] for at in missing]) if missing else total
        if sum(map(mul, felt, expected)) > left:
            return True
    return False


# Minimum distance in mm between magnet and sensor for a comparison. At smaller distances the
# reading changes with every millimetre.
_NEAR_MM = 20.0
_REACH = 2  # Number of rows and columns around a place that are compared in each direction.
_STEP_MM = 5.0
_STEPS = 5
# Minimum distance in mm between a piece that has left its place and the centre of that place.
_LEFT_MM = 7.0

_AROUND = tuple(
    cell for cell in product(range(-_REACH, _REACH + 1), repeat=2) if cell != (0, 0)
)  # Row and column offsets from a place to the places around it.


class _SettlingTemplate(NamedTuple):
    """The readings in mT of the places around a strong south magnet that lies at a given point."""

    expected: tuple[float, ...]
    squares: tuple[float, ...]
    """Half of the square of each reading in ``expected``."""
    total: float
    """The sum of ``squares``."""


@cache
def templates_of(gap_mm: float, pitch_mm: float) -> tuple[_SettlingTemplate, ...]:
    """Return a template of readings for each point within reach, the weakest template first."""
    steps = [_STEP_MM * i for i in range(-_STEPS, _STEPS + 1)]
    found, table = [], table_of(STRONG, gap_mm)
    for x, y in product(steps, steps):
        if hypot(x, y) > _LEFT_MM:
            offs = [hypot(column * pitch_mm - x, row * pitch_mm - y) for row, column in _AROUND]
            expected = tuple(reads_mt(table, off) * (off >= _NEAR_MM) for off in offs)
            squares = tuple(mt * mt / 2 for mt in expected)
            found.append(_SettlingTemplate(expected, squares, sum(squares)))
    return tuple(sorted(found, key=lambda template: template.total))

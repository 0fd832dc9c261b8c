"""Estimates where on its place a piece is, from its own sensor and the eight sensors around it.

An off-centre piece gives a lower reading at its own sensor, and a higher reading at the sensor that
is nearer. For each possible position, the likelihood of the readings is computed and averaged over
the magnet's strength. The result is the mean position and a circle that contains the piece in 95 of
100 cases. The circle is wide for a weak magnet, and for a piece that was on the plate before the
first scan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from math import exp, hypot, inf, log, sqrt
from operator import mul
from typing import NamedTuple

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.perception.classifier import without
from tiltboard.firmware_host.perception.crosstalk import Crosstalk
from tiltboard.firmware_host.perception.field import DISC_OF, SIGN_OF, Disc, field_mt
from tiltboard.firmware_host.perception.scan_history import AVERAGED
from tiltboard.firmware_host.perception.settling import Scene
from tiltboard.firmware_host.table.sight import Magnet, PiecePosition

STEP_MM = 1.5
# Maximum distance in mm between a piece and the centre of its place. The reading of a strong magnet
# farther away has left the band of its class.
REACH_MM = 10.5
WITHIN = 0.95
# Tolerances of docs/add-a-board.md: strength +-7 %, gain +-5 %, and gap +-0.5 mm of 12 mm. The gap
# changes the reading by 12 % at the piece's own sensor and by half of that at the sensors around
# it.
# Relative uncertainty that all sensors' readings share (standard deviation of the magnet's
# strength).
STRENGTH_SIGMA = 0.05
# Relative uncertainty of one sensor's reading. The first value is for the sensor under the piece,
# the second for a sensor beside the piece.
OWN_SHARE, NEAR_SHARE = 0.055, 0.04
# Time in seconds from putting down a piece to its second estimate, which averages more scans.
AGAIN_S = 0.8
AVERAGED_LATER = 16
# The average from before the piece was put down counts as this many scans, because its time
# constant is about 0.4 s.
_BEFORE = 20
# Uncertainty in mT of the difference between two averages, caused by drift and by errors of the
# field model.
_KNOWN_MT = 0.008
# Uncertainty in mT of the zero offset under a piece. The offset cannot follow drift of up to 0.15
# mT while a piece covers the sensor.
_STALE_MT = 0.09
# Minimum change of a reading in mT since the last estimate that counts as a push. A push of 1 to 3
# mm causes such a change.
_PUSHED_MT = 0.3
# Players put a piece within 5 mm of the centre of its place (docs/add-a-board.md).
_USUAL_MM, _FADES_MM = 5.0, 0.5
_AROUND = tuple(product((-1, 0, 1), (-1, 0, 1)))


class PiecePositions:
    """The positions of all pieces at rest.

    The field of a piece can be separated from drift at the neighbours only just after the piece is
    put down. Later the zero offsets follow the readings.
    """

    known: Mapping[int, PiecePosition]
    """Plate index of each piece -> estimated position; pieces without an estimate are missing."""

    def __init__(self, crosstalk: Crosstalk) -> None:
        """Start without any estimated position."""
        self.known = {}
        self._crosstalk = crosstalk
        # Time in seconds of the next estimate for each piece.
        self._due_s: Mapping[int, float] = {}
        # Readings of all sensors before each piece was put down.
        self._base_mt: Mapping[int, Sequence[float]] = {}
        # Reading of each piece's own sensor at the last estimate.
        self._own_mt: Mapping[int, float] = {}
        # Places whose piece slid to its position and was not put down by a player.
        self._not_put: frozenset[int] = frozenset()

    def start(self, places: Iterable[int], now_s: float) -> None:
        """Discard all estimates, and start to estimate the position of the piece on every place in
        ``places`` at ``now_s``.
        """
        self.known, self._base_mt, self._own_mt = {}, {}, {}
        self._not_put, self._due_s = frozenset(), dict.fromkeys(places, now_s)

    def replace(self, index: int, now_s: float, base_mt: Sequence[float] | None) -> None:
        """Record that the magnet on a place has changed.

        ``base_mt`` are the readings of all sensors before the change, or None if the place was not
        empty before.
        """
        self.known = without(self.known, index)
        self._base_mt = without(self._base_mt, index)
        if base_mt is not None:
            self._base_mt = {**self._base_mt, index: base_mt}
        self._not_put -= {index}
        self._due_s = {**self._due_s, index: now_s}

    def note_slide(self, places: Iterable[int]) -> None:
        """Record that the pieces on ``places`` slid to their positions instead of being put down by
        a player.
        """
        self._not_put = self._not_put.union(places)

    def doubt_all(self, now_s: float) -> None:
        """Record that any piece may have slid unobserved, farther off centre than people put a
        piece.
        """
        self._due_s = {**self._due_s, **dict.fromkeys(self.known, now_s)}
        self._base_mt, self._not_put = {}, self._not_put.union(self.known)

    def update(
        self, scene: Scene, rest_mt: Sequence[float], faulty: Mapping[int, object], *, is_due: bool
    ) -> None:
        """Estimate the position of one piece whose next estimate is due.

        ``rest_mt`` are the readings at rest. If ``is_due`` is True, also schedule new estimates for
        pieces that were pushed, and for pieces whose sensor is in ``faulty``.
        """
        now_s = scene.history.now_s
        if is_due:
            looked_at = self._own_mt.items()
            pushed = [i for i, mt in looked_at if i in faulty or abs(rest_mt[i] - mt) > _PUSHED_MT]
            if pushed:
                self._base_mt = without(self._base_mt, *pushed)
                self._due_s = {**self._due_s, **dict.fromkeys(pushed, now_s)}
        index = next((i for i, each_s in self._due_s.items() if each_s <= now_s), None)
        if index is None:
            return
        self._due_s, self._own_mt = without(self._due_s, index), without(self._own_mt, index)
        magnet = scene.magnets[index]
        if magnet is Magnet.NONE or index in faulty:
            self.known = without(self.known, index)
            return
        was_known = index in self.known
        found = self._find(scene, rest_mt, faulty, index)
        self._own_mt = {**self._own_mt, index: rest_mt[index]}
        self.known = {**self.known, index: found}
        if not was_known and index in self._base_mt:
            self._due_s = {**self._due_s, index: now_s + AGAIN_S}
        else:
            self._base_mt = without(self._base_mt, index)

    def _find(
        self, scene: Scene, rest_mt: Sequence[float], faulty: Mapping[int, object], index: int
    ) -> PiecePosition:
        profile, magnet = scene.layout.profile, scene.magnets[index]
        base_mt = self._base_mt.get(index)
        averaged = AVERAGED_LATER if index in self.known else AVERAGED
        row, column = divmod(index, profile.columns)
        adds_mt, sigmas_mt = [], []
        for up, right in _AROUND:
            there = 0 <= row + up < profile.rows and 0 <= column + right < profile.columns
            sensor = index + up * profile.columns + right
            unsure = sensor in faulty or sensor in scene.pending
            if not there or unsure or (base_mt is None and sensor != index):
                adds_mt.append(0.0)
                sigmas_mt.append(inf)
                continue
            nominal = self._crosstalk.adds_mt(magnet, index, sensor)
            before = 0.0 if base_mt is None else base_mt[sensor]
            adds_mt.append(rest_mt[sensor] - before + nominal)
            noise_mt = scene.noise.sigma_mt(sensor) * sqrt(1 / averaged + 1 / _BEFORE)
            unknown_mt = _STALE_MT if base_mt is None else _KNOWN_MT
            share = OWN_SHARE if sensor == index else NEAR_SHARE
            sigmas_mt.append(hypot(noise_mt, unknown_mt, share * adds_mt[-1]))
        by_hand = index not in self._not_put
        return position(magnet, adds_mt, sigmas_mt, profile, by_hand=by_hand)


class _Template(NamedTuple):
    """The readings of the nine sensors around a magnet at one point, in mT, and their squares."""

    east_mm: float
    north_mm: float
    usual: float  # Logarithm of the prior probability that a piece is at this position.
    reads_mt: tuple[float, ...]
    squares: tuple[float, ...]


def position(
    magnet: Magnet,
    field_mt: Sequence[float],
    sigma_mt: Sequence[float],
    profile: Profile,
    *,
    by_hand: bool = True,
) -> PiecePosition:
    """Return the most likely position of a piece on its place.

    ``field_mt`` are the readings at the nine sensors around the piece without the field of other
    pieces, in rows from south to north; the piece's own sensor is in the middle. ``sigma_mt`` is
    the uncertainty of each reading, infinite for a sensor to ignore. ``by_hand`` is True if a
    player put the piece on the place; players put pieces near the centre.
    """
    sign = SIGN_OF[magnet]
    weights = [1 / (sigma * sigma) for sigma in sigma_mt]
    wanted = [sign * mt * weight for mt, weight in zip(field_mt, weights, strict=True)]
    prior = STRENGTH_SIGMA**-2
    templates = templates_of(DISC_OF[magnet], profile.gap_mm, profile.pitch_mm)
    likely = []
    for template in templates:
        # Integrate over the magnet's relative strength, which is normally distributed around 1.
        spread = prior + sum(map(mul, template.squares, weights))
        pull = prior + sum(map(mul, template.reads_mt, wanted))
        likely.append(by_hand * template.usual + (pull * pull / spread - log(spread)) / 2)
    most = max(likely)
    shares = [exp(each - most) for each in likely]
    total = sum(shares)
    east = sum(s * t.east_mm for s, t in zip(shares, templates, strict=True)) / total
    north = sum(s * t.north_mm for s, t in zip(shares, templates, strict=True)) / total
    return PiecePosition(east, north, _radius(east, north, templates, shares))


def _radius(
    east: float, north: float, templates: Sequence[_Template], shares: Sequence[float]
) -> float:
    """Return the radius in mm of the circle round (``east``, ``north``) that contains the fraction
    ``WITHIN`` of the probability.

    The radius is interpolated: half of a template's probability counts as closer than the
    template's point, and half as farther away.
    """
    away = sorted(
        (hypot(template.east_mm - east, template.north_mm - north), share)
        for template, share in zip(templates, shares, strict=True)
    )
    most = WITHIN * sum(shares)
    held = near_mm = near = 0.0
    for mm, share in away:
        here = held + share / 2
        if here >= most:
            return near_mm + (mm - near_mm) * (most - near) / (here - near)
        near_mm, near, held = mm, here, held + share
    return near_mm


@cache
def templates_of(disc: Disc, gap_mm: float, pitch_mm: float) -> tuple[_Template, ...]:
    """Return one template of readings for each grid point within ``REACH_MM`` of the centre of a
    place.
    """
    steps = int(REACH_MM / STEP_MM)
    line = [STEP_MM * step for step in range(-steps, steps + 1)]
    found = []
    for north, east in product(line, line):
        away = hypot(east, north)
        if away <= REACH_MM:
            reads = tuple(
                field_mt(disc, gap_mm, hypot(pitch_mm * column - east, pitch_mm * row - north))
                for row, column in _AROUND
            )
            usual = -log(1 + exp((away - _USUAL_MM) / _FADES_MM))
            found.append(_Template(east, north, usual, reads, tuple(mt * mt for mt in reads)))
    return tuple(found)

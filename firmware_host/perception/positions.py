"""The position of a piece on its place, from its own sensor and those around it.

An off-centre piece adds less to its own sensor and more to the one it is nearer to. For every
position within reach, the likelihood of the readings is computed, averaged over the strength of the
magnet; this gives the expected position, and a circle that contains the piece in 95 of 100 cases.
The circle is wide where the sensors tell little: for a weak magnet, and for a piece that was there
before the first scan.
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
REACH_MM = 10.5  # Farther off the middle, a strong piece has left its class's band.
WITHIN = 0.95
# docs/add-a-board.md: strengths +-7 %, gains +-5 %, and gaps +-0.5 mm of 12, which is
# 12 % for its own sensor and half of that for those around.
STRENGTH_SIGMA = 0.05  # Share of a reading that all sensors feel alike.
OWN_SHARE, NEAR_SHARE = 0.055, 0.04  # Share that one sensor alone feels.
AGAIN_S = 0.8  # Time after a piece was put at which more scans have been averaged.
AVERAGED_LATER = 16
_BEFORE = 20  # Scans that the readings before it are worth; these follow for some 0.4 s.
_KNOWN_MT = 0.008  # Unknown part of a difference between two averages: drift, the model.
_STALE_MT = 0.09  # Unknown part of a zero under a piece, which cannot follow: up to 0.15.
_PUSHED_MT = 0.3  # Change since the last look: a push of 1 to 3 mm.
_USUAL_MM, _FADES_MM = 5.0, 0.5  # People put a piece within 5 mm (docs/add-a-board.md).
_AROUND = tuple(product((-1, 0, 1), (-1, 0, 1)))


class PiecePositions:
    """The positions of all pieces at rest.

    What a piece adds around it is known from when it was put there. Later, zeros follow the
    readings, and a piece's field cannot be told from drift.
    """

    known: Mapping[int, PiecePosition]
    """Place and position of each piece that has been looked at."""

    def __init__(self, crosstalk: Crosstalk) -> None:
        """Start with no piece known."""
        self.known = {}
        self._crosstalk = crosstalk
        self._due_s: Mapping[int, float] = {}  # When to look at each piece next.
        self._base_mt: Mapping[int, Sequence[float]] = {}  # All readings before a piece was put.
        self._own_mt: Mapping[int, float] = {}  # Its own sensor's reading at the last look.
        self._not_put: frozenset[int] = frozenset()  # Pieces that slid to where they are.

    def start(self, places: Iterable[int], now_s: float) -> None:
        """Forget all pieces, and look at every place."""
        self.known, self._base_mt, self._own_mt = {}, {}, {}
        self._not_put, self._due_s = frozenset(), dict.fromkeys(places, now_s)

    def replace(self, index: int, now_s: float, base_mt: Sequence[float] | None) -> None:
        """Note that another piece, or none, is on a place now.

        ``base_mt`` are the readings of all sensors before, or None unless the place was empty then.
        """
        self.known = without(self.known, index)
        self._base_mt = without(self._base_mt, index)
        if base_mt is not None:
            self._base_mt = {**self._base_mt, index: base_mt}
        self._not_put -= {index}
        self._due_s = {**self._due_s, index: now_s}

    def note_slide(self, places: Iterable[int]) -> None:
        """Note that nobody put the pieces on ``places`` where they are."""
        self._not_put = self._not_put.union(places)

    def doubt_all(self, now_s: float) -> None:
        """Note that every piece may have slid unseen, further off than people put it."""
        self._due_s = {**self._due_s, **dict.fromkeys(self.known, now_s)}
        self._base_mt, self._not_put = {}, self._not_put.union(self.known)

    def update(
        self, scene: Scene, rest_mt: Sequence[float], faulty: Mapping[int, object], *, is_due: bool
    ) -> None:
        """Look at one piece whose turn has come.

        ``rest_mt`` are the readings at rest. When ``is_due``, finds out as well whether a piece was
        pushed, or its sensor is among the ``faulty`` ones.
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
    usual: float  # Log of the prior probability of this position.
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
    """Return the position of a piece. ``field_mt``: the readings of the nine sensors around it, of
    this piece alone, rows from south to north, its own in the middle; ``sigma_mt``: the uncertainty
    of each, infinite for one to ignore. ``by_hand``: it was put there, which people do near the
    middle.
    """
    sign = SIGN_OF[magnet]
    weights = [1 / (sigma * sigma) for sigma in sigma_mt]
    wanted = [sign * mt * weight for mt, weight in zip(field_mt, weights, strict=True)]
    prior = STRENGTH_SIGMA**-2
    templates = templates_of(DISC_OF[magnet], profile.gap_mm, profile.pitch_mm)
    likely = []
    for template in templates:
        # The strength, normal about 1, is integrated out.
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
    """Return the radius of the circle that contains ``WITHIN`` of the shares; each share is half
    before its point and half beyond.
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
    """Return a template for each point within reach."""
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

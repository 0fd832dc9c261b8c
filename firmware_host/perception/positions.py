"""Where on its place a piece stands, from its own sensor and those around it.

A piece off the middle is felt less by its own sensor and more by the one it came nearer to. Every
position within reach is tried; how likely each makes what the sensors read, with the strength of
the magnet averaged over, gives the position to be expected and a circle that holds the piece in 95
of 100 cases. Nothing is claimed that the sensors do not tell: for a weak magnet, and for a piece
that stood there before the table looked, the circle is wide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from math import exp, hypot, inf, log, sqrt
from operator import mul
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.perception.field import DISC_OF, SIGN_OF, Disc, field_mt
from tiltboard.firmware_host.perception.scan_history import AVERAGED, PlateState, without
from tiltboard.firmware_host.table.sight import Magnet, Position

STEP_MM = 1.5
REACH_MM = 10.5  # a strong piece further off the middle has left its class's band
WITHIN = 0.95
# docs/add-a-board.md: strengths +-7 %, gains +-5 %, and gaps +-0.5 mm of 12, which is
# 12 % for its own sensor and half of that for those around.
STRENGTH_SIGMA = 0.05  # of a reading: what all sensors feel alike
OWN_SHARE, NEAR_SHARE = 0.055, 0.04  # what one sensor alone feels
AGAIN_S = 0.8  # after a piece was put, more scans have been averaged
AVERAGED_LATER = 16
_BEFORE = 20  # scans that the readings of before are worth, which follow for some 0.4 s
_KNOWN_MT = 0.008  # of a difference between two averages: drift, the model
_STALE_MT = 0.09  # of a zero under a piece, which follows nothing: up to 0.15
_PUSHED_MT = 0.3  # since it was looked at last: 1 to 3 mm
_USUAL_MM, _FADES_MM = 5.0, 0.5  # people put a piece within 5 mm: docs/add-a-board.md
_AROUND = tuple(product((-1, 0, 1), (-1, 0, 1)))


class Standing(Struct, frozen=True):
    """Of every piece that is at rest, as ``known``. What it adds around it is known from when it
    was put there: later, zeros follow what they read, and nothing tells a piece's field from a
    drift.

    ``base_mt``: what all sensors read before it stood there. ``due_s``: when to look next;
    ``own_mt``: what its own sensor read at the last look. ``slid``: pieces that nobody put where
    they are.
    """

    due_s: Mapping[int, float] = {}
    known: Mapping[int, Position] = {}
    base_mt: Mapping[int, Sequence[float]] = {}
    own_mt: Mapping[int, float] = {}
    slid: frozenset[int] = frozenset()

    def stands(self, index: int, now_s: float, base_mt: Sequence[float] | None) -> Standing:
        """Something else stands there now. ``base_mt``: what the sensors read before, if the place
        was empty then.
        """
        known_mt = without(self.base_mt, index)
        return replace(
            self,
            known=without(self.known, index),
            base_mt=known_mt if base_mt is None else {**known_mt, index: base_mt},
            slid=self.slid - {index},
            due_s={**self.due_s, index: now_s},
        )

    def doubtful(self, now_s: float) -> Standing:
        """Every piece may have slid unseen, further off than people put it."""
        due_s = {**self.due_s, **dict.fromkeys(self.known, now_s)}
        return replace(self, base_mt={}, slid=self.slid.union(self.known), due_s=due_s)


def looked(state: PlateState, *, calm: bool) -> PlateState:
    """With a look at one piece that is due; ``calm``: also whether one was pushed, or its sensor
    failed.
    """
    now_s, rest, failed, before = state.now_s, state.rest, state.health.masked, state.standing
    due_s, base_mt = before.due_s, before.base_mt
    if calm:
        known = before.own_mt.items()
        pushed = [i for i, mt in known if i in failed or abs(rest[i] - mt) > _PUSHED_MT]
        if pushed:
            base_mt = without(base_mt, *pushed)
            due_s = {**due_s, **dict.fromkeys(pushed, now_s)}
    index = next((i for i, each_s in due_s.items() if each_s <= now_s), None)
    if index is None:
        return state
    due_s, own_mt = without(due_s, index), without(before.own_mt, index)
    magnet = state.magnets[index]
    if magnet is Magnet.NONE or index in failed:
        positions = without(before.known, index)
    else:
        found = _found(state, index, magnet, base_mt.get(index))
        own_mt = {**own_mt, index: rest[index]}
        positions = {**before.known, index: found}
        if index not in before.known and index in base_mt:
            due_s = {**due_s, index: now_s + AGAIN_S}
        else:
            base_mt = without(base_mt, index)
    return replace(state, standing=Standing(due_s, positions, base_mt, own_mt, before.slid))


def _found(
    state: PlateState, index: int, magnet: Magnet, base_mt: Sequence[float] | None
) -> Position:
    profile, standing = state.layout.profile, state.standing
    averaged = AVERAGED_LATER if index in standing.known else AVERAGED
    row, column = divmod(index, profile.columns)
    adds_mt, sigmas_mt = [], []
    for up, right in _AROUND:
        there = 0 <= row + up < profile.rows and 0 <= column + right < profile.columns
        sensor = index + up * profile.columns + right
        unsure = sensor in state.health.masked or sensor in state.pending
        if not there or unsure or (base_mt is None and sensor != index):
            adds_mt.append(0.0)
            sigmas_mt.append(inf)
            continue
        nominal = state.crosstalk.adds_mt(magnet, index, sensor)
        before = 0.0 if base_mt is None else base_mt[sensor]
        adds_mt.append(state.rest[sensor] - before + nominal)
        noise_mt = state.noise.sigma_mt(sensor) * sqrt(1 / averaged + 1 / _BEFORE)
        unknown_mt = _STALE_MT if base_mt is None else _KNOWN_MT
        share = OWN_SHARE if sensor == index else NEAR_SHARE
        sigmas_mt.append(hypot(noise_mt, unknown_mt, share * adds_mt[-1]))
    return position(magnet, adds_mt, sigmas_mt, profile, by_hand=index not in standing.slid)


class _Template(NamedTuple):
    """What the nine sensors around a magnet at one point read, in mT, and the squares."""

    east_mm: float
    north_mm: float
    usual: float  # log of how often pieces stand so
    reads_mt: tuple[float, ...]
    squares: tuple[float, ...]


def position(
    magnet: Magnet,
    field_mt: Sequence[float],
    sigma_mt: Sequence[float],
    profile: Profile,
    *,
    by_hand: bool = True,
) -> Position:
    """``field_mt``: what the nine sensors around the piece read of it alone, rows from south to
    north, its own in the middle; ``sigma_mt``: how far each may be wrong, infinite for one that is
    not to be asked. ``by_hand``: it was put, which people do near the middle.
    """
    sign = SIGN_OF[magnet]
    weights = [1 / (sigma * sigma) for sigma in sigma_mt]
    wanted = [sign * mt * weight for mt, weight in zip(field_mt, weights, strict=True)]
    prior = STRENGTH_SIGMA**-2
    templates = templates_of(DISC_OF[magnet], profile.gap_mm, profile.pitch_mm)
    likely = []
    for template in templates:
        # The strength is normal about 1: what remains once it is integrated over
        spread = prior + sum(map(mul, template.squares, weights))
        pull = prior + sum(map(mul, template.reads_mt, wanted))
        likely.append(by_hand * template.usual + (pull * pull / spread - log(spread)) / 2)
    most = max(likely)
    shares = [exp(each - most) for each in likely]
    total = sum(shares)
    east = sum(s * t.east_mm for s, t in zip(shares, templates, strict=True)) / total
    north = sum(s * t.north_mm for s, t in zip(shares, templates, strict=True)) / total
    return Position(east, north, _radius(east, north, templates, shares))


def _radius(
    east: float, north: float, templates: Sequence[_Template], shares: Sequence[float]
) -> float:
    """The radius of the circle that holds ``WITHIN`` of the shares; each lies half before its point
    and half beyond.
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
    """One for each point within reach."""
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

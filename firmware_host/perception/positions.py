"""Where on its place a piece stands, from its own sensor and those around it.

A piece off the middle is felt less by its own sensor and more by the one it came nearer to. Every
position within reach is tried; how likely each makes what the sensors read, with the strength of
the magnet averaged over, gives the position to be expected and a circle that holds the piece in 95
of 100 cases. Nothing is claimed that the sensors do not tell: for a weak magnet, and for a piece
that stood there before the table looked, the circle is wide.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import product
from math import exp, hypot, inf, log, sqrt
from operator import mul
from typing import NamedTuple

from firmware_host.config.profile import Profile
from firmware_host.perception.field import DISC_OF, SIGN_OF, STRONG, WEAK, Disc, field_mt
from firmware_host.perception.state import AVERAGED, PlateState, Sensors
from firmware_host.table.sight import Magnet, Position

STEP_MM = 1.5
REACH_MM = 10.5  # a strong piece further off the middle has left its class's band
WITHIN = 0.95
# HARDWARE, pieces and the field: strengths +-7 %, gains +-5 %, and gaps +-0.5 mm of 12, which is
# 12 % for its own sensor and half of that for those around.
STRENGTH_SIGMA = 0.05  # what all feel
OWN_SHARE, NEAR_SHARE = 0.055, 0.04  # of a reading: what one sensor alone feels
AGAIN_S = 0.8  # after a piece was put, more scans have been averaged
AVERAGED_LATER = 16
_BEFORE = 20  # scans that the readings of before are worth, which follow for some 0.4 s
_KNOWN_MT = 0.008  # of a difference between two averages: drift, the model
_STALE_MT = 0.09  # of a zero under a piece, which follows nothing: up to 0.15
_PUSHED_MT = 0.3  # since it was looked at last: 1 to 3 mm
_USUAL_MM, _FADES_MM = 5.0, 0.5  # people put a piece within 5 mm: HARDWARE
_AROUND = tuple(product((-1, 0, 1), (-1, 0, 1)))


class Positions:
    """Of every piece that is at rest. What it adds around it is known from when it was put there:
    later, zeros follow what they read, and nothing tells a piece's field from a drift.
    """

    def __init__(self, sensors: Sensors) -> None:
        self._profile = profile = sensors.profile
        self._sensors = sensors
        self._around = [_places_around(profile, index) for index in range(profile.size)]
        self._base: dict[int, Sequence[float]] = {}  # what all sensors read before it stood there
        self._due_s: dict[int, float] = {}
        self._own_mt: dict[int, float] = {}  # at the last look
        self._slid: set[int] = set()  # pieces that nobody put where they are
        self.known: Mapping[int, Position] = {}
        if profile.measures:
            for disc in (STRONG, WEAK):  # before the first scan: 0.1 s on a Pi 4
                _templates(disc, profile.gap_mm, profile.pitch_mm)

    def stands(self, index: int, now_s: float, base_mt: Sequence[float] | None = None) -> None:
        """Something else stands there now. ``base_mt``: what the sensors read before, if the place
        was empty then.
        """
        self.known = {i: at for i, at in self.known.items() if i != index}
        self._base.pop(index, None)
        self._slid.discard(index)
        if base_mt is not None:
            self._base[index] = base_mt
        self._due_s[index] = now_s

    def slid(self, index: int) -> None:
        """What stands there came by sliding: it may be as far off the middle as it is read."""
        self._slid.add(index)

    def arrived(self, state: PlateState, index: int, at: Position) -> None:
        """A piece was followed onto that place."""
        self._base.pop(index, None)
        self._due_s.pop(index, None)
        self._own_mt[index] = state.rest[index]
        self.known = {**self.known, index: at}

    def doubtful(self, now_s: float) -> None:
        """Note that every piece may have slid unseen, further off than people put it."""
        self._base.clear()
        self._slid.update(self.known)
        self._due_s.update(dict.fromkeys(self.known, now_s))

    def look(self, state: PlateState, failed: Collection[int], now_s: float, *, calm: bool) -> None:
        """Look at one piece that is due; ``calm``: also whether one was pushed, or its sensor
        failed.
        """
        if calm:
            rest = state.rest
            known = self._own_mt.items()
            for index in [i for i, mt in known if i in failed or abs(rest[i] - mt) > _PUSHED_MT]:
                self._base.pop(index, None)
                self._due_s[index] = now_s
        due = [i for i, due_s in self._due_s.items() if due_s <= now_s]
        if not due:
            return
        index = due[0]
        magnet = state.magnets[index]
        del self._due_s[index]
        self._own_mt.pop(index, None)
        if magnet is not Magnet.NONE and index not in failed:
            self._own_mt[index] = state.rest[index]
            first = index not in self.known
            self.known = {**self.known, index: self._found(state, index, magnet, failed)}
            if first and index in self._base:
                self._due_s[index] = now_s + AGAIN_S
            else:
                self._base.pop(index, None)
        elif index in self.known:
            self.known = {i: at for i, at in self.known.items() if i != index}

    def _found(
        self, state: PlateState, index: int, magnet: Magnet, failed: Collection[int]
    ) -> Position:
        sensors, base = self._sensors, self._base.get(index)
        averaged = AVERAGED_LATER if index in self.known else AVERAGED
        adds_mt, sigmas_mt = [], []
        for sensor in self._around[index]:
            asked = sensor == index or (base is not None and sensor is not None)
            if sensor is None or not asked or sensor in failed or sensor in state.pending:
                adds_mt.append(0.0)
                sigmas_mt.append(inf)
                continue
            before = 0.0 if base is None else base[sensor]
            nominal = sensors.crosstalk.adds_mt(magnet, index, sensor)
            adds_mt.append(state.rest[sensor] - before + nominal)
            noise_mt = sensors.noise.sigma_mt(sensor) * sqrt(1 / averaged + 1 / _BEFORE)
            unknown_mt = _STALE_MT if base is None else _KNOWN_MT
            share = OWN_SHARE if sensor == index else NEAR_SHARE
            sigmas_mt.append(hypot(noise_mt, unknown_mt, share * adds_mt[-1]))
        by_hand = index not in self._slid
        return position(magnet, adds_mt, sigmas_mt, self._profile, by_hand=by_hand)


def _places_around(profile: Profile, index: int) -> list[int | None]:
    """As ``position`` wants them; None: no place of the plate."""
    row, column = divmod(index, profile.columns)
    return [
        (row + up) * profile.columns + column + right
        if 0 <= row + up < profile.rows and 0 <= column + right < profile.columns
        else None
        for up, right in _AROUND
    ]


class _Template(NamedTuple):
    """Of a magnet at one point: what the nine sensors around read, in mT, and the squares."""

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
    templates = _templates(DISC_OF[magnet], profile.gap_mm, profile.pitch_mm)
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
    """Of the circle that holds ``WITHIN`` of the shares; each lies half before its point and half
    beyond.
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
def _templates(disc: Disc, gap_mm: float, pitch_mm: float) -> tuple[_Template, ...]:
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

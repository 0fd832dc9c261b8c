"""Two sensors whose wires have changed sides: what one reads, the other's neighbours feel.

A strong magnet adds some -0.16 mT to each sensor a place away and -0.08 mT across the corner. Put
down over exchanged wires it is read at one place and felt around another, and no piece up to 5 mm
off the middle of its place looks like that: with the datasheet's noise the means of four scans hold
0.7 to 1.4 of the difference that an exchange makes, and at most 0.3 of it where there is none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, sqrt

from firmware_host.perception.bands import (
    STRONG_CLASSES,
    STRONG_STAYS_MT,
    WEAK_CLASSES,
    strong,
)
from firmware_host.perception.blind import WEAK_SHARE, apart, around
from firmware_host.perception.crosstalk import Crosstalk
from firmware_host.perception.field import SIGN_OF, STRONG, field_mt
from firmware_host.perception.observation import Magnet
from firmware_host.profile import Profile

SURE = 0.65  # of what an exchange would change is there; from a half on it is looked at longer
# Of its square may be left over, besides noise: a share, and what a piece off its middle leaves.
MOST_MISFIT = 0.1
MOST_MISFIT_MT2 = 0.015
MOST_SHARE = 1.45
LEAST_FELT = 0.25  # of a magnet, around the other place
MOST_SIGMA = 0.13  # of noise in that share
LEAST_POWER_MT2 = 0.04  # of what an exchange would change; in a corner a strong magnet makes 0.05
# A piece off its middle may look like an exchange with a place beside it: it must explain less.
OFFSETS_MM = (-9.0, -6.0, -3.0, 0.0, 3.0, 6.0, 9.0)
NEAR_PLACES = 2
TABLE_MM = 0.5
TABLE_PITCHES = 6  # further off nothing is felt
LEAST_MT2 = 0.02  # squares of what is felt around a place and should not be; less is no exchange


@dataclass(frozen=True, slots=True)
class Exchange:
    """The wires of two places may have changed sides.

    ``share``: of the difference that this makes, how much is there; ``sigma``: the noise of that;
    ``fits``: whether it leaves nothing over. ``lately``: since the readings at rest, so that
    beliefs and zeros from before still hold; else all was read so.
    """

    one: int
    other: int
    lately: bool
    share: float
    sigma: float
    fits: bool

    @property
    def sure(self) -> bool:
        """Whether nothing else looks like that."""
        return self.fits and SURE < self.share < MOST_SHARE and self.sigma < MOST_SIGMA


@dataclass(frozen=True, slots=True)
class Scene:
    """What changed between two times of rest. ``before``, ``now``: magnets by place, as believed.
    ``change_mt``: of readings with what was believed at each time removed. ``usable``: sensors that
    are believed, and over which nothing has changed. ``moved``: where something has, or still does.
    ``sigma_mt``: the noise of ``change_mt``.
    """

    before: Sequence[Magnet]
    now: Sequence[Magnet]
    change_mt: Sequence[float]
    usable: Collection[int]
    moved: Collection[int]
    sigma_mt: float

    def is_strong(self, index: int) -> bool:
        """Whether a strong magnet came or went there."""
        return not STRONG_CLASSES.isdisjoint((self.before[index], self.now[index]))


class Wires:
    """``wire``: the input that each place is read from."""

    def __init__(self, crosstalk: Crosstalk, profile: Profile, wire: Sequence[int]) -> None:
        self._crosstalk = crosstalk
        self._columns, self._rows = columns, rows = profile.columns, profile.rows
        self._pitch_mm = profile.pitch_mm
        self._table = [
            field_mt(STRONG, profile.gap_mm, TABLE_MM * i)
            for i in range(round(TABLE_PITCHES * profile.pitch_mm / TABLE_MM))
        ]
        self._own = list(range(columns * rows))
        self.wire = list(wire or self._own)
        self._straight = self.wire == self._own

    def sorted(self, raw_mt: Sequence[float]) -> Sequence[float]:
        """Readings by place."""
        return raw_mt if self._straight else [raw_mt[wire] for wire in self.wire]

    @property
    def crossed(self) -> frozenset[int]:
        """Places that are read from another's input."""
        if self._straight:
            return frozenset()
        return frozenset(i for i, wire in enumerate(self.wire) if i != wire)

    def cross(self, one: int, other: int) -> None:
        """Read each of the two from the other's input from now on."""
        wire = self.wire
        wire[one], wire[other] = wire[other], wire[one]
        self._straight = wire == self._own

    def is_felt_where_read(
        self, one: int, other: int, field_mt: Sequence[float], empty: Collection[int]
    ) -> bool | None:
        """Whether the neighbours feel the strong magnets that are read at the two where they are
        read, rather than each at the other place; None where too few can tell. ``field_mt``:
        calibrated readings, with what neighbours add; ``empty``: places that may be asked.
        """
        crosstalk, pair = self._crosstalk, (one, other)
        rest_mt = crosstalk.removed(field_mt)
        read = {i: strong(rest_mt[i]) for i in pair if abs(rest_mt[i]) > STRONG_STAYS_MT}
        here = [read.get(i, Magnet.NONE) for i in pair]
        stand = [crosstalk.standing[i] for i in pair]
        near = {*around(one, self._columns, self._rows), *around(other, self._columns, self._rows)}

        def added(magnets: Sequence[Magnet], index: int) -> float:
            return sum(crosstalk.adds_mt(m, i, index) for m, i in zip(magnets, pair, strict=True))

        balance = power = 0.0
        for i in near.intersection(empty):
            felt = rest_mt[i] + added(stand, i)
            as_read, exchanged = added(here, i), added(here[::-1], i)
            power += (as_read - exchanged) ** 2
            balance += (felt - exchanged) ** 2 - (felt - as_read) ** 2
        return balance > 0 if power > LEAST_POWER_MT2 else None

    def exchange(self, index: int, scene: Scene, failed: Collection[int]) -> Exchange | None:
        """The exchange with ``index``, where the class has changed, that explains most of what the
        neighbours feel; None where they feel what they should. ``failed``: not to be blamed.
        """
        scale = _strength(index, scene)
        if not self._is_odd(index, scene, LEAST_MT2 * scale**2):
            return None
        best: tuple[int, Mapping[int, float], bool, float, float] | None = None
        most = 0.0
        for other in self._own:
            if other == index or other in failed or not self._may_be(index, other, scene, scale):
                continue
            for lately in (True, False):
                expected = self._expected(index, other, scene, lately=lately)
                power = sum(e * e for e in expected.values())
                if power < LEAST_POWER_MT2 * scale**2:
                    continue
                along = sum(scene.change_mt[i] * e for i, e in expected.items())
                if 2 * along - power > most:
                    most = 2 * along - power
                    best = other, expected, lately, along, power
        if best is None:
            return None
        other, expected, lately, along, power = best
        sigma = scene.sigma_mt / sqrt(power)
        fits = self._fits(index, other, expected, scene)
        fits = fits and not self._is_near_others(index, other, scene)
        return Exchange(index, other, lately, along / power, sigma, fits)

    def _may_be(self, index: int, other: int, scene: Scene, scale: float) -> bool:
        """Whether anything is felt around ``other``, a quick look; beside ``index`` it overlaps."""
        if apart(index, other, self._columns) <= NEAR_PLACES:
            return True
        share, along, power = self._crosstalk.share_mt, 0.0, 0.0
        for i in around(other, self._columns, self._rows):
            if i in scene.usable:
                one_mt = share(other, i)
                along += scene.change_mt[i] * one_mt
                power += one_mt * one_mt
        return abs(along) > LEAST_FELT * scale * power

    def _fits(self, index: int, other: int, expected: Mapping[int, float], scene: Scene) -> bool:
        """Whether little is left over, and less than anything else leaves."""
        noise = scene.sigma_mt**2
        power = sum(e * e for e in expected.values())
        left = sum((scene.change_mt[i] - e) ** 2 - noise for i, e in expected.items())
        return (
            left < MOST_MISFIT * power + MOST_MISFIT_MT2 * _strength(index, scene) ** 2
            and left < self._left_by_neighbours(index, other, expected, scene)
            and left < self._left_by_displaced(index, expected, scene)
        )

    def _left_by_neighbours(
        self, index: int, other: int, near: Collection[int], scene: Scene
    ) -> float:
        """The least that is left over, squared, where not ``index`` but a sensor beside it has been
        exchanged with another.
        """
        adds, change = self._crosstalk.adds_mt, scene.change_mt
        before, now = scene.before[index], scene.now[index]
        usable = [i for i in scene.usable if i != other]
        felt = {i: adds(now, index, i) - adds(before, index, i) for i in usable}
        explained = 0.0
        for beside in felt.keys() & around(index, self._columns, self._rows):
            for i in usable:
                more = felt[i] - felt[beside]
                explained = max(explained, 2 * more * (change[beside] - change[i] - more))
        return sum(change[i] ** 2 - scene.sigma_mt**2 for i in near) - explained

    def _is_near_others(self, one: int, other: int, scene: Scene) -> bool:
        """Whether something else has changed where the two are felt: nobody knows how far off the
        middle that stands.
        """
        return any(
            apart(i, k, self._columns) <= NEAR_PLACES
            for i in scene.moved
            if i not in (one, other)
            for k in (one, other)
        )

    def _left_by_displaced(self, index: int, near: Collection[int], scene: Scene) -> float:
        """The least that a piece off the middle of ``index`` leaves over, squared."""
        scale, noise = _strength(index, scene), scene.sigma_mt**2
        alike = STRONG_CLASSES if scale == 1.0 else WEAK_CLASSES
        came = scene.now[index] in alike
        sign = SIGN_OF[scene.now[index]] if came else -SIGN_OF[scene.before[index]]
        sign *= scale
        return min(
            sum(
                (scene.change_mt[i] - sign * more) ** 2 - noise
                for i, more in zip(near, self._displaced(index, near, x, y), strict=True)
            )
            for x in OFFSETS_MM
            for y in OFFSETS_MM
        )

    def _displaced(self, index: int, near: Collection[int], x: float, y: float) -> list[float]:
        """What a strong south magnet adds to each of ``near`` more than from the middle."""
        (row, column), pitch_mm = divmod(index, self._columns), self._pitch_mm
        found = []
        for i in near:
            up, right = divmod(i, self._columns)
            dx, dy = (right - column) * pitch_mm, (up - row) * pitch_mm
            found.append(self._at(hypot(dx - x, dy - y)) - self._at(hypot(dx, dy)))
        return found

    def _at(self, off_mm: float) -> float:
        return self._table[min(round(off_mm / TABLE_MM), len(self._table) - 1)]

    def _is_odd(self, index: int, scene: Scene, least_mt2: float) -> bool:
        """Whether the neighbours do not feel what they should of a magnet that came or went."""
        noise = scene.sigma_mt**2
        row, column = divmod(index, self._columns)
        near = (
            r * self._columns + c
            for r in range(max(0, row - 2), min(self._rows, row + 3))
            for c in range(max(0, column - 2), min(self._columns, column + 3))
        )
        felt = sum(scene.change_mt[i] ** 2 - noise for i in near if i in scene.usable)
        return felt > least_mt2

    def _expected(self, one: int, other: int, scene: Scene, *, lately: bool) -> Mapping[int, float]:
        """What an exchange would add to ``change_mt``, by place around the two."""
        share = self._crosstalk.adds_mt
        near = {*around(one, self._columns, self._rows), *around(other, self._columns, self._rows)}
        pairs = [(scene.now[one], 1.0), (scene.now[other], -1.0)]
        if not lately:
            pairs += [(scene.before[one], -1.0), (scene.before[other], 1.0)]
        weights: dict[Magnet, float] = {}
        for magnet, weight in pairs:
            if magnet is not Magnet.NONE:
                weights[magnet] = weights.get(magnet, 0.0) + weight
        return {
            i: sum(w * (share(m, other, i) - share(m, one, i)) for m, w in weights.items() if w)
            for i in sorted(near - {one, other})
            if i in scene.usable
        }


def _strength(index: int, scene: Scene) -> float:
    """Of the magnet that came or went there, in strong ones."""
    return 1.0 if scene.is_strong(index) else WEAK_SHARE

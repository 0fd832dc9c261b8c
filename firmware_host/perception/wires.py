"""Two sensors whose wires have changed sides: what one reads, the other's neighbours feel.

A strong magnet adds some -0.16 mT to each sensor a place away and -0.08 mT across the corner. Put
down over exchanged wires it is read at one place and felt around another, and no piece up to 5 mm
off the middle of its place looks like that: with the datasheet's noise the means of four scans hold
0.7 to 1.4 of the difference that an exchange makes, and at most 0.3 of it where there is none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from firmware_host.perception.bands import STRONG_CLASSES
from firmware_host.perception.blind import around
from firmware_host.perception.crosstalk import Crosstalk
from firmware_host.perception.observation import Magnet

SUSPECTED = 0.5  # of what an exchange would change is there: look longer
SURE = 0.65
# Of its square may be left over, besides noise: a share, and what a piece off its middle leaves.
MOST_MISFIT = 0.1
MOST_MISFIT_MT2 = 0.015
MOST_SIGMA = 0.2  # of noise in that share
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
        return self.fits and self.share > SURE and self.sigma < MOST_SIGMA


@dataclass(frozen=True, slots=True)
class Scene:
    """What changed between two times of rest. ``before``, ``now``: magnets by place, as believed.
    ``change_mt``: of readings with what was believed at each time removed. ``usable``: sensors that
    are believed, and over which nothing has changed. ``sigma_mt``: the noise of ``change_mt``.
    """

    before: Sequence[Magnet]
    now: Sequence[Magnet]
    change_mt: Sequence[float]
    usable: Collection[int]
    sigma_mt: float


class Wires:
    """``wire``: the input that each place is read from."""

    def __init__(
        self, crosstalk: Crosstalk, columns: int, rows: int, wire: Sequence[int] = ()
    ) -> None:
        self._crosstalk = crosstalk
        self._columns, self._rows = columns, rows
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

    def exchange(self, index: int, scene: Scene, failed: Collection[int]) -> Exchange | None:
        """The exchange with ``index``, where the class has changed, that explains most of what the
        neighbours feel; None where they feel what they should. ``failed``: not to be blamed.
        """
        if not self._is_odd(index, scene):
            return None
        best, most = None, 0.0
        for other in self._own:
            if other == index or other in failed:
                continue
            for lately in (True, False):
                expected = self._expected(index, other, scene, lately=lately)
                power = sum(e * e for e in expected.values())
                if power == 0.0:
                    continue
                along = sum(scene.change_mt[i] * e for i, e in expected.items())
                if 2 * along - power > most:
                    most = 2 * along - power
                    noise = scene.sigma_mt**2
                    left = sum((scene.change_mt[i] - e) ** 2 - noise for i, e in expected.items())
                    fits = left < MOST_MISFIT * power + MOST_MISFIT_MT2
                    sigma = (noise / power) ** 0.5
                    best = Exchange(index, other, lately, along / power, sigma, fits)
        return best

    def _is_odd(self, index: int, scene: Scene) -> bool:
        """Whether a strong magnet came or went and the neighbours do not feel what they should."""
        if STRONG_CLASSES.isdisjoint((scene.before[index], scene.now[index])):
            return False
        noise = scene.sigma_mt**2
        row, column = divmod(index, self._columns)
        near = (
            r * self._columns + c
            for r in range(max(0, row - 2), min(self._rows, row + 3))
            for c in range(max(0, column - 2), min(self._columns, column + 3))
        )
        felt = sum(scene.change_mt[i] ** 2 - noise for i in near if i in scene.usable)
        return felt > LEAST_MT2

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

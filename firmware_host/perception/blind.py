"""What stands on places whose own sensor cannot be trusted: their neighbours feel it.

A strong magnet adds some -0.16 mT to each sensor a place away and -0.08 mT across the corner: far
too little for one scan, plenty for the mean of a quarter of a second, where only the change counts.
A weak one adds a fifth of that: it takes longer, and only while no piece comes or goes near by, as
pieces off the middle of their places add more. After that, somebody must be asked; as where masked
places touch each other: a piece 4 mm off its middle then shows as a fifth of a magnet at one beside
it and as half of one among four, and fewer sensors are left to tell them apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import median

from firmware_host.perception.bands import STRONG_CLASSES, WEAK_CLASSES
from firmware_host.perception.crosstalk import Crosstalk
from firmware_host.perception.field import SIGN_OF
from firmware_host.perception.observation import Magnet

SCANS = 15  # of quiet, averaged
AGREEING = 2  # such means in a row that say the same
NEAR = 0.35  # of a strong magnet: how far off a mean may be
# Of the squares of what neighbours feel: two beside it, or one and three across. Less is a guess.
LEAST_MT2 = 0.04
ROUNDS = 12  # two places side by side share so little that each leaves a fifth of the error
FOLLOW_SHARE = 0.1
CALM_SHARE = 0.02  # every eighth scan: some eight seconds
BELIEVED_MT = {Magnet.NONE: 0.0, Magnet.N_STRONG: -10.0, Magnet.S_STRONG: 10.0}
WEAK_MT = 2.0
WEAK_SHARE = 0.2  # of a strong magnet's field at the neighbours (HARDWARE, pieces and the field)
WEAK_SIGMAS = 4.0  # from a weak magnet to the middle between it and none
WEAK_MOST_MEANS = 20  # some six seconds; noisier neighbours than that cannot tell
BASE_MOST_SCANS = 150  # what following makes of the first mean
BASE_PART = 0.7  # of the noise that a weak magnet allows, at most, in what it is compared with
# Of the squares of what is felt: a piece 5 mm off its middle leaves 0.03 of them unexplained.
MOST_LEFT = 0.25
NOISES = 4.0
NEAR_PLACES = 2  # so far, a piece off its middle adds more than a weak magnet does


@dataclass(slots=True)
class _Blind:
    belief: Magnet
    base_mt: dict[int, float] = field(default_factory=dict)
    wished: Magnet | None = None
    agreed: int = 0
    sighted: bool = True  # whether the neighbours suffice
    hearsay: bool = False  # the belief is only what the journal says of an earlier run
    checked: bool = False  # whether they, or somebody, have borne out the belief
    base_scans: int = SCANS
    change: float = 0.0  # sum over ``means`` in a row
    means: int = 0
    told: bool = False  # the belief began with a person's word
    disturbed: bool = False  # something came or went near by since the base was taken


class BlindPlaces:
    """Beliefs about masked places. ``columns``, ``rows``: of the plate."""

    def __init__(self, crosstalk: Crosstalk, columns: int, rows: int) -> None:
        self._crosstalk = crosstalk
        self._columns, self._rows = columns, rows
        self._places: dict[int, _Blind] = {}
        self._calm_mt: dict[int, float] = {}
        self._sum: list[float] = []
        self._count = 0
        self._classes: Collection[Magnet] = ()
        self._sigma_mt = 0.0

    def __bool__(self) -> bool:
        return bool(self._places)

    @property
    def unguessed(self) -> frozenset[int]:
        """Places where the neighbours cannot tell: somebody must be asked."""
        return frozenset(i for i, place in self._places.items() if not self._is_felt(i, place))

    @property
    def beliefs(self) -> Mapping[int, Magnet]:
        """What is believed to stand on each masked place."""
        return {index: place.belief for index, place in self._places.items()}

    @property
    def unchecked(self) -> frozenset[int]:
        """Places whose neighbours have yet to bear out what is believed."""
        places = self._places.items()
        return frozenset(i for i, p in places if self._is_felt(i, p) and not p.checked)

    @property
    def unborne(self) -> frozenset[int]:
        """Places where nothing that was felt speaks for what is believed."""
        return frozenset(
            index
            for index, place in self._places.items()
            if place.told or not (place.checked and self._is_felt(index, place))
        )

    def mask(self, index: int, belief: Magnet, *, hearsay: bool = False) -> None:
        """From now on ``index`` is believed, not read. What its neighbours felt before counts, as
        far as it is known: a piece may have come while the sensor was not yet known to have failed.

        ``hearsay``: nobody has seen that the belief is true. Until somebody says what stands there
        it is asked, for neighbours feel only what changes.
        """
        calm = self._calm_mt
        near = around(index, self._columns, self._rows)
        possible = sum(self._crosstalk.share_mt(index, i) ** 2 for i in near)
        felt = belief is Magnet.NONE or belief in STRONG_CLASSES
        self._places[index] = _Blind(
            belief,
            {i: calm[i] for i in near if i in calm},
            sighted=felt and possible >= LEAST_MT2,
            hearsay=hearsay,
            base_scans=BASE_MOST_SCANS,
        )
        self.interrupt()

    def follow(self, readings_mt: Sequence[float]) -> None:
        """A quiet scan, now and then: what is felt while nothing happens."""
        calm = self._calm_mt
        common = median(readings_mt)
        for index, reading_mt in enumerate(readings_mt):
            reading = reading_mt - common
            before = calm.get(index, reading)
            calm[index] = before + CALM_SHARE * (reading - before)

    def unmask(self, index: int) -> Magnet:
        """Its sensor is read again; what was believed."""
        return self._places.pop(index).belief

    def believe(self, index: int, belief: Magnet) -> None:
        """Somebody says what stands there."""
        place = self._places[index]
        self._places[index] = _Blind(belief, sighted=place.sighted, checked=True, told=True)
        self.interrupt()

    def reading_mt(self, index: int) -> float:
        """What a sound sensor would read there, the neighbours' share included."""
        belief = self._places[index].belief
        own = BELIEVED_MT.get(belief)
        if own is None:
            own = SIGN_OF[belief] * WEAK_MT
        return own + self._crosstalk.total_mt[index]

    def places(self) -> tuple[int, ...]:
        """All that are masked."""
        return tuple(self._places)

    def interrupt(self) -> None:
        """Something moves: the mean begins anew."""
        self._count = 0
        for place in self._places.values():
            place.change, place.means = 0.0, 0

    def changed(self, index: int) -> None:
        """Another magnet stands at ``index`` now: what its sensor felt before says nothing."""
        self._calm_mt.pop(index, None)
        for masked, place in self._places.items():
            place.base_mt.pop(index, None)
            if index != masked and apart(index, masked, self._columns) <= NEAR_PLACES:
                place.disturbed = True
        self.interrupt()

    def take(
        self, readings_mt: Sequence[float], classes: Collection[Magnet], sigma_mt: float
    ) -> None:
        """One quiet scan: readings with all that is known or believed removed. ``sigma_mt``: the
        usual noise of one.
        """
        self._classes, self._sigma_mt = classes, sigma_mt
        if self._count == 0:
            self._sum = list(readings_mt)
        else:
            self._sum = [s + r for s, r in zip(self._sum, readings_mt, strict=True)]
        self._count += 1
        if self._count >= SCANS:
            common = median(self._sum)  # all drift together with the temperature
            means = [(s - common) / self._count for s in self._sum]
            self._count = 0
            changes = self._changes(means)
            for index, place in self._places.items():
                self._judge(index, place, means, changes.get(index, 0.0))

    def _changes(self, means: Sequence[float]) -> Mapping[int, float]:
        """By how many strong south magnets each place differs from what is believed: the least
        squares of what their neighbours feel, of all places together (by relaxation), because two
        that are near each other share neighbours.
        """
        share_mt = self._crosstalk.share_mt
        felt = {
            index: {i: means[i] - b for i, b in place.base_mt.items() if i not in self._places}
            for index, place in self._places.items()
        }
        weights = {
            index: sum(share_mt(index, i) ** 2 for i in near) for index, near in felt.items()
        }
        changes = {index: 0.0 for index, weight in weights.items() if weight >= LEAST_MT2}
        for _ in range(ROUNDS if len(changes) > 1 else 1):
            for index in changes:
                others = [(k, change) for k, change in changes.items() if k != index and change]
                total = 0.0
                for i, more_mt in felt[index].items():
                    rest_mt = more_mt - sum(change * share_mt(k, i) for k, change in others)
                    total += rest_mt * share_mt(index, i)
                changes[index] = total / weights[index]
        return changes

    def _judge(
        self,
        index: int,
        place: _Blind,
        means: Sequence[float],
        change: float,
    ) -> None:
        """``change``: as ``_changes`` gives it."""
        felt = {
            i: (means[i], self._crosstalk.share_mt(index, i))
            for i in around(index, self._columns, self._rows)
            if i not in self._places
        }
        possible = sum(share * share for _, share in felt.values())
        known = {i: felt[i] for i in place.base_mt if i in felt}
        weight = sum(share * share for _, share in known.values())
        if not place.base_mt:  # the first mean after masking, or all neighbours have changed
            place.base_mt = {i: mean for i, (mean, _) in felt.items()}
            place.base_scans = SCANS
            place.sighted = possible >= LEAST_MT2
            return
        sigma = self._sigma_mt / sqrt(weight) if weight >= LEAST_MT2 else 1.0
        weak = not WEAK_CLASSES.isdisjoint(self._classes) and place.belief not in STRONG_CLASSES
        place.sighted = weight >= LEAST_MT2 and not (weak and self._is_dim(place, sigma))
        if weight < LEAST_MT2 or place.hearsay or self._is_crowded(index):
            return
        if not place.sighted and place.belief in WEAK_CLASSES:
            return
        wished = nearest(_signed(place.belief) + change, self._classes)
        if weak and wished is Magnet.NONE:
            wished = self._weak_or_none(place, change, sigma)
            place.agreed = AGREEING  # it was looked at long enough
        if wished is None or wished is place.belief:
            place.wished, place.agreed = None, 0
            if wished is place.belief:
                place.checked = True
                self._follow_base(place, felt)
            return
        odd = self._odd_one(known, place, change)
        if odd is not None:
            del place.base_mt[odd]
            place.wished, place.agreed = None, 0
            return
        place.agreed = place.agreed + 1 if place.wished is wished else max(1, place.agreed)
        place.wished = wished
        if place.agreed >= AGREEING:
            by_mt = _signed(wished) - _signed(place.belief)
            for i, (mean, share) in felt.items():
                place.base_mt.setdefault(i, mean - by_mt * share)
            place.belief, place.wished, place.agreed = wished, None, 0
            place.checked = True

    def _odd_one(
        self, known: Mapping[int, tuple[float, float]], place: _Blind, change: float
    ) -> int | None:
        """The neighbour that feels something else than the others, if they do not feel the same
        ``change``: a piece of its own may have been nudged, which is felt much more.
        """
        left = {i: mean - place.base_mt[i] - change * mt for i, (mean, mt) in known.items()}
        noise = 2 * len(known) * self._sigma_mt**2 / SCANS
        explained = change**2 * sum(mt * mt for _, mt in known.values())
        if sum(mt * mt for mt in left.values()) <= MOST_LEFT * explained + NOISES * noise:
            return None
        return max(left, key=lambda i: abs(left[i]))

    def _is_felt(self, index: int, place: _Blind) -> bool:
        """Whether its neighbours tell what stands there."""
        return place.sighted and not place.hearsay and not self._is_crowded(index)

    def _is_crowded(self, index: int) -> bool:
        """Whether it touches another masked place."""
        return any(i in self._places for i in around(index, self._columns, self._rows))

    def _is_dim(self, place: _Blind, sigma: float) -> bool:
        """Whether no weak magnet can be told there. ``sigma``: of one scan, in strong magnets."""
        longest = sigma * sqrt(1 / (SCANS * WEAK_MOST_MEANS) + 1 / place.base_scans)
        return place.disturbed or WEAK_SIGMAS * longest > WEAK_SHARE / 2

    def _weak_or_none(self, place: _Blind, change: float, sigma: float) -> Magnet | None:
        """Which of them, once it has been averaged for long enough."""
        if place.disturbed:
            return None
        if WEAK_SIGMAS * sigma / sqrt(place.base_scans) > BASE_PART * WEAK_SHARE / 2:
            # What it is compared with is not known well enough yet; something may come meanwhile.
            noise = sigma * sqrt(1 / SCANS + 1 / place.base_scans)
            place.disturbed = abs(change) > max(WEAK_SHARE / 2, 3 * noise)
            return None if place.disturbed or place.base_scans == BASE_MOST_SCANS else place.belief
        place.change += change
        place.means += 1
        noise = sigma * sqrt(1 / (SCANS * place.means) + 1 / place.base_scans)
        if noise * WEAK_SIGMAS > WEAK_SHARE / 2:
            return None
        now = (_signed(place.belief) + place.change / place.means) / WEAK_SHARE
        place.change, place.means = 0.0, 0
        if abs(now) < 0.5:
            return Magnet.NONE
        magnet = Magnet.S_WEAK if now > 0 else Magnet.N_WEAK
        return magnet if magnet in self._classes and abs(now) < 1.5 else None

    def _follow_base(self, place: _Blind, felt: Mapping[int, tuple[float, float]]) -> None:
        share = max(FOLLOW_SHARE, SCANS / (place.base_scans + SCANS))
        for i, (mean, _) in felt.items():
            base = place.base_mt.setdefault(i, mean)
            place.base_mt[i] = base + share * (mean - base)
        place.base_scans = min(place.base_scans + SCANS, BASE_MOST_SCANS)


def nearest(amount: float, classes: Collection[Magnet]) -> Magnet | None:
    """What ``amount`` strong south magnets are: none, one, or one the other way round."""
    if abs(amount) < NEAR:
        return Magnet.NONE
    magnet = Magnet.S_STRONG if amount > 0 else Magnet.N_STRONG
    return magnet if magnet in classes and abs(abs(amount) - 1) < NEAR else None


def around(index: int, columns: int, rows: int) -> tuple[int, ...]:
    """The up to eight places beside ``index``."""
    row, column = divmod(index, columns)
    return tuple(
        r * columns + c
        for r in range(max(0, row - 1), min(rows, row + 2))
        for c in range(max(0, column - 1), min(columns, column + 2))
        if (r, c) != (row, column)
    )


def apart(one: int, other: int, columns: int) -> int:
    """How many steps to neighbouring places lie between, the diagonal ones too."""
    (y, x), (v, u) = divmod(one, columns), divmod(other, columns)
    return max(abs(y - v), abs(x - u))


def _signed(magnet: Magnet) -> float:
    """In strong south magnets."""
    if magnet is Magnet.NONE:
        return 0.0
    return SIGN_OF[magnet] * (1.0 if magnet in STRONG_CLASSES else WEAK_SHARE)

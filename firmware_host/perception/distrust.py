"""Sensors that are not believed as they read: failed ones, and weak magnets.

Failed ones are found by themselves, from what healthy ones cannot do. A DRV5055's output keeps
0.2 V from both rails, so a reading beyond is a broken wire. Its noise is half a step of the
converter, so one that repeats itself is stuck. Magnets come and go in steps, so one that creeps
drifts. Switches have no noise: all that can be known of them by themselves is that no magnet has
both poles down.

What stands on a place whose sensor is masked, its neighbours tell, or else somebody is asked: a
strong magnet adds some 0.16 mT to each sensor beside it and half as much across the corner, so they
feel a strong piece come or go. They do not feel weak pieces, nor tell two masked places apart that
touch; and they feel only changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add
from statistics import median

from msgspec.structs import replace

from drivers.hall_switches import CONTRADICTION_MT
from firmware_host.perception import bands
from firmware_host.perception.bands import STRONG_CLASSES, WEAK_CLASSES
from firmware_host.perception.calibration import Calibration
from firmware_host.perception.field import SIGN_OF
from firmware_host.perception.state import Pending, PlateState, Sensors, without
from firmware_host.table.sight import Ailment, Magnet

# DRV5055A1 at 3.3 V: the output ends at 0.2 V and 3.1 V, +-24.2 mT (SBAS640, output voltage).
RAIL_MT = 25.0
DEAD_LOOKS = 8  # 0.3 s: of looks every LOOK_S, as all here
# 1.8 s. With noise of 0.57 steps a reading repeats in at most 0.62 of cases: 0.62**45 = 5e-10, so
# that a false alarm, of three seconds, takes more than a thousand hours of rest.
STUCK_LOOKS = 45
LIVELY_LOOKS = 24  # fewer equal ones in a row: there is noise
NOISY_S = 2.0
RESTLESS_SHARE = 1 / 32
CALM_MT = 0.2  # a healthy sensor steps by 0.05 mT from look to look
BLOCK_LOOKS = 12  # 0.5 s
STEP_MT = 0.08  # between means of blocks: less is creeping, more is a magnet or a neighbour's
CREPT_EMPTY_MT = 0.5  # temperature moves an empty place by 0.06 mT in 10 K
CREPT_TAKEN_MT = 1.2  # and the reading of a strong magnet by up to 0.2 mT
RESTED_MT = 0.08  # in RESTED_BLOCKS; less is no drift any more
RESTED_BLOCKS = 20  # 10 s
GOOD_S = 3.0  # a healed sensor has to be good for so long
FELT_MT = (
    4.0  # a sensor that was said to feel nothing lives when its reading has changed by so much
)


class SensorHealth:
    """Looks at a scan every LOOK_S. ``masked``: places whose readings mean nothing now, and why."""

    def __init__(self, size: int, *, switches: bool = False) -> None:
        self._switches = switches
        self._last: Sequence[float] = ()
        self._equal = [0] * size
        self._noisy_since: dict[int, float] = {}
        self._good_since: dict[int, float] = {}
        self._restless: dict[int, float] = {}  # masked place -> mean step between looks
        self._block = [0.0] * size
        self._block_count = 0
        self._means: list[list[float]] = []
        self._crept = [0.0] * size
        self._claimed_mt: dict[int, float] = {}  # what a silent one read then
        self.masked: dict[int, Ailment] = {}

    def interrupt(self) -> None:
        """The readings were interrupted, or the plate was not still."""
        self._block = [0.0] * len(self._block)
        self._block_count = 0
        self._means.clear()

    def observe(
        self,
        now_s: float,
        raw_mt: Sequence[float],
        noisy: Collection[int],
        magnets: Sequence[Magnet],
    ) -> bool:
        """One scan; whether ``masked`` has changed. ``raw_mt``: as the driver gives it.

        ``noisy``: by the noise meter. ``magnets``: what stands on each place.
        """
        if self._last:
            for index, mean in self._restless.items():
                step = min(abs(raw_mt[index] - self._last[index]), 1.0)
                self._restless[index] = mean + RESTLESS_SHARE * (step - mean)
            self._equal = [
                n + 1 if a == b else 0
                for n, a, b in zip(self._equal, raw_mt, self._last, strict=True)
            ]
        self._last = raw_mt
        before = dict(self.masked)
        if self._switches:
            self._judge_switches(raw_mt)
        else:
            self._judge_levels(raw_mt)
            self._judge_noise(now_s, noisy)
            self._collect(raw_mt, magnets)
        if self.masked:
            self._heal(now_s, raw_mt)
        return self.masked != before

    def claim(self, index: int) -> None:
        """Mask a sensor that does not feel what somebody says stands there."""
        self.masked.setdefault(index, Ailment.SILENT)

    def _judge_switches(self, raw_mt: Sequence[float]) -> None:
        if CONTRADICTION_MT in raw_mt:
            for index, value in enumerate(raw_mt):
                if value == CONTRADICTION_MT and self._equal[index] >= DEAD_LOOKS:
                    self.masked.setdefault(index, Ailment.CONTRADICTING)

    def _judge_levels(self, raw_mt: Sequence[float]) -> None:
        if min(raw_mt) < -RAIL_MT or max(raw_mt) > RAIL_MT:
            for index, value in enumerate(raw_mt):
                if (
                    abs(value) > RAIL_MT
                    and self._equal[index] >= DEAD_LOOKS
                    and self.masked.get(index) is not Ailment.LEFT_OUT
                ):
                    self.masked[index] = Ailment.DEAD
        if max(self._equal) >= STUCK_LOOKS and median(self._equal) < LIVELY_LOOKS:
            for index, count in enumerate(self._equal):
                if count >= STUCK_LOOKS:
                    self.masked.setdefault(index, Ailment.STUCK)

    def _judge_noise(self, now_s: float, noisy: Collection[int]) -> None:
        if not noisy and not self._noisy_since:
            return
        self._noisy_since = {i: self._noisy_since.get(i, now_s) for i in noisy}
        for index, since_s in self._noisy_since.items():
            if now_s - since_s >= NOISY_S:
                self.masked.setdefault(index, Ailment.NOISY)

    def _collect(self, raw_mt: Sequence[float], magnets: Sequence[Magnet]) -> None:
        self._block = list(map(add, self._block, raw_mt))
        self._block_count += 1
        if self._block_count < BLOCK_LOOKS:
            return
        means = [s / BLOCK_LOOKS for s in self._block]
        self._block = [0.0] * len(means)
        self._block_count = 0
        if self._means:
            self._judge_drift(means, self._means[-1], magnets)
        self._means.append(means)
        del self._means[: -RESTED_BLOCKS - 1]

    def _judge_drift(
        self, means: Sequence[float], before: Sequence[float], magnets: Sequence[Magnet]
    ) -> None:
        steps = [a - b for a, b in zip(means, before, strict=True)]
        common = median(steps)
        for index, step in enumerate(steps):
            crept = step - common
            if abs(crept) > STEP_MT:
                self._crept[index] = 0.0
                continue
            self._crept[index] += crept
            most = CREPT_EMPTY_MT if magnets[index] is Magnet.NONE else CREPT_TAKEN_MT
            if abs(self._crept[index]) > most:
                self.masked.setdefault(index, Ailment.DRIFTING)

    def _heal(self, now_s: float, raw_mt: Sequence[float]) -> None:
        for index, ailment in list(self.masked.items()):
            if self._is_good(index, ailment, raw_mt):
                since_s = self._good_since.setdefault(index, now_s)
                if now_s - since_s >= GOOD_S:
                    del self.masked[index], self._good_since[index]
                    self._restless.pop(index, None)
                    self._claimed_mt.pop(index, None)
                    self._crept[index] = 0.0
            else:
                self._good_since.pop(index, None)

    def _is_good(self, index: int, ailment: Ailment, raw_mt: Sequence[float]) -> bool:
        match ailment:
            case Ailment.DEAD | Ailment.STUCK:
                return abs(raw_mt[index]) <= RAIL_MT and self._equal[index] < LIVELY_LOOKS
            case Ailment.NOISY:
                return self._restless.setdefault(index, 1.0) < CALM_MT
            case Ailment.DRIFTING:
                means = [block[index] for block in self._means]
                return len(means) > RESTED_BLOCKS and max(means) - min(means) < RESTED_MT
            case Ailment.SILENT:
                then_mt = self._claimed_mt.setdefault(index, raw_mt[index])
                return abs(raw_mt[index] - then_mt) > FELT_MT
            case Ailment.CONTRADICTING:
                return raw_mt[index] != CONTRADICTION_MT
            case Ailment.LEFT_OUT:
                return False


REST_S = 0.3  # averaged
AGREEING = 2  # such means in a row that say the same
NEAR = 0.35  # of a strong magnet: how far off a mean may be
# Of the squares of what empty neighbours feel: two beside it, or one and three across.
LEAST_MT2 = 0.04
FOLLOW_SHARE = 0.1
CALM_SHARE = 0.02  # of each look: some eight seconds
READS_MT = {
    Magnet.NONE: 0.0,
    Magnet.N_STRONG: -10.0,
    Magnet.S_STRONG: 10.0,
    Magnet.N_WEAK: -2.0,
    Magnet.S_WEAK: 2.0,
}

_UNCHECKED_S = 2.0  # so long a fresh belief may wait for the neighbours: two means, and hands near
# So long one that had failed before the start is not known to have: dead ones, and all others.
_DEAD_S = 0.5
_SEEN_S = 3.0
_WEAK_MAGNET_S = 0.3
_WEAK_MAGNET = 0.65  # of a strong one; off centre, a sound one is felt whole by the neighbours


@dataclass(slots=True)
class _Masked:
    """A place that is believed, not read. ``base_mt``: what its neighbours read with ``belief``
    standing there. ``felt``: whether enough of them are empty. ``unconfirmed``: the belief is only
    what the journal says of an earlier run. ``checked``: the neighbours, or somebody, agree with
    it.
    """

    belief: Magnet
    since_s: float
    base_mt: dict[int, float] = field(default_factory=dict)
    felt: bool = True
    unconfirmed: bool = False
    checked: bool = False
    wished: Magnet | None = None
    agreed: int = 0


class Distrust:
    """What is known against the sensors of one plate. ``stored``: of the last run. ``expected``: as
    in Perception. ``masked``: as in Observation. ``weak``: places on which a magnet is too weak.
    ``learnt`` counts what was found out, all of it worth keeping.
    """

    def __init__(
        self, sensors: Sensors, stored: Calibration, expected: Mapping[int, Magnet] | None
    ) -> None:
        profile = sensors.profile
        self._sensors = sensors
        self._expected = expected
        self._unchanged = set(range(profile.size))  # since the journal's word was given
        self._health = SensorHealth(profile.size, switches=not profile.measures)
        self.masked = self._health.masked
        self.masked.update(stored.failed)
        self._places: dict[int, _Masked] = {}
        self._calm_mt: dict[int, float] = {}
        self._sum: list[float] = []
        self._count = 0
        self._now_s = 0.0
        self._began_s: float | None = None
        self.weak: frozenset[int] = frozenset()
        self.learnt = 0

    def begin(self, state: PlateState) -> PlateState:
        """The first state, with what an earlier run has masked."""
        return self._follow_health(state) if self.masked else state

    def blind(self, state: PlateState) -> frozenset[int]:
        """Places where the neighbours cannot tell: somebody must be asked."""
        return frozenset(i for i in self._places if not self._is_felt(state, i))

    def unchecked(self, state: PlateState) -> frozenset[int]:
        """Masked places where what is told may be out of date: the last that their sensors said may
        have been said too late, or another belief has yet to be accepted.
        """
        return frozenset(
            i
            for i, place in self._places.items()
            if state.magnets[i] is not place.belief
            or (
                self._now_s - place.since_s < _UNCHECKED_S
                and not place.checked
                and self._is_felt(state, i)
            )
        )

    def is_noisy(self, index: int) -> bool:
        """Whether its readings jump, and it is not known to have failed."""
        return index in self._sensors.noise.noisy and index not in self.masked

    def believe(self, state: PlateState, index: int, magnet: Magnet) -> PlateState:
        """A person says what stands where the sensor cannot be trusted: that is so at once."""
        if index not in self.masked:
            self._health.claim(index)
            state = self._follow_health(state)
        sensors, place = self._sensors, self._places[index]
        self._places[index] = _Masked(magnet, place.since_s, felt=place.felt, checked=True)
        self.accepted(index)
        sensors.crosstalk.stand(index, magnet)
        reading = self._reading_mt(index)
        sensors.history.flatten(index, reading)
        state = state.standing(index, magnet)
        state = state.reading(index, reading - sensors.crosstalk.total_mt[index])
        sensors.set_bands(index, state)
        return state

    def observe(
        self,
        state: PlateState,
        now_s: float,
        field_mt: Sequence[float],
        scan: list[float],
        *,
        look: bool,
    ) -> PlateState:
        """Judge one scan, as the driver gives it, where it is time to ``look``; in the calibrated
        ``scan``, what is believed stands for what failed sensors say.
        """
        self._now_s = now_s
        if self._began_s is None:
            self._began_s = now_s
        noisy = self._sensors.noise.noisy
        if look and self._health.observe(now_s, field_mt, noisy, state.magnets):
            state = self._follow_health(state)
        for index in self._places:
            scan[index] = self._reading_mt(index)
        return state

    def interrupt(self) -> None:
        """The readings were interrupted, or the plate was not still."""
        self._health.interrupt()
        self.moved()

    def moved(self) -> None:
        """Begin the mean of what neighbours read anew, as something moves."""
        self._count = 0

    def accepted(self, index: int) -> None:
        """Another magnet stands at ``index`` now: what its sensor read before says nothing."""
        self._unchanged.discard(index)
        self._calm_mt.pop(index, None)
        for place in self._places.values():
            place.base_mt.pop(index, None)
        self.moved()

    def at_rest(self, state: PlateState, *, calm: bool) -> None:
        """Nothing moves in this scan: judge the masked places by the mean of what is read with all
        that is known or believed removed. ``calm``: now and then, when what the sensors read is
        followed.
        """
        readings = state.readings
        if self._places:
            self._sum = list(map(add, self._sum, readings)) if self._count else list(readings)
            self._count += 1
            if self._count >= self._sensors.scans(REST_S):
                common = median(self._sum)  # all drift together with the temperature
                means = [(s - common) / self._count for s in self._sum]
                self._count = 0
                for index in self._places:
                    self._judge(state, index, means)
        if calm:
            calm_mt, common = self._calm_mt, median(readings)
            for index, reading_mt in enumerate(readings):
                reading = reading_mt - common
                before = calm_mt.get(index, reading)
                calm_mt[index] = before + CALM_SHARE * (reading - before)

    def _follow_health(self, state: PlateState) -> PlateState:
        """Believe where sensors have failed, read where they have healed."""
        sensors = self._sensors
        self.learnt += 1
        for index in self.masked.keys() - self._places.keys():
            state = self._mask(state, index)
        for index in self._places.keys() - self.masked.keys():
            del self._places[index]
            sensors.history.clear()
        return state

    def _mask(self, state: PlateState, index: int) -> PlateState:
        """From now on the place is believed. What its neighbours read before counts: a piece may
        have come while the sensor was not yet known to have failed.
        """
        sensors, calm_mt = self._sensors, self._calm_mt
        belief = state.magnets[index]
        # Whether what fails so would have been known before, had it failed at the start
        known_s = _DEAD_S if self.masked[index] is Ailment.DEAD else _SEEN_S
        was_sound = self._began_s is not None and self._now_s - self._began_s > known_s
        unconfirmed = self._expected is not None and index in self._unchanged and not was_sound
        if self._expected is not None and unconfirmed:
            belief = self._expected.get(index, Magnet.NONE)
        near = sensors.around[index]
        base_mt = {i: calm_mt[i] for i in near if i in calm_mt}
        felt = self._weight(index, near) >= LEAST_MT2
        self._places[index] = _Masked(belief, self._now_s, base_mt, felt, unconfirmed)
        self.moved()
        sensors.crosstalk.stand(index, state.magnets[index])
        sensors.history.flatten(index, self._reading_mt(index))
        pending, doubt = without(state.pending, index), without(state.doubt, index)
        return replace(state, pending=pending, doubt=doubt)

    def _reading_mt(self, index: int) -> float:
        """What a sound sensor would read on a masked place, the neighbours' share included."""
        return READS_MT[self._places[index].belief] + self._sensors.crosstalk.total_mt[index]

    def _judge(self, state: PlateState, index: int, means: Sequence[float]) -> None:
        """Whether a strong piece has come or gone, by what the empty neighbours read."""
        place, around = self._places[index], self._sensors.around
        near = [
            i
            for i in around[index]
            if state.magnets[i] is Magnet.NONE
            and not any(j in self._places for j in (i, *around[i]) if j != index)
        ]
        known = [i for i in near if i in place.base_mt] if place.base_mt else near
        weight = self._weight(index, known)
        place.felt = weight >= LEAST_MT2
        if not place.base_mt:
            place.base_mt = {i: means[i] for i in near}
            return
        if not self._is_felt(state, index) and (not place.felt or place.belief in WEAK_CLASSES):
            return
        if place.unconfirmed or self._touches_another(index):
            return
        share = self._sensors.crosstalk.share_mt
        along = sum((means[i] - place.base_mt[i]) * share(index, i) for i in known)
        own = SIGN_OF[place.belief] if place.belief in STRONG_CLASSES else 0.0
        wished = _nearest(own + along / weight, state.classes)
        if wished is place.belief:
            place.checked = True
            for i in near:
                base = place.base_mt.setdefault(i, means[i])
                place.base_mt[i] = base + FOLLOW_SHARE * (means[i] - base)
        place.agreed = place.agreed + 1 if wished is place.wished else 1
        place.wished = wished
        if wished not in (None, place.belief) and place.agreed >= AGREEING:
            place.belief, place.checked = wished, True

    def _weight(self, index: int, near: Collection[int]) -> float:
        return sum(self._sensors.crosstalk.share_mt(index, i) ** 2 for i in near)

    def _is_felt(self, state: PlateState, index: int) -> bool:
        """Whether its neighbours tell what stands on a masked place."""
        place = self._places[index]
        weak = not WEAK_CLASSES.isdisjoint(state.classes) and place.belief not in STRONG_CLASSES
        return place.felt and not (place.unconfirmed or weak or self._touches_another(index))

    def _touches_another(self, index: int) -> bool:
        return any(i in self._places for i in self._sensors.around[index])

    def look_for_weak(self, state: PlateState, now_s: float) -> None:
        """Find the ``weak`` magnets among what is pending."""
        pending = state.pending.items()
        self.weak = frozenset(i for i, each in pending if self._is_weak(state, i, each, now_s))

    def _is_weak(self, state: PlateState, index: int, pending: Pending, now_s: float) -> bool:
        """Whether what rests there between the classes stands centred: its neighbours feel the
        same share of a magnet as its own sensor does.
        """
        sensors = self._sensors
        count = sensors.scans(_WEAK_MAGNET_S)
        reading = state.readings[index]
        if bands.classify(reading, zeroed=sensors.zeros.zeroed[index]) in state.classes:
            return False  # it is what it reads as, and will be taken for that
        if now_s - pending.since_s < 2 * _WEAK_MAGNET_S or not 1.0 < abs(reading) < bands.STRONG_MT:
            return False
        if not sensors.agree(index, count) or len(sensors.history) < count:
            return False
        neighbours = [i for i in sensors.around[index] if i not in state.pending]
        shares = [sensors.crosstalk.share_mt(index, i) for i in neighbours]
        weight = self._weight(index, neighbours)
        if weight < LEAST_MT2:
            return False
        felt = [
            sensors.mean(i, count) - sensors.crosstalk.total_mt[i] - pending.rest_mt[i]
            for i in neighbours
        ]
        amount = sum(f * s for f, s in zip(felt, shares, strict=True)) / weight
        return 0 < amount * (1 if reading > 0 else -1) < _WEAK_MAGNET


def _nearest(amount: float, classes: Collection[Magnet]) -> Magnet | None:
    """What ``amount`` strong south magnets are: none, one, or one the other way round."""
    if abs(amount) < NEAR:
        return Magnet.NONE
    magnet = Magnet.S_STRONG if amount > 0 else Magnet.N_STRONG
    return magnet if magnet in classes and abs(abs(amount) - 1) < NEAR else None

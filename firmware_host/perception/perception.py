"""Frames to observations: what stands where, how sure, and what happened. Reads no clock.

A reading leaves its class by leaving the wider band; it enters another when the average of four
scans is in that class's band and the scans agree. Changes that belong together are told together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from drivers.frame import Frame
from firmware_host.perception import bands
from firmware_host.perception.blind import LEAST_MT2, BlindPlaces, around
from firmware_host.perception.calibration import Calibration, check_fits, uncalibrated
from firmware_host.perception.changes import understand
from firmware_host.perception.crosstalk import Crosstalk
from firmware_host.perception.field import SIGN_OF
from firmware_host.perception.health import SensorHealth
from firmware_host.perception.history import AVERAGED, History, trend
from firmware_host.perception.loose import LooseMagnet
from firmware_host.perception.noise import NoiseMeter
from firmware_host.perception.observation import BoardEvent, Magnet, Observation, Stillness
from firmware_host.perception.stillness import StillnessGate
from firmware_host.perception.wires import SCANS as WIRE_SCANS
from firmware_host.perception.wires import SwappedWires
from firmware_host.perception.zeroing import SCANS, zero
from firmware_host.profile import Profile

ALL_CLASSES = bands.STRONG_CLASSES | bands.WEAK_CLASSES

_STALL_S = 0.25  # a gap between scans after which the filters start again
_RANGE_MT = 0.6  # scans agree within this, about three times the datasheet's noise, peak to peak
_RANGE_SHARE = 0.08  # or within this share of a strong reading
# A strong magnet on its way down or up passes the weak band. A weak one rests as long as its
# reading took to get there (so a slow hand shows), and longer where only one far off centre reads.
_WEAK_REST_S = 0.12
_WEAK_EDGE_REST_S = 0.6
_WEAK_LONGEST_REST_S = 0.6
_WEAK_SEEN_S = 1.2
_WEAK_EDGE_MT = 1.3
_USUAL_SIGMA_MT = 0.035  # 0.2 mT peak to peak; noisier sensors are watched longer
_WEAK_MOST_NOISIER = 4.0
_SLIDE_REST_S = 0.2  # a piece that slid over a place did not stop there
_WEAK_GONE_S = 0.3  # a weak magnet is invisible between places; this long it may be sliding there
_MOST_UNUSABLE = 3  # with more places changing at once, fields cannot be compared with those before
_LOOSE_S = 1.5  # after that, a piece that stands between places has left its own
_UNSURE_S = 0.3
_LIVELY_S = 0.5  # other changes wait for a place that moved within this time
_LONGEST_WAIT_S = 3.0
_LEARN_NOISE_S = 1.0
_REST_SHARE = 0.1
_WEAK_MAGNET_S = 0.3
_UNSETTLED_S = 0.8  # longer than a hand needs to put a piece right
_WEAK_MAGNET = 0.65  # of a strong one; off centre, a sound one is felt whole by the neighbours
# Zeros of empty places follow drift: a share of the reading every few scans, within limits.
_TRACK_EVERY = 8
_TRACK_S = 30.0
_TRACK_MOST_MT = 0.25


@dataclass(slots=True)
class _Pending:
    """A place whose reading has left its class's band."""

    since_s: float
    moved_s: float
    rest_mt: list[float]
    rest_magnets: tuple[Magnet, ...]


class Perception:
    """One table's. ``calibration``: of the last run. ``classes``: magnets that may be met.

    ``expected``: what should stand there at the start, plate index -> magnet, others empty: a hint
    that decides only what readings alone cannot. Raises ConfigError if ``calibration`` is another
    table's.
    """

    def __init__(
        self,
        profile: Profile,
        calibration: Calibration | None = None,
        *,
        classes: frozenset[Magnet] = ALL_CLASSES,
        expected: Mapping[int, Magnet] | None = None,
    ) -> None:
        self._profile = profile
        self._calibration = calibration or uncalibrated(profile)
        check_fits(self._calibration, profile, source="calibration")
        size = profile.size
        self._classes = classes
        self._expected = expected
        self._unchanged = set(range(size))  # since the start, when the journal's word was given
        self._offset = list(self._calibration.offset_mt)
        self._anchor = list(self._offset)
        self._gain = list(self._calibration.gain)
        self._zeroed = list(self._calibration.zeroed)
        self._gate = StillnessGate(self._calibration.level_rad, watched=profile.imu is not None)
        self._crosstalk = Crosstalk(self._calibration, profile.columns, profile.rows)
        self._loose = LooseMagnet(profile)
        self._noise = NoiseMeter(size)
        self._health = SensorHealth(size)
        self._blind_places = BlindPlaces(self._crosstalk, profile.columns, profile.rows)
        self._history = History(max(self._scans(_WEAK_SEEN_S), SCANS))
        self._ready = False
        self._magnets = [Magnet.NONE] * size
        self._doubt: dict[int, float] = {}  # place in doubt -> its reading if it is empty
        self._readings = [0.0] * size
        self._rest = self._readings
        self._stay_low = [bands.STAY[Magnet.NONE][0]] * size
        self._stay_high = [bands.STAY[Magnet.NONE][1]] * size
        self._enter_low = [bands.ENTER[Magnet.NONE][0]] * size
        self._enter_high = [bands.ENTER[Magnet.NONE][1]] * size
        self._per_mt = [1.0] * size
        self._pending: dict[int, _Pending] = {}
        self._wires = SwappedWires(self._crosstalk, profile.columns, profile.rows)
        self._quiet_scans = 0
        self._weak: frozenset[int] = frozenset()
        self._trail: list[int] = []
        self._trail_s = 0.0
        self._blind = True
        self._last_s: float | None = None
        self._count = 0

    @property
    def calibration(self) -> Calibration:
        """What is known by now, to be stored for the next start."""
        stored = self._calibration
        return Calibration(
            format=stored.format,
            profile=stored.profile,
            offset_mt=tuple(self._offset),
            gain=tuple(self._gain),
            zeroed=tuple(self._zeroed),
            strong_mt=stored.strong_mt,
            weak_mt=stored.weak_mt,
            level_rad=self._gate.level_rad,
            made_s=stored.made_s,
        )

    def set_classes(self, classes: frozenset[Magnet]) -> None:
        """Say which magnets this game has. Weak readings are unsure where it has no weak ones;
        strong ones are always told.
        """
        self._classes = classes
        if not classes & bands.WEAK_CLASSES:
            for index, reading in list(self._doubt.items()):
                if abs(reading) <= bands.UNZEROED_EMPTY_MT:
                    del self._doubt[index]
                    self._move_zero(index, reading)
                    self._set_bands(index)

    def believe(self, index: int, magnet: Magnet) -> None:
        """Take a person's word for what stands where the sensor cannot be trusted; from now on it
        is not, if it was.
        """
        if index not in self._health.masked:
            self._health.claim(index)
            self._follow_health()
        self._blind_places.believe(index, magnet)

    def observe(self, frame: Frame) -> Observation:
        """Take one scan in."""
        now = frame.time_s
        events = [BoardEvent(now, h) for h in self._gate.observe(now, frame.motion)]
        stalled = self._last_s is not None and now - self._last_s > _STALL_S
        self._last_s = now
        still = self._gate.state is Stillness.STILL
        if stalled or not still or not frame.field_mt:
            self._interrupt()
        if frame.field_mt:
            field_mt = self._wires.sorted(frame.field_mt)
            scan = [(f - o) * g for f, o, g in zip(field_mt, self._offset, self._gain, strict=True)]
            taken = [i for i, m in enumerate(self._magnets) if m is not Magnet.NONE]
            if self._health.take(now, field_mt, self._noise.noisy, taken):
                self._follow_health()
            for index in self._blind_places.places():
                scan[index] = self._blind_places.reading_mt(index)
            if still:
                self._take(scan, now, events)
            else:
                self._readings = self._crosstalk.removed(scan)
        return self._observation(now, tuple(events))

    def _interrupt(self) -> None:
        self._history.clear()
        self._pending.clear()
        self._trail.clear()
        self._health.interrupt()
        self._wires.interrupt()
        self._blind_places.interrupt()
        self._blind = True

    def _follow_health(self) -> None:
        """Believe where sensors have failed, read where they have healed."""
        for index in self._health.masked.keys() - set(self._blind_places.places()):
            belief = self._magnets[index]
            if index in self._unchanged and self._expected is not None:
                belief = self._expected.get(index, Magnet.NONE)
            self._blind_places.mask(index, belief)
            self._pending.pop(index, None)
            self._doubt.pop(index, None)
            self._crosstalk.stand(index, self._magnets[index])
            self._history.flatten(index, self._blind_places.reading_mt(index))
        for index in set(self._blind_places.places()) - self._health.masked.keys():
            self._blind_places.unmask(index)
            self._history.clear()

    def _take(self, scan: list[float], now: float, events: list[BoardEvent]) -> None:
        if self._history:
            moving = [i for i, p in self._pending.items() if now - p.since_s < _LEARN_NOISE_S]
            self._noise.take(self._history.latest(), scan, moving)
        self._history.push(scan)
        if not self._ready:
            if len(self._history) >= SCANS:
                self._start(now)
        elif self._history.filled:
            events.extend(self._judge(now))
            self._count += 1
            if self._count % _TRACK_EVERY == 0:
                self._track()
                self._weak = frozenset(
                    i for i, p in self._pending.items() if self._is_weak(i, p, now)
                )

    def _start(self, now: float) -> None:
        """Zero the sensors, and take what stands there as given."""
        masked = self._blind_places.places()
        restless = [
            i for i in range(self._profile.size) if i not in masked and not self._agree(i, SCANS)
        ]
        if restless and self._waited(now) < _LONGEST_WAIT_S:
            return
        count = len(self._history)
        mean = [sum(self._history.series(i, count)) / count for i in range(self._profile.size)]
        starts = zero(mean, self._zeroed, self._crosstalk, self._classes, self._expected)
        self._readings = self._crosstalk.removed(mean)
        for index, start in enumerate(starts):
            self._magnets[index] = start.magnet
            if index in masked:
                pass  # as believed
            elif index in restless:
                self._magnets[index] = Magnet.NONE
                self._crosstalk.stand(index, Magnet.NONE)
            elif start.doubt:
                self._doubt[index] = self._readings[index]
            elif start.zeroed:
                self._move_zero(index, start.add_mt)
            self._set_bands(index)
        self._rest = self._readings
        self._ready = True
        self._blind = False

    def _waited(self, now: float) -> float:
        """How long zeroing has been waiting for rest."""
        if self._blind:
            self._blind = False
            self._trail_s = now
        return now - self._trail_s

    def _judge(self, now: float) -> tuple[BoardEvent, ...]:
        mean = self._history.mean()
        first = self._blind and len(self._history) == AVERAGED
        readings = (self._crosstalk.resolve if first else self._crosstalk.removed)(mean)
        low, high = self._stay_low, self._stay_high
        out = [
            i
            for i, (r, a, b) in enumerate(zip(readings, low, high, strict=True))
            if not a <= r <= b
        ]
        self._readings = readings
        if not out and not self._pending:
            if self._blind_places:
                self._blind_places.take(readings, self._classes)
            self._rest_here(anew=self._blind)
            self._quiet_scans += 1
            if self._count % _TRACK_EVERY == 0:
                self._blind_places.follow(readings)
            if self._wires.wanted() and self._quiet_scans > WIRE_SCANS:
                self._check_wires()
            return ()
        self._blind_places.interrupt()
        self._quiet_scans = 0
        for index in [i for i in self._pending if i not in out]:
            del self._pending[index]
            self._crosstalk.stand(index, self._magnets[index])
        self._crosstalk.update(out, readings)
        self._readings = readings = self._crosstalk.removed(mean)
        magnets = tuple(self._magnets)
        for index in out:
            if index not in self._pending:
                self._pending[index] = _Pending(now, now, self._rest, magnets)
                self._trail.append(index)
                self._trail_s = now
        return self._decide(now)

    def _rest_here(self, *, anew: bool) -> None:
        """Nothing moves: these readings are what later changes are compared with."""
        if anew:
            self._rest = self._readings
        else:
            self._rest = [
                q + _REST_SHARE * (r - q) for r, q in zip(self._readings, self._rest, strict=True)
            ]
        self._trail.clear()
        self._blind = False

    def _decide(self, now: float) -> tuple[BoardEvent, ...]:
        """Accept what has come to rest, once nothing that may belong to it still moves."""
        verdicts: dict[int, Magnet] = {}
        lively = False
        for index, pending in self._pending.items():
            verdict = self._verdict(index, pending, now)
            if verdict is not None:
                verdicts[index] = verdict
            elif (
                now - pending.moved_s < _LIVELY_S
                and now - pending.since_s < _LONGEST_WAIT_S
                and not self._is_noisy(index)
            ):
                lively = True
        if lively:
            return ()
        if not verdicts:
            self._rest_here(anew=self._blind)
            settled = all(now - p.since_s > _UNSETTLED_S for p in self._pending.values())
            if settled and self._wires.wanted():
                self._check_wires()
            return ()
        if not self._blind and self._still_sliding(verdicts):
            return ()
        if any(self._still_loose(index, verdicts, now) for index in verdicts):
            return ()
        changes = {i: (self._magnets[i], verdict) for i, verdict in verdicts.items()}
        seen = None if self._blind else frozenset(self._trail)
        for index, magnet in verdicts.items():
            self._accept(index, magnet)
        self._rest_here(anew=True)
        return understand(now, changes, columns=self._profile.columns, seen_between=seen)

    def _verdict(self, index: int, pending: _Pending, now: float) -> Magnet | None:
        """The class that the place has come to rest in, None while it has not."""
        if not self._agree(index, AVERAGED):
            pending.moved_s = now
            return None
        magnet = bands.classify(self._readings[index], zeroed=self._zeroed[index])
        if magnet is None or magnet is self._magnets[index] or self._is_noisy(index):
            return None
        if magnet in bands.WEAK_CLASSES and not self._weak_rests(index, magnet, pending, now):
            return None
        return magnet

    def _is_noisy(self, index: int) -> bool:
        return index in self._noise.noisy and index not in self._health.masked

    def _weak_rests(self, index: int, magnet: Magnet, pending: _Pending, now: float) -> bool:
        """Whether that is a weak magnet, not a strong one in the hand or far off centre."""
        if magnet not in self._classes:
            return False
        sigma = self._noise.sigma_mt(index)
        series = self._history.series(index, self._scans(now - pending.since_s))
        level = sum(series[-AVERAGED:]) / AVERAGED
        run = 0
        for value in reversed(series):
            if abs(value - level) > 0.1 + 3 * sigma:
                break
            run += 1
        edge = abs(self._readings[index]) < _WEAK_EDGE_MT
        noisier = min(max(sigma / _USUAL_SIGMA_MT, 1.0), _WEAK_MOST_NOISIER)
        least = self._scans((_WEAK_EDGE_REST_S if edge else _WEAK_REST_S) * noisier)
        least = min(least, self._scans(_WEAK_SEEN_S))
        if run < max(least, min(len(series) - run, self._scans(_WEAK_LONGEST_REST_S))):
            return False
        # Three sigma of the difference between two halves' means, and a little for the steps.
        if abs(trend(series[-run:])) > 0.03 + 3 * sigma * sqrt(2 / (run // 2)):
            return False
        return not self._lies_near(index, index, magnet, pending)

    def _still_sliding(self, verdicts: Mapping[int, Magnet]) -> bool:
        """Whether a piece has just come over a place while another place was left."""
        if Magnet.NONE not in verdicts.values():
            return False
        count = self._scans(_SLIDE_REST_S)
        return any(
            magnet is not Magnet.NONE and not self._agree(index, count)
            for index, magnet in verdicts.items()
        )

    def _still_loose(self, index: int, verdicts: Mapping[int, Magnet], now: float) -> bool:
        """Whether the piece that left a place may still be on the plate, between places."""
        gone = self._magnets[index]
        if verdicts[index] is not Magnet.NONE or gone in verdicts.values():
            return False
        pending = self._pending[index]
        waited_s = now - max(pending.since_s, self._trail_s)
        if gone in bands.WEAK_CLASSES:
            return waited_s < _WEAK_GONE_S
        return waited_s < _LOOSE_S and any(
            self._lies_near(index, centre, gone, pending)
            for centre in dict.fromkeys((index, *self._trail[-2:]))
        )

    def _lies_near(self, source: int, centre: int, magnet: Magnet, pending: _Pending) -> bool:
        readings, rest = self._readings, pending.rest_mt
        change = [r - q for r, q in zip(readings, rest, strict=True)]
        now, before = self._magnets, pending.rest_magnets
        unusable = {i for i, (a, b) in enumerate(zip(now, before, strict=True)) if a is not b}
        unusable.update(self._pending)
        unusable.discard(source)
        if len(unusable) > _MOST_UNUSABLE:
            return False
        if source != centre:
            change[source] = readings[source]
        return self._loose.present(change, unusable, centre, SIGN_OF[magnet])

    def _agree(self, index: int, count: int) -> bool:
        """Whether the last ``count`` scans of a place differ only by noise."""
        series = self._history.series(index, count)
        low, high = min(series), max(series)
        most = max(abs(low), abs(high)) * _RANGE_SHARE
        return len(series) >= count and high - low <= max(_RANGE_MT, most)

    def _check_wires(self) -> None:
        """Where the neighbours contradict a sensor, its wires belong to another place."""
        count = WIRE_SCANS
        mean = [sum(self._history.series(i, count)) / count for i in range(self._profile.size)]
        unread = {*self._health.masked, *self._doubt}
        readings = self._crosstalk.removed(mean)
        found = self._wires.found(readings, self._magnets, unread, self._pending)
        if found is None:
            return
        seeming, real = found
        self._wires.cross(seeming, real)
        for kept in (self._offset, self._anchor, self._gain):
            kept[seeming], kept[real] = kept[real], kept[seeming]
        zeroed = self._zeroed
        zeroed[seeming], zeroed[real] = zeroed[real], zeroed[seeming]
        there = self._magnets[real]
        if abs(readings[real]) < bands.STRONG_STAYS_MT:  # that sensor stands empty
            self._move_zero(seeming, readings[real])
            there = Magnet.NONE
        self._magnets[seeming], self._magnets[real] = there, self._magnets[seeming]
        self._crosstalk.stand(seeming, there)
        self._crosstalk.stand(real, self._magnets[real])
        self._set_bands(seeming)
        self._set_bands(real)
        self._interrupt()

    def _is_weak(self, index: int, pending: _Pending, now: float) -> bool:
        """Whether what rests there between the classes stands centred: its neighbours feel the
        same share of a magnet as its own sensor does.
        """
        count = self._scans(_WEAK_MAGNET_S)
        reading = self._readings[index]
        size = abs(reading)
        if now - pending.since_s < 2 * _WEAK_MAGNET_S or not 1.0 < size < bands.STRONG_MT:
            return False
        if not self._agree(index, count) or len(self._history) < count:
            return False
        neighbours = [i for i in self._neighbours(index) if i not in self._pending]
        shares = [self._crosstalk.share_mt(index, i) for i in neighbours]
        weight = sum(share * share for share in shares)
        if weight < LEAST_MT2:
            return False
        felt = [
            sum(self._history.series(i, count)) / count
            - self._crosstalk.total_mt[i]
            - pending.rest_mt[i]
            for i in neighbours
        ]
        amount = sum(f * s for f, s in zip(felt, shares, strict=True)) / weight
        return 0 < amount * (1 if reading > 0 else -1) < _WEAK_MAGNET

    def _neighbours(self, index: int) -> tuple[int, ...]:
        return around(index, self._profile.columns, self._profile.rows)

    def _accept(self, index: int, magnet: Magnet) -> None:
        self._magnets[index] = magnet
        self._crosstalk.stand(index, magnet)
        self._blind_places.changed(index)
        self._unchanged.discard(index)
        pending = self._pending.pop(index)
        if not self._blind:
            self._wires.watch(index, magnet, pending.rest_mt, pending.rest_magnets)
        if index in self._health.masked:
            pass
        elif index in self._doubt:
            # Two pieces have no room on one place: what was in doubt was an empty place.
            self._move_zero(index, self._doubt.pop(index))
        elif magnet is Magnet.NONE and not self._zeroed[index]:
            self._move_zero(index, self._readings[index])
        self._set_bands(index)

    def _move_zero(self, index: int, by_mt: float) -> None:
        self._offset[index] += by_mt / self._gain[index]
        self._anchor[index] = self._offset[index]
        self._history.shift(index, by_mt)
        self._readings[index] -= by_mt
        self._zeroed[index] = True

    def _set_bands(self, index: int) -> None:
        magnet = self._magnets[index]
        low, high = bands.STAY[magnet]
        if not self._zeroed[index]:
            low, high = bands.stay_unzeroed(magnet, self._readings[index])
        self._stay_low[index], self._stay_high[index] = low, high
        self._enter_low[index], self._enter_high[index] = bands.ENTER[magnet]

    def _track(self) -> None:
        """Let the zeros of empty places follow drift; and learn how much a millitesla means."""
        share = _TRACK_EVERY / (_TRACK_S * self._profile.scans_per_s)
        for index, magnet in enumerate(self._magnets):
            known = self._zeroed[index] and index not in self._health.masked
            if magnet is Magnet.NONE and known and index not in self._pending:
                moved = self._offset[index] + share * self._readings[index] / self._gain[index]
                anchor = self._anchor[index]
                self._offset[index] = min(
                    max(moved, anchor - _TRACK_MOST_MT), anchor + _TRACK_MOST_MT
                )
        self._per_mt = [
            1 / (bands.CONFIDENCE_UNITS * (sigma + bands.TOLERANCE_MT[magnet]))
            for sigma, magnet in zip(self._noise.sigmas_mt(), self._magnets, strict=True)
        ]

    def _scans(self, duration_s: float) -> int:
        return max(AVERAGED, round(duration_s * self._profile.scans_per_s))

    def _unsure(self, now: float) -> frozenset[int]:
        late = {i for i, p in self._pending.items() if now - p.since_s >= _UNSURE_S}
        if not self._classes >= bands.WEAK_CLASSES:
            other = bands.WEAK_CLASSES - self._classes
            late.update(i for i, magnet in enumerate(self._magnets) if magnet in other)
        unsure = self._noise.noisy.union(late, self._doubt)
        return unsure - self._health.masked.keys() if self._health.masked else unsure

    def _confidence(self) -> tuple[float, ...]:
        if not self._ready:
            return (0.0,) * self._profile.size
        distances = [
            (r - a if r - a < b - r else b - r) * k
            for r, a, b, k in zip(
                self._readings, self._enter_low, self._enter_high, self._per_mt, strict=True
            )
        ]
        return tuple([1.0 if d > 1 else d if d > 0 else 0.0 for d in distances])

    def _masked(self) -> dict[int, str]:
        masked = dict.fromkeys(self._wires.crossed, "swapped")
        return masked | {i: ailment.value for i, ailment in self._health.masked.items()}

    def _observation(self, now: float, events: tuple[BoardEvent, ...]) -> Observation:
        return Observation(
            time_s=now,
            ready=self._ready,
            magnets=tuple(self._magnets),
            unsure=self._unsure(now),
            confidence=self._confidence(),
            field_mt=tuple(self._readings),
            stillness=self._gate.state,
            tilt_rad=self._gate.tilt_rad,
            events=events,
            masked=self._masked(),
            blind=self._blind_places.unguessed,
            weak=self._weak,
        )

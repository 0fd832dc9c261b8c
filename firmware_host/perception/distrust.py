"""Sensors that are not believed as they read: failed ones, and weak magnets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.perception import bands
from firmware_host.perception.calibration import Calibration
from firmware_host.perception.health import Ailment, SensorHealth
from firmware_host.perception.masked import LEAST_MT2, REST_S, MaskedPlaces, around
from firmware_host.perception.watched import Pending, Watched
from firmware_host.table.sight import Magnet

_UNCHECKED_S = 2.0  # so long a fresh belief may wait for the neighbours: two means, and hands near
# So long one that had failed before the start is not known to have: dead ones, and all others.
_DEAD_S = 0.5
_SEEN_S = 3.0
_WEAK_MAGNET_S = 0.3
_WEAK_MAGNET = 0.65  # of a strong one; off centre, a sound one is felt whole by the neighbours


class Distrust:
    """What is known against the sensors of one plate. ``stored``: of the last run. ``expected``: as
    in Perception.
    """

    def __init__(
        self, watched: Watched, stored: Calibration, expected: Mapping[int, Magnet] | None
    ) -> None:
        profile = watched.profile
        self._watched = watched
        self._expected = expected
        self._unchanged = set(range(profile.size))  # since the journal's word was given
        self._health = SensorHealth(profile.size, switches=not profile.capabilities.measures)
        rest = watched.scans(REST_S)
        self.beliefs = MaskedPlaces(watched.crosstalk, profile.columns, profile.rows, rest)
        self.weak: frozenset[int] = frozenset()
        self._now_s = 0.0
        self._began_s: float | None = None
        self._masked_s: dict[int, float] = {}
        self._changes = 0  # of what has failed
        for index, why in stored.failed:
            self._health.masked[index] = Ailment(why)
        if stored.failed:
            self._follow_health()

    @property
    def learnt(self) -> int:
        """Counts what was found out, all of it worth keeping."""
        return self._changes

    @property
    def failed(self) -> frozenset[int]:
        """Places whose readings mean nothing now."""
        return frozenset(self._health.masked)

    @property
    def unchecked(self) -> frozenset[int]:
        """Failed ones where what is told may be out of date: the last that their sensors said may
        have been said too late, or another belief has yet to be accepted.
        """
        if not self.beliefs:
            return frozenset()
        now_s, since_s, magnets = self._now_s, self._masked_s, self._watched.magnets
        fresh = {i for i in self.beliefs.unchecked if now_s - since_s[i] < _UNCHECKED_S}
        believed = self.beliefs.beliefs
        return frozenset(
            fresh.union(i for i, magnet in believed.items() if magnets[i] is not magnet)
        )

    @property
    def masked(self) -> dict[int, str]:
        """As in Observation."""
        return {i: ailment.value for i, ailment in self._health.masked.items()}

    def is_noisy(self, index: int) -> bool:
        """Whether its readings jump, and it is not known to have failed."""
        return index in self._watched.noise.noisy and index not in self._health.masked

    def believe(self, index: int, magnet: Magnet) -> None:
        """A person says what stands where the sensor cannot be trusted: that is so at once."""
        if index not in self._health.masked:
            self._health.claim(index)
            self._follow_health()
        watched = self._watched
        self._unchanged.discard(index)
        self.beliefs.believe(index, magnet)
        self.beliefs.changed(index)
        watched.pending.pop(index, None)
        watched.stand(index, magnet)
        reading = self.beliefs.reading_mt(index)
        watched.history.flatten(index, reading)
        watched.readings[index] = reading - watched.crosstalk.total_mt[index]
        watched.set_bands(index)

    def observe(
        self, now_s: float, field_mt: Sequence[float], scan: list[float], *, look: bool
    ) -> None:
        """Judge one scan, as the driver gives it, where it is time to ``look``; in the calibrated
        ``scan``, what is believed stands for what failed sensors say.
        """
        self._now_s = now_s
        if self._began_s is None:
            self._began_s = now_s
        watched = self._watched
        noisy = watched.noise.noisy
        if look and self._health.observe(now_s, field_mt, noisy, watched.magnets):
            self._follow_health()
        for index in self.beliefs.places():
            scan[index] = self.beliefs.reading_mt(index)

    def interrupt(self) -> None:
        """The readings were interrupted, or the plate was not still."""
        self._health.interrupt()
        self.beliefs.interrupt()

    def at_rest(self, *, calm: bool) -> None:
        """Nothing moves in this scan. ``calm``: now and then."""
        watched = self._watched
        if self.beliefs:
            self.beliefs.observe(watched.readings, watched.magnets, watched.classes)
        if calm:
            self.beliefs.follow(watched.readings)

    def disturbed(self) -> None:
        """Something moves."""
        self.beliefs.interrupt()

    def accepted(self, index: int) -> None:
        """Another magnet was just taken for standing there."""
        self.beliefs.changed(index)
        self._unchanged.discard(index)

    def stored(self) -> tuple[tuple[int, str], ...]:
        """What has failed, as in Calibration."""
        return tuple(
            (i, ailment.value)
            for i, ailment in sorted(self._health.masked.items(), key=lambda item: item[0])
        )

    def look_for_weak(self, now_s: float, pair: tuple[int, int] | None) -> None:
        """Find the ``weak`` magnets among what is pending. ``pair``: two places of which each feels
        the other's piece, if that was seen.
        """
        swapped = {} if pair is None else {pair[0]: pair[1], pair[1]: pair[0]}
        self.weak = frozenset(
            index
            for index, pending in self._watched.pending.items()
            if self._is_weak(index, pending, now_s, swapped.get(index, index))
        )

    def _follow_health(self) -> None:
        """Believe where sensors have failed, read where they have healed."""
        watched = self._watched
        self._changes += 1
        for index in self._health.masked.keys() - set(self.beliefs.places()):
            belief = watched.magnets[index]
            unconfirmed = (
                self._expected is not None
                and index in self._unchanged
                and not self._was_sound(self._health.masked[index])
            )
            if self._expected is not None and unconfirmed:
                belief = self._expected.get(index, Magnet.NONE)
            self.beliefs.mask(index, belief, unconfirmed=unconfirmed)
            self._masked_s[index] = self._now_s
            watched.pending.pop(index, None)
            watched.doubt.pop(index, None)
            watched.crosstalk.stand(index, watched.magnets[index])
            watched.history.flatten(index, self.beliefs.reading_mt(index))
        for index in set(self.beliefs.places()) - self._health.masked.keys():
            self.beliefs.unmask(index)
            watched.history.clear()

    def _was_sound(self, ailment: Ailment) -> bool:
        """Whether what fails so now would have been known before, had it failed at the start."""
        known_s = _DEAD_S if ailment is Ailment.DEAD else _SEEN_S
        return self._began_s is not None and self._now_s - self._began_s > known_s

    def _is_weak(self, index: int, pending: Pending, now_s: float, at: int) -> bool:
        """Whether what rests there between the classes stands centred: its neighbours feel the
        same share of a magnet as its own sensor does. ``at``: the place on which it stands.
        """
        watched = self._watched
        count = watched.scans(_WEAK_MAGNET_S)
        reading = watched.readings[index]
        if bands.classify(reading, zeroed=watched.zeros.zeroed[index]) in watched.classes:
            return False  # it is what it reads as, and will be taken for that
        if now_s - pending.since_s < 2 * _WEAK_MAGNET_S or not 1.0 < abs(reading) < bands.STRONG_MT:
            return False
        if not watched.agree(index, count) or len(watched.history) < count:
            return False
        near = around(at, watched.profile.columns, watched.profile.rows)
        neighbours = [i for i in near if i not in watched.pending]
        shares = [watched.crosstalk.share_mt(at, i) for i in neighbours]
        weight = sum(share * share for share in shares)
        if weight < LEAST_MT2:
            return False
        # What stood there before was taken off the neighbours of the place that felt it.
        before = Magnet.NONE if at == index else pending.rest_magnets[index]
        felt = [
            watched.mean(i, count)
            - watched.crosstalk.total_mt[i]
            - pending.rest_mt[i]
            + watched.crosstalk.adds_mt(before, at, i)
            for i in neighbours
        ]
        amount = sum(f * s for f, s in zip(felt, shares, strict=True)) / weight
        return 0 < amount * (1 if reading > 0 else -1) < _WEAK_MAGNET

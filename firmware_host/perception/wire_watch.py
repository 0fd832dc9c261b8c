"""When wires are found to be exchanged: before a magnet is accepted, after it, and at once.

A magnet whose place is contradicted by the neighbours is not accepted until a quarter of a second
has been averaged. If they were busy then, they are asked again after it was accepted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from math import sqrt
from statistics import median

from firmware_host.perception import bands
from firmware_host.perception.history import AVERAGED
from firmware_host.perception.observation import Magnet
from firmware_host.perception.watched import Pending, Watched
from firmware_host.perception.wire_levels import (
    as_other,
    exchanged_at_rest,
    exchanged_meanwhile,
    just_exchanged,
    misfit_mt,
    put_right,
)
from firmware_host.perception.wires import Exchange, Scene, Wires

_SCANS = 15  # at rest, before wires are taken for exchanged
_WEAK_SCANS = 50  # the same where a weak magnet has come or gone: its neighbours feel a fifth
_MOST_SCANS = 50  # after so many, a sensor that is contradicted is believed after all
_ZERO_SIGMA_MT = 0.01  # of a stored zero, beside the noise
_MOST_OTHERS = 2  # with more places changing at once, too much of the field is unknown


_STRONG = bands.STRONG_CLASSES


class Contradiction(Enum):
    """What the neighbours say to the classes that places have come to rest in."""

    NONE = "none"
    SUSPECTED = "suspected"  # to be looked at longer
    EXCHANGED = "exchanged"  # the wires were; the readings begin anew


class WireWatch:
    """Watches the wires of one plate. ``wire``: as of the last run. ``found``: how many exchanges
    were found. Wherever one is, the readings begin anew.
    """

    def __init__(self, watched: Watched, wire: Sequence[int]) -> None:
        self._watched = watched
        self._wires = Wires(watched.crosstalk, watched.profile, wire)
        self._to_check: dict[int, Pending] = {}  # accepted lately, and how it was before
        self._contradicted: Mapping[int, Magnet] = {}
        self._contradicted_scans = 0
        self._quiet_scans = 0
        self._healed: set[int] = set()  # what stands there may have been felt long ago
        self._tried: set[int] = set()  # at the start, each place once
        self.found = 0

    @property
    def crossed(self) -> frozenset[int]:
        """Places that are read from another's input."""
        return self._wires.crossed

    @property
    def wire(self) -> tuple[int, ...]:
        """The input that each place is read from; empty where it is its own."""
        return tuple(self._wires.wire) if self._wires.crossed else ()

    def by_place(self, field_mt: Sequence[float]) -> Sequence[float]:
        """One scan, each place from the input that its sensor is wired to."""
        return self._wires.sorted(field_mt)

    def interrupt(self) -> None:
        """The readings were interrupted, or the plate was not still."""
        self._to_check.clear()
        self._contradicted = {}

    def disturbed(self) -> None:
        """Something moves."""
        self._quiet_scans = 0

    def accepted(self, index: int, pending: Pending) -> None:
        """Another magnet was just taken for standing there."""
        self._contradicted = {}
        if index in self._healed:
            self._healed.remove(index)
            return
        self._to_check[index] = pending

    def healed(self, index: int) -> None:
        """Its sensor is read again, and nobody knows since when what stands there has stood."""
        self._healed.add(index)

    def contradiction(
        self, verdicts: Mapping[int, Magnet], failed: Collection[int]
    ) -> Contradiction:
        """What the neighbours say to ``verdicts``, which are about to be accepted."""
        if verdicts != self._contradicted:
            self._contradicted, self._contradicted_scans = dict(verdicts), AVERAGED
        else:
            self._contradicted_scans += 1
        count = self._contradicted_scans
        if count > _MOST_SCANS:
            return Contradiction.NONE
        suspected = False
        for index, magnet in verdicts.items():
            if _STRONG.isdisjoint((magnet, self._watched.magnets[index])):
                continue
            found = self._exchange(index, self._watched.pending[index], verdicts, count, failed)
            if found is None:
                continue
            if count >= _SCANS and found.sure:
                if self._is_denied(found, count, failed):
                    continue
                self._rest_as_before(found, self._watched.pending[index])
                self._cross(found, exchange_beliefs=not found.lately)
                return Contradiction.EXCHANGED
            suspected = True
        return Contradiction.SUSPECTED if suspected else Contradiction.NONE

    def quiet(self, failed: Collection[int]) -> bool:
        """Nothing moves in this scan. Whether an exchange was found."""
        self._quiet_scans += 1
        if self._quiet_scans <= _SCANS:
            return False
        self._healed.clear()  # they feel what is believed
        return self.look_again(failed)

    def look_again(self, failed: Collection[int]) -> bool:
        """Look again at what was accepted lately. Whether an exchange was found."""
        checks, self._to_check = self._to_check, {}
        magnets = self._watched.magnets
        for index, pending in checks.items():
            weak = _STRONG.isdisjoint((magnets[index], pending.rest_magnets[index]))
            if weak and self._quiet_scans <= _WEAK_SCANS:
                self._to_check[index] = pending
                continue
            scans = _WEAK_SCANS if weak else _SCANS
            found = self._exchange(index, pending, {}, scans, failed)
            if found is not None and found.sure and not self._is_denied(found, scans, failed):
                self._cross(found, exchange_beliefs=True)
                return True
        return False

    def exchanged_levels(self, now_s: float, failed: Collection[int]) -> bool:
        """Whether two sensors have just taken each other's level."""
        return self._cross_found(just_exchanged(self._watched, now_s, failed))

    def exchanged_at_rest(self, failed: Collection[int]) -> bool:
        """Whether two empty places each read the other's zero, while nothing moves."""
        return self._cross_at_rest(exchanged_at_rest(self._watched, failed))

    def put_right(self, failed: AbstractSet[int]) -> bool:
        """Whether what was exchanged no longer is, while nothing moves."""
        if not self._wires.crossed:
            return False
        return self._cross_at_rest(put_right(self._watched, self._wires.wire, failed))

    def exchanged_meanwhile(
        self,
        mean_mt: Sequence[float],
        expected: Mapping[int, Magnet] | None,
        failed: Collection[int],
    ) -> bool:
        """At the start, whether wires have changed sides since the last run. ``mean_mt``:
        calibrated, at rest; ``expected``: what should stand there.
        """
        wire = self._wires.wire
        pair = exchanged_meanwhile(self._watched, mean_mt, expected, failed, wire)
        if pair is None or self._tried & set(pair):
            return False
        one, other = pair
        magnet = (expected or {}).get(one, Magnet.NONE)
        near = self._empty({*failed, *pair})
        felt_there = self._wires.is_felt_where_read(one, other, mean_mt, near)
        if magnet in _STRONG and felt_there is not False:
            return False  # it was carried there
        self._tried |= set(pair)
        return self._cross_found(pair)

    def felt_elsewhere(
        self,
        mean_mt: Sequence[float],
        expected: Mapping[int, Magnet] | None,
        failed: Collection[int],
    ) -> bool:
        """At the start, whether neighbours feel a strong magnet of which nobody knew, as in
        ``exchanged_meanwhile``, around another place than where it is read.
        """
        watched = self._watched
        readings = watched.crosstalk.resolve(mean_mt)
        now, known = list(watched.crosstalk.standing), expected or {}
        fresh = {i for i, m in enumerate(now) if m in _STRONG and known.get(i) is not m}
        usable = self._empty(failed)
        if not usable:
            return False
        common = median(readings[i] for i in usable)  # all drift together with the temperature
        change = [mt - common for mt in readings]
        sigma_mt = watched.noise.usual_mt() / sqrt(len(watched.history)) + _ZERO_SIGMA_MT
        for index in sorted(fresh - self._tried - set(failed)):
            before = [Magnet.NONE if i == index else magnet for i, magnet in enumerate(now)]
            scene = Scene(before, now, change, set(usable), fresh - {index}, sigma_mt)
            found = self._wires.exchange(index, scene, failed)
            if found is not None and found.sure and found.other in usable:
                self._tried |= {index, found.other}
                return self._cross_found((index, found.other))
        return False

    def _cross_at_rest(self, pair: tuple[int, int] | None) -> bool:
        """The same; what is read so from now on has been there for a while."""
        if pair is not None:
            watched, rest_mt = self._watched, list(self._watched.rest)
            for one, other in (pair, pair[::-1]):
                rest_mt[one] = as_other(watched, watched.readings, other, one)
            watched.rest = rest_mt
        return self._cross_found(pair)

    def _cross_found(self, pair: tuple[int, int] | None) -> bool:
        if pair is None:
            return False
        self._wires.cross(*pair)
        self.found += 1
        return True

    def _exchange(
        self,
        index: int,
        pending: Pending,
        verdicts: Mapping[int, Magnet],
        count: int,
        failed: Collection[int],
    ) -> Exchange | None:
        """How the last ``count`` scans say that a place's wires were exchanged."""
        watched = self._watched
        size = watched.profile.size
        before, now = pending.rest_magnets, list(watched.crosstalk.standing)
        others = {i for i in range(size) if before[i] is not now[i] or i in watched.pending}
        others.discard(index)
        if (
            index in failed
            or index in self._healed
            or len(others) > _MOST_OTHERS
            or len(watched.history) < count
        ):
            return None
        readings = watched.crosstalk.removed([watched.mean(i, count) for i in range(size)])
        for place, magnet in verdicts.items():
            if magnet is not now[place]:
                adds = watched.crosstalk.adds_mt
                for i in range(size):
                    readings[i] -= adds(magnet, place, i) - adds(now[place], place, i)
                now[place] = magnet
        unread = {*failed, *watched.doubt, *watched.noise.noisy}
        usable = {
            i
            for i in range(size)
            if before[i] is now[i] and i not in unread and i not in watched.pending
        }
        sigma_mt = watched.noise.usual_mt() * sqrt(1 / count + pending.rest_noise)
        change = [a - b for a, b in zip(readings, pending.rest_mt, strict=True)]
        scene = Scene(before, now, change, usable, others, sigma_mt)
        return self._wires.exchange(index, scene, failed)

    def _is_denied(self, found: Exchange, count: int, failed: Collection[int]) -> bool:
        """Whether the neighbours feel what is read where it is read: then it was believed wrongly
        before, and has just come right.
        """
        watched = self._watched
        pair = (found.one, found.other)
        field_mt = [watched.mean(i, count) for i in range(watched.profile.size)]
        near = self._empty({*failed, *pair})
        return self._wires.is_felt_where_read(*pair, field_mt, near) is True

    def _empty(self, unread: Collection[int]) -> list[int]:
        """Empty places whose sensors are believed, and whose zeros are known."""
        watched = self._watched
        unread = {*unread, *watched.doubt, *watched.noise.noisy, *watched.pending}
        return [
            i
            for i, magnet in enumerate(watched.crosstalk.standing)
            if magnet is Magnet.NONE and watched.zeros.zeroed[i] and i not in unread
        ]

    def _cross(self, found: Exchange, *, exchange_beliefs: bool) -> None:
        """From now on the two places are read from each other's inputs."""
        watched = self._watched
        one, other = found.one, found.other
        if self._zeros_too(found):
            watched.zeros.exchange(one, other)
        self._wires.cross(one, other)
        if exchange_beliefs:
            first, second = watched.magnets[one], watched.magnets[other]
            watched.stand(one, second)
            watched.stand(other, first)
        watched.set_bands(one)
        watched.set_bands(other)
        self.found += 1

    def _rest_as_before(self, found: Exchange, pending: Pending) -> None:
        """What stands there was felt on its way down, too: only before that was there rest, with
        the neighbours of what stood there then, as it is known now.
        """
        adds = self._watched.crosstalk.adds_mt
        one, other = found.one, found.other
        rest_mt = list(pending.rest_mt)
        if not found.lately:
            first, second = pending.rest_magnets[one], pending.rest_magnets[other]
            for i in range(len(rest_mt)):
                rest_mt[i] += adds(first, one, i) - adds(first, other, i)
                rest_mt[i] += adds(second, other, i) - adds(second, one, i)
        rest_mt[one] = rest_mt[other] = 0.0
        self._watched.rest = rest_mt

    def _zeros_too(self, found: Exchange) -> bool:
        """Whether the zeros were measured with the wires as they are, and so belong to the inputs:
        then what reads least there fits with its own.
        """
        watched = self._watched
        crosstalk = watched.crosstalk
        empty, other = sorted((found.one, found.other), key=lambda i: abs(watched.readings[i]))
        if abs(watched.readings[empty]) > bands.STRONG_STAYS_MT:
            return not found.lately
        reading = watched.readings[empty] + crosstalk.total_mt[empty]
        there = crosstalk.total_mt[other] + crosstalk.adds_mt(
            crosstalk.standing[other], empty, other
        )
        as_other = watched.zeros.read_as(empty, reading, other)
        now, then = (misfit_mt(watched, mt - there) for mt in (reading, as_other))
        return now < then

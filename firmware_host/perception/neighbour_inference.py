"""Infers the magnet on a place with a failed sensor from the sensors around that place.

A strong magnet adds about 0.16 mT to the reading of each adjacent sensor, and half as much to a
diagonal one. So the neighbouring sensors detect when a piece with a strong magnet is put down or
lifted. They cannot detect weak magnets, and cannot distinguish two adjacent places with failed
sensors. They detect only changes. In all other cases the table asks the players.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import add
from statistics import median
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tiltboard.firmware_host.perception.bands import STRONG_CLASSES, STRONG_MT, WEAK_CLASSES
from tiltboard.firmware_host.perception.classifier import without
from tiltboard.firmware_host.perception.crosstalk import Crosstalk
from tiltboard.firmware_host.perception.field import SIGN_OF
from tiltboard.firmware_host.perception.settling import Scene
from tiltboard.firmware_host.table.sight import Magnet, SensorFault

REST_S = 0.3  # Averaging time of the neighbours' readings, in seconds.
AGREEING = 2  # Number of successive averages that must agree on the magnet.
# Maximum difference between an average field and the field of a magnet class, as a fraction of a
# strong magnet's field.
_NEAR = 0.35
# Minimum sum of squares, in mT^2, of a strong magnet's field at the empty neighbours. Two
# neighbours in the same row or column reach this sum. One such neighbour and three diagonal
# neighbours also reach the sum.
_MIN_MT2 = 0.04
_FOLLOW_SHARE = 0.1
# Weight of each update in the slow running average of the readings, which gives a time constant of
# about eight seconds.
_CALM_SHARE = 0.02
READS_MT = {
    Magnet.NONE: 0.0,
    Magnet.N_STRONG: -10.0,
    Magnet.S_STRONG: 10.0,
    Magnet.N_WEAK: -2.0,
    Magnet.S_WEAK: 2.0,
}

# Maximum time in seconds for which a new inference can stay unconfirmed. The time is enough for two
# averages, and for hands to leave the plate.
_UNCHECKED_S = 2.0
# Maximum time in seconds from the start until a faulty sensor is detected: the first value is for a
# dead sensor, the second for other faults. A sensor that fails later was healthy at the start.
_DEAD_S = 0.5
_OTHERS_S = 3.0
_WEAK_MAGNET_S = 0.3
# Maximum field of a weakened magnet at the neighbours, as a fraction of a strong magnet's field at
# the neighbours. An off-centre magnet of full strength reads little at its own sensor, but the
# neighbours still detect its full field.
_WEAK_MAGNET = 0.65


class InferredPiece(Struct, frozen=True):
    """The magnet that is assumed to be on a place without a working sensor."""

    magnet: Magnet
    since_s: float
    base_mt: Mapping[int, float] = {}
    """The readings of the neighbouring sensors in mT while ``magnet`` is on the place, by the
    neighbours' plate index.
    """
    is_felt: bool = True
    """True if enough neighbouring places are empty to detect that a piece is put down or lifted."""
    unconfirmed: bool = False
    """True if ``magnet`` is known only from the journal of an earlier run."""
    checked: bool = False
    """True if the neighbours' readings or a player confirmed ``magnet``."""
    proposed: Magnet | None = None
    """The last conclusion from the neighbours' readings, or None if the readings fit no magnet."""
    agreed: int = 0


class SeenMagnets(NamedTuple):
    """Times that show how long the table had read its sensors before a sensor failed."""

    now_s: float
    first_s: float | None
    """Time of the first scan with sensor readings, or None before that scan."""

    def is_long(self, fault: SensorFault) -> bool:
        """Return whether a ``fault`` that already existed at the start would have been detected by
        now.
        """
        known_s = _DEAD_S if fault is SensorFault.DEAD else _OTHERS_S
        return self.first_s is not None and self.now_s - self.first_s > known_s


class NeighbourInference:
    """Tracks the places without a working sensor, and infers which magnets are on them."""

    places: Mapping[int, InferredPiece]

    def __init__(
        self,
        around: Sequence[Sequence[int]],
        crosstalk: Crosstalk,
        expected: Mapping[int, Magnet] | None,
    ) -> None:
        """Create the inference with all sensors working. ``expected`` is the position in the
        journal, as plate index -> magnet, or None if there is no journal.
        """
        self.places = {}
        self._around, self._crosstalk = around, crosstalk
        self._expected = expected
        # Places whose magnet has not changed since ``expected`` was given.
        self._unchanged = frozenset(range(len(around)))
        # Slow running average of each sensor's reading minus the median of all readings.
        self._calm_mt: Mapping[int, float] = {}
        self._sum_mt: Sequence[float] = ()
        self._count = 0  # Number of scans at rest whose sum is in ``_sum_mt``.

    def reading_mt(self, index: int) -> float:
        """Return the reading in mT that a working sensor would give on a place, including the field
        of magnets on other places.
        """
        return READS_MT[self.places[index].magnet] + self._crosstalk.total_mt[index]

    def restart(self) -> None:
        """Start a new average of the neighbours' readings, because something moves."""
        self._count = 0

    def add(self, index: int, fault: SensorFault, magnet: Magnet, seen: SeenMagnets) -> None:
        """Start to infer the magnet on a place. ``magnet`` is the last magnet that the place's
        sensor reported.

        The neighbours' earlier readings are used as well, because a piece can have been put down
        after the sensor failed and before the failure was detected.
        """
        expected = self._expected
        unconfirmed = False
        if expected is not None and index in self._unchanged and not seen.is_long(fault):
            unconfirmed, magnet = True, expected.get(index, Magnet.NONE)
        near = self._around[index]
        base_mt = {i: self._calm_mt[i] for i in near if i in self._calm_mt}
        felt = self._weight(index, near) >= _MIN_MT2
        new = InferredPiece(magnet, seen.now_s, base_mt, felt, unconfirmed)
        self.places = {**self.places, index: new}
        self.restart()

    def remove(self, index: int) -> None:
        """Stop inferring the magnet on a place whose sensor has recovered."""
        self.places = without(self.places, index)

    def set_from_person(self, index: int, magnet: Magnet) -> None:
        """Accept a player's statement about the piece on a place."""
        before = self.places[index]
        new = InferredPiece(magnet, before.since_s, is_felt=before.is_felt, checked=True)
        self.places = {**self.places, index: new}

    def accept(self, index: int) -> None:
        """Record that the magnet at ``index`` has changed, so that earlier readings of its sensor
        no longer count.
        """
        self.places = {
            i: replace(piece, base_mt=without(piece.base_mt, index))
            for i, piece in self.places.items()
        }
        self._unchanged -= {index}
        self._calm_mt = without(self._calm_mt, index)
        self.restart()

    def update(self, scene: Scene, *, is_due: bool) -> None:
        """Process a scan in which nothing moves. ``is_due`` is True if the slow running averages
        must be updated.
        """
        readings = scene.readings
        if self.places:
            sums, count = list(readings), self._count + 1
            if self._count:
                sums = list(map(add, self._sum_mt, sums))
            if count >= scene.history.scans_in(REST_S):
                # Subtract the change common to all readings, which is caused by temperature.
                common = median(sums)
                means, count = [(s - common) / count for s in sums], 0
                self.places = {
                    i: self._judge(i, piece, means, scene) for i, piece in self.places.items()
                }
            self._sum_mt, self._count = sums, count
        if is_due:
            known, common = self._calm_mt, median(readings)
            calm_mt = {}
            for index, reading in enumerate(readings):
                before = known.get(index, reading - common)
                calm_mt[index] = before + _CALM_SHARE * (reading - common - before)
            self._calm_mt = calm_mt

    def unobservable(self, classes: Collection[Magnet]) -> frozenset[int]:
        """Return the places whose magnet the neighbouring sensors cannot detect. The players must
        be asked about these places.
        """
        places = self.places.items()
        return frozenset(i for i, piece in places if not self._is_told(i, piece, classes))

    def unchecked_places(self, scene: Scene) -> frozenset[int]:
        """Return the places whose reported magnet may be out of date.

        Such a place was either read last after its sensor had failed, or is inferred to hold
        another magnet that is not accepted yet.
        """
        return frozenset(
            i
            for i, piece in self.places.items()
            if scene.magnets[i] is not piece.magnet
            or (
                scene.history.now_s - piece.since_s < _UNCHECKED_S
                and not piece.checked
                and self._is_told(i, piece, scene.classes)
            )
        )

    def is_weak(self, scene: Scene, index: int) -> bool:
        """Return whether a weakened magnet lies centred on a pending place.

        A weakened, centred magnet reads the same fraction of a full magnet's field at its own
        sensor and at the neighbouring sensors.
        """
        history, pending, reading = scene.history, scene.pending[index], scene.readings[index]
        count = history.scans_in(_WEAK_MAGNET_S)
        if scene.classify(index) in scene.classes:
            # The reading fits a magnet class of the game, so the magnet is accepted as a magnet of
            # that class.
            return False
        rested_s = history.now_s - pending.since_s
        if rested_s < 2 * _WEAK_MAGNET_S or not 1.0 < abs(reading) < STRONG_MT:
            return False
        if not history.agrees(index, count) or len(history.scans) < count:
            return False
        neighbours = [i for i in self._around[index] if i not in scene.pending]
        weight = self._weight(index, neighbours)
        if weight < _MIN_MT2:
            return False
        amount = sum(
            (history.mean(i, count) - self._crosstalk.total_mt[i] - pending.rest_mt[i])
            * self._crosstalk.share_mt(index, i)
            for i in neighbours
        )
        return 0 < amount / weight * (1 if reading > 0 else -1) < _WEAK_MAGNET

    def _judge(
        self, index: int, piece: InferredPiece, means: Sequence[float], scene: Scene
    ) -> InferredPiece:
        """Return the inferred piece after one more average of the empty neighbours' readings."""
        near = [
            i
            for i in self._around[index]
            if scene.magnets[i] is Magnet.NONE
            and not any(j in self.places for j in (i, *self._around[i]) if j != index)
        ]
        base_mt = piece.base_mt
        known = [i for i in near if i in base_mt] if base_mt else near
        weight = self._weight(index, known)
        piece = replace(piece, is_felt=weight >= _MIN_MT2)
        if not base_mt:
            return replace(piece, base_mt={i: means[i] for i in near})
        if not self._is_felt(index, piece) or piece.magnet in WEAK_CLASSES & scene.classes:
            return piece
        share = self._crosstalk.share_mt
        along = sum((means[i] - base_mt[i]) * share(index, i) for i in known)
        own = SIGN_OF[piece.magnet] if piece.magnet in STRONG_CLASSES else 0.0
        proposed = _nearest(own + along / weight, scene.classes)
        checked = piece.checked
        if proposed is piece.magnet:
            checked = True
            followed = ((i, means[i], base_mt.get(i, means[i])) for i in near)
            base_mt = {**base_mt, **{i: b + _FOLLOW_SHARE * (m - b) for i, m, b in followed}}
        agreed = piece.agreed + 1 if proposed is piece.proposed else 1
        magnet = piece.magnet
        if proposed is not None and proposed is not magnet and agreed >= AGREEING:
            magnet, checked = proposed, True
        return replace(
            piece, magnet=magnet, base_mt=base_mt, checked=checked, proposed=proposed, agreed=agreed
        )

    def _weight(self, index: int, near: Collection[int]) -> float:
        return sum(self._crosstalk.share_mt(index, i) ** 2 for i in near)

    def _is_told(self, index: int, piece: InferredPiece, classes: Collection[Magnet]) -> bool:
        """Return whether the neighbours' readings show which magnet is on a place."""
        known = piece.magnet in STRONG_CLASSES or WEAK_CLASSES.isdisjoint(classes)
        return known and self._is_felt(index, piece)

    def _is_felt(self, index: int, piece: InferredPiece) -> bool:
        """Return whether enough neighbours can detect a change on this place, and every neighbour's
        own sensor works.
        """
        if piece.unconfirmed or not piece.is_felt:
            return False
        return not any(i in self.places for i in self._around[index])


def _nearest(amount: float, classes: Collection[Magnet]) -> Magnet | None:
    """Return the magnet whose field is nearest to ``amount``, or None if no class fits.

    ``amount`` is a multiple of a strong south magnet's field: near 0 the place is empty, near 1 the
    magnet is south, and near -1 the magnet is north.
    """
    if abs(amount) < _NEAR:
        return Magnet.NONE
    magnet = Magnet.S_STRONG if amount > 0 else Magnet.N_STRONG
    return magnet if magnet in classes and abs(abs(amount) - 1) < _NEAR else None

"""The detection of failed sensors, by readings that healthy ones cannot give, and of healed ones.

A DRV5055's output stays 0.2 V away from both rails, so a reading beyond that is a broken wire. Its
noise is half a step of the converter, so one that repeats itself is stuck. Magnets come and go in
steps, so one that creeps drifts. Switches have no noise, so the only detectable fault is that one
place reports both poles at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import add
from statistics import median

from tiltboard.drivers.hall_switches import CONTRADICTION_MT
from tiltboard.firmware_host.perception.classifier import without
from tiltboard.firmware_host.table.sight import Ailment, Magnet

# DRV5055A1 at 3.3 V: the output ends at 0.2 V and 3.1 V, +-24.2 mT (SBAS640, output voltage).
RAIL_MT = 25.0
DEAD_LOOKS = 8  # 0.3 s; looks come every LOOK_S, here and below.
# 1.8 s. With noise of 0.57 steps a reading repeats in at most 0.62 of cases: 0.62**45 = 5e-10, so
# that a false alarm, of three seconds, takes more than a thousand hours of rest.
STUCK_LOOKS = 45
LIVELY_LOOKS = 24  # Fewer equal readings in a row mean that there is noise.
NOISY_S = 2.0
_RESTLESS_SHARE = 1 / 32
_CALM_MT = 0.2  # A healthy sensor steps by 0.05 mT from look to look.
_BLOCK_LOOKS = 12  # 0.5 s.
_STEP_MT = 0.08  # A larger step between means of blocks is a magnet or a neighbour's.
_CREPT_EMPTY_MT = 0.5  # Temperature moves an empty place by 0.06 mT in 10 K.
_CREPT_TAKEN_MT = 1.2  # And the reading of a strong magnet by up to 0.2 mT.
_RESTED_MT = 0.08  # Movement in _RESTED_BLOCKS below which a sensor no longer drifts.
_RESTED_BLOCKS = 20  # 10 s.
GOOD_S = 3.0  # Time for which a healed sensor has to be good.
# A sensor that was said to feel nothing lives once its reading has changed by this.
_FELT_MT = 4.0


class DriftMeter:
    """Measures how far each sensor creeps, beyond what all of them do."""

    crept_mt: Sequence[float]

    def __init__(self, size: int) -> None:
        self.crept_mt = [0.0] * size
        self._block_mt = [0.0] * size
        self._looks = 0
        self._means_mt: list[Sequence[float]] = []

    def interrupt(self) -> None:
        """Begin a new block: what was read before cannot be compared."""
        self._block_mt = [0.0] * len(self._block_mt)
        self._looks, self._means_mt = 0, []

    def update(self, raw_mt: Sequence[float]) -> bool:
        """Take in one look; return whether it has completed a block."""
        self._block_mt = list(map(add, self._block_mt, raw_mt))
        self._looks += 1
        if self._looks < _BLOCK_LOOKS:
            return False
        means = [s / _BLOCK_LOOKS for s in self._block_mt]
        if self._means_mt:
            steps = [a - b for a, b in zip(means, self._means_mt[-1], strict=True)]
            common = median(steps)
            self.crept_mt = [
                0.0 if abs(step - common) > _STEP_MT else so_far + (step - common)
                for so_far, step in zip(self.crept_mt, steps, strict=True)
            ]
        self._means_mt = [*self._means_mt, means][-_RESTED_BLOCKS - 1 :]
        self._block_mt, self._looks = [0.0] * len(means), 0
        return True

    def has_rested(self, index: int) -> bool:
        """Return whether a sensor has stopped creeping."""
        means = [block[index] for block in self._means_mt]
        return len(means) > _RESTED_BLOCKS and max(means) - min(means) < _RESTED_MT

    def forgive(self, places: Iterable[int]) -> None:
        """Begin at zero for sensors that have healed."""
        healed = set(places)
        self.crept_mt = [0.0 if i in healed else mt for i, mt in enumerate(self.crept_mt)]


class SensorMonitor:
    """Judges every sensor, one look after the other."""

    faults: Mapping[int, Ailment]
    """Places whose readings mean nothing now, and why."""

    def __init__(self, size: int, faults: Mapping[int, Ailment], *, measures: bool) -> None:
        """Start with the ``faults`` of an earlier run. ``measures`` is False for switches."""
        self.faults = faults
        self._measures = measures
        self._drift = DriftMeter(size)
        self._last_mt: Sequence[float] = ()
        self._equal = [0] * size  # Looks for which each sensor has repeated its reading.
        self._noisy_since_s: Mapping[int, float] = {}
        self._good_since_s: Mapping[int, float] = {}
        self._evidence_mt: dict[
            int, float
        ] = {}  # A noisy sensor's mean step; a silent one's reading.

    def interrupt(self) -> None:
        """Note that readings were interrupted, or that the plate was not still."""
        self._drift.interrupt()

    def distrust(self, index: int) -> None:
        """Ignore a sensor that a person has contradicted."""
        self.faults = {**self.faults, index: Ailment.SILENT}

    def update(
        self,
        raw_mt: Sequence[float],
        noisy: Iterable[int],
        magnets: Sequence[Magnet],
        now_s: float,
    ) -> None:
        """Take in one look.

        ``raw_mt`` is a scan as the driver gave it, by place; ``noisy`` are the sensors whose noise
        is over the limit; ``magnets`` is what each place holds.
        """
        if self._last_mt:
            for index, fault in self.faults.items():
                if fault is Ailment.NOISY and index in self._evidence_mt:
                    step = min(abs(raw_mt[index] - self._last_mt[index]), 1.0)
                    mean = self._evidence_mt[index]
                    self._evidence_mt[index] = mean + _RESTLESS_SHARE * (step - mean)
            known = zip(self._equal, raw_mt, self._last_mt, strict=True)
            self._equal = [n + 1 if a == b else 0 for n, a, b in known]
        self._last_mt = raw_mt
        found = self._found(raw_mt, noisy, magnets, now_s)
        if found or self.faults:
            faults = dict(self.faults)
            for index, ailment in found:
                known_as = faults.setdefault(index, ailment)
                if ailment is Ailment.DEAD and known_as is not Ailment.LEFT_OUT:
                    faults[index] = ailment
            self.faults = faults
            self._heal(now_s)

    def _found(
        self,
        raw_mt: Sequence[float],
        noisy: Iterable[int],
        magnets: Sequence[Magnet],
        now_s: float,
    ) -> list[tuple[int, Ailment]]:
        """Return what this look shows of each kind of fault."""
        equal = self._equal
        lasting = [i for i, looks in enumerate(equal) if looks >= DEAD_LOOKS]
        if not self._measures:
            odd = [i for i in lasting if raw_mt[i] == CONTRADICTION_MT]
            return [(i, Ailment.CONTRADICTING) for i in odd]
        self._noisy_since_s = {i: self._noisy_since_s.get(i, now_s) for i in noisy}
        found = [(i, Ailment.DEAD) for i in lasting if abs(raw_mt[i]) > RAIL_MT]
        stuck = [i for i in lasting if equal[i] >= STUCK_LOOKS]
        if stuck and median(equal) < LIVELY_LOOKS:
            found += [(i, Ailment.STUCK) for i in stuck]
        since = self._noisy_since_s.items()
        found += [(i, Ailment.NOISY) for i, since_s in since if now_s - since_s >= NOISY_S]
        if self._drift.update(raw_mt):
            for index, (mt, magnet) in enumerate(zip(self._drift.crept_mt, magnets, strict=True)):
                if abs(mt) > (_CREPT_EMPTY_MT if magnet is Magnet.NONE else _CREPT_TAKEN_MT):
                    found.append((index, Ailment.DRIFTING))
        return found

    def _heal(self, now_s: float) -> None:
        """Trust again the sensors that have been good for long enough."""
        first = {
            index: 1.0 if fault is Ailment.NOISY else self._last_mt[index]
            for index, fault in self.faults.items()
            if fault in (Ailment.NOISY, Ailment.SILENT)
        }
        self._evidence_mt = {i: self._evidence_mt.get(i, mt) for i, mt in first.items()}
        good = [index for index, fault in self.faults.items() if self._is_good(index, fault)]
        self._good_since_s = {i: self._good_since_s.get(i, now_s) for i in good}
        healed = [i for i in good if now_s - self._good_since_s[i] >= GOOD_S]
        if healed:
            self.faults = without(self.faults, *healed)
            self._good_since_s = without(self._good_since_s, *healed)
            self._drift.forgive(healed)

    def _is_good(self, index: int, fault: Ailment) -> bool:
        """Return whether a faulty sensor reads now as a healthy one would."""
        now_mt = self._last_mt[index]
        match fault:
            case Ailment.DEAD | Ailment.STUCK:
                return abs(now_mt) <= RAIL_MT and self._equal[index] < LIVELY_LOOKS
            case Ailment.NOISY:
                return self._evidence_mt[index] < _CALM_MT
            case Ailment.DRIFTING:
                return self._drift.has_rested(index)
            case Ailment.SILENT:
                return abs(now_mt - self._evidence_mt[index]) > _FELT_MT
            case Ailment.CONTRADICTING:
                return now_mt != CONTRADICTION_MT
            case Ailment.LEFT_OUT:
                return False

"""Detects failed sensors by readings that a healthy sensor cannot give, and detects healed sensors.

The output of a DRV5055 stays 0.2 V away from both rails, so a reading beyond that means a broken
wire. Its noise is half a step of the converter, so a reading that repeats exactly means a stuck
sensor. Magnets change a reading in steps, so a reading that creeps means drift. Switches have no
noise; their only detectable fault is that a place reports both poles together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import add
from statistics import median

from tiltboard.drivers.hall_switches import CONTRADICTION_MT
from tiltboard.firmware_host.perception.classifier import without
from tiltboard.firmware_host.table.sight import Ailment, Magnet

# Reading beyond which a DRV5055A1 at 3.3 V is dead: its output ends at 0.2 V and 3.1 V, which is
# +-24.2 mT (SBAS640, output voltage).
RAIL_MT = 25.0
# Number of checks (0.3 s) for which a reading stays the same before the sensor counts as dead. A
# check comes every LOOK_S, here and below.
DEAD_LOOKS = 8
# Number of equal readings (1.8 s) that mean a stuck sensor. With noise of 0.57 steps a reading
# repeats in at most 0.62 of cases. 0.62**45 is 5e-10, so a false alarm, which lasts three seconds,
# comes less than once in a thousand hours of rest.
STUCK_LOOKS = 45
# Limit of equal readings in a row; with fewer equal readings the sensor shows noise.
LIVELY_LOOKS = 24
NOISY_S = 2.0
_RESTLESS_SHARE = 1 / 32
# Limit of a healed sensor's mean step. A healthy sensor steps by 0.05 mT from check to check.
_CALM_MT = 0.2
_BLOCK_LOOKS = 12  # Number of checks in a block, which lasts 0.5 s.
# Maximum step of drift between means of blocks; a larger step comes from a magnet here or beside
# it.
_STEP_MT = 0.08
# Drift limit of an empty place. Temperature moves its reading by 0.06 mT in 10 K.
_CREPT_EMPTY_MT = 0.5
# Drift limit of an occupied place. Temperature moves a strong magnet's reading by up to 0.2 mT.
_CREPT_TAKEN_MT = 1.2
_RESTED_MT = 0.08  # Maximum movement in _RESTED_BLOCKS of a sensor that no longer drifts.
_RESTED_BLOCKS = 20  # Number of blocks (10 s) in which a recovered sensor must not drift.
GOOD_S = 3.0  # Time for which a healed sensor must read well before its readings count again.
# Minimum change of reading that shows that a sensor works, after a player said that it detects
# nothing.
_FELT_MT = 4.0


class DriftMeter:
    """Measures how far each sensor's reading creeps beyond the common drift of all sensors."""

    crept_mt: Sequence[float]

    def __init__(self, size: int) -> None:
        self.crept_mt = [0.0] * size
        self._block_mt = [0.0] * size
        self._looks = 0
        self._means_mt: list[Sequence[float]] = []

    def interrupt(self) -> None:
        """Start a new block of checks, because earlier readings cannot be compared with later
        ones.
        """
        self._block_mt = [0.0] * len(self._block_mt)
        self._looks, self._means_mt = 0, []

    def update(self, raw_mt: Sequence[float]) -> bool:
        """Process one check's readings in mT. Return whether they completed a block."""
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
        """Set the measured creep of healed sensors to zero."""
        healed = set(places)
        self.crept_mt = [0.0 if i in healed else mt for i, mt in enumerate(self.crept_mt)]


class SensorMonitor:
    """Judges each sensor in every check, and keeps the list of failed sensors."""

    faults: Mapping[int, Ailment]
    """Plate index -> fault of each sensor whose readings are ignored now."""

    def __init__(self, size: int, faults: Mapping[int, Ailment], *, measures: bool) -> None:
        """Start with the ``faults`` of an earlier run. ``measures`` is False for switches."""
        self.faults = faults
        self._measures = measures
        self._drift = DriftMeter(size)
        self._last_mt: Sequence[float] = ()
        self._equal = [0] * size  # Number of checks in which each sensor has repeated its reading.
        self._noisy_since_s: Mapping[int, float] = {}
        self._good_since_s: Mapping[int, float] = {}
        self._evidence_mt: dict[
            int, float
        ] = {}  # A noisy sensor's mean step in mT, or a silent one's first reading in mT.

    def interrupt(self) -> None:
        """Note that scans were interrupted, or that the plate was not still."""
        self._drift.interrupt()

    def distrust(self, index: int) -> None:
        """Ignore a sensor whose reading a player has contradicted."""
        self.faults = {**self.faults, index: Ailment.SILENT}

    def update(
        self,
        raw_mt: Sequence[float],
        noisy: Iterable[int],
        magnets: Sequence[Magnet],
        now_s: float,
    ) -> None:
        """Process one check of all sensors.

        ``raw_mt`` is a scan as the driver returned it, by place; ``noisy`` are the sensors whose
        noise is over the limit; ``magnets`` are the magnets on all places; ``now_s`` is the time of
        the scan.
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
        """Return the faults that this check shows, as pairs of plate index and kind of fault."""
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
        """Remove the faults of sensors that have read well for ``GOOD_S``."""
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
        """Return whether a failed sensor now reads as a healthy sensor does."""
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

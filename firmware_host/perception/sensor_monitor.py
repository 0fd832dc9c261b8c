"""Detects failed sensors by readings that a healthy sensor cannot give, and detects when sensors
recover.

The output of a DRV5055 stays 0.2 V away from both supply rails, so a reading beyond this range
means a broken wire. Its noise is half a step of the converter, so a reading that repeats exactly
means a stuck sensor. Magnets change a reading in steps, so a slowly creeping reading means drift.
Switches have no noise; the only fault that can be detected is that one place reports both poles at
the same time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import add
from statistics import median

from tiltboard.drivers.hall_switches import CONTRADICTION_MT
from tiltboard.firmware_host.perception.classifier import without
from tiltboard.firmware_host.table.sight import Magnet, SensorFault

# A DRV5055A1 at 3.3 V is dead if its reading is farther from zero than this many mT. The sensor's
# output ends at 0.2 V and 3.1 V, which correspond to +-24.2 mT (SBAS640, output voltage).
RAIL_MT = 25.0
# Number of successive checks (0.3 s) with an impossible reading after which the sensor counts as
# dead. One check is made every LOOK_S seconds.
DEAD_LOOKS = 8
# Number of equal readings (1.8 s) that mean a stuck sensor. With noise of 0.57 converter steps, a
# reading repeats in at most 0.62 of all cases. 0.62**45 is 5e-10, so a false alarm occurs less than
# once in a thousand hours of rest. A false alarm lasts three seconds.
STUCK_LOOKS = 45
# Maximum number of successive equal readings from a working sensor. A sensor that repeats a reading
# less often shows noise, so it is not stuck.
LIVELY_LOOKS = 24
NOISY_S = 2.0
_RESTLESS_SHARE = 1 / 32
# Maximum mean step of a recovered sensor, in mT. A healthy sensor's readings differ by 0.05 mT
# between two checks.
_CALM_MT = 0.2
_BLOCK_LOOKS = 12  # Number of checks that are averaged as one block, which lasts 0.5 s.
# If the means of two blocks differ by at most this many mT, the difference counts as drift. A
# larger difference comes from a magnet on this place or on a place beside it.
_STEP_MT = 0.08
# Maximum drift of an empty place's reading, in mT. A temperature change of 10 K moves the reading
# by 0.06 mT.
_CREPT_EMPTY_MT = 0.5
# Maximum drift of an occupied place's reading, in mT. Temperature changes move a strong magnet's
# reading by up to 0.2 mT.
_CREPT_TAKEN_MT = 1.2
# Maximum change of a reading over _RESTED_BLOCKS blocks, in mT, with which a sensor counts as no
# longer drifting.
_RESTED_MT = 0.08
# Number of blocks (10 s) without drift after which a sensor counts as recovered.
_RESTED_BLOCKS = 20
# Time in seconds for which a failed sensor must give good readings before its readings are used
# again.
GOOD_S = 3.0
# Minimum change of a reading, in mT, that proves that a sensor works after a player has reported
# that the sensor detects nothing.
_FELT_MT = 4.0


class DriftMeter:
    """Measures how far each sensor's reading drifts, without the drift that all sensors have in
    common.
    """

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
        """Process the readings of one check, in mT. Return whether these readings completed a
        block.
        """
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
        """Return whether a sensor has stopped drifting."""
        means = [block[index] for block in self._means_mt]
        return len(means) > _RESTED_BLOCKS and max(means) - min(means) < _RESTED_MT

    def forgive(self, places: Iterable[int]) -> None:
        """Reset the measured drift of recovered sensors to zero."""
        healed = set(places)
        self.crept_mt = [0.0 if i in healed else mt for i, mt in enumerate(self.crept_mt)]


class SensorMonitor:
    """Checks all sensors regularly, and keeps the list of failed sensors."""

    faults: Mapping[int, SensorFault]
    """Plate index -> fault, for each sensor whose readings are currently ignored."""

    def __init__(self, size: int, faults: Mapping[int, SensorFault], *, measures: bool) -> None:
        """Start with the ``faults`` known from an earlier run. ``measures`` is False for a table
        with switches instead of sensors.
        """
        self.faults = faults
        self._measures = measures
        self._drift = DriftMeter(size)
        self._last_mt: Sequence[float] = ()
        # Number of successive checks in which each sensor has repeated its reading.
        self._equal = [0] * size
        self._noisy_since_s: Mapping[int, float] = {}
        self._good_since_s: Mapping[int, float] = {}
        self._evidence_mt: dict[
            int, float
        ] = {}  # Mean step of a noisy sensor, or first reading of a silent one, in mT.

    def interrupt(self) -> None:
        """Record that scans were interrupted, or that the plate was not still."""
        self._drift.interrupt()

    def distrust(self, index: int) -> None:
        """Ignore a sensor whose reading a player has contradicted."""
        self.faults = {**self.faults, index: SensorFault.SILENT}

    def update(
        self,
        raw_mt: Sequence[float],
        noisy: Iterable[int],
        magnets: Sequence[Magnet],
        now_s: float,
    ) -> None:
        """Process one check of all sensors.

        ``raw_mt`` is a scan as the driver returned it, ordered by place; ``noisy`` are the sensors
        whose noise is above the limit; ``magnets`` are the magnets on all places; ``now_s`` is the
        time of the scan in seconds.
        """
        if self._last_mt:
            for index, fault in self.faults.items():
                if fault is SensorFault.NOISY and index in self._evidence_mt:
                    step = min(abs(raw_mt[index] - self._last_mt[index]), 1.0)
                    mean = self._evidence_mt[index]
                    self._evidence_mt[index] = mean + _RESTLESS_SHARE * (step - mean)
            known = zip(self._equal, raw_mt, self._last_mt, strict=True)
            self._equal = [n + 1 if a == b else 0 for n, a, b in known]
        self._last_mt = raw_mt
        found = self._find_faults(raw_mt, noisy, magnets, now_s)
        if found or self.faults:
            faults = dict(self.faults)
            for index, ailment in found:
                known_as = faults.setdefault(index, ailment)
                if ailment is SensorFault.DEAD and known_as is not SensorFault.LEFT_OUT:
                    faults[index] = ailment
            self.faults = faults
            self._heal(now_s)

    def _find_faults(
        self,
        raw_mt: Sequence[float],
        noisy: Iterable[int],
        magnets: Sequence[Magnet],
        now_s: float,
    ) -> list[tuple[int, SensorFault]]:
        """Return the faults that this check has found, as pairs of plate index and kind of
        fault.
        """
        equal = self._equal
        lasting = [i for i, looks in enumerate(equal) if looks >= DEAD_LOOKS]
        if not self._measures:
            odd = [i for i in lasting if raw_mt[i] == CONTRADICTION_MT]
            return [(i, SensorFault.CONTRADICTING) for i in odd]
        self._noisy_since_s = {i: self._noisy_since_s.get(i, now_s) for i in noisy}
        found = [(i, SensorFault.DEAD) for i in lasting if abs(raw_mt[i]) > RAIL_MT]
        stuck = [i for i in lasting if equal[i] >= STUCK_LOOKS]
        if stuck and median(equal) < LIVELY_LOOKS:
            found += [(i, SensorFault.STUCK) for i in stuck]
        since = self._noisy_since_s.items()
        found += [(i, SensorFault.NOISY) for i, since_s in since if now_s - since_s >= NOISY_S]
        if self._drift.update(raw_mt):
            for index, (mt, magnet) in enumerate(zip(self._drift.crept_mt, magnets, strict=True)):
                if abs(mt) > (_CREPT_EMPTY_MT if magnet is Magnet.NONE else _CREPT_TAKEN_MT):
                    found.append((index, SensorFault.DRIFTING))
        return found

    def _heal(self, now_s: float) -> None:
        """Remove the faults of sensors that have given good readings for at least ``GOOD_S``."""
        first = {
            index: 1.0 if fault is SensorFault.NOISY else self._last_mt[index]
            for index, fault in self.faults.items()
            if fault in (SensorFault.NOISY, SensorFault.SILENT)
        }
        self._evidence_mt = {i: self._evidence_mt.get(i, mt) for i, mt in first.items()}
        good = [index for index, fault in self.faults.items() if self._is_good(index, fault)]
        self._good_since_s = {i: self._good_since_s.get(i, now_s) for i in good}
        healed = [i for i in good if now_s - self._good_since_s[i] >= GOOD_S]
        if healed:
            self.faults = without(self.faults, *healed)
            self._good_since_s = without(self._good_since_s, *healed)
            self._drift.forgive(healed)

    def _is_good(self, index: int, fault: SensorFault) -> bool:
        """Return whether a failed sensor now gives readings like a healthy sensor."""
        now_mt = self._last_mt[index]
        match fault:
            case SensorFault.DEAD | SensorFault.STUCK:
                return abs(now_mt) <= RAIL_MT and self._equal[index] < LIVELY_LOOKS
            case SensorFault.NOISY:
                return self._evidence_mt[index] < _CALM_MT
            case SensorFault.DRIFTING:
                return self._drift.has_rested(index)
            case SensorFault.SILENT:
                return abs(now_mt - self._evidence_mt[index]) > _FELT_MT
            case SensorFault.CONTRADICTING:
                return now_mt != CONTRADICTION_MT
            case SensorFault.LEFT_OUT:
                return False

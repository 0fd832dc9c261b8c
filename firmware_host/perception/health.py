"""Which sensors cannot be trusted: found by themselves, from what healthy ones cannot do.

A DRV5055's output keeps 0.2 V from both rails, so a reading beyond is a broken wire. Its noise is
half a step of the converter, so one that repeats itself is stuck. Magnets come and go in steps, so
one that creeps drifts. Switches have no noise: all that can be known of them by themselves is that
no magnet has both poles down.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum
from operator import add
from statistics import median

from drivers.hall_switches import CONTRADICTION_MT
from firmware_host.table.sight import Magnet

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


class Ailment(StrEnum):
    """Why a sensor is not believed."""

    DEAD = "dead"
    STUCK = "stuck"
    NOISY = "noisy"
    DRIFTING = "drifting"
    SILENT = "silent"  # somebody said that something else stands there than it feels
    CONTRADICTING = "contradicting"  # its switches feel both poles at once
    LEFT_OUT = "left-out"  # somebody said, calibrating, that it is broken; until it is measured


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
        """Somebody says what this sensor does not feel."""
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

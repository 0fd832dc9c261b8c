"""From what the driver reads to mT above each sensor's own zero; zeros follow drift."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from firmware_host.perception.calibration import Calibration

FOLLOW_S = 30.0
FOLLOW_MOST_MT = 0.25  # away from where the zero was last measured


class Zeros:
    """Each sensor's zero and gain. ``zeroed``: whether its zero was measured, or is a guess."""

    def __init__(self, calibration: Calibration) -> None:
        self._stored = calibration
        self._offset = list(calibration.offset_mt)
        self._anchor = list(self._offset)
        self._gain = list(calibration.gain)
        self.zeroed = list(calibration.zeroed)

    def calibration(self) -> Calibration:
        """That of the last run, with what is known of the zeros by now."""
        return msgspec.structs.replace(
            self._stored,
            offset_mt=tuple(self._offset),
            gain=tuple(self._gain),
            zeroed=tuple(self.zeroed),
        )

    def removed(self, field_mt: Sequence[float]) -> list[float]:
        """One scan as calibrated readings."""
        return [(f - o) * g for f, o, g in zip(field_mt, self._offset, self._gain, strict=True)]

    def move(self, index: int, by_mt: float) -> None:
        """The calibrated reading ``by_mt`` is that sensor's zero; now that is known."""
        self._offset[index] += by_mt / self._gain[index]
        self._anchor[index] = self._offset[index]
        self.zeroed[index] = True

    def follow(self, index: int, reading_mt: float, over_s: float) -> None:
        """An empty place has read so for ``over_s``: let its zero follow, slowly and not far."""
        moved = self._offset[index] + over_s / FOLLOW_S * reading_mt / self._gain[index]
        anchor = self._anchor[index]
        self._offset[index] = min(max(moved, anchor - FOLLOW_MOST_MT), anchor + FOLLOW_MOST_MT)

    def read_as(self, index: int, reading_mt: float, other: int) -> float:
        """What that reading of ``index`` is with the zero and gain of ``other``."""
        raw_mt = self.raw(index, reading_mt)
        return (raw_mt - self._offset[other]) * self._gain[other]

    def raw(self, index: int, reading_mt: float) -> float:
        """A calibrated reading as the driver gave it."""
        return reading_mt / self._gain[index] + self._offset[index]

    def exchange(self, one: int, other: int) -> None:
        """Each of the two is read through the other's input from now on."""
        for kept in (self._offset, self._anchor, self._gain):
            kept[one], kept[other] = kept[other], kept[one]
        zeroed = self.zeroed
        zeroed[one], zeroed[other] = zeroed[other], zeroed[one]

"""From what the driver reads to mT above each sensor's own zero; zeros follow drift."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
        known = zip(field_mt, self._offset, self._gain, strict=True)
        return [(mt - zero) * gain for mt, zero, gain in known]

    def move(self, index: int, by_mt: float) -> None:
        """The calibrated reading ``by_mt`` is that sensor's zero; now that is known."""
        self._offset[index] += by_mt / self._gain[index]
        self._anchor[index] = self._offset[index]
        self.zeroed[index] = True

    def follow(self, places: Iterable[int], readings_mt: Sequence[float], over_s: float) -> None:
        """Empty ``places`` have read so for ``over_s``: their zeros follow, slowly and not far."""
        offset, gain, anchor = self._offset, self._gain, self._anchor
        share, most = over_s / FOLLOW_S, FOLLOW_MOST_MT
        for i in places:
            moved = offset[i] + share * readings_mt[i] / gain[i]
            off = moved - anchor[i]
            offset[i] = moved if -most <= off <= most else anchor[i] + (most if off > 0 else -most)

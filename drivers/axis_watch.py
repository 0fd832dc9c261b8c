"""An accelerometer's axis that stands still: its own noise should keep it from doing that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from drivers.errors import PartReadingError

AXES: Final = ("x", "y", "z")
# Readings in a row that are equal to the bit on one axis while both others change. MPU-6050's noise
# is 15 steps of 4 g / 32768 (PS-MPU-6000A 6.2), LSM6DSOX's 4: an equal pair is at most 1 in 10.
STUCK_READINGS: Final = 16


class AxisWatch:
    """Fed with the raw words of each reading."""

    def __init__(self) -> None:
        self._suspicious = False
        self.restart()

    def restart(self) -> None:
        """The readings were interrupted."""
        self._last: tuple[int, ...] | None = None
        self._equal = [0] * len(AXES)
        self._alive = [False] * len(AXES)

    @property
    def trusted(self) -> bool:
        """Whether no axis was found dead, or all have moved again since."""
        return not self._suspicious

    def update(self, words: Sequence[int]) -> None:
        """One reading. Raises PartReadingError once an axis is dead."""
        now = tuple(words)
        last, self._last = self._last, now
        if last is None or last == now:  # the same sample, read twice
            return
        moved = [new != old for new, old in zip(now, last, strict=True)]
        if all(moved):  # as in most readings
            self._equal, self._alive = [0] * len(AXES), moved
            self._suspicious = False
            return
        for axis, has_moved in enumerate(moved):
            if has_moved:
                self._equal[axis] = 0
                self._alive[axis] = True
            elif sum(moved) == len(AXES) - 1:
                self._equal[axis] += 1
        if max(self._equal) >= STUCK_READINGS:
            self._suspicious = True
            raise PartReadingError(
                "imu",
                "The tilt sensor does not feel its {axis} axis.",
                remedy="Replace the tilt sensor. Play goes on once it feels all three axes.",
                axis=AXES[self._equal.index(max(self._equal))],
            )
        if all(self._alive):
            self._suspicious = False

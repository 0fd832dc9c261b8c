"""How the plate has moved of late, and what a sensor under it felt."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass

from hw_sim.world.plate import Vector

KEPT_STEPS = 128  # for filters that look back: 0.3 s and more


@dataclass(frozen=True, slots=True)
class Motion:
    """Of the plate at one time: its angles; and in its axes what is felt of gravity, how fast
    it turns, and how fast that changes.
    """

    time_s: float
    attitude_rad: Vector
    gravity_m_s2: Vector
    rate_rad_s: Vector
    turning_rad_s2: Vector


class Motions:
    """Those of the last steps."""

    def __init__(self) -> None:
        self._kept: deque[Motion] = deque(maxlen=KEPT_STEPS)

    def note(self, motion: Motion) -> None:
        """The latest."""
        self._kept.append(motion)

    def at(self, time_s: float) -> Motion:
        """The last one until then, or the first that is kept."""
        at = bisect_right(self._kept, time_s, key=lambda motion: motion.time_s)
        return self._kept[max(0, at - 1)]

"""AH1889, two unipolar Hall switches in one package (Diodes Incorporated).

OUTPUT1 is pulled low over a south pole, OUTPUT2 over a north pole; both are driven high without
one, by transistors of its own, on 1.65 to 3.6 V. It never sleeps between looks. (All that: the data
sheet's first page.) A switch closes above its operate point and opens below its release point;
between them it stays as it was when it was last asked.

The data sheet's table of operate points was not found: the figures below are those of its sister
AH1389 (25 G and 20 G typical), widened; see docs/wiring-plate-7.md for what they must be for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hw_sim.rng import Stream

OPERATE_MT = 2.5
RELEASE_MT = 2.0
SPREAD = 0.3
"""Share by which one copy's points lie off, both together: 1.4 to 2.6 mT to release."""
RESPONSE_S = 10e-6  # chopper-stabilised parts of this kind answer within 10 us


@dataclass(frozen=True, slots=True)
class SwitchPoints:
    """One pole's: closes when the field exceeds ``operate_mt``, opens below ``release_mt``."""

    operate_mt: float = OPERATE_MT
    release_mt: float = RELEASE_MT

    @classmethod
    def drawn(
        cls,
        stream: Stream,
        operate_mt: float = OPERATE_MT,
        release_mt: float = RELEASE_MT,
        spread: float = SPREAD,
    ) -> SwitchPoints:
        """One copy's, within the spread."""
        factor = 1.0 + stream.uniform(-spread, spread)
        return cls(operate_mt * factor, release_mt * factor)


class DualSwitch:
    """One package. ``field_mt(now_s)``: upward, a south pole above reads positive.

    ``closed(south, now_s)``: whether that pole's output is low.
    """

    def __init__(
        self,
        field_mt: Callable[[float], float],
        north: SwitchPoints | None = None,
        south: SwitchPoints | None = None,
        response_s: float = RESPONSE_S,
    ) -> None:
        self.field_mt = field_mt
        self.north = north or SwitchPoints()
        self.south = south or SwitchPoints()
        self._response_s = response_s
        self._is_closed = {False: False, True: False}

    def closed(self, now_s: float, *, south: bool) -> bool:
        """Whether that pole's output is low now."""
        field = self.field_mt(now_s - self._response_s)
        points = self.south if south else self.north
        towards_mt = field if south else -field
        limit_mt = points.release_mt if self._is_closed[south] else points.operate_mt
        self._is_closed[south] = towards_mt > limit_mt
        return self._is_closed[south]

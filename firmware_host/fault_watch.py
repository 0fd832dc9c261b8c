"""Faults as the host sees them: a scan that stalls and a sensor that lies askew are some, too; and
each is logged once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from drivers.errors import PartError, PartReadingError
from drivers.frame import Frame

LATE_S = 0.25  # perception begins again after such a gap
STALLS = 2  # a single late scan passes without a word
UPRIGHT_M_S2 = 7.0  # the plate leans by less than 45 degrees
ASKEW_S = 3.0
STEADY_S = 0.5  # of scans in time, then it is over

_log = logging.getLogger(__name__)


class ScanWatch:
    """Whether scans come in time. A part that is lost may take its bus's time-out: that is its own
    fault and no stall.
    """

    def __init__(self) -> None:
        self._last_s: float | None = None
        self._stalls = 0
        self._steady_since_s = 0.0
        self._fault: PartError | None = None

    def take(self, frame: Frame) -> PartError | None:
        """Take one scan in; the fault, while there is one."""
        now_s, last_s = frame.time_s, self._last_s
        self._last_s = now_s
        gap_s = 0.0 if last_s is None else now_s - last_s
        if gap_s > LATE_S and not frame.faults:
            self._stalls += 1
            self._steady_since_s = now_s
        elif now_s - self._steady_since_s >= STEADY_S:
            self._stalls = 0
            self._fault = None
        if self._stalls >= STALLS and self._fault is None:
            self._fault = PartReadingError(
                "computer",
                "The table's computer is too busy to read the sensors in time.",
                remedy="Stop other programs on it, and check that it is not too hot.",
            )
        return self._fault


class MountingWatch:
    """Whether gravity comes from where the tilt sensor is thought to have its face. No hand holds
    a plate on its edge for long.
    """

    def __init__(self) -> None:
        self._since_s: float | None = None

    def take(self, frame: Frame) -> PartError | None:
        """Take one scan in; the fault, while there is one."""
        if frame.motion is None or frame.motion.specific_force_m_s2[2] > UPRIGHT_M_S2:
            self._since_s = None
            return None
        if self._since_s is None:
            self._since_s = frame.time_s
        if frame.time_s - self._since_s < ASKEW_S:
            return None
        return PartReadingError(
            "imu",
            "The tilt sensor does not lie as the table thinks.",
            remedy="If the plate is level, calibrate the table: it finds out how the sensor lies.",
        )


class FaultLog:
    """Logs each fault when it comes and when it has gone, not in between."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], PartError] = {}

    def take(self, faults: Sequence[PartError]) -> None:
        """The faults of this scan."""
        if not faults and not self._known:
            return
        now = {(fault.part, fault.template): fault for fault in faults}
        for key in now.keys() - self._known.keys():
            _log.warning("%s: %s", key[0], now[key])
        for key in self._known.keys() - now.keys():
            _log.warning("%s: over: %s", key[0], self._known[key].problem)
        self._known = now

"""Decides from the tilt sensor (IMU) whether the plate is level and quiet enough for the sensors to
be read.
"""

from __future__ import annotations

from math import dist, hypot, radians

from tiltboard.drivers.frame import Motion
from tiltboard.firmware_host.table.sight import Happening, Stillness

TILTED_RAD = radians(2.5)
LEVEL_RAD = radians(1.5)
MOVING_RAD_S = 0.35
QUIET_RAD_S = 0.12
# Minimum change of acceleration between two scans that counts as a knock on the plate. A change is
# used because the MPU-6050's accelerometer can have an offset of 80 mg.
BUMP_M_S2 = 2.5
QUIET_M_S2 = 0.6
QUIET_S = 0.4
# Maximum tilt that the sensor can read on a level plate before calibration. The MPU-6050's zero-g
# offset on x and y is up to 50 mg (2.9 degrees) per axis.
LEVEL_UNKNOWN_RAD = radians(4.5)
RELEVEL_S = 10.0


class MotionGate:
    """Tracks the tilt and the movement of the plate from one IMU reading to the next."""

    state: Stillness
    """State of the plate's motion: still, tilted, moving, or unknown."""
    tilt_rad: tuple[float, float]
    """Tilt in radians about the x and y axes, relative to the level plate."""
    level_rad: tuple[float, float] | None
    """The IMU's reading in radians that counts as level, or None until such a reading is known."""
    proven_rad: tuple[float, float] | None
    """The IMU's reading of the level plate in radians, or None until a long rest has confirmed the
    reading.
    """

    def __init__(self, level_rad: tuple[float, float] | None, *, watched: bool = True) -> None:
        """Create the gate before the first IMU reading.

        ``level_rad`` is the IMU's reading of the level plate from an earlier run, or None.
        ``watched`` is False for a table without an IMU, whose plate is fixed and always counts as
        still.
        """
        self.state = Stillness.UNKNOWN if watched else Stillness.STILL
        self.tilt_rad = 0.0, 0.0
        self.level_rad = self.proven_rad = level_rad
        self._learns_level = level_rad is None
        self._watched = watched
        self._force_m_s2: tuple[float, float, float] | None = None
        self._quiet_since_s: float | None = None
        # Events that were already reported since the plate last came to rest.
        self._reported: frozenset[Happening] = frozenset()

    def update(self, time_s: float, motion: Motion | None) -> tuple[Happening, ...]:
        """Process one IMU reading, or None if the IMU gave no reading. Return the new events in
        order.
        """
        if not self._watched:
            return ()
        if motion is None:
            self.state = Stillness.UNKNOWN
            self._force_m_s2, self._quiet_since_s, self._reported = None, None, frozenset()
            return ()
        force, before = motion.specific_force_m_s2, self._force_m_s2
        jolt = 0.0 if before is None else dist(force, before)
        turning = max(map(abs, motion.rate_rad_s))
        self._force_m_s2 = force
        if turning > QUIET_RAD_S or jolt > QUIET_M_S2:
            self._quiet_since_s = None
        elif self._quiet_since_s is None:
            self._quiet_since_s = time_s
        quiet_s = 0.0 if self._quiet_since_s is None else time_s - self._quiet_since_s
        self._learn_level(motion, quiet_s)
        x, y = self.level_rad or (0.0, 0.0)
        self.tilt_rad = motion.tilt_rad[0] - x, motion.tilt_rad[1] - y
        return self._judge(hypot(*self.tilt_rad), jolt, turning, quiet_s)

    def _judge(
        self, lean_rad: float, jolt_m_s2: float, turning_rad_s: float, quiet_s: float
    ) -> tuple[Happening, ...]:
        reported, happened = self._reported, list[Happening]()
        if lean_rad > TILTED_RAD:
            self.state = Stillness.TILTED
            happened = [Happening.TILTED]
        elif jolt_m_s2 > BUMP_M_S2 or turning_rad_s > MOVING_RAD_S:
            # The state stays UNKNOWN until the plate first rests.
            if self.state is Stillness.STILL:
                self.state = Stillness.MOVING
            if jolt_m_s2 > BUMP_M_S2 and Happening.TILTED not in reported:
                happened = [Happening.BUMPED]
        elif self.state is not Stillness.STILL and quiet_s >= QUIET_S and lean_rad < LEVEL_RAD:
            if reported:
                happened = [Happening.SETTLED]
            elif self.state is Stillness.MOVING:
                happened = [Happening.BUMPED, Happening.SETTLED]
            self.state, reported = Stillness.STILL, frozenset()
        new = tuple(each for each in happened if each not in reported)
        if new and Happening.SETTLED not in new:
            reported = reported.union(new)
        self._reported = reported
        return new

    def _learn_level(self, motion: Motion, quiet_s: float) -> None:
        """Use the tilt of the first rest as level, and correct the level after a longer rest.

        A player can hold the plate during the first rest, so only a level confirmed by a long rest
        is stored for the next run.
        """
        if not self._learns_level or hypot(*motion.tilt_rad) > LEVEL_UNKNOWN_RAD:
            return
        is_first = self.level_rad is None and quiet_s >= QUIET_S
        if is_first or (quiet_s >= RELEVEL_S and self.state is not Stillness.STILL):
            self.level_rad = motion.tilt_rad
        if quiet_s >= RELEVEL_S:
            self.proven_rad = self.level_rad

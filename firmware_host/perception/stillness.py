"""When the plate may be read: level and quiet, as the IMU says."""

from __future__ import annotations

from math import hypot, radians

from drivers.frame import Motion
from firmware_host.table.sight import Happening, Stillness

TILTED_RAD = radians(2.5)
LEVEL_RAD = radians(1.5)
MOVING_RAD_S = 0.35
QUIET_RAD_S = 0.12
# MPU-6050's accelerometer may be 80 mg off, so blows are seen as changes between scans.
BUMP_M_S2 = 2.5
QUIET_M_S2 = 0.6
QUIET_S = 0.4
# MPU-6050, zero-g output of x and y +-50 mg (2.9 deg each): an uncalibrated level plate reads less.
LEVEL_UNKNOWN_RAD = radians(4.5)
RELEVEL_S = 10.0


class StillnessGate:
    """Follows Motion. ``level_rad``: the IMU's reading of the level plate, None until known;
    ``proven_rad``: the same, None until it is worth keeping.

    ``watched``: False for a table without an IMU: its plate is fixed, and taken to stand still.
    """

    def __init__(self, level_rad: tuple[float, float] | None, *, watched: bool = True) -> None:
        self.level_rad = self.proven_rad = level_rad
        self.state = Stillness.UNKNOWN if watched else Stillness.STILL
        self._watched = watched
        self.tilt_rad = (0.0, 0.0)
        self._learns = level_rad is None
        self._force: tuple[float, float, float] | None = None
        self._quiet_since_s: float | None = None
        self._told: set[Happening] = set()

    def observe(self, time_s: float, motion: Motion | None) -> tuple[Happening, ...]:
        """Take one reading in; what it says happened, in order."""
        if not self._watched:
            return ()
        if motion is None:
            self.state = Stillness.UNKNOWN
            self._force = self._quiet_since_s = None
            self._told.clear()
            return ()
        level = self.level_rad or (0.0, 0.0)
        self.tilt_rad = (motion.tilt_rad[0] - level[0], motion.tilt_rad[1] - level[1])
        turning = max(map(abs, motion.rate_rad_s))
        jolt = self._jolt(motion)
        if turning > QUIET_RAD_S or jolt > QUIET_M_S2:
            self._quiet_since_s = None
        elif self._quiet_since_s is None:
            self._quiet_since_s = time_s
        quiet_s = 0.0 if self._quiet_since_s is None else time_s - self._quiet_since_s
        self._learn_level(motion, quiet_s)
        lean = hypot(*self.tilt_rad)
        happened: list[Happening] = []
        if lean > TILTED_RAD:
            self._become(Stillness.TILTED, Happening.TILTED, happened)
        elif jolt > BUMP_M_S2 or turning > MOVING_RAD_S:
            if self.state is not Stillness.TILTED:
                self._become(Stillness.MOVING, None, happened)
            if jolt > BUMP_M_S2 and Happening.TILTED not in self._told:
                self._tell(Happening.BUMPED, happened)
        elif self.state is not Stillness.STILL and quiet_s >= QUIET_S and lean < LEVEL_RAD:
            self._settle(happened)
        return tuple(happened)

    def _settle(self, happened: list[Happening]) -> None:
        if self.state is Stillness.MOVING and not self._told:
            self._tell(Happening.BUMPED, happened)
        if self._told:
            happened.append(Happening.SETTLED)
        self.state = Stillness.STILL
        self._told.clear()

    def _become(
        self, state: Stillness, happening: Happening | None, happened: list[Happening]
    ) -> None:
        # UNKNOWN stays so until the first rest, unless there is something to tell.
        if self.state is not Stillness.UNKNOWN or happening is not None:
            self.state = state
        if happening is not None:
            self._tell(happening, happened)

    def _tell(self, happening: Happening, happened: list[Happening]) -> None:
        if happening not in self._told:
            self._told.add(happening)
            happened.append(happening)

    def _jolt(self, motion: Motion) -> float:
        now, before = motion.specific_force_m_s2, self._force
        self._force = now
        if before is None:
            return 0.0
        return hypot(now[0] - before[0], now[1] - before[1], now[2] - before[2])

    def _learn_level(self, motion: Motion, quiet_s: float) -> None:
        """Take the first rest for level; and again after a long one, if it was the wrong one. It
        may have been in somebody's hands, so only what a long rest bears out is worth keeping.
        """
        if not self._learns or hypot(*motion.tilt_rad) > LEVEL_UNKNOWN_RAD:
            return
        first = self.level_rad is None and quiet_s >= QUIET_S
        if first or (quiet_s >= RELEVEL_S and self.state is not Stillness.STILL):
            self.level_rad = motion.tilt_rad
            self.tilt_rad = (0.0, 0.0)
        if quiet_s >= RELEVEL_S:
            self.proven_rad = self.level_rad

"""When the plate may be read: level and quiet, as the IMU says."""

from __future__ import annotations

from math import dist, hypot, radians

from msgspec import Struct
from msgspec.structs import replace

from tiltboard.drivers.frame import Motion
from tiltboard.firmware_host.table.sight import Happening, Stillness

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


class Gate(Struct, frozen=True):
    """What is known of the plate's stillness. ``level_rad``: the IMU's reading of the level plate,
    None until known, and ``learns`` whether it may still be found out; ``proven_rad``: the same,
    None until it is worth keeping. ``told``: what has happened since the plate last settled.

    ``watched``: False for a table without an IMU: its plate is fixed, and taken to stand still.
    """

    level_rad: tuple[float, float] | None
    proven_rad: tuple[float, float] | None
    learns: bool
    watched: bool
    state: Stillness
    tilt_rad: tuple[float, float] = (0.0, 0.0)
    force_m_s2: tuple[float, float, float] | None = None
    quiet_since_s: float | None = None
    told: frozenset[Happening] = frozenset()


def closed_gate(level_rad: tuple[float, float] | None, *, watched: bool = True) -> Gate:
    """Before the first reading. ``level_rad``: of the last run."""
    state = Stillness.UNKNOWN if watched else Stillness.STILL
    return Gate(level_rad, level_rad, level_rad is None, watched, state)


def moved(gate: Gate, time_s: float, motion: Motion | None) -> tuple[Gate, tuple[Happening, ...]]:
    """The gate after one reading, and what that says happened, in order."""
    if not gate.watched:
        return gate, ()
    if motion is None:
        unknown = Stillness.UNKNOWN
        lost = replace(gate, state=unknown, force_m_s2=None, quiet_since_s=None, told=frozenset())
        return lost, ()
    force, before = motion.specific_force_m_s2, gate.force_m_s2
    jolt = 0.0 if before is None else dist(force, before)
    turning = max(map(abs, motion.rate_rad_s))
    since_s = None
    if turning <= QUIET_RAD_S and jolt <= QUIET_M_S2:
        since_s = time_s if gate.quiet_since_s is None else gate.quiet_since_s
    quiet_s = 0.0 if since_s is None else time_s - since_s
    level, proven = _levels(gate, motion, quiet_s)
    x, y = level or (0.0, 0.0)
    tilt = motion.tilt_rad[0] - x, motion.tilt_rad[1] - y
    lean = hypot(*tilt)
    state, told, happened = gate.state, gate.told, list[Happening]()
    if lean > TILTED_RAD:
        state = Stillness.TILTED
        happened = [Happening.TILTED]
    elif jolt > BUMP_M_S2 or turning > MOVING_RAD_S:
        if state is Stillness.STILL:  # UNKNOWN stays so until the first rest
            state = Stillness.MOVING
        if jolt > BUMP_M_S2 and Happening.TILTED not in told:
            happened = [Happening.BUMPED]
    elif state is not Stillness.STILL and quiet_s >= QUIET_S and lean < LEVEL_RAD:
        if told:
            happened = [Happening.SETTLED]
        elif state is Stillness.MOVING:
            happened = [Happening.BUMPED, Happening.SETTLED]
        state, told = Stillness.STILL, frozenset()
    new = tuple(each for each in happened if each not in told)
    if new and Happening.SETTLED not in new:
        told = told.union(new)
    return Gate(level, proven, gate.learns, True, state, tilt, force, since_s, told), new


def _levels(
    gate: Gate, motion: Motion, quiet_s: float
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Take the first rest for level; and again after a long one, if it was the wrong one. It may
    have been in somebody's hands, so only what a long rest bears out is worth keeping.
    """
    level = gate.level_rad
    if not gate.learns or hypot(*motion.tilt_rad) > LEVEL_UNKNOWN_RAD:
        return level, gate.proven_rad
    first = level is None and quiet_s >= QUIET_S
    if first or (quiet_s >= RELEVEL_S and gate.state is not Stillness.STILL):
        level = motion.tilt_rad
    return level, level if quiet_s >= RELEVEL_S else gate.proven_rad

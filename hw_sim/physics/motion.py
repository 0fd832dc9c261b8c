"""How plate and pieces lie and have moved, in the plate's axes, and how hands pull them."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hw_sim.physics.body import STEP_S
from hw_sim.world.plate import Vector

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Poses:
    """Of all pieces, row by row. ``feet_mm``: the middle of the lower face of each, (N, 3). ``up``:
    its axis, (N, 3), unit vectors; (0, 0, 1) for a piece that stands. ``heights_mm``,
    ``radii_mm``: (N,).
    """

    numbers: tuple[int, ...]
    feet_mm: Array
    up: Array
    heights_mm: Array
    radii_mm: Array

    def lowest_mm(self) -> Array:
        """(N, 3): where the middle is, as high as the lowest point; of a piece that stands that is
        its foot.
        """
        halves = self.heights_mm / 2
        lowest = self.feet_mm + self.up * halves[:, None]
        rise = np.abs(self.up[:, 2])
        lean = np.sqrt(np.maximum(0.0, 1.0 - rise * rise))
        lowest[:, 2] -= halves * rise + self.radii_mm * lean
        return lowest


def turns_on(plate: Array, pieces: Array) -> Array:
    """Quaternions w, x, y, z of ``pieces``, (N, 4), as they are in the axes of the plate whose own
    is ``plate``, (4,).
    """
    back, scalar, vector = -plate[1:], pieces[:, 0], pieces[:, 1:]
    turns = np.empty_like(pieces)
    turns[:, 0] = plate[0] * scalar - vector @ back
    turns[:, 1:] = plate[0] * vector + scalar[:, None] * back + np.cross(back, vector)
    return turns


KEPT_STEPS = 192  # for filters that look back: 0.3 s and more


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
    """The plate's motions in the last steps."""

    def __init__(self) -> None:
        self._kept: deque[Motion] = deque(maxlen=KEPT_STEPS)

    def note(self, motion: Motion) -> None:
        """Note the latest motion."""
        self._kept.append(motion)

    def at(self, time_s: float) -> Motion:
        """The motion at that time; the oldest that is kept, for times before it."""
        at = bisect_right(self._kept, time_s, key=lambda motion: motion.time_s)
        return self._kept[max(0, at - 1)]


# How fingers and chopsticks pull a piece to where it shall be, no harder than people can.

GRIP_PER_S = 200.0  # its square is a hand's stiffness per kilogram it holds
GRIP_N = 6.0  # fingers let a piece slip rather than push harder
STICKS_PER_S = 60.0  # chopsticks give way more than fingers
STICK_FRICTION = 0.40  # of wood on a piece
STICKS_UP_M = 0.003  # above a piece's middle they hold it, so that it hangs
SWING_DAMPING = 1e-5  # N m s, of a piece that hangs between them


class Gripped(NamedTuple):
    """A piece as it moves: kg, kg m^2, where its middle is, its axes as columns, m/s, and rad/s in
    its own axes, as MuJoCo has it for a free joint.
    """

    mass_kg: float
    inertia: float
    middle: Array
    axes: Array
    speed: Array
    rate: Array


def pull(
    it: Gripped, here: Array, ahead: Array, plate: Array, squeeze_n: float | None
) -> tuple[Array, Array] | None:
    """Force and torque that take its middle from ``here`` to ``ahead`` in the next step, and keep
    it upright. ``plate``: axes as columns. ``squeeze_n``: of two sticks, west and east of it, that
    press so hard; it swings about the line between them. None: it slips out.
    """
    per_s = STICKS_PER_S if squeeze_n else GRIP_PER_S
    off = ahead - it.middle
    speed = (ahead - here) / STEP_S - it.speed
    force = it.mass_kg * (per_s**2 * off + 2 * per_s * speed)
    force[2] += it.mass_kg * 9.81
    if squeeze_n and _slips(force @ plate, squeeze_n):
        return None
    x, y, z = it.axes[:, 2].tolist()
    u, v, w = plate[:, 2].tolist()
    lean = np.array((y * w - z * v, z * u - x * w, x * v - y * u))
    rate = it.axes @ it.rate
    torque = it.inertia * (GRIP_PER_S**2 * lean - 2 * GRIP_PER_S * rate)
    if squeeze_n:
        between = plate[:, 0]
        hangs = np.cross(it.axes[:, 2] * STICKS_UP_M, force) - SWING_DAMPING * rate
        torque += between * (between @ (hangs - torque))
    size = float(np.linalg.norm(force))
    return force * min(1.0, GRIP_N / max(size, 1e-9)), torque


def _slips(force: Array, squeeze_n: float) -> bool:
    """Whether two sticks cannot do that: friction across, what they press along."""
    along, *across = force
    carried_n = 2 * STICK_FRICTION * squeeze_n
    return bool(abs(along) > squeeze_n or np.hypot(*across) > carried_n)

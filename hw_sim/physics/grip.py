"""How fingers and chopsticks pull a piece to where it shall be, no harder than people can."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hw_sim.physics.body import STEP_S

Array = NDArray[np.float64]

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

"""Pinned pieces: isolated resting pieces that follow the plate without contacts of their own.

Contacts take more computing time than anything else, and 36 pieces have 144 contacts. A piece is
pinned if it stands alone, far from everything that moves, and if friction holds it by a wide
margin. The weight of a pinned piece acts on the plate, and the piece moves with the plate. The
piece is freed before anything comes near, or before friction could fail to hold it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from operator import sub

import mujoco
import numpy as np
from numpy.typing import NDArray

from tiltboard.hw_sim.physics.body import STEP_S, SURFACE_M, Shape
from tiltboard.hw_sim.physics.magnets import Array, Index, cross

Flags = NDArray[np.bool_]

G_M_S2 = 9.81
# Number of successive checks in which a piece must be firm before it is pinned. The checks are 9 ms
# apart.
LOOKS = 12
SINKS_M = 0.0003
UPRIGHT = 0.9999
# Maximum distance in m that a resting piece moves between two checks. This corresponds to 2 mm/s.
STIRS_M = 2e-5
# Maximum fraction of the available friction that a pinned piece may use. The remaining friction is
# more than enough for the acceleration of a tilt.
HOLDS = 0.6
# Maximum torque of the magnets on a pinned piece, as a fraction of the torque that tips the piece.
TIPS = 0.3
# Minimum change of the tilt, in rad, for which pinned pieces are moved. Such a change moves the
# plate's rim by 0.2 um.
STAYS_RAD = 1e-6
# Minimum distance from a pinned piece to other pieces, in m. If another piece comes nearer, the
# pinned piece is freed.
SPARE_M = 0.004
STRUCK_M_S = 0.005


class Pins:
    """The pinned pieces, in the same rows as in ``Dynamics``. No piece is pinned at first."""

    def __init__(self, pieces: Sequence[tuple[int, int, int, Shape]]) -> None:
        """Store the pieces. ``pieces`` lists for each piece the body, the offsets in ``qpos`` and
        ``qvel``, and the shape.
        """
        count, shapes = len(pieces), [shape for *_, shape in pieces]
        numbers = np.array([where for *where, _ in pieces], dtype=np.intp).reshape(-1, 3)
        self._bodies, self._places, self._speeds = numbers.T
        self._halves = np.array([shape.height_m / 2 for shape in shapes])
        self._weights = np.array([shape.mass_kg * G_M_S2 for shape in shapes])
        self._frictions = np.array([shape.friction for shape in shapes])
        self._feet = np.array([shape.stem_m or shape.radius_m for shape in shapes])
        self._widest = max((shape.radius_m for shape in shapes), default=0.0)
        self._firm: Flags = np.zeros(count, dtype=bool)
        self._stood = np.zeros(count, dtype=np.intp)
        self._was = np.full((count, 3), np.inf)
        self.pinned: Flags = np.zeros(count, dtype=bool)
        # Positions of the pinned pieces in the plate's axes. ``_turn`` contains the rotations of
        # these pieces.
        self._at = np.zeros((count, 3))
        self._turn = np.zeros((count, 4))
        self._load: Array | None = None
        self._carried: tuple[list[float], Array, Index, Index] | None = None

    @property
    def loose(self) -> int:
        """Number of pieces that are not pinned."""
        return len(self.pinned) - int(self.pinned.sum())

    def look(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        plate: int,
        pulls: Array,
        busy: Collection[int],
    ) -> None:
        """Decide which pieces are pinned now, and pin or free the pieces accordingly.

        ``pulls``: forces and torques of the magnets on each piece, (N, 6). ``busy``: rows of the
        pieces that hands hold.
        """
        axes = data.xmat[plate].reshape(3, 3)
        at = data.xpos[self._bodies] @ axes
        rise = data.xmat[self._bodies].reshape(-1, 3, 3)[:, :, 2] @ axes[:, 2]
        force = pulls[:, :3].copy()
        force[:, 2] -= self._weights
        rate = data.cvel[plate, :3]
        swung = np.cross(rate, np.cross(rate, data.xpos[self._bodies]))
        felt = (force - swung * (self._weights / G_M_S2)[:, None]) @ axes
        # Coefficient of friction at which the piece slides or tips, whichever is lower.
        least = np.minimum(self._frictions, self._feet / self._halves)
        slides = np.hypot(felt[:, 0], felt[:, 1]) > HOLDS * least * -felt[:, 2]
        tips = np.abs(pulls[:, 3:]).max(axis=1) > TIPS * self._weights * self._feet
        stands = np.abs(at[:, 2] - SURFACE_M - self._halves) < SINKS_M
        firm = stands & (rise > UPRIGHT) & ~slides & ~tips & (felt[:, 2] < -self._weights / 3)
        firm &= np.abs(at - self._was).max(axis=1) < STIRS_M
        firm[[*busy]] = False
        self._was, self._firm = at, firm
        self._stood = np.where(firm, self._stood + 1, 0)
        wanted = (self._stood >= LOOKS) | (self.pinned & firm)
        wanted &= ~self._near(data, wanted)
        new = wanted & ~self.pinned
        self._set(model, wanted)
        w, x, y, z = data.xquat[plate].tolist()
        self._turn[new] = quaternions_after((w, -x, -y, -z), data.xquat[self._bodies[new]])
        self._at[new] = at[new]
        # Force and torque that the pinned pieces exert on the plate, about the plate's centre of
        # mass.
        arms = data.xpos[self._bodies[wanted]] - data.xipos[plate]
        turning = cross(arms, force[wanted]) + pulls[wanted, 3:]
        self._load = np.concatenate([force[wanted].sum(axis=0), turning.sum(axis=0)])

    def part(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Free each pinned piece that another piece approaches."""
        near = self._near(data, self.pinned)
        if near.any():
            self._stood[near] = 0
            self._set(model, self.pinned & ~near)

    def loosen(self, model: mujoco.MjModel, rows: Collection[int]) -> None:
        """Free the pieces that a hand is about to move."""
        freed = self.pinned.copy()
        freed[[*rows]] = False
        self._stood[[*rows]] = 0
        self._set(model, freed)

    def press(self, data: mujoco.MjData, plate: int) -> None:
        """Apply the forces of the pinned pieces to the plate. These forces do not act on the
        pieces.
        """
        if self._load is not None and self.pinned.any():
            data.xfrc_applied[self._bodies[self.pinned]] = 0.0
            data.xfrc_applied[plate] += self._load

    def carry(self, data: mujoco.MjData) -> None:
        """Move the pinned pieces with the plate after a step of the simulation."""
        if not self.pinned.any():
            return
        angles, speeds = data.qpos[:3].tolist(), None
        if self._carried is None or max(map(abs, map(sub, angles, self._carried[0]))) > STAYS_RAD:
            axes, turn = _attitude(angles)
            rows = self.pinned
            at, before = self._at[rows] @ axes.T, self._carried
            poses = np.concatenate([at, quaternions_after(turn.tolist(), self._turn[rows])], axis=1)
            places = self._places[rows][:, None] + np.arange(7)
            self._carried = angles, poses, places, self._speeds[rows][:, None] + np.arange(6)
            if before is not None:
                speeds = (at - before[1][:, :3]) / STEP_S
        _, poses, places, where = self._carried
        data.qpos[places] = poses
        data.qvel[where] = 0.0
        if speeds is not None:
            data.qvel[where[:, :3]] = speeds

    def _near(self, data: mujoco.MjData, still: Flags) -> Flags:
        """Return the pieces of ``still`` that may soon touch another piece. The other piece is
        moving or not firm.
        """
        near = np.zeros(len(still), dtype=bool)
        if still.all() or not still.any():
            return near
        at = data.xpos[self._bodies]
        every = np.sqrt((data.qvel[self._speeds[:, None] + np.arange(3)] ** 2).sum(axis=1))
        moving = ~still & (~self._firm | (every > STRUCK_M_S))
        speeds = every[moving]
        reach = 2 * self._widest + SPARE_M + 2 * STEP_S * speeds
        away = at[still][:, None, :] - at[moving][None, :, :]
        near[still] = ((away**2).sum(axis=2) < reach**2).any(axis=1)
        return near

    def _set(self, model: mujoco.MjModel, wanted: Flags) -> None:
        changed = wanted != self.pinned
        if not changed.any():
            return
        self.pinned, self._carried = wanted, None
        bodies, touches = self._bodies[changed], (~wanted[changed]).astype(int)
        geoms = model.body_geomadr[bodies]
        model.body_contype[bodies] = model.body_conaffinity[bodies] = touches
        model.geom_contype[geoms] = model.geom_conaffinity[geoms] = touches


def _attitude(angles: list[float]) -> tuple[Array, Array]:
    """Return the plate's orientation, given the angles about x, y and z: the plate's axes as
    columns, and a quaternion.
    """
    turn = np.array([[1.0, 0.0, 0.0, 0.0]])
    for axis in (2, 1, 0):
        step = [math.cos(angles[axis] / 2), 0.0, 0.0, 0.0]
        step[1 + axis] = math.sin(angles[axis] / 2)
        turn = quaternions_after(step, turn)
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, turn[0])
    return axes.reshape(3, 3), turn[0]


def quaternions_after(one: Sequence[float], others: Array) -> Array:
    """Return quaternion ``one`` (4,) multiplied from the left with each of ``others`` (N, 4)."""
    w, x, y, z = one
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    return np.asarray(others @ left.T)

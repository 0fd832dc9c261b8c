"""Rigid bodies on the plate over time: pieces that hands hold, and pieces that slide, tip and fall.

The interface of this package uses positions in mm in the plate's axes, which turn with the plate. x
and y are counted from the plate's centre, and z from its surface. Internally, MuJoCo works in
metres from the pivot.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import NamedTuple

import mujoco
import numpy as np

from tiltboard.hw_sim.physics.body import (
    DISC,
    GROUND_M,
    STEP_S,
    STIFF,
    STIFF_DAMPING,
    SURFACE_M,
    Shape,
    add_piece,
    bare_table,
    set_lanes,
)
from tiltboard.hw_sim.physics.magnets import Array, wrenches
from tiltboard.hw_sim.physics.pins import Pins, quaternions_after
from tiltboard.hw_sim.world.paths import Path, Point
from tiltboard.hw_sim.world.plate import PlateMotion, Vector

REST_S = 0.3  # Minimum time without motion, in seconds, before the simulation counts as resting.
REST_MM = 0.01
REST_TURN = 0.001  # Maximum change of a resting piece's axis, which is a unit vector.
# Maximum speed at rest, in m/s and rad/s. The position alone is not enough, because a swing has the
# same position shortly before and after its turning point.
REST_SPEED = 0.002
# Interval in seconds between updates of the magnets' forces. A hand moves 4 mm in this time.
PULLED_FOR_S = 0.009
# Number of no-slip iterations of the solver. Without these iterations, a stack on a slope creeps by
# 0.02 mm per second. The iterations need a matrix with a row for each contact force, 16 per piece.
# With more than NOSLIP_LOOSE loose pieces, the matrix takes too much time and memory.
NOSLIP = 3
NOSLIP_LOOSE = 20
# Maximum height in m, relative to the pivot, of the centre of a piece that lies on the table beside
# the plate.
OVERBOARD_M = GROUND_M + 0.018
KEPT_STEPS = 192  # Number of past plate motions that are kept for filters, more than 0.3 s.

# The following constants describe fingers and chopsticks, which pull a piece toward its path with a
# person's force.

# Rate of a hand's grip, per second. The square of this rate is the stiffness of the hand per
# kilogram of the held piece.
GRIP_PER_S = 200.0
GRIP_N = 6.0  # Maximum force of fingers, in N. A larger force makes the piece slip.
# Rate of the grip of chopsticks, per second. Chopsticks yield more than fingers.
STICKS_PER_S = 60.0
STICK_FRICTION = 0.40  # Coefficient of friction between wooden chopsticks and a piece.
# Height in m above a piece's centre at which chopsticks hold the piece. The piece therefore hangs.
STICKS_UP_M = 0.003
SWING_DAMPING = 1e-5  # Damping in N m s of a piece that swings between chopsticks.


class Poses(NamedTuple):
    """The positions and axes of all pieces, with one row for each piece."""

    numbers: tuple[int, ...]
    feet_mm: Array
    """Centre of each piece's lower face, (N, 3)."""
    up: Array
    """Axis of each piece as a unit vector, (N, 3). The axis of a standing piece is (0, 0, 1)."""


@dataclass(slots=True)
class _Piece:
    """A piece in MuJoCo's model."""

    shape: Shape
    moment_a_m2: float
    magnet_m: float
    """Height in m of the magnet's centre above the body's centre."""
    path: Path | None = None
    """Path along which a hand moves the piece, or None."""
    squeeze_n: float | None = None
    """Force in N of each of the two chopsticks, west and east of the piece. None if no chopsticks
    hold the piece.
    """
    row: int = 0
    """Row of the piece in arrays over all pieces."""
    body: int = 0
    """The number of the piece's body in MuJoCo."""
    place_at: int = 0
    """Index of the piece's position in ``qpos``."""
    speed_at: int = 0
    """Index of the piece's velocity in ``qvel``."""


class Dynamics:
    """Simulates plate and pieces in steps of 2 ms while anything moves. Skips time at rest."""

    def __init__(
        self,
        plate_mm: float,
        setpoint: Callable[[float], Sequence[float]],
        steered_until_s: Callable[[], float],
        shape: Shape = DISC,
        *,
        pins: bool = True,
    ) -> None:
        """Create the plate without pieces.

        ``setpoint``: function that returns the commanded angles at a time, in rad about east, north
        and the plate's own axis. ``steered_until_s``: function that returns the time until which
        these angles can change. ``shape``: shape of an ordinary piece. ``pins``: True if isolated
        resting pieces follow the plate without contacts (``tiltboard.hw_sim.physics.pins``), False
        to compute the contacts of these pieces.
        """
        self._shape = shape
        self._pieces: dict[int, _Piece] = {}
        self._may_pin = pins
        self._half_m = plate_mm / 2000
        self._spec = bare_table(plate_mm)
        self._model = self._spec.compile()
        self._data = mujoco.MjData(self._model)
        self._setpoint = setpoint
        self._steered_until_s = steered_until_s
        self._slipped: list[int] = []
        self._flicks: list[tuple[float, int, Array]] = []
        self._before: tuple[float, Array] | None = None
        self._poses: tuple[int, Poses] | None = None
        self._pulled: tuple[float, Array] | None = None
        self.asleep = False
        self.version = 0  # Number that increases whenever a piece may have moved.
        self._time_s = 0.0
        self._motions: deque[tuple[float, PlateMotion]] = deque(maxlen=KEPT_STEPS)
        self._rate = np.zeros(3)  # Rate of turn of the plate, in its own axes.
        self._gravity = np.array(self._model.opt.gravity)
        self._look_up()
        mujoco.mj_forward(self._model, self._data)
        self._note()

    # The following methods add, remove and move pieces.

    def add(
        self,
        number: int,
        foot_mm: Point,
        moment_a_m2: float,
        magnet_mm: float,
        shape: Shape | None = None,
    ) -> None:
        """Add an upright piece with its foot at ``foot_mm``.

        ``moment_a_m2``: moment of the piece's magnet, positive upward. ``magnet_mm``: height of the
        magnet's centre above the foot.
        """
        shape = shape or self._shape
        add_piece(self._spec, f"piece-{number}", shape)
        magnet_m = magnet_mm / 1000 - shape.height_m / 2
        self._pieces[number] = _Piece(shape, moment_a_m2, magnet_m)
        self._rebuild()
        self._set_pose(number, foot_mm)

    def remove(self, number: int) -> None:
        """Remove a piece from the simulation."""
        del self._pieces[number]
        self._spec.delete(self._spec.body(f"piece-{number}"))
        self._rebuild()

    def set_magnet(self, number: int, moment_a_m2: float) -> None:
        """Change the magnetic moment of a piece."""
        piece = self._pieces[number]
        piece.moment_a_m2 = self._moments[piece.row] = moment_a_m2
        self.wake()

    def set_lanes(self, spots_mm: Sequence[tuple[float, float]], pitch_mm: float) -> None:
        """Set pegs and walls around the places with these centres. If ``spots_mm`` is empty, remove
        the pegs and walls.
        """
        set_lanes(self._spec, spots_mm, pitch_mm)
        self._rebuild()

    def stand_on(self, number: int, friction: float, foot_mm: Point | None = None) -> None:
        """Set the ``friction`` coefficient of the piece's foot. If ``foot_mm`` is given, move the
        piece to this point.
        """
        piece = self._pieces[number]
        piece.shape = replace(piece.shape, friction=friction)
        geom = f"piece-{number}"
        self._spec.geom(geom).friction[0] = friction
        self._model.geom(geom).friction[0] = friction
        self._look_up()
        if foot_mm is not None:
            self._set_pose(number, foot_mm)
        self.wake()

    def hold(self, number: int, path: Path) -> None:
        """Let a hand hold the piece upright and move the piece's foot along ``path``, in the
        plate's axes.

        The hand keeps the piece at the end of the path. The hand pushes with at most 6 N, as
        fingers do.
        """
        self._pieces[number].path = path
        self._loosen(number)

    def pinch(self, number: int, squeeze_n: float) -> None:
        """Hold the piece between two chopsticks, one to the west and one to the east, which press
        with ``squeeze_n``.

        Friction carries the piece. The piece swings about the line between the chopsticks, and
        slips out if the load is greater than the friction.
        """
        self._pieces[number].squeeze_n = squeeze_n

    def slipped_pieces(self) -> list[int]:
        """Return the numbers of the pieces that have slipped out of chopsticks since the
        last call.
        """
        slipped, self._slipped = self._slipped, []
        return slipped

    def flick(self, number: int, at_s: float, speed_mm_s: Vector) -> None:
        """Give the piece a velocity in the plate's axes at ``at_s``, as if a finger strikes it."""
        self._loosen(number)
        self._flicks.append((at_s, number, np.asarray(speed_mm_s) / 1000))

    def release(self, number: int) -> None:
        """Let go of a piece."""
        piece = self._pieces[number]
        held, piece.path, piece.squeeze_n = piece.path, None, None
        if held is not None:
            self.wake()

    def twirl(self, number: int, rad_s: float) -> None:
        """Turn a free piece about its own axis at the rate ``rad_s``."""
        self._loosen(number)
        self._data.qvel[self._pieces[number].speed_at + 5] = rad_s

    # The following methods advance the simulation in time.

    def wake(self) -> None:
        """Resume the simulation after a rest, because something is about to move."""
        self.asleep = False
        self._before = None
        self._pulled = None
        self.version += 1

    def advance(self, now_s: float) -> None:
        """Simulate up to ``now_s``. The time during which everything rests is skipped."""
        while self._time_s + STEP_S <= now_s:
            if self.asleep:
                self._time_s = now_s
                return
            self._step()
            self._fall_asleep_at_rest()

    def _step(self) -> None:
        model, data = self._model, self._data
        here, ahead = self._setpoint(self._time_s), self._setpoint(self._time_s + STEP_S)
        for axis, (now, then) in enumerate(zip(here, ahead, strict=True)):
            data.ctrl[axis] = then + (then - now) / STEP_S * STIFF_DAMPING / STIFF
        data.xfrc_applied[:] = 0.0
        if self._pieces:
            bodies = self._bodies
            if self._pulled is None or self._pulled[0] <= self._time_s:
                axes = data.xmat[bodies].reshape(-1, 3, 3)[:, :, 2]
                pulls = wrenches(data.xpos[bodies], axes, self._moments, self._magnets_m)
                self._pulled = self._time_s + PULLED_FOR_S, pulls
                if self._may_pin:
                    flicked = {number for _, number, _ in self._flicks}
                    busy = [
                        piece.row
                        for number, piece in self._pieces.items()
                        if piece.path is not None or number in flicked
                    ]
                    self._pins.look(model, data, self._plate, pulls, busy)
            data.xfrc_applied[bodies] = self._pulled[1]
            self._pins.part(model, data)
            self._pins.press(data, self._plate)
            self._grip()
        self._strike()
        mujoco.mj_step2(model, data)
        self._pins.carry(data)
        model.opt.noslip_iterations = NOSLIP if self._pins.loose <= NOSLIP_LOOSE else 0
        mujoco.mj_step1(model, data)  # Update the positions to the new time.
        self._time_s += STEP_S
        self.version += 1
        self._note()

    def _loosen(self, number: int) -> None:
        self.wake()
        self._pins.loosen(self._model, [self._pieces[number].row])

    def _grip(self) -> None:
        """Pull each held piece toward its path. Pieces that slip out of the hand are released."""
        for number, piece in self._pieces.items():
            if piece.path is not None:
                pulled = self._pull(piece, piece.path)
                if pulled is None:
                    self.release(number)
                    self._slipped.append(number)
                else:
                    self._data.xfrc_applied[piece.body, :3] += pulled[0]
                    self._data.xfrc_applied[piece.body, 3:] += pulled[1]

    def _pull(self, piece: _Piece, path: Path) -> tuple[Array, Array] | None:
        """Return the force and torque that move a held piece along ``path`` in the next step and
        keep the piece upright. Return None if the piece slips out.

        Between two chopsticks, the piece swings about the line between them.
        """
        data, plate, squeeze_n = self._data, self._plate_axes(), piece.squeeze_n
        mass_kg, at = self._model.body_mass[piece.body], piece.speed_at
        axes = data.xmat[piece.body].reshape(3, 3)
        here, ahead = (
            self._centre_m(piece, path.at(t)) for t in (self._time_s, self._time_s + STEP_S)
        )
        turning = data.cvel[self._plate, :3]
        ahead += np.cross(turning, here) * STEP_S  # The hand moves with the plate.
        per_s = STICKS_PER_S if squeeze_n else GRIP_PER_S
        off = ahead - data.xpos[piece.body]
        speed = (ahead - here) / STEP_S - data.qvel[at : at + 3]
        force = mass_kg * (per_s**2 * off + 2 * per_s * speed)
        force[2] += mass_kg * 9.81
        # Chopsticks press along the line between them. Across that line, they hold the piece only
        # by friction.
        if squeeze_n:
            along, *across = force @ plate
            if abs(along) > squeeze_n or np.hypot(*across) > 2 * STICK_FRICTION * squeeze_n:
                return None
        x, y, z = axes[:, 2].tolist()
        u, v, w = plate[:, 2].tolist()
        lean = np.array((y * w - z * v, z * u - x * w, x * v - y * u))
        rate = axes @ data.qvel[at + 3 : at + 6]  # MuJoCo stores this rate in the piece's own axes.
        inertia = self._model.body_inertia[piece.body].max()
        torque = inertia * (GRIP_PER_S**2 * lean - 2 * GRIP_PER_S * rate)
        if squeeze_n:
            between = plate[:, 0]
            hangs = np.cross(axes[:, 2] * STICKS_UP_M, force) - SWING_DAMPING * rate
            torque += between * (between @ (hangs - torque))
        size = float(np.linalg.norm(force))
        return force * min(1.0, GRIP_N / max(size, 1e-9)), torque

    def _strike(self) -> None:
        """Apply the flicks that are due."""
        due = [flick for flick in self._flicks if flick[0] <= self._time_s]
        self._flicks = [flick for flick in self._flicks if flick[0] > self._time_s]
        for _, number, speed in due:
            if number in self._pieces:
                at = self._pieces[number].speed_at
                self._data.qvel[at : at + 3] = self._plate_axes() @ speed

    def _fall_asleep_at_rest(self) -> None:
        """Stop the simulation if nothing has moved for REST_S and no hand is active."""
        if self._before is not None and self._time_s - self._before[0] < REST_S:
            return
        poses, scale = self.poses(), REST_TURN / REST_MM
        tilt = self._data.qpos[:3]
        lie = np.concatenate([tilt, (poses.feet_mm * scale).ravel(), poses.up.ravel()])
        before, self._before = self._before, (self._time_s, lie)
        pieces = self._pieces.values()
        ends_s = [piece.path.end_s for piece in pieces if piece.path is not None]
        steered = self._flicks or max([self._steered_until_s(), *ends_s]) > self._time_s
        # Linear speeds of the plate and the pieces. The pieces always jitter by a few mrad/s, so
        # their rates of turn are ignored.
        speeds = [*range(3), *(piece.speed_at + axis for piece in pieces for axis in range(3))]
        quick = np.abs(self._data.qvel[speeds]).max() > REST_SPEED
        if before is None or steered or quick or before[1].shape != lie.shape:
            return
        if np.all(np.abs(lie - before[1]) < REST_TURN):
            self._data.qvel[:] = 0.0
            self._data.qacc_warmstart[:] = 0.0
            self.asleep = True

    # The following methods return results of the simulation.

    @property
    def overboard(self) -> tuple[int, ...]:
        """The numbers of the pieces that lie on the table beside the plate. The height alone does
        not show this, because the plate's edge can be as low as a fallen piece.
        """
        if not self._pieces:
            return ()
        middles = self._data.xpos[self._bodies]
        beyond = np.abs((middles @ self._plate_axes())[:, :2]).max(axis=1) > self._half_m
        fallen = beyond & (middles[:, 2] < OVERBOARD_M)
        return tuple(
            number
            for (number, piece), off in zip(self._pieces.items(), fallen.tolist(), strict=True)
            if off and piece.path is None
        )

    def poses(self) -> Poses:
        """Return the present poses of all pieces."""
        if self._poses is None or self._poses[0] != self.version:
            turned = self._plate_axes()
            centres = self._data.xpos[self._bodies] @ turned
            up = self._data.xmat[self._bodies].reshape(-1, 3, 3)[:, :, 2] @ turned
            feet = centres * 1000 - up * (self._heights_mm / 2)[:, None]
            feet[:, 2] -= SURFACE_M * 1000
            self._poses = self.version, Poses(tuple(self._pieces), feet, up)
        return self._poses[1]

    def lowest_mm(self) -> Array:
        """Return the height of each piece's lowest point, as the point on the piece's axis at this
        height, (N, 3). For a standing piece, this is the centre of the foot.
        """
        poses, halves = self.poses(), self._heights_mm / 2
        lowest = poses.feet_mm + poses.up * halves[:, None]
        rise = np.abs(poses.up[:, 2])
        lean = np.sqrt(np.maximum(0.0, 1.0 - rise * rise))
        lowest[:, 2] -= halves * rise + self._radii_mm * lean
        return lowest

    def turned_poses(self) -> tuple[tuple[int, ...], Array, Array]:
        """Return the numbers, positions and rotations of all pieces, for drawing.

        The position, (N, 3), is the centre of an ordinary piece on the same foot, in mm above the
        plate's surface. The rotation, (N, 4), is a quaternion w, x, y, z in the plate's axes.
        """
        poses, turns = self.poses(), self._data.xquat
        drawn = poses.feet_mm + poses.up * (DISC.height_m * 500)
        back = turns[self._plate] * (1.0, -1.0, -1.0, -1.0)
        return poses.numbers, drawn, quaternions_after(back, turns[self._bodies])

    def motion(self, time_s: float) -> PlateMotion:
        """Simulate up to ``time_s`` and return the plate's motion at that time. Motions of the last
        0.3 s are also available.
        """
        self.advance(time_s)
        at = bisect_right(self._motions, time_s, key=itemgetter(0))
        return self._motions[max(0, at - 1)][1]

    # The following methods record the plate's motion and access MuJoCo's model.

    def _note(self) -> None:
        data = self._data
        axes = self._plate_axes()
        rate = data.cvel[self._plate, :3] @ axes
        # Compute the acceleration from the change of the rate, because MuJoCo's own acceleration
        # ignores the effect of its integrator on stiff hands.
        turning = (rate - self._rate) / STEP_S
        self._rate = rate
        told = data.qpos[:3], -self._gravity @ axes, rate, turning
        self._motions.append((self._time_s, PlateMotion(*(tuple(each.tolist()) for each in told))))

    def _plate_axes(self) -> Array:
        """Return the plate's axes as columns of a matrix."""
        axes: Array = self._data.xmat[self._plate].reshape(3, 3)
        return axes

    def _centre_m(self, piece: _Piece, foot_mm: Point) -> Array:
        """Return the centre, in m from the pivot, of an upright piece with its foot at
        ``foot_mm``.
        """
        x, y, z = foot_mm
        here = (x / 1000, y / 1000, z / 1000 + SURFACE_M + piece.shape.height_m / 2)
        centre: Array = self._plate_axes() @ np.asarray(here)
        return centre

    def _set_pose(self, number: int, foot_mm: Point) -> None:
        piece = self._pieces[number]
        at, turn = piece.place_at, self._data.xquat[self._plate]
        self._data.qpos[at : at + 3] = self._centre_m(piece, foot_mm)
        self._data.qpos[at + 3 : at + 7] = turn
        self._data.qvel[piece.speed_at : piece.speed_at + 6] = 0.0
        mujoco.mj_forward(self._model, self._data)

    def _rebuild(self) -> None:
        self._model, self._data = self._spec.recompile(self._model, self._data)
        self._look_up()
        mujoco.mj_forward(self._model, self._data)
        self.wake()

    def _look_up(self) -> None:
        model, pieces = self._model, [*self._pieces.values()]
        self._plate = model.body("plate").id
        for row, (number, piece) in enumerate(self._pieces.items()):
            joint = model.joint(f"piece-{number}")
            piece.row, piece.body = row, model.body(f"piece-{number}").id
            piece.place_at, piece.speed_at = int(joint.qposadr[0]), int(joint.dofadr[0])
        self._bodies = [piece.body for piece in pieces]
        self._moments = np.array([piece.moment_a_m2 for piece in pieces])
        self._magnets_m = np.array([piece.magnet_m for piece in pieces])
        self._heights_mm = np.array([piece.shape.height_m * 1000 for piece in pieces])
        self._radii_mm = np.array([piece.shape.radius_m * 1000 for piece in pieces])
        self._pins = Pins(
            [(piece.body, piece.place_at, piece.speed_at, piece.shape) for piece in pieces]
        )

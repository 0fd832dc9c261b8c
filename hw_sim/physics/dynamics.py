"""Rigid bodies on the plate, carried through time: what hands hold, what slides, tips and falls.

Positions outside this room are in mm in the plate's axes: x and y from its centre, z above its
surface; they turn with the plate. Inside, MuJoCo works in metres from the pivot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import mujoco
import numpy as np

from hw_sim.physics.body import (
    DISC,
    GROUND_M,
    STEP_S,
    STIFF,
    STIFF_DAMPING,
    SURFACE_M,
    Lanes,
    Shape,
    add_lanes,
    add_piece,
    bare_table,
    clear_lanes,
)
from hw_sim.physics.magnets import Magnets
from hw_sim.physics.motion import Array, Gripped, Motion, Motions, Poses, pull, turns_on
from hw_sim.physics.pins import Pins
from hw_sim.world.paths import Path, Point
from hw_sim.world.plate import Vector

REST_S = 0.3  # nothing has moved for so long: everything stands
REST_MM = 0.01
REST_TURN = 0.001  # of a unit vector
REST_SPEED = 0.002  # m/s and rad/s: a swing looks the same on both sides of its end
PULLED_FOR_S = 0.009  # magnets' forces are found anew so often: a hand moves 4 mm in that time
# Without them a stack on a slope creeps by 0.02 mm a second. They take a matrix with a row for each
# force of contact, 16 a piece: with more loose ones than that, too much time and memory.
NOSLIP = 3
NOSLIP_LOOSE = 20
OVERBOARD_M = GROUND_M + 0.018  # the middle of a piece that touches the table, however it lies


class Dynamics:
    """Steps of 2 ms as long as something moves, and none while everything is at rest."""

    def __init__(
        self,
        plate_mm: float,
        setpoint: Callable[[float], Sequence[float]],
        steered_until_s: Callable[[], float],
        shape: Shape = DISC,
        *,
        pins: bool = True,
    ) -> None:
        """``setpoint``: the angles in rad about east, north and its own axis at which hands hold
        the plate at a time; they change until ``steered_until_s``. ``shape``: the usual piece.
        ``pins``: what rests singly is carried by the plate (``hw_sim.physics.pins``); without, its
        contacts are computed.
        """
        self._shape = shape
        self._shapes: dict[int, Shape] = {}
        self._pins = Pins()
        self._may_pin = pins
        self._half_m = plate_mm / 2000
        self._spec = bare_table(plate_mm)
        self._model = self._spec.compile()
        self._data = mujoco.MjData(self._model)
        self._setpoint = setpoint
        self._steered_until_s = steered_until_s
        self._numbers: list[int] = []
        self._holds: dict[int, Path] = {}
        self._pinches: dict[int, float] = {}
        self._slipped: list[int] = []
        self._flicks: list[tuple[float, int, Array]] = []
        self._magnets = Magnets()
        self._before: tuple[float, Array] | None = None
        self._poses: tuple[int, Poses] | None = None
        self._pulled: tuple[float, Array] | None = None
        self.asleep = False
        self.version = 0  # changes whenever a piece may have
        self._time_s = 0.0
        self._motions = Motions()
        self._rate = np.zeros(3)  # of the plate, in its axes
        self._gravity = np.array(self._model.opt.gravity)
        self._look_up()
        mujoco.mj_forward(self._model, self._data)
        self._note()

    # What there is

    def add(
        self,
        number: int,
        foot_mm: Point,
        moment_a_m2: float,
        magnet_mm: float,
        shape: Shape | None = None,
    ) -> None:
        """A piece, upright, its foot there. ``moment_a_m2``: of its magnet, up is positive, whose
        middle lies ``magnet_mm`` above the foot.
        """
        self._shapes[number] = shape or self._shape
        add_piece(self._spec, f"piece-{number}", self._shapes[number])
        self._rebuild()
        self._numbers.append(number)
        self._look_up()
        self._magnets.add(moment_a_m2, magnet_mm / 1000 - self._shapes[number].height_m / 2)
        self._set_pose(number, foot_mm)
        self.wake()

    def remove(self, number: int) -> None:
        """Take a piece out of the world."""
        row = self._numbers.index(number)
        self._holds.pop(number, None)
        self._pinches.pop(number, None)
        self._spec.delete(self._spec.body(f"piece-{number}"))
        self._rebuild()
        del self._shapes[number]
        self._numbers.pop(row)
        self._magnets.remove(row)
        self._look_up()
        self.wake()

    def set_magnet(self, number: int, moment_a_m2: float) -> None:
        """Give a piece another magnet."""
        self._magnets.moments[self._numbers.index(number)] = moment_a_m2
        self.wake()

    def set_lanes(self, lanes: Lanes | None) -> None:
        """Pegs and walls lie on the plate from now on, or none."""
        clear_lanes(self._spec)
        if lanes is not None:
            add_lanes(self._spec, lanes)
        self._rebuild()
        self._look_up()
        self.wake()

    def stand_on(self, number: int, friction: float, foot_mm: Point | None = None) -> None:
        """Put a piece on another ground of ``friction``; at ``foot_mm``, if that is given."""
        self._shapes[number] = replace(self._shapes[number], friction=friction)
        geom = f"piece-{number}"
        self._spec.geom(geom).friction[0] = friction
        self._model.geom(geom).friction[0] = friction
        self._look_up()
        if foot_mm is not None:
            self._set_pose(number, foot_mm)
        self.wake()

    def hold(self, number: int, path: Path) -> None:
        """A hand has it, upright, and moves its foot along ``path``, in the plate's axes; at its
        end it keeps it there.

        Not more than fingers can: it pushes with 6 N at most.
        """
        self._holds[number] = path
        self._loosen(number)
        self.wake()

    def pinch(self, number: int, squeeze_n: float) -> None:
        """What holds it is two sticks, west and east of it, that press so hard: friction carries
        it, it swings about the line between them, and slips out when more is asked.
        """
        self._pinches[number] = squeeze_n

    def slipped(self) -> list[int]:
        """What has slipped out of sticks since this was asked last."""
        slipped, self._slipped = self._slipped, []
        return slipped

    def flick(self, number: int, at_s: float, speed_mm_s: Vector) -> None:
        """A finger strikes it at that time: it has that speed then, in the plate's axes."""
        self._loosen(number)
        self._flicks.append((at_s, number, np.asarray(speed_mm_s) / 1000))
        self.wake()

    def target(self, number: int) -> Path | None:
        """Along which a hand moves it; None if none does."""
        return self._holds.get(number)

    def release(self, number: int) -> None:
        """Let go of a piece."""
        self._pinches.pop(number, None)
        if self._holds.pop(number, None) is not None:
            self.wake()

    def twirl(self, number: int, rad_s: float) -> None:
        """A free piece turns about its own axis at that rate."""
        self._loosen(number)
        self._data.qvel[self._speed_at[self._numbers.index(number)] + 5] = rad_s
        self.wake()

    # Time

    def wake(self) -> None:
        """Wake what is at rest: something is about to move."""
        self.asleep = False
        self._before = None
        self._pulled = None
        self.version += 1

    def advance(self, now_s: float) -> None:
        """Carry everything on to ``now_s``; where all is at rest that costs nothing."""
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
        if self._numbers:
            rows = self._rows
            if self._pulled is None or self._pulled[0] <= self._time_s:
                axes = data.xmat[rows].reshape(-1, 3, 3)[:, :, 2]
                wrenches = self._magnets.wrenches(data.xpos[rows], axes)
                self._pulled = self._time_s + PULLED_FOR_S, wrenches
                if self._may_pin:
                    self._pins.look(model, data, self._plate, wrenches, self._busy())
            data.xfrc_applied[rows] = self._pulled[1]
            self._pins.part(model, data)
            self._pins.press(data, self._plate)
            self._grip()
        self._strike()
        mujoco.mj_step2(model, data)
        self._pins.carry(data)
        model.opt.noslip_iterations = NOSLIP if self._pins.loose <= NOSLIP_LOOSE else 0
        mujoco.mj_step1(model, data)  # so that positions are those of now
        self._time_s += STEP_S
        self.version += 1
        self._note()

    def _busy(self) -> list[int]:
        """Rows of pieces that a hand has, or is about to flick."""
        handled = {*self._holds, *(number for _, number, _ in self._flicks)}
        return [row for row, number in enumerate(self._numbers) if number in handled]

    def _loosen(self, number: int) -> None:
        self._pins.loosen(self._model, [self._numbers.index(number)])

    def _grip(self) -> None:
        """Hands pull what they hold to where it shall be, and keep it upright."""
        model, data, plate = self._model, self._data, self._turned()
        turning = data.cvel[self._plate, :3]
        for number, path in [*self._holds.items()]:
            row = self._numbers.index(number)
            body, at = self._rows[row], self._speed_at[row]
            it = Gripped(
                model.body_mass[body],
                model.body_inertia[body].max(),
                data.xpos[body],
                data.xmat[body].reshape(3, 3),
                data.qvel[at : at + 3],
                data.qvel[at + 3 : at + 6],
            )
            here, ahead = (
                self._centre_m(number, path.at(t)) for t in (self._time_s, self._time_s + STEP_S)
            )
            ahead += np.cross(turning, here) * STEP_S  # the plate takes the hand with it
            pulled = pull(it, here, ahead, plate, self._pinches.get(number))
            if pulled is None:
                self.release(number)
                self._slipped.append(number)
            else:
                data.xfrc_applied[body, :3] += pulled[0]
                data.xfrc_applied[body, 3:] += pulled[1]

    def _strike(self) -> None:
        """Carry out the flicks that are due."""
        for flick in [flick for flick in self._flicks if flick[0] <= self._time_s]:
            self._flicks.remove(flick)
            _, number, speed = flick
            if number in self._numbers:
                at = self._speed_at[self._numbers.index(number)]
                self._data.qvel[at : at + 3] = self._turned() @ speed

    def _fall_asleep_at_rest(self) -> None:
        if self._before is not None and self._time_s - self._before[0] < REST_S:
            return
        before, self._before = self._before, (self._time_s, self._all_poses())
        if before is None or self._is_steered() or self._is_quick():
            return
        poses = self._before[1]
        if before[1].shape == poses.shape and np.all(np.abs(poses - before[1]) < REST_TURN):
            self._data.qvel[:] = 0.0
            self._data.qacc_warmstart[:] = 0.0
            self.asleep = True

    def _is_steered(self) -> bool:
        """Whether hands move something now."""
        if self._steered_until_s() > self._time_s:
            return True
        return bool(self._flicks) or any(path.end_s > self._time_s for path in self._holds.values())

    def _is_quick(self) -> bool:
        """Whether the plate or a piece has speed; pieces' own jitter of a few mrad/s is none."""
        speed = self._data.qvel
        straight = [*range(3), *(at + k for at in self._speed_at for k in range(3))]
        return bool(np.abs(speed[straight]).max() > REST_SPEED)

    def _all_poses(self) -> Array:
        """All bodies' places in units of 10 mm and their directions, in one array."""
        poses = self.poses()
        tilt = np.asarray(self._data.qpos[:3])
        scale = REST_TURN / REST_MM
        return np.concatenate([tilt, (poses.feet_mm * scale).ravel(), poses.up.ravel()])

    # What is seen of it

    @property
    def overboard(self) -> tuple[int, ...]:
        """Pieces that fell off the plate; its edge may be as low as they are."""
        if not self._numbers:
            return ()
        middles = self._data.xpos[self._rows]
        beyond = np.abs((middles @ self._turned())[:, :2]).max(axis=1) > self._half_m
        fallen = beyond & (middles[:, 2] < OVERBOARD_M)
        return tuple(
            number
            for number, off in zip(self._numbers, fallen.tolist(), strict=True)
            if off and number not in self._holds
        )

    def poses(self) -> Poses:
        """The poses of all pieces, now."""
        if self._poses is None or self._poses[0] != self.version:
            self._poses = self.version, self._found_poses()
        return self._poses[1]

    def _found_poses(self) -> Poses:
        turned = self._turned()
        centres = self._data.xpos[self._rows] @ turned
        up = self._data.xmat[self._rows].reshape(-1, 3, 3)[:, :, 2] @ turned
        feet = centres * 1000 - up * (self._heights_mm / 2)[:, None]
        feet[:, 2] -= SURFACE_M * 1000
        return Poses(tuple(self._numbers), feet, up, self._heights_mm, self._radii_mm)

    def turned_poses(self) -> tuple[tuple[int, ...], Array, Array]:
        """Numbers, where the middle of a usual piece would be on each one's foot, in mm above the
        plate's surface, (N, 3), and quaternions w, x, y, z, (N, 4), in the plate's axes.
        """
        poses, turns = self.poses(), self._data.xquat
        drawn = poses.feet_mm + poses.up * (DISC.height_m * 500)
        return poses.numbers, drawn, turns_on(turns[self._plate], turns[self._rows])

    def motion(self, time_s: float) -> Motion:
        """Of the plate at a time: now, or up to 0.3 s ago; between two steps the later one."""
        return self._motions.at(time_s)

    def energy_j(self) -> float:
        """Potential and kinetic together."""
        mujoco.mj_energyPos(self._model, self._data)
        mujoco.mj_energyVel(self._model, self._data)
        return float(self._data.energy.sum())

    # How it is kept

    def _note(self) -> None:
        data = self._data
        axes = self._turned()
        rate = data.cvel[self._plate, :3] @ axes
        # Not MuJoCo's own, which leaves out what its integrator makes of stiff hands
        turning = (rate - self._rate) / STEP_S
        self._rate = rate
        told = (
            tuple(each.tolist()) for each in (data.qpos[:3], -self._gravity @ axes, rate, turning)
        )
        self._motions.note(Motion(self._time_s, *told))

    def _turned(self) -> Array:
        """The plate's axes as columns."""
        axes: Array = self._data.xmat[self._plate].reshape(3, 3)
        return axes

    def _centre_m(self, number: int, foot_mm: Point) -> Array:
        """The middle of a piece that stands upright with its foot there, in m."""
        x, y, z = foot_mm
        here = (x / 1000, y / 1000, z / 1000 + SURFACE_M + self._shapes[number].height_m / 2)
        centre: Array = self._turned() @ np.asarray(here)
        return centre

    def _set_pose(self, number: int, foot_mm: Point) -> None:
        row = self._numbers.index(number)
        at, turn = self._place_at[row], self._data.xquat[self._plate]
        self._data.qpos[at : at + 3] = self._centre_m(number, foot_mm)
        self._data.qpos[at + 3 : at + 7] = turn
        speed = self._speed_at[row]
        self._data.qvel[speed : speed + 6] = 0.0
        mujoco.mj_forward(self._model, self._data)

    def _rebuild(self) -> None:
        self._model, self._data = self._spec.recompile(self._model, self._data)
        self._pins.reset((), (), (), ())
        mujoco.mj_forward(self._model, self._data)

    def _look_up(self) -> None:
        model = self._model
        self._plate = model.body("plate").id
        names = [f"piece-{number}" for number in self._numbers]
        self._rows = [model.body(name).id for name in names]
        self._place_at = [int(model.joint(name).qposadr[0]) for name in names]
        self._speed_at = [int(model.joint(name).dofadr[0]) for name in names]
        shapes = [self._shapes[number] for number in self._numbers]
        self._heights_mm = np.array([shape.height_m * 1000 for shape in shapes])
        self._radii_mm = np.array([shape.radius_m * 1000 for shape in shapes])
        self._pins.reset(self._rows, self._place_at, self._speed_at, shapes)

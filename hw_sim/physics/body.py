"""What the plate and the pieces are made of, as bodies of MuJoCo. Metres, kilograms, radians."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

STEP_S = 0.003
PLATE_THICK_M = 0.012
PLATE_KG = 1.2
SURFACE_M = 0.020  # above the pivot
WEIGHT_KG = 1.5  # hung below the pivot: the bare plate comes back to level by itself
WEIGHT_M = -0.060
PIVOT_DAMPING = 0.03  # N m s / rad: a push dies away within some five swings
STIFF = 400.0  # N m / rad, of hands that hold the plate: 200 g on its rim sink it by 0.05 degree
STIFF_DAMPING = 8.0
IMU_M = 0.005  # above the pivot, in the middle: under the plate
GROUND_M = -0.120  # the table top on which all stands
FRICTION = 0.40  # felt feet on varnished wood; HARDWARE.md asks for at least 0.35
SPIN_FRICTION_M = 0.005
HARD = [2 * STEP_S, 1.0]  # a contact gives way within two steps
GIVES = [0.95, 0.99, 0.0002, 0.5, 2.0]  # and by less than 0.02 mm under 20 g
TURN_AXES = (("east", (1, 0, 0)), ("north", (0, 1, 0)), ("spin", (0, 0, 1)))


@dataclass(frozen=True, slots=True)
class Shape:
    """A piece's body: a disc. Radius and height in m; HARDWARE.md, "body"."""

    radius_m: float = 0.014
    height_m: float = 0.015
    mass_kg: float = 0.020
    friction: float = FRICTION


DISC = Shape()


def bare_table(plate_mm: float) -> mujoco.MjSpec:
    """The plate on its pivot, which is the origin, and the table top below; no piece yet."""
    spec = mujoco.MjSpec()
    option = spec.option
    option.timestep = STEP_S
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.impratio = 30.0  # what leans on friction creeps 2 um a second, and is at rest then
    half = plate_mm / 2000.0
    spec.worldbody.add_geom(
        name="ground",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[2, 2, 0.1],
        pos=[0, 0, GROUND_M],
        friction=[FRICTION, SPIN_FRICTION_M, 0.0001],
    )
    plate = spec.worldbody.add_body(name="plate")
    for name, axis in TURN_AXES:
        plate.add_joint(
            name=name,
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=list(axis),
            damping=[PIVOT_DAMPING, 0, 0],
        )
        spec.add_actuator(
            name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT
        ).set_to_position(kp=STIFF, kv=STIFF_DAMPING)
    plate.add_geom(
        name="plate",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[half, half, PLATE_THICK_M / 2],
        pos=[0, 0, SURFACE_M - PLATE_THICK_M / 2],
        mass=PLATE_KG,
        friction=[FRICTION, SPIN_FRICTION_M, 0.0001],
        condim=4,
    )
    plate.add_geom(
        name="weight",
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[0.05, 0.01, 0],
        pos=[0, 0, WEIGHT_M],
        mass=WEIGHT_KG,
        contype=0,
        conaffinity=0,
    )
    plate.add_site(name="imu", pos=[0, 0, IMU_M])
    for name, kind in (
        ("force", mujoco.mjtSensor.mjSENS_ACCELEROMETER),
        ("rate", mujoco.mjtSensor.mjSENS_GYRO),
    ):
        spec.add_sensor(name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname="imu")
    return spec


def add_piece(spec: mujoco.MjSpec, name: str, shape: Shape) -> None:
    """A free disc, whose own friction holds between it and whatever it touches."""
    body = spec.worldbody.add_body(name=name)
    body.add_freejoint(name=name)
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[shape.radius_m, shape.height_m / 2, 0],
        mass=shape.mass_kg,
        friction=[shape.friction, SPIN_FRICTION_M, 0.0001],
        condim=4,
        priority=1,
        solref=HARD,
        solimp=GIVES,
    )

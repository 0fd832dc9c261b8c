"""The plate and the pieces as rigid bodies in MuJoCo, in metres, kilograms and radians."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco

from tiltboard.firmware_host.config import platform
from tiltboard.games.base import TILE_HAT_MM, TILE_STEM_MM, PieceBody, peg_mm

# Time step of the simulation in seconds. With 3 ms, a heap of pieces sometimes gains energy.
STEP_S = 0.002
PLATE_THICK_M, SURFACE_M = platform.PLATE_THICK_MM / 1000, platform.SURFACE_MM / 1000
WEIGHT_M, GROUND_M = platform.WEIGHT_MM / 1000, platform.GROUND_MM / 1000
# Damping of the pivot in N m s / rad. With this damping, the plate stops after about five swings.
PIVOT_DAMPING = 0.03
# Stiffness of the hands that hold the plate, in N m / rad. With this stiffness, a weight of 200 g
# on the rim tilts the plate by 0.05 degrees.
STIFF = 400.0
STIFF_DAMPING = 8.0
# Coefficient of friction of felt feet on varnished wood; docs/add-a-board.md asks for at least
# 0.35.
FRICTION = 0.40
SPIN_FRICTION_M = 0.005
HARD = [2 * STEP_S, 1.5]  # Time constant (two steps) and damping ratio of contacts.
# Impedance of contacts. With this impedance, a contact yields by less than 0.02 mm under 20 g.
GIVES = [0.95, 0.99, 0.0002, 0.5, 2.0]
# Memory in bytes for contacts and solver. 100 loose discs on a swinging plate need 2.8 MB. By
# default, MuJoCo would reserve 16 to 70 MB whenever a piece is added or removed, and keep the part
# that was used.
WORKSPACE_BYTES = 4 * 2**20
TURN_AXES = (("east", (1, 0, 0)), ("north", (0, 1, 0)), ("spin", (0, 0, 1)))


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a piece: a disc, a foot with a mast, or a tile."""

    radius_m: float
    height_m: float
    mass_kg: float
    friction: float = FRICTION
    stem_m: float | None = None
    """Radius of a tile's stem below its hat, or None if the piece is not a tile."""
    foot_m: float = 0.0
    """Height of the foot below the mast; 0 without a mast."""
    mast_m: float | None = None
    """Radius of the mast on the foot, or None if the piece has no mast."""


def shape_of(piece: PieceBody) -> Shape:
    """Return the shape of a piece from the dimensions that its game gives."""
    return Shape(
        piece.diameter_mm / 2000,
        piece.height_mm / 1000,
        piece.mass_g / 1000,
        foot_m=piece.foot_mm / 1000,
        mast_m=None if piece.mast_mm is None else piece.mast_mm / 2000,
    )


DISC = shape_of(PieceBody())
# Coefficient of friction of a PTFE ring on varnished wood. The ring slips above a slope of 9.1
# degrees.
SLICK = 0.16
# Coefficient of friction of soft rubber on varnished wood. The rubber slips above a slope of 50
# degrees.
FEET = 1.2
STEM_M = TILE_STEM_MM / 2000  # Radius in m of a tile's stem, which slides between pegs.
HAT_M = TILE_HAT_MM / 1000  # Height in m at which a tile's hat begins, above the pegs.
HAT_FRICTION = 0.2
PEG_UP_M = 0.0005
WALL_M = 0.003
WALL_UP_M = 0.015


def bare_table(plate_mm: float) -> mujoco.MjSpec:
    """Return a model without pieces: the plate on its pivot, which is the origin, and the table top
    below the plate.
    """
    spec = mujoco.MjSpec()
    spec.memory = WORKSPACE_BYTES
    option = spec.option
    option.timestep = STEP_S
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    # With this ratio, a leaning piece creeps by only 2 um per second and therefore counts as
    # resting.
    option.impratio = 30.0
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
        mass=platform.plate_kg(plate_mm),
        friction=[FRICTION, SPIN_FRICTION_M, 0.0001],
        condim=4,
    )
    plate.add_geom(
        name="weight",
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[platform.WEIGHT_ACROSS_MM / 2000, 0.01, 0],
        pos=[0, 0, WEIGHT_M],
        mass=platform.weight_kg(plate_mm),
        contype=0,
        conaffinity=0,
    )
    return spec


def add_piece(spec: mujoco.MjSpec, name: str, shape: Shape) -> None:
    """Add a piece as a free body. The piece is a disc, a foot with a mast, or a tile whose hat
    stops at the hats of other tiles.

    The piece's own friction applies to every contact. The mass is divided between the parts in
    proportion to their heights or, for a piece with a mast, to their volumes.
    """
    body = spec.worldbody.add_body(name=name)
    body.add_freejoint(name=name)
    radius, top, friction = shape.radius_m, shape.height_m, shape.friction
    parts = [(name, radius, 0.0, top, friction, 1.0)]
    if shape.mast_m is not None:
        foot = radius**2 * shape.foot_m
        share = foot / (foot + shape.mast_m**2 * (top - shape.foot_m))
        parts = [
            (name, radius, 0.0, shape.foot_m, friction, share),
            (f"{name}-mast", shape.mast_m, shape.foot_m, top, friction, 1.0 - share),
        ]
    elif shape.stem_m is not None:
        share = HAT_M / top
        parts = [
            (name, shape.stem_m, 0.0, HAT_M, friction, share),
            (f"{name}-hat", radius, HAT_M, top, HAT_FRICTION, 1.0 - share),
        ]
    for part, radius_m, low_m, high_m, holds, share in parts:
        body.add_geom(
            name=part,
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=[radius_m, (high_m - low_m) / 2, 0],
            pos=[0, 0, (low_m + high_m - top) / 2],
            mass=shape.mass_kg * share,
            friction=[holds, SPIN_FRICTION_M, 0.0001],
            condim=4,
            priority=1,
            solref=HARD,
            solimp=GIVES,
        )


def set_lanes(
    spec: mujoco.MjSpec, spots_mm: Sequence[tuple[float, float]], pitch_mm: float
) -> None:
    """Replace the pegs and walls on the plate. Tiles slide between the pegs, along rows and
    columns.

    ``spots_mm``: centres of the places between the pegs. If the sequence is empty, the pegs and
    walls are only removed.
    """
    for geom in [geom for geom in spec.geoms if geom.name.startswith("lane-")]:
        spec.delete(geom)
    if not spots_mm:
        return
    plate, half_m = spec.body("plate"), pitch_mm / 2000
    columns, rows = (sorted({spot[axis] / 1000 for spot in spots_mm}) for axis in (0, 1))
    for x in columns[:-1]:
        for y in rows[:-1]:
            plate.add_geom(
                name=f"lane-peg-{x:.4f}-{y:.4f}",
                type=mujoco.mjtGeom.mjGEOM_SPHERE,
                size=[peg_mm(pitch_mm) / 1000, 0, 0],
                pos=[x + half_m, y + half_m, SURFACE_M + PEG_UP_M],
                mass=0,
            )
    spans = [(lanes[0] - half_m, lanes[-1] + half_m) for lanes in (columns, rows)]
    for axis, ends in enumerate(spans):
        low, high = spans[1 - axis]
        for end, sign in zip(ends, (-1, 1), strict=True):
            at, half = [0.0, 0.0, SURFACE_M + WALL_UP_M / 2], [0.0, 0.0, WALL_UP_M / 2]
            at[axis], half[axis] = end + sign * WALL_M / 2, WALL_M / 2
            at[1 - axis], half[1 - axis] = (low + high) / 2, (high - low) / 2 + WALL_M
            plate.add_geom(
                name=f"lane-wall-{axis}-{sign}",
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=half,
                pos=at,
                mass=0,
            )

"""How the tilt sensor lies: its answer to the level plate and to two edges being lifted.

Level, it feels gravity's push along the axis that points up. With the north edge lifted, some of
that push turns to the axis that points north; with the east edge lifted, to the one that points
east.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import acos, hypot, radians

from drivers.attitude import AXES, FLAT, Axis, Mounting, Vector, mounting
from firmware_host.messages import Message, text

LIFTED_RAD = radians(5.0)
ASKEW_SHARE = 0.5  # the other axis may show so much of what the right one shows
# A chip's zero-g offsets lie in its own plane (MPU-6050: 50 mg) and, worse, along its z (80 mg).
LEVEL_RAD = radians(4.5)
LEVEL_ON_EDGE_RAD = radians(6.0)


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge of the plate."""

    name: str


NORTH = Edge("north")
EAST = Edge("east")
EDGES = (NORTH, EAST)


def up_axis(level: Vector) -> Axis:
    """The chip's axis that points up, from what it feels on the level plate (m/s2, or any unit)."""
    return _axis(max(range(3), key=lambda index: abs(level[index])), level)


def lean_rad(level: Vector, force: Vector) -> float:
    """How far ``force`` has turned away from ``level``."""
    cosine = sum(a * b for a, b in zip(_unit(level), _unit(force), strict=True))
    return acos(min(1.0, max(-1.0, cosine)))


def is_level(level: Vector) -> bool:
    """Whether one of the chip's axes points up, as near as its offsets let that be seen."""
    up = up_axis(level)
    upright = [0.0, 0.0, 0.0]
    upright["xyz".index(up[1])] = -1.0 if up[0] == "-" else 1.0
    most = LEVEL_RAD if up[1] == "z" else LEVEL_ON_EDGE_RAD
    return lean_rad((upright[0], upright[1], upright[2]), level) <= most


def is_lifted(level: Vector, force: Vector) -> bool:
    """Whether some edge is."""
    return lean_rad(level, force) >= LIFTED_RAD


def risen(level: Vector, lifted: Vector) -> Axis | None:
    """The chip's axis that points to the edge which was lifted; None between two edges."""
    up = "xyz".index(up_axis(level)[1])
    change = [b - a for a, b in zip(_unit(level), _unit(lifted), strict=True)]
    change[up] = 0.0
    along = max(range(3), key=lambda index: abs(change[index]))
    across = hypot(*(value for index, value in enumerate(change) if index != along))
    return None if across > ASKEW_SHARE * abs(change[along]) else _axis(along, change)


def refusal(edge: Edge, level: Vector, forces: Mapping[str, Vector]) -> Message | None:
    """Why the answer to ``edge`` in ``forces`` (by edge) cannot be; None if it can."""
    axis = risen(level, forces[edge.name])
    if axis is None:
        return text(
            "A corner was lifted, or the tilt sensor lies askew. Lift the whole lit edge; if this"
            " comes again, turn the sensor until its sides lie along the rows."
        )
    if edge is EAST and NORTH.name in forces and mounting_of(level, forces) is None:
        return text(
            "The two edges contradict each other: another edge than the lit one was lifted. Both"
            " are asked for again."
        )
    return None


def mounting_of(level: Vector, forces: Mapping[str, Vector]) -> Mounting | None:
    """How the chip lies, once both edges were lifted; None if no chip can lie so."""
    north, east = (risen(level, forces[edge.name]) for edge in EDGES)
    if north is None or east is None:
        return None
    found = mounting(north, up_axis(level))
    return found if found.east == east else None


def describe(orientation: Mounting) -> Message:
    """In words, for somebody who looks at the chip and its printed arrows."""
    if orientation == FLAT:
        return text("The tilt sensor lies as the wiring page shows.")
    return text(
        "The tilt sensor lies with its face {face} and its x arrow {arrow}.",
        face=_WHERE[_points(orientation, "+z")],
        arrow=_WHERE[_points(orientation, "+x")],
    )


_WHERE = {
    "east": text("to the east"),
    "west": text("to the west"),
    "north": text("to the north"),
    "south": text("to the south"),
    "up": text("up"),
    "down": text("down"),
}
_BACK = {"east": "west", "north": "south", "up": "down"}


def _points(orientation: Mounting, axis: Axis) -> str:
    """Where one of the chip's axes points."""
    for where, known in (
        ("east", orientation.east),
        ("north", orientation.north),
        ("up", orientation.up),
    ):
        if known[1] == axis[1]:
            return where if known == axis else _BACK[where]
    raise ValueError(axis)


def _axis(index: int, vector: Vector | list[float]) -> Axis:
    return AXES[2 * index + (vector[index] < 0)]


def _unit(vector: Vector) -> Vector:
    length = hypot(*vector) or 1.0
    return vector[0] / length, vector[1] / length, vector[2] / length

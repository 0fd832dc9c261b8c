"""How a tilt sensor lies on the plate: which of its axes points east, north and up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Vector: TypeAlias = tuple[float, float, float]
Axis: TypeAlias = Literal["+x", "-x", "+y", "-y", "+z", "-z"]
AXES: Final[tuple[Axis, ...]] = ("+x", "-x", "+y", "-y", "+z", "-z")

_Pick: TypeAlias = tuple[int, float]


@dataclass(frozen=True, slots=True)
class Mounting:
    """One of 24 ways to lie square. ``east``, ``north``, ``up``: the chip's axis that points there.

    Raises ValueError for three axes that are not right-handed.
    """

    east: Axis = "+x"
    north: Axis = "+y"
    up: Axis = "+z"
    _picks: tuple[_Pick, _Pick, _Pick] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        picks = _pick(self.east), _pick(self.north), _pick(self.up)
        east, north, up = (_unit(*pick) for pick in picks)
        if _cross(east, north) != up:
            raise ValueError(f"no chip has {self.east} east, {self.north} north, {self.up} up")
        object.__setattr__(self, "_picks", picks)

    def on_plate(self, chip: Vector) -> Vector:
        """A vector in the chip's axes, in the plate's: x east, y north, z up."""
        (a, s), (b, t), (c, u) = self._picks
        return s * chip[a], t * chip[b], u * chip[c]

    def on_chip(self, plate: Vector) -> Vector:
        """The way back."""
        (a, s), (b, t), (c, u) = self._picks
        found = [0.0, 0.0, 0.0]
        found[a], found[b], found[c] = s * plate[0], t * plate[1], u * plate[2]
        return found[0], found[1], found[2]


def all_mountings() -> Iterator[Mounting]:
    """All 24."""
    for up in AXES:
        for north in AXES:
            if north[1] != up[1]:
                yield mounting(north, up)


def mounting(north: Axis, up: Axis) -> Mounting:
    """The one with these axes. Raises ValueError if both are of one line."""
    x, y, z = _cross(_unit(*_pick(north)), _unit(*_pick(up)))
    for axis in AXES:
        if _unit(*_pick(axis)) == (x, y, z):
            return Mounting(axis, north, up)
    raise ValueError(f"{north} and {up} are not at right angles")


def _pick(axis: str) -> _Pick:
    return "xyz".index(axis[1]), -1.0 if axis[0] == "-" else 1.0


def _unit(index: int, sign: float) -> Vector:
    return (
        sign if index == 0 else 0.0,
        sign if index == 1 else 0.0,
        sign if index == 2 else 0.0,
    )


def _cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


FLAT: Final = Mounting()  # as the wiring pages ask for

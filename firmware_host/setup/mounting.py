"""Whether the motion sensor lies as it should: its answer to an edge of the plate being lifted."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

from firmware_host.messages import Message, text

LIFTED_RAD = radians(5.0)
OTHER_SHARE = 0.5  # the other axis may show so much of what the right one shows

Tilt = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge. ``axis``: which tilt its lifting shows, 0 about x or 1 about y; ``sign``: of it.

    Right-handed: the north edge up is a positive turn about x, the east edge up a negative one
    about y.
    """

    name: str
    axis: int
    sign: int


NORTH = Edge("north", 0, 1)
EAST = Edge("east", 1, -1)


def is_lifted(tilt_rad: Tilt) -> bool:
    """Whether some edge is."""
    return max(map(abs, tilt_rad)) >= LIFTED_RAD


def wrong_mounting(edge: Edge, tilt_rad: Tilt) -> Message | None:
    """What is wrong if ``tilt_rad`` (from level) is the answer to ``edge`` being lifted."""
    along, across = tilt_rad[edge.axis], tilt_rad[1 - edge.axis]
    if abs(across) > abs(along):
        return text(
            "The motion sensor's x and y are exchanged: it lies a quarter turn off. Its x arrow"
            " must point east (column a to b), its y arrow north (row 1 to 2)."
        )
    if abs(across) > OTHER_SHARE * abs(along):
        return text(
            "The motion sensor lies askew, or a corner was lifted. Lift the whole {edge} edge;"
            " if this stays, turn the sensor until its arrows point along the rows.",
            edge=edge.name,
        )
    if along * edge.sign < 0:
        return text(
            "The motion sensor shows the {edge} edge down while it is up: it lies half a turn off."
            " Its x arrow must point east (column a to b), its y arrow north (row 1 to 2).",
            edge=edge.name,
        )
    return None

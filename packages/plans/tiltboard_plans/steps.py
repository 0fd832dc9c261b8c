"""Pictures of the building steps and an exploded view, drawn from the solids of the assembly.

Each picture is an SVG with the outlines of the solids, seen obliquely; distant solids are drawn
first. The new parts of a step are in colour, earlier parts are pale. Needs manifold3d (the extra
``make``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from xml.sax.saxutils import escape

from tiltboard_plans.assembly import Assembly, Solid

STEPS = (
    ("4-row-boards", "A row board with its parts", r"row board 1('s (parts|strip))?$", "alone"),
    ("5-carrier", "The carrier with its parts", "carrier", "alone"),
    ("6a-plate", "Row boards under the plate", "plate|felt|row board .*(?<!wires)$", "below"),
    ("6b-ears", "Bearings and rods under the ears", "(west|east) bearing|rod", "below"),
    ("6c-ring", "Ring, stops and axles", "ring|.* stop |(west|east) axle", "below"),
    ("6d-shelf", "The shelf and what is on it", "shelf|standoff|carrier|Pi|bus|weight", "below"),
    ("6e-stand", "The stand", "base|.* post|(south|north) axle|block|turntable", "above"),
    ("7-supply", "The supply and its wires", "supply|Pi|slip ring|wires to", "above"),
    ("8-sensors", "Wires of the row boards", "row board .* ?wires", "below"),
    ("10-tilt-sensor", "The tilt sensor", "tilt sensor", "below"),
)
"""The file name, the title, the pattern of the new solids' names, and the view of each step.

The view is ``above``, ``below`` (without the stand), or ``alone`` (from above, without other
parts).
"""
# Rotation of the picture about the vertical axis, and its backward tilt, in degrees.
TURN_DEG, LEAN_DEG = 28.0, 58.0
APART = 4.0  # Scale factor for heights in the exploded view.
LOOKS = {
    "wood": "#c9a063",
    "felt": "#4c6a5c",
    "board": "#2f7d4f",
    "steel": "#8f959c",
    "brass": "#d0aa45",
    "wire": "#b8463c",
    "red": "#c05a48",
    "blue": "#4a72b8",
    "ice": "#bfd6e2",
}
PALE, PART, EDGE = "#ecebe6", "#6b6f75", "#30343a"


def step_pictures(assembly: Assembly) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each picture: one picture for each step that adds a part, and
    an exploded view.
    """
    solids = [solid for solid in assembly.solids if solid.name != "table top"]
    drawn: dict[tuple[str, bool], Outline] = {}

    def outlines(some: list[Solid], *, below: bool) -> list[Outline]:
        for solid in some:
            if (solid.name, below) not in drawn:
                drawn[solid.name, below] = Outline.of(solid, below=below)
        return [drawn[solid.name, below] for solid in some]

    there: list[Solid] = []
    for name, title, pattern, side in STEPS if assembly.frame else ():
        below = side == "below"
        shown = [solid for solid in solids if solid.moves != "ground" or not below]
        new = [solid for solid in shown if re.match(pattern, solid.name) and solid not in there]
        before = [] if side == "alone" else [solid for solid in shown if solid in there]
        if new:
            looks = outlines(before, below=below), outlines(new, below=below)
            yield f"steps/{name}.svg", _picture(title, *looks)
        if side != "alone":
            there += new
    apart = [replace(s, body=s.body.translate((0, 0, (APART - 1) * _middle(s)))) for s in solids]
    whole = [Outline.of(solid, below=False) for solid in apart]
    yield "steps/exploded.svg", _picture("Everything, pulled apart", [], whole)


def _middle(solid: Solid) -> float:
    _, _, low, _, _, high = solid.body.bounding_box()
    return float(low + high) / 2


@dataclass(frozen=True)
class Outline:
    """The outline of a solid in a picture."""

    name: str
    colour: str
    level: float
    """Height of the solid's middle along the line of sight. The solid with the greatest height is
    nearest to the viewer.
    """
    box: tuple[float, float, float, float]
    """Positions of the west, south, east and north edge in the picture."""
    paths: tuple[str, str]
    """Two SVG paths. The first path is the outline of the whole solid, and the second path is the
    outline of the face nearest to the viewer.
    """

    @classmethod
    def of(cls, solid: Solid, *, below: bool) -> Outline:
        """Return the outline of a solid, seen from above or from below."""

        def seen(body: Any) -> Any:
            lean = 180 - LEAN_DEG if below else -LEAN_DEG
            return body.rotate((0, 0, TURN_DEG)).rotate((lean, 0, 0))

        side, (low, high) = -1 if below else 1, solid.body.bounding_box()[2::3]
        face = solid.body.trim_by_plane((0, 0, side), (-low if below else high) - 0.05)
        whole = seen(solid.body)
        west, south, _, east, north, _ = whole.bounding_box()
        colour, paths = LOOKS.get(solid.look, PART), (_path(whole), _path(seen(face)))
        box = (west, south, east, north)
        return cls(solid.name, colour, side * _middle(solid), box, paths)

    @property
    def spot(self) -> tuple[float, float]:
        """Position of the outline's middle in the picture. The y axis points down."""
        west, south, east, north = self.box
        return (west + east) / 2, -(south + north) / 2


def _path(body: Any) -> str:
    """Return the outline of a solid as an SVG path. The solid is seen from the direction of
    positive z.
    """
    loops = body.project().simplify(0.15).to_polygons()
    return "".join("M" + "L".join(f"{x:.1f} {-y:.1f}" for x, y in loop) + "Z" for loop in loops)


def _shade(colour: str, light: float) -> str:
    return "#" + "".join(f"{round(int(colour[at : at + 2], 16) * light):02x}" for at in (1, 3, 5))


def _picture(title: str, before: list[Outline], new: list[Outline]) -> bytes:
    order = sorted((*before, *new), key=lambda each: (each.level, -each.box[3]))
    sides = list(zip(*(each.box for each in order), strict=True))
    west, east, top, bottom = min(sides[0]), max(sides[2]), -max(sides[3]), -min(sides[1])
    size = (east - west) / 45
    names = list(_names([each for each in order if each in new], east + 2 * size, size))
    wide, high = east - west + 14 * size, bottom - top + 5 * size
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{west - size:.0f} {top - 3 * size:.0f}'
        f' {wide:.0f} {high:.0f}" font-family="sans-serif" font-size="{size:.1f}"'
        f' stroke-width="{size / 25:.2f}"><g fill-rule="evenodd" stroke="{EDGE}">',
    ]
    for each in order:
        colour = each.colour if each in new else PALE
        for path, light in zip(each.paths, (0.8, 1.0), strict=True):
            out.append(f'<path d="{path}" fill="{_shade(colour, light)}"/>')
    head = f'<text x="{west:.0f}" y="{top - size:.0f}" font-weight="bold">{escape(title)}</text>'
    return "\n".join([*out, "</g>", head, *names, "</svg>", ""]).encode()


def _names(new: list[Outline], x: float, size: float) -> Iterator[str]:
    """Yield a label for each kind of new part, with a line from the label to one of the parts. The
    labels are in a column at ``x``. If all new parts belong to the carrier board, the function
    marks each part with its designator instead.
    """
    spots: dict[str, tuple[float, float]] = {}
    alone = all(each.name.startswith("carrier") for each in new)
    for each in reversed(new):
        px, py = each.spot
        if alone and each.name != "carrier":
            at = f'x="{px:.0f}" y="{py:.0f}" font-size="{size / 2:.1f}" fill="white"'
            yield f"<text {at}>{each.name.removeprefix('carrier ')}</text>"
        elif not each.name.startswith("carrier "):
            kind = re.sub(r"^(west|east|south|north) | (at )?-?\d+(?=$|'s )", "", each.name)
            spots.setdefault(kind, (px, py))
    y = -math.inf
    for kind, (px, py) in sorted(spots.items(), key=lambda spot: spot[1][1]):
        y = max(y + 1.3 * size, py)
        line = f"M{px:.0f} {py:.0f}L{x - size / 2:.0f} {y - size / 3:.0f}"
        yield f'<path d="{line}" stroke="{EDGE}"/><text x="{x:.0f}" y="{y:.0f}">{kind}</text>'

"""The whole table as solids in one coordinate system, with every part that is cut, printed, bought
or wired.

The solids come from the drawings of the other modules: sheets are extruded, printed parts are used
as they are, and circuit boards come from the boards' drawings. ``Assembly.collisions`` lists the
parts that collide when both axles are turned. Needs manifold3d (the extra ``make``). Lengths are in
mm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal

from tiltboard.firmware_host.config import platform
from tiltboard_plans import frame as f
from tiltboard_plans.board import Board
from tiltboard_plans.frame import Box, Frame
from tiltboard_plans.model import BOARD_MM, Plans, spacer_mm
from tiltboard_plans.printed import gimbal_parts
from tiltboard_plans.sheets import Sheet, sheets

Moves = Literal["plate", "ring", "ground", "wires"]
# Maximum overlap in mm3 of two touching parts. A larger overlap is a collision, not a rounding
# error.
TOUCH_MM3 = 1.0
# Thickness of a wire under a row board, and depth to which the wire bends down, in mm.
TAIL_MM, TAIL_DOWN_MM = 2.4, 12.0
SPACER_MM, SCREW_MM, NUT_MM = 6.0, 3.0, 6.35
DRIVER_MM, DRIVER_LONG_MM = 10.0, 60.0
LEG_MM = 28.0  # Width in mm of the printed legs under the shelf of a table that does not tilt.


@dataclass(frozen=True)
class Solid:
    """A part of the table, at its position when no axle is turned."""

    name: str
    moves: Moves
    """The component with which the part moves: the plate, the ring between the axles, or the
    ground. A part with the value ``wires`` bends with the tilt.
    """
    body: Any
    look: str = "wood"
    """The material of the part, which sets the part's colour in pictures."""


@dataclass(frozen=True)
class Assembly:
    """All solids of one table."""

    frame: Frame | None
    solids: tuple[Solid, ...]
    tools: tuple[Solid, ...]
    """The space that a screwdriver or socket needs at each screw that is turned after the assembly.
    """

    @classmethod
    def of(cls, plans: Plans) -> Assembly:
        """Return the assembly of all parts in the plans."""
        frame = plans.frame
        if frame is None:
            return cls(None, tuple(_buttons(plans)), ())
        cut = {sheet.name: sheet for sheet in sheets(plans)}
        solids = [*_plate(plans, frame, cut), *_shelf(plans, frame, cut)]
        if frame.stands == "gimbal":
            solids += _gimbal(frame, cut)
        else:
            solids += _legs(frame)
        solids += _base(frame, cut)
        return cls(frame, tuple(solids), tuple(_tools(frame)))

    def collisions(
        self, plate_deg: float = 0.0, ring_deg: float = 0.0, spin_deg: float = 0.0
    ) -> list[str]:
        """Return all pairs of parts that overlap when the axles are turned by these angles in
        degrees.

        ``plate_deg`` and ``ring_deg``: the rotation of the plate's axle and of the ring's axle.
        ``spin_deg``: the plate's rotation about the vertical axis. Parts that move together are
        compared only if all angles are 0.
        """
        rests = plate_deg == ring_deg == spin_deg == 0.0
        turned = []
        for solid in self.solids:
            body = solid.body
            if solid.moves == "plate":
                body = body.rotate((0, 0, spin_deg)).rotate((plate_deg, 0, 0))
            if solid.moves != "ground":
                body = body.rotate((0, ring_deg, 0))
            if solid.moves != "wires" or rests:
                turned.append((solid.name, solid.moves, body, body.bounding_box()))
        found = []
        for at, (one, with_one, a, box_a) in enumerate(turned):
            near = [
                (two, b)
                for two, with_two, b, box_b in turned[at + 1 :]
                if (rests or with_one != with_two) and _near(box_a, box_b)
            ]
            # Compare the part with all its neighbours together first, because nearly always no
            # neighbour overlaps.
            if near and (a ^ _solid().compose([b for _, b in near])).volume() > TOUCH_MM3:
                found += [f"{one} and {two}" for two, b in near if (a ^ b).volume() > TOUCH_MM3]
        return found

    def blocked_tools(self) -> list[str]:
        """Return two names for each screw that a screwdriver cannot reach: the screw and the part
        in the way.
        """
        return [
            f"{tool.name}: {solid.name}"
            for tool in self.tools
            for solid in self.solids
            if _near(tool.body.bounding_box(), solid.body.bounding_box())
            and (tool.body ^ solid.body).volume() > TOUCH_MM3
        ]


def _near(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    """Return whether two bounding boxes overlap. The boxes have the form of manifold3d's
    ``bounding_box``.
    """
    return all(one[at] < two[at + 3] and two[at] < one[at + 3] for at in range(3))


def _solid() -> Any:
    return import_module("manifold3d").Manifold


def _box(box: Box) -> Any:
    west, east, south, north, low, high = box
    return _solid().cube((east - west, north - south, high - low)).translate((west, south, low))


def _rod(across: float, at: tuple[float, float], low: float, high: float) -> Any:
    """Return an upright cylinder with the diameter ``across``, from height ``low`` to height
    ``high``.
    """
    corners = 16 if across < 20 else 96
    return _solid().cylinder(high - low, across / 2, -1.0, corners).translate((*at, low))


def _bolt(across: float, at: tuple[float, float, float], long: float, turn: float) -> Any:
    """Return a cylinder that starts at ``at`` and lies along x, rotated about the vertical axis by
    ``turn`` degrees. ``across``: the diameter in mm. ``long``: the length in mm.
    """
    lying = _solid().cylinder(long, across / 2, -1.0, 16).rotate((0, 90, 0))
    return lying.rotate((0, 0, turn)).translate(at)


def extruded(sheet: Sheet, low: float, high: float) -> Any:
    """Return a sheet of wood or felt as a solid, cut along its lines and drilled, from height
    ``low`` to ``high``.
    """
    section = import_module("manifold3d").CrossSection
    loops: list[list[tuple[float, float]]] = []
    for layer, x0, y0, x1, y1 in sheet.lines:
        if layer == "cut":
            if not loops or loops[-1][-1] != (x0, y0):
                loops.append([(x0, y0)])
            loops[-1].append((x1, y1))
    rule = import_module("manifold3d").FillRule.EvenOdd
    flat = section([loop[:-1] for loop in loops], rule)
    inner = [each for each in sheet.circles if each[0] == "cut"]
    for _, x, y, across in inner:
        flat -= section.circle(across / 2, 64).translate((x, y))
    drilled = [
        section.circle(d / 2, 16).translate((x, y)) for k, x, y, d in sheet.circles if k == "drill"
    ]
    if drilled:
        flat -= section.batch_boolean(drilled, import_module("manifold3d").OpType.Add)
    return _solid().extrude(flat, high - low).translate((0, 0, low))


def _board(board: Board, at: tuple[float, float, float]) -> Iterator[tuple[str, Any, str]]:
    """Yield the name, body and material of a circuit board and of each part on it.

    ``at``: the position of the board's origin.
    """
    x, y, low = at
    left, top, right, bottom = board.edge
    body = _box((x + left, x + right, y - bottom, y - top, low, low + BOARD_MM))
    for (hx, hy), drill in board.holes:
        body -= _rod(drill, (x + hx, y - hy), low - 1, low + 3)
    yield board.name, body, "board"
    up = low + BOARD_MM
    for part in board.components.values():
        if part.footprint in ("wire", "power"):
            continue
        west, north, east, south, high = part.body_mm
        box = (x + west, x + east, y - south, y - north, up, up + high)
        yield f"{board.name} {part.ref}", _box(box), part.part
    for west, north, east, south, high in board.stands:
        box = (x + west, x + east, y - south, y - north, up, up + high)
        yield f"{board.name} heatsink", _box(box), "steel"


def _plate(plans: Plans, frame: Frame, cut: dict[str, Sheet]) -> Iterator[Solid]:
    """Yield the plate and all parts directly under the plate."""
    profile, under = plans.profile, f.UNDER_MM
    top = under + platform.PLYWOOD_MM
    wood = extruded(cut["drill"], under, top)
    # Rings of acrylic fill the ring-shaped cuts in the felt, so the felt is drawn as if it had no
    # cuts.
    plain = replace(cut["felt"], lines=cut["felt"].lines[:4])
    plain.circles = [each for each in plain.circles if each[0] == "drill"]
    felt = extruded(plain, top, top + platform.FELT_MM)
    yield Solid("felt", "plate", felt, "felt")
    hung = under - spacer_mm(profile) - BOARD_MM
    for number, (board, x, y) in enumerate(plans.row_boards):
        name = f"row board {number + 1}"
        bodies = [body for _, body, _ in _board(board, (x, y, hung))]
        yield Solid(name, "plate", bodies[0], "board")
        yield Solid(f"{name}'s parts", "plate", _solid().compose(bodies[1:]), "parts")
        tails, held = [], []
        for part in board.components.values():
            if part.footprint in ("wire", "power"):
                at = (x + part.at[0], y - part.at[1])
                tails.append(_rod(TAIL_MM, at, hung - TAIL_DOWN_MM, hung))
        for (right, below), across in board.holes:
            at = (x + right, y - below)
            thick = across - 0.2
            pipe = _rod(2 * thick, at, hung + BOARD_MM, under) - _rod(across, at, hung, top)
            held += [pipe, _rod(thick, at, hung - 3, top), _rod(2.1 * thick, at, hung - 2.4, hung)]
        yield Solid(f"{name}'s wires", "plate", _solid().compose(tails), "wire")
        yield Solid(f"{name}'s screws", "plate", _union(held), "brass")
        if profile.lights is not None and profile.lights.strip:
            north = profile.lights.offset_mm[1]
            left, _, right_end, _ = board.edge
            strip = (x + left, x + right_end, y + north - 5, y + north + 5, hung + BOARD_MM, under)
            yield Solid(f"{name}'s strip", "plate", _box((*strip[:5], strip[5] - 0.05)), "ice")
    spot = plans.tilt_sensor_mm
    if spot is not None:
        x, y = spot
        wide, deep, high = f.TILT_SENSOR_MM
        box = (x - wide / 2, x + wide / 2, y - deep / 2, y + deep / 2, hung - high, hung)
        yield Solid("tilt sensor", "plate", _box(box), "board")
    yield Solid("plate", "plate", wood)
    low = f.SHELF_TOP_MM - f.SHELF_MM
    for number, at in enumerate(frame.rods):
        end = top + f.ROD_NUT_MM + f.ROD_SPARE_MM
        rod = [_rod(f.ROD_ACROSS_MM, at, end - frame.rod_mm, end)]
        for nut in (top, under - f.ROD_NUT_MM, f.SHELF_TOP_MM, low - f.ROD_NUT_MM):
            rod.append(_rod(10.0, at, nut, nut + f.ROD_NUT_MM))
        yield Solid(f"rod {number + 1}", "plate", _union(rod), "steel")


def _union(bodies: Iterable[Any]) -> Any:
    return _solid().batch_boolean(list(bodies), import_module("manifold3d").OpType.Add)


def _shelf(plans: Plans, frame: Frame, cut: dict[str, Sheet]) -> Iterator[Solid]:
    """Yield the shelf and all parts on and under the shelf."""
    top, low = f.SHELF_TOP_MM, f.SHELF_TOP_MM - f.SHELF_MM
    yield Solid("shelf", "plate", extruded(cut["shelf"], low, top))
    up = top + f.STANDOFF_MM
    for number, at in enumerate(plans.standoffs()):
        yield Solid(f"standoff {number + 1}", "plate", _rod(6.0, at, top, up), "brass")
    carrier = plans.boards["carrier"]
    left, high, right, bottom = carrier.edge
    for name, body, look in _board(carrier, (-(left + right) / 2, (high + bottom) / 2, up)):
        yield Solid(name, "plate", body, look)
    for name, box in frame.below_shelf.items():
        yield Solid(name, "plate", _box(box), "board" if name == "Pi" else "brass")
    if frame.stands != "gimbal":
        return
    discs = _rod(platform.WEIGHT_ACROSS_MM, (0, 0), low - frame.discs * f.DISC_MM, low)
    discs -= _rod(f.DISC_HOLE_MM, (0, 0), -400, 400)
    yield Solid("weight", "plate", discs, "steel")
    end = frame.tray_bottom_mm
    bolt = _rod(8.0, (0, 0), end, top) + _rod(15.0, (0, 0), end + 2, end + f.BOLT_BELOW_MM)
    yield Solid("weight's bolt", "plate", bolt, "steel")


def _gimbal(frame: Frame, cut: dict[str, Sheet]) -> Iterator[Solid]:
    """Yield the gimbal's ring, bearings, stops, posts, weight tray and four axles."""
    x, y, far, _ = frame.ring_mm
    thick = platform.RING_THICK_MM / 2
    ring = extruded(cut["gimbal-ring"], -thick, thick)
    for layer, x0, y0, x1, y1 in cut["gimbal-ring"].lines:
        if layer == "drill":
            off = y0 if y0 == y1 else x0
            across = platform.LOCK_MM if off else platform.AXLE_MM
            turn = math.degrees(math.atan2(y1 - y0, x1 - x0))
            long = math.dist((x0, y0), (x1, y1))
            ring -= _bolt(across + 0.2, (x0, y0, 0), long, turn)
    yield Solid("ring", "ring", ring)
    bearing, stop, post, tray = (body for _, body in gimbal_parts(frame))
    yield Solid(
        "weight tray",
        "plate",
        tray.translate((0, 0, frame.tray_bottom_mm + f.BOLT_BELOW_MM)),
        "red",
    )
    for sign, side in ((-1, "west"), (1, "east")):
        yield Solid(
            f"{side} bearing", "plate", bearing.translate((sign * frame.bearing_x_mm, 0, 0)), "red"
        )
        turn = 0.0 if sign > 0 else 180.0
        start = frame.bearing_x_mm - f.BEARING_MM[0] / 2 - 1.6
        axle = _bolt(6.0, (sign * start, 0, 0), 80.0, turn)
        axle += _bolt(11.5, (sign * (start - 4), 0, 0), 4.0, turn)
        axle += _bolt(11.5, (sign * (x - 6.4), 0, 0), 6.4, turn)
        axle += _bolt(11.5, (sign * far, 0, 0), 7.6, turn)
        yield Solid(f"{side} axle", "ring", axle, "steel")
        for off in (-f.STOP_OFF_MM, f.STOP_OFF_MM):
            placed = stop.rotate((0, 0, turn)).translate((sign * x, off, 0))
            yield Solid(f"{side} stop at {off:g}", "ring", placed, "blue")
    for sign, side in ((-1, "south"), (1, "north")):
        placed = post.rotate((0, 0, 90 * sign)).translate((0, sign * frame.post_y_mm, 0))
        yield Solid(f"{side} post", "ground", placed, "red")
        axle = _bolt(6.0, (0, sign * (y - 1.6), 0), 70.0, 90.0 * sign)
        axle += _bolt(11.5, (0, sign * (y - 5.6), 0), 5.6, 90.0 * sign)
        axle += _bolt(
            11.5, (0, sign * (frame.post_y_mm + f.POST_THICK_MM / 2), 0), 7.6, 90.0 * sign
        )
        yield Solid(f"{side} axle", "ground", axle, "steel")
    yield Solid("wires to the base", "wires", _bundle(frame), "wire")


def _bundle(frame: Frame) -> Any:
    """Return the bundle of wires from the shelf to the base, bent in a half circle."""
    x, y, high = frame.bundle_end_mm
    radius = frame.bend_mm()
    section = import_module("manifold3d").CrossSection
    flat = section.circle(f.BUNDLE_MM / 2, 24).translate((radius, 0))
    half = _solid().revolve(flat, 64, 180.0).transform([[0, 1, 0, x], [0, 0, 1, y], [1, 0, 0, 0]])
    return half.translate((0, 0, high - radius))


def _legs(frame: Frame) -> Iterator[Solid]:
    """Yield the support of a shelf that does not tilt. The support is four blocks and, if the table
    spins, a turntable under the blocks.
    """
    low = f.SHELF_TOP_MM - f.SHELF_MM
    spins = frame.stands == "turntable"
    moves: Moves = "plate" if spins else "ground"
    x = 95.0 if spins else frame.rod_x_mm - 28.0
    for number, (sx, sy) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        west, south = sx * x - LEG_MM / 2, sy * 45.0 - LEG_MM / 2
        box = (west, west + LEG_MM, south, south + LEG_MM, low - f.BLOCK_MM, low)
        yield Solid(f"block {number + 1}", moves, _box(box), "wood")
    if spins:
        high = low - f.BLOCK_MM
        body = _rod(f.TURNTABLE_MM, (0, 0), high - f.TURNTABLE_HIGH_MM, high)
        body -= _rod(f.TURNTABLE_MM / 2, (0, 0), high - 20, high + 1)
        yield Solid("turntable", "ground", body, "steel")
        yield Solid(
            "slip ring", "ground", _rod(f.SLIP_RING_MM - 0.5, (0, 0), low - 30, low), "steel"
        )


def _base(frame: Frame, cut: dict[str, Sheet]) -> Iterator[Solid]:
    """Yield the base board, the parts on it, and the table top."""
    top = frame.base_top_mm
    yield Solid("base", "ground", extruded(cut["base"], top - f.BASE_MM, top))
    for name, box in frame.on_base.items():
        yield Solid(name, "ground", _box(box), "board" if name == "Pi" else "parts")
    x, y = (max(each) + 100 for each in zip(*frame.base_outline, strict=True))
    ground = (-x, x, -y, y, top - f.BASE_MM - 25, top - f.BASE_MM)
    yield Solid("table top", "ground", _box(ground), "wood")


def _tools(frame: Frame) -> Iterator[Solid]:
    """Yield the space for a tool at each screw that is turned after the assembly."""
    top, low = f.UNDER_MM + platform.PLYWOOD_MM, f.SHELF_TOP_MM - f.SHELF_MM
    reach = {}
    for number, at in enumerate(frame.rods):
        up = top + f.ROD_NUT_MM + f.ROD_SPARE_MM
        reach[f"rod {number + 1}, above"] = _rod(12.0, at, up, up + 40)
        down = low - f.ROD_NUT_MM - f.ROD_SPARE_MM
        reach[f"rod {number + 1}, below"] = _rod(12.0, at, down - 25, down)
    if frame.stands == "gimbal":
        under = -platform.AXLE_MM / 2 - 6
        for number, at in enumerate(frame.bearing_screws):
            reach[f"bearing screw {number + 1}"] = _rod(DRIVER_MM, at, top, top + DRIVER_LONG_MM)
            reach[f"bearing nut {number + 1}"] = _rod(9.0, at, under - 40, under)
        under = -platform.RING_THICK_MM / 2 - 8
        for number, at in enumerate(frame.stop_screws):
            reach[f"stop screw {number + 1}"] = _rod(DRIVER_MM, at, under - DRIVER_LONG_MM, under)
        over = frame.base_top_mm + f.FOOT_MM[2]
        for number, at in enumerate(frame.foot_screws):
            reach[f"foot screw {number + 1}"] = _rod(DRIVER_MM, at, over, over + DRIVER_LONG_MM)
        x = frame.ring_mm[2]
        for sign in (-1, 1):
            pin = _bolt(6.0, (sign * x, f.LOCK_OFF_MM, 0), 80.0, 0.0 if sign > 0 else 180.0)
            reach[f"lock pin at {sign * x:g}"] = pin
            spanner = frame.bearing_x_mm - f.BEARING_MM[0] / 2 - 5.6
            box = (sign * spanner - 3, sign * spanner + 3, -6.0, 6.0, -50.0, -7.0)
            reach[f"spanner at {sign * spanner:g}"] = _box(box)
        reach["weight's nut"] = _rod(18.0, (0, 0), frame.tray_bottom_mm - 25, frame.tray_bottom_mm)
    for name, body in reach.items():
        yield Solid(name, "plate", body)


def _buttons(plans: Plans) -> Iterator[Solid]:
    """Yield a board of push buttons with the Pi beside it, on the table top."""
    [board] = plans.boards.values()
    for name, body, look in _board(board, (0.0, 0.0, 8.0)):
        yield Solid(name, "ground", body, look)
    left, _, right, bottom = board.edge
    yield Solid(
        "Pi", "ground", _box((right + 10, right + 75, -bottom, 30 - bottom, 0, 18)), "board"
    )
    yield Solid(
        "table top", "ground", _box((left - 50, right + 120, -bottom - 50, 80, -25, 0)), "wood"
    )

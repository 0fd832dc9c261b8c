"""The dimensions of the plate's support, which sheets, printed parts, report and assembly share.

The origin is the point where the two axles cross, under the plate's centre; x is east, y is north,
z is up. A plate that tilts hangs in a gimbal, a plate that spins is on a turntable, and any other
plate is on legs.

In each case, a shelf with the circuit boards hangs on four rods. The rods are fixed to the plate's
two ears (the extensions to the west and the east). Only the supply's wires lead from the moving
part to the base. Lengths are in mm, masses in g.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tiltboard.firmware_host.config import platform

Point = tuple[float, float]
Box = tuple[float, float, float, float, float, float]
"""The positions of the west, east, south, north, bottom and top side of a box, in mm."""

PLYWOOD_G_MM3, FELT_G_MM3, FR4_G_MM3, STEEL_G_MM3 = 0.68e-3, 0.25e-3, 1.85e-3, 7.85e-3
UNDER_MM = platform.SURFACE_MM - platform.FELT_MM - platform.PLYWOOD_MM
"""Height of the plywood's lower face above the axles, in mm."""
# Half the width of an ear, and the minimum length of an ear beyond the plate, in mm.
EAR_HALF_MM, EAR_MM = 72.0, 36.0
ROD_Y_MM, ROD_ACROSS_MM, ROD_HOLE_MM = 60.0, 5.0, 5.2
ROD_NUT_MM = 7.0  # Height of an M5 nut with its washer, in mm.
ROD_SPARE_MM = 2.0
# Length along the axle and width of a bearing, in mm.
BEARING_MM = (platform.RING_WIDE_MM - 4, 44.0)
BEARING_IN_MM = 2.0  # Distance from a bearing's outer face to the end of the ear, in mm.
LOCK_OFF_MM, SCREW_OFF_MM, STOP_OFF_MM = 14.0, 17.0, 40.0
# Width of a stop, and length of the section of the stop under the ring, in mm.
STOP_WIDE_MM, STOP_HOLD_MM = 14.0, 26.0
POST_GAP_MM, POST_THICK_MM, POST_ARM_MM = 4.0, 18.0, 60.0
ARM_THICK_MM = 12.0
# Length along the axle, width and height of a post's foot, and distances of the foot's screws, in
# mm.
FOOT_MM, FOOT_SCREW_MM = (70.0, 150.0, 8.0), (26.0, 45.0)
SHELF_TOP_MM, SHELF_MM, STANDOFF_MM = -65.0, 9.0, 10.0
BOARD_HIGH_MM = 48.0  # Height in mm of a carrier board up to the top of the regulator's heatsink.
SHELF_RIM_MM = 6.0  # Width of the shelf's rim around the board on it, in mm.
DISC_MM, DISC_HOLE_MM, TRAY_MM = 5.0, 8.5, 3.0
BOLT_BELOW_MM = 10.0  # Total height of an M8 nut, its washer and the end of the bolt, in mm.
PI_G, BAR_G = 60.0, 80.0
# Size (x, y, z) of a Pi with its standoffs, and size of one bus bar, in mm.
PI_MM, BAR_MM = (86.0, 57.0, 30.0), (22.0, 130.0, 20.0)
BASE_MM, SUPPLY_MM = 12.0, (130.0, 62.0, 42.0)
BLOCK_MM = 50.0  # Height of the blocks that support a shelf that does not tilt, in mm.
TILT_SENSOR_MM = (22.0, 17.0, 4.0)
# Minimum gap between moving parts and the base, and the space for a socket under a nut, in mm.
CLEAR_MM, SOCKET_MM = 8.0, 26.0
# Diameter of the bundle of wires that leave the shelf, and the bundle's minimum bending radius, in
# mm.
BUNDLE_MM, BEND_MM = 8.0, 14.0
TURNTABLE_MM, TURNTABLE_HIGH_MM = 300.0, 10.0
SLIP_RING_MM = 22.0
# Minimum safety margin against tipping: the ratio of the righting moment to the upsetting moment,
# with heavy pieces on all places of the plate.
MARGIN = 1.5
FRICTION = 0.2  # Friction coefficient of a steel bolt in a printed bearing.


def corners(x: float, y: float) -> list[Point]:
    """Return the corners of a rectangle around the origin. ``x``: half the width. ``y``: half the
    depth.
    """
    return [(-x, -y), (x, -y), (x, y), (-x, y)]


def _with_ears(x: float, y: float, far: float, half: float) -> list[Point]:
    """Return the corners of a rectangle with an ear on the west side and on the east side.

    ``x`` and ``y``: half the width and depth of the rectangle. ``far``: distance of an ear's end
    from the centre. ``half``: half the width of an ear.
    """
    east = [(x, -y), (x, -half), (far, -half), (far, half), (x, half), (x, y)]
    return east + [(-a, -b) for a, b in east]


@dataclass(frozen=True)
class Frame:
    """The dimensions of the parts that support the plate of one table."""

    plate_mm: float
    """Length of the edges of the square playing area, in mm."""
    stands: Literal["gimbal", "turntable", "legs"]
    board_mm: tuple[float, float]
    """Width and depth of the board on the shelf, in mm."""
    hung_g: float
    """Mass of the row boards, lights and wires under the plate, in g."""
    board_g: float
    """Mass of the board on the shelf with its parts, in g."""
    pieces_g: float
    """Total mass in g of the pieces if the heaviest piece is on every place."""
    pi_on_base: bool = False
    """True if the Pi is on the base, False if it is under the shelf."""
    bars: bool = True
    """True if two bus bars under the shelf feed the row boards' lights."""

    @property
    def half_mm(self) -> float:
        """Half the length of the plate's edge, in mm."""
        return self.plate_mm / 2

    @property
    def rod_x_mm(self) -> float:
        """Distance of the rods from the centre along x, in mm. The rods are outside the plate and
        outside the board on the shelf.
        """
        return max(self.half_mm + 19.0, self.board_mm[0] / 2 + SHELF_RIM_MM + 5.0)

    @property
    def ear_x_mm(self) -> float:
        """Distance from the centre to the end of an ear along x, in mm."""
        return max(self.half_mm + EAR_MM, self.rod_x_mm + 12.0)

    @property
    def bearing_x_mm(self) -> float:
        """Distance from the centre to the middle of a bearing along x, in mm."""
        return self.ear_x_mm - BEARING_IN_MM - BEARING_MM[0] / 2

    @property
    def ring_mm(self) -> tuple[float, float, float, float]:
        """Half the inner width and depth of the ring, and half its outer width and depth, in mm."""
        x = self.ear_x_mm - BEARING_IN_MM + platform.RING_GAP_MM
        y = max(self.half_mm + platform.RING_GAP_MM + 2, self.board_mm[1] / 2 + 26.0)
        return x, y, x + platform.RING_WIDE_MM, y + platform.RING_WIDE_MM

    @property
    def post_y_mm(self) -> float:
        """Distance from the centre to the middle of a post along y, in mm."""
        return self.ring_mm[3] + POST_GAP_MM + POST_THICK_MM / 2

    @property
    def plate_outline(self) -> list[Point]:
        """Corners of the plate's plywood: a square with ears to the west and the east."""
        return _with_ears(self.half_mm, self.half_mm, self.ear_x_mm, EAR_HALF_MM)

    @property
    def shelf_outline(self) -> list[Point]:
        """Corners of the shelf, which is a bar between the rods with a wider middle section under
        the circuit board.
        """
        x, y = (each / 2 + SHELF_RIM_MM for each in self.board_mm)
        far, deep = self.rod_x_mm + 10.0, ROD_Y_MM + 10.0
        return _with_ears(min(x, far - 1), max(y, deep + 1), far, deep)

    @property
    def rods(self) -> list[Point]:
        """Positions of the four rods."""
        return corners(self.rod_x_mm, ROD_Y_MM)

    @property
    def rod_mm(self) -> float:
        """Length of each rod, in mm."""
        top = UNDER_MM + platform.PLYWOOD_MM + ROD_NUT_MM
        return top - (SHELF_TOP_MM - SHELF_MM - ROD_NUT_MM) + 2 * ROD_SPARE_MM

    @property
    def bearing_screws(self) -> list[Point]:
        """Positions of the holes in the ears for the bearings' screws."""
        return corners(self.bearing_x_mm, SCREW_OFF_MM)

    @property
    def stop_screws(self) -> list[Point]:
        """Positions of the holes in the ring for the stops' screws."""
        x, third = self.ring_mm[0], STOP_HOLD_MM / 3
        return [*corners(x + third, STOP_OFF_MM), *corners(x + 2 * third, STOP_OFF_MM)]

    @property
    def foot_screws(self) -> list[Point]:
        """Positions of the holes in the base for the screws of the posts' feet."""
        along, across = FOOT_SCREW_MM
        y = self.post_y_mm
        return [*corners(across, y - along), *corners(across, y + along)]

    @property
    def below_shelf(self) -> dict[str, Box]:
        """The boxes of the parts that are screwed to the lower face of the shelf, by the part's
        name. These parts are beside the weight or the slip ring.
        """
        top = SHELF_TOP_MM - SHELF_MM
        middle = platform.WEIGHT_ACROSS_MM if self.stands == "gimbal" else SLIP_RING_MM
        inner = middle / 2 + 8.0
        boxes: dict[str, Box] = {}
        if not self.pi_on_base:
            x, y, z = PI_MM
            boxes["Pi"] = (-inner - y, -inner, -x / 2, x / 2, top - z, top)
        wide, long, high = BAR_MM
        for number, name in enumerate(("bus bar 5 V", "bus bar ground") if self.bars else ()):
            west = inner + number * (wide + 4)
            boxes[name] = (west, west + wide, -long / 2, long / 2, top - high, top)
        return boxes

    @cached_property
    def discs(self) -> int:
        """Number of steel discs in the weight, or 0 without a gimbal. This is the minimum number
        that rights the plate as strongly as the simulation assumes and keeps the safety margin
        ``MARGIN`` with a full plate.
        """
        if self.stands != "gimbal":
            return 0
        wanted = -platform.weight_kg(self.plate_mm) * platform.WEIGHT_MM * 1000
        wanted -= platform.plate_kg(self.plate_mm) * 1000 * _PLATE_UP_MM
        rights = -sum(grams * z for _, grams, z in self.masses(0))
        upset = MARGIN * self.pieces_g * _PIECE_UP_MM
        upset += (MARGIN - 1) * sum(grams * z for _, grams, z in self.masses(0) if z > 0)
        number = 0
        while rights + _discs_moment(number) < max(wanted, upset):
            number += 1
        return number

    def masses(self, discs: int | None = None) -> Iterator[tuple[str, float, float]]:
        """Yield the name, mass in g and height in mm of each part that tilts with the plate,
        without pieces.

        ``discs``: the number of discs in the weight, or None for the number that the table needs.
        """
        discs = self.discs if discs is None else discs
        ears = 4 * EAR_HALF_MM * (self.ear_x_mm - self.half_mm)
        under, top = UNDER_MM, SHELF_TOP_MM
        area = _area(self.plate_outline)
        yield "plywood", area * platform.PLYWOOD_MM * PLYWOOD_G_MM3, under + 4.5
        yield "felt", (area - ears) * platform.FELT_MM * FELT_G_MM3, under + 9.5
        yield "row boards, lights and wires", self.hung_g, under - 3.0
        shelf = _area(self.shelf_outline) * SHELF_MM * PLYWOOD_G_MM3
        yield "shelf", shelf, top - SHELF_MM / 2
        yield "boards on the shelf", self.board_g, top + STANDOFF_MM + 6.0
        rod = math.pi * ROD_ACROSS_MM**2 / 4 * STEEL_G_MM3 * self.rod_mm
        yield "rods and nuts", 4 * (rod + 12.0), (under + top) / 2 + 4.0
        for name, box in self.below_shelf.items():
            yield name, PI_G if name == "Pi" else BAR_G, (box[4] + box[5]) / 2
        if discs:
            yield "weight", discs * _disc_g(), -_discs_moment(discs) / (discs * _disc_g())

    def balance(self) -> tuple[float, float, float]:
        """Return the mass in g, the height of the centre of mass in mm, and the safety margin.

        The mass and the height are without pieces. The safety margin is the righting moment divided
        by the upsetting moment, with the heaviest pieces on all places.
        """
        masses = list(self.masses())
        grams = sum(mass for _, mass, _ in masses)
        rights = -sum(mass * z for _, mass, z in masses if z < 0)
        upsets = sum(mass * z for _, mass, z in masses if z > 0) + self.pieces_g * _PIECE_UP_MM
        centre = sum(mass * z for _, mass, z in masses) / grams
        return grams, centre, rights / upsets

    def rests_within_deg(self) -> float:
        """Return the maximum tilt in degrees at which the friction in the bearings holds a full
        plate.
        """
        masses = list(self.masses())
        moment = -sum(mass * z for _, mass, z in masses) - self.pieces_g * _PIECE_UP_MM
        pressed = (sum(mass for _, mass, _ in masses) + self.pieces_g) * platform.AXLE_MM / 2
        return math.degrees(math.asin(min(1.0, FRICTION * pressed / moment)))

    @property
    def tray_bottom_mm(self) -> float:
        """Height of the lowest end of the weight's bolt, in mm."""
        return SHELF_TOP_MM - SHELF_MM - self.discs * DISC_MM - TRAY_MM - BOLT_BELOW_MM

    @cached_property
    def lowest_mm(self) -> float:
        """Height in mm of the lowest point that a moving part reaches when both axles are at their
        stops.
        """
        bottom = SHELF_TOP_MM - SHELF_MM
        points = [(abs(x), abs(y), bottom) for x, y in self.shelf_outline]
        points += [(x + 5, y + 5, bottom - ROD_NUT_MM - ROD_SPARE_MM) for x, y in self.rods[2:3]]
        for west, east, _, north, low, _ in self.below_shelf.values():
            points.append((max(abs(west), east), north, low))
        across = platform.WEIGHT_ACROSS_MM / 2 + 3
        points.append((across, across, self.tray_bottom_mm + BOLT_BELOW_MM))
        points.append((6.0, 6.0, self.tray_bottom_mm))
        sin, cos = (turn(math.radians(platform.STOP_DEG)) for turn in (math.sin, math.cos))
        return min(-x * sin + cos * (-y * sin + z * cos) for x, y, z in points)

    @property
    def base_top_mm(self) -> float:
        """Height of the upper face of the base, which is below all moving parts, in mm."""
        if self.stands == "gimbal":
            under = min(self.lowest_mm - CLEAR_MM, self.tray_bottom_mm - SOCKET_MM)
            return min(platform.GROUND_MM + BASE_MM, under)
        return SHELF_TOP_MM - SHELF_MM - BLOCK_MM - TURNTABLE_HIGH_MM * (self.stands == "turntable")

    @property
    def base_outline(self) -> list[Point]:
        """Corners of the base board."""
        x = max(200.0, SUPPLY_MM[0] + FOOT_MM[1] / 2 + 15)
        beside = {"gimbal": self.post_y_mm + FOOT_MM[0] / 2 + 10, "turntable": TURNTABLE_MM / 2}
        # If the table has a turntable or legs, the supply is beside the moving part.
        y = beside.get(self.stands, ROD_Y_MM + 15) + (SUPPLY_MM[1] + 11) * (self.stands != "gimbal")
        return corners(x, y)

    @property
    def on_base(self) -> dict[str, Box]:
        """The boxes of the parts that are screwed onto the base beside the southern post, by the
        part's name.
        """
        long, deep, high = SUPPLY_MM
        south, low = 6 - self.base_outline[2][1], self.base_top_mm
        west = FOOT_MM[1] / 2 + 8
        boxes = {"supply": (west, west + long, south, south + deep, low, low + high)}
        if self.pi_on_base:
            long, deep, high = PI_MM
            boxes["Pi"] = (-west - long, -west, south, south + deep, low, low + high)
        return boxes

    @property
    def bundle_end_mm(self) -> tuple[float, float, float]:
        """The point at which the wires to the base leave the shelf: x, y and z in mm."""
        south = -(platform.WEIGHT_ACROSS_MM / 2 + 16.0)
        return 0.0, south, SHELF_TOP_MM - SHELF_MM - BUNDLE_MM / 2 - 0.5

    def bend_mm(self, plate_deg: float = 0.0, ring_deg: float = 0.0) -> float:
        """Return the radius in mm of the half circle of wires between shelf and base when the axles
        are turned by these angles in degrees.
        """
        plate, ring = math.radians(plate_deg), math.radians(ring_deg)
        x, y, z = self.bundle_end_mm
        high = y * math.sin(plate) + z * math.cos(plate)
        high = -x * math.sin(ring) + high * math.cos(ring)
        return (high - self.base_top_mm - BUNDLE_MM / 2 - 0.5) / 2

    @property
    def clearance_mm(self) -> float:
        """Minimum distance between the moving parts and the base, in mm."""
        return self.lowest_mm - self.base_top_mm


_PLATE_UP_MM = platform.SURFACE_MM - platform.PLATE_THICK_MM / 2
_PIECE_UP_MM = platform.SURFACE_MM + 7.5


def _disc_g() -> float:
    ring = platform.WEIGHT_ACROSS_MM**2 - DISC_HOLE_MM**2
    return math.pi / 4 * ring * DISC_MM * STEEL_G_MM3


def _discs_moment(number: int) -> float:
    """Return the righting moment of ``number`` discs under the shelf, in g mm."""
    middle = SHELF_TOP_MM - SHELF_MM - number * DISC_MM / 2
    return -number * _disc_g() * middle


def _area(outline: list[Point]) -> float:
    """Return the area of a closed outline, in mm2."""
    ends = zip(outline, [*outline[1:], outline[0]], strict=True)
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in ends)) / 2

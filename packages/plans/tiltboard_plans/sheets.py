"""Drawings at a scale of 1:1: patterns for drilling and cutting, felt, and an overlay (the printed
board to lay on the plate) for each game.

Each drawing is written as a DXF file for a machine, as one SVG file, and as a PDF file with several
A4 pages. The pages have marks that help to join the pages, and a ruler that helps to check the
printer. Lengths are in mm, x to the east and y to the north of the plate's centre.
"""

from __future__ import annotations

import itertools
import math
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from tiltboard.firmware_host.config.errors import BoardDoesNotFitError
from tiltboard.firmware_host.config.platform import (
    AXLE_MM,
    LOCK_MM,
    PLYWOOD_MM,
    RING_THICK_MM,
    WEIGHT_ACROSS_MM,
)
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.games.base import TILE_HAT_MM, Game, GameType, PieceBody, peg_mm
from tiltboard.games.registry import HOSTED
from tiltboard_plans import frame as measures
from tiltboard_plans.frame import Frame
from tiltboard_plans.model import Plans

PAGE_MM, PRINTED_MM, MARGIN_MM = (210.0, 297.0), (180.0, 260.0), (15.0, 18.5)
LIGHT_HOLE_MM, SCREW_MM, PI_SCREW_MM = 6.0, 4.2, 2.7
# Distances between the centres of the four screw holes in a Pi's board, in mm.
PI_HOLES_MM = (58.0, 49.0)
EAR_MM, RING_CORNERS, CIRCLE_CORNERS = 3.6, 90, 72
PEN_MM, RULER_MM = 0.25, 100
COLOURS = {"cut": 1, "drill": 5, "mark": 3, "text": 7}  # Colour numbers of the layers in DXF.
MM_PT = 72 / 25.4


@dataclass(slots=True)
class Sheet:
    """One drawing at a scale of 1:1."""

    name: str
    half_mm: float
    lines: list[tuple[str, float, float, float, float]] = field(default_factory=list)
    """The layer, the start point and the end point of each line."""
    circles: list[tuple[str, float, float, float]] = field(default_factory=list)
    """The layer, the centre and the diameter in mm of each circle."""
    texts: list[tuple[float, float, float, str]] = field(default_factory=list)
    """The centre, the height in mm and the words of each text."""

    @classmethod
    def square(cls, name: str, half_mm: float) -> Sheet:
        """Return a square sheet that is cut along its four edges. ``half_mm``: half the edge
        length.
        """
        sheet = cls(name, half_mm)
        sheet.outline(measures.corners(half_mm, half_mm))
        return sheet

    def outline(self, corners: Sequence[tuple[float, float]]) -> None:
        """Add a cut along a closed outline."""
        self.path("cut", [*corners, corners[0]])

    def box(self, west: float, east: float, south: float, north: float, words: str) -> None:
        """Mark the outline of a part, and write the part's name into it."""
        corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
        self.path("mark", corners)
        self.texts.append(((west + east) / 2, (south + north) / 2, 3.0, words))

    def path(self, layer: str, points: Iterable[tuple[float, float]]) -> None:
        """Add a line through a sequence of points."""
        self.lines += [(layer, *one, *two) for one, two in itertools.pairwise(points)]


def sheets(plans: Plans) -> Iterator[Sheet]:
    """Yield all sheets of a table."""
    profile, frame = plans.profile, plans.frame
    if frame is None:
        return  # A table whose circuit board is also the plate needs no cut sheets.
    half, lights = profile.plate_mm / 2, profile.lights
    drill, felt = Sheet("drill", frame.ear_x_mm), Sheet.square("felt", half)
    drill.outline(frame.plate_outline)
    drill.circles += [("drill", x, y, measures.ROD_HOLE_MM) for x, y in frame.rods]
    if frame.stands == "gimbal":
        drill.circles += [("drill", x, y, SCREW_MM) for x, y in frame.bearing_screws]
    for index, name in enumerate(profile.places):
        x, y = profile.centre_mm(index)
        drill.lines += [("mark", x - 2, y, x + 2, y), ("mark", x, y - 2, x, y + 2)]
        drill.texts.append((x, y - 8, 3.0, name))
        if lights is not None:
            at = (x + lights.offset_mm[0], y + lights.offset_mm[1])
            for sheet in (drill, felt):
                sheet.circles.append(("drill", *at, LIGHT_HOLE_MM))
    drill.circles += [("drill", *at, across) for at, across in plans.spacers()]
    _mark_sheet(drill, half - 6, f"plate, plywood {PLYWOOD_MM:g} mm")
    yield drill
    if lights is not None and lights.guide == "ring":
        guides = Sheet("guides", half)
        for index in range(profile.size):
            _ring(guides, profile.centre_mm(index), lights.offset_mm, profile.pitch_mm)
        # Each hole of the felt is filled with a ring and, inside the ring, a disc of felt.
        felt.lines += guides.lines
        felt.circles += guides.circles
        yield guides
    _mark_sheet(felt, half - 6, "felt 1 mm")
    yield felt
    if frame.stands == "gimbal":
        yield _gimbal_ring(frame)
    yield _shelf(plans, frame)
    yield _base(frame)
    for game, kind in HOSTED.items():
        yield from _overlays(profile, game, kind)


def _mark_sheet(sheet: Sheet, y: float, words: str) -> None:
    """Mark the sheet's upper side and north edge, and write its purpose."""
    sheet.texts.append((0, y, 4.0, f"N, this side up: {words}"))
    sheet.lines += [("mark", -6, y + 5, 0, y + 10), ("mark", 0, y + 10, 6, y + 5)]


def _ring(
    sheet: Sheet, middle: tuple[float, float], light: tuple[float, float], pitch_mm: float
) -> None:
    """Add a light-guide ring, which carries the light of a place around the piece. The ring's ear
    covers the place's LED.
    """
    (x, y), (east, north) = middle, light
    inner, outer = PieceBody().diameter_mm / 2 + 0.5, min(pitch_mm / 2 - 0.4, 17.2)
    away, toward = math.hypot(east, north), math.atan2(north, east)
    points = []
    for at in range(RING_CORNERS + 1):
        angle = 2 * math.pi * at / RING_CORNERS
        off = angle - toward
        ear = EAR_MM**2 - (away * math.sin(off)) ** 2
        r = outer
        if ear > 0 and math.cos(off) > 0:
            r = max(r, away * math.cos(off) + math.sqrt(ear))
        points.append((x + r * math.cos(angle), y + r * math.sin(angle)))
    sheet.path("cut", points)
    sheet.circles.append(("cut", x, y, 2 * inner))


def _gimbal_ring(frame: Frame) -> Sheet:
    """Return the gimbal's ring around the plate. Each line on the drill layer is a hole through a
    side of the ring, parallel to the plywood.
    """
    x, y, far, deep = frame.ring_mm
    ring = Sheet("gimbal-ring", max(far, deep))
    ring.outline(measures.corners(far, deep))
    ring.outline(measures.corners(x, y))
    ring.circles += [("drill", *at, SCREW_MM) for at in frame.stop_screws]
    # The plate's axles run east and west; the ring's axles run north and south.
    for sign in (-1, 1):
        for off in (0.0, measures.LOCK_OFF_MM):
            ring.lines.append(("drill", sign * x, off, sign * far, off))
            ring.lines.append(("drill", -sign * off, sign * y, -sign * off, sign * deep))
    _mark_sheet(ring, y + 10, f"ring, plywood {RING_THICK_MM:g} mm")
    ring.texts.append((0, -y - 14, 4.0, f"through the side: {AXLE_MM:g} mm, beside it {LOCK_MM:g}"))
    return ring


def _shelf(plans: Plans, frame: Frame) -> Sheet:
    """Return the shelf under the plate. The shelf carries the boards. The weight, the Pi and the
    bus bars are under the shelf.
    """
    corners = frame.shelf_outline
    shelf = Sheet("shelf", max(max(map(abs, corner)) for corner in corners))
    shelf.outline(corners)
    shelf.circles += [("drill", x, y, measures.ROD_HOLE_MM) for x, y in frame.rods]
    shelf.circles += [("drill", *at, 3.2) for at in plans.standoffs()]
    middle = {"gimbal": (measures.DISC_HOLE_MM, WEIGHT_ACROSS_MM)}
    middle["turntable"] = (measures.SLIP_RING_MM, measures.TURNTABLE_MM)
    for layer, across in zip(("drill", "mark"), middle.get(frame.stands, ()), strict=False):
        shelf.circles.append((layer, 0.0, 0.0, across))
    for name, (west, east, south, north, *_) in frame.below_shelf.items():
        shelf.box(west, east, south, north, f"{name}, below")
        if name == "Pi":
            wide, long = PI_HOLES_MM[1] / 2, PI_HOLES_MM[0] / 2
            for sx, sy in itertools.product((-wide, wide), (-long, long)):
                at = ((west + east) / 2 + sx, (south + north) / 2 + sy)
                shelf.circles.append(("drill", *at, PI_SCREW_MM))
    _mark_sheet(shelf, 20, f"shelf, plywood {measures.SHELF_MM:g} mm")
    return shelf


def _base(frame: Frame) -> Sheet:
    """Return the board on the table top that carries the posts and the supply."""
    corners = frame.base_outline
    base = Sheet("base", max(max(map(abs, corner)) for corner in corners))
    base.outline(corners)
    if frame.stands == "gimbal":
        base.circles += [("drill", x, y, SCREW_MM) for x, y in frame.foot_screws]
    for name, (west, east, south, north, *_) in frame.on_base.items():
        base.box(west, east, south, north, name)
    _mark_sheet(base, 0, f"base, plywood {measures.BASE_MM:g} mm")
    return base


def _overlays(profile: Profile, game: str, kind: GameType) -> Iterator[Sheet]:
    """Yield a drawing of each different board of a game, the default board first."""
    seen = set()
    for number, preset in enumerate(kind.presets):
        made = kind.create(preset.options)
        key = frozenset(made.board.items()), frozenset(made.blocked)
        if key in seen:
            continue
        seen.add(key)
        if any(look.form == "platform" for look in kind.looks.values()):
            yield _zones(profile, made, f"overlay-{game}")
            continue
        try:
            overlay = Overlay(profile, made)
        except BoardDoesNotFitError:
            continue
        board = preset.choices.get("Board", "") if number else ""
        slug = "-".join(re.findall(r"[a-z0-9]+", board.lower()))
        sheet = _overlay(profile, overlay, made, f"overlay-{game}{'-' * bool(slug)}{slug}")
        if kind.look.form == "tile":
            sheet.circles += _pegs(profile, set(overlay.index_of_game_place.values()))
        yield sheet


def _pegs(profile: Profile, filled: set[int]) -> Iterator[tuple[str, float, float, float]]:
    """Yield the pegs at the points where four places meet. Yield nothing if no tiles can slide
    between pegs.
    """
    wide, half, peg = profile.columns, profile.pitch_mm / 2, peg_mm(profile.pitch_mm)
    for index in filled if 0 < peg < TILE_HAT_MM else ():
        others = {index + 1, index + wide, index + wide + 1}
        if (index + 1) % wide and others <= filled:
            x, y = profile.centre_mm(index)
            yield "mark", x + half, y + half, 2 * peg


def _overlay(profile: Profile, overlay: Overlay, game: Game, name: str) -> Sheet:
    half, across, drawing = profile.plate_mm / 2, PieceBody().diameter_mm, game.drawing
    sheet = Sheet.square(name, half)
    for place, index in overlay.index_of_game_place.items():
        x, y = profile.centre_mm(index)
        if place in game.blocked:
            sheet.circles += [("mark", x, y, across - 4 * ring) for ring in range(6)]
            continue
        sheet.circles.append(("mark", x, y, across))
        label = game.labels.get(str(place), str(place))
        sheet.texts.append((x, y - across / 2 - 2.8, 2.2, label))
    low = profile.centre_mm(0)

    def placed(at: Sequence[float]) -> tuple[float, float]:
        return low[0] + at[0] * profile.pitch_mm, low[1] + at[1] * profile.pitch_mm

    for track in drawing.tracks if drawing else ():
        for first in range(0, len(track) - 1, 3):
            curve = track[first : first + 4]
            sheet.path("mark", (placed(_bezier(curve, step / 12)) for step in range(13)))
    if drawing and drawing.hole:
        sheet.circles.append(("mark", *placed(drawing.hole), profile.pitch_mm))
    sheet.texts.append((0, half - 6, 5.0, name.removeprefix("overlay-").replace("-", " ")))
    return sheet


def _bezier(points: Sequence[tuple[float, float]], t: float) -> tuple[float, float]:
    shares = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x, y = (sum(s * p[axis] for s, p in zip(shares, points, strict=True)) for axis in (0, 1))
    return x, y


def _zones(profile: Profile, game: Game, name: str) -> Sheet:
    """Return a drawing of a platform's zones. The zones are wedges around the centre, clockwise
    from the north, as the table's web page shows them.
    """
    half = profile.plate_mm / 2
    sheet = Sheet.square(name, half)
    rim, hub, count = half - 15, half / 6, len(game.board)
    sheet.circles += [("mark", 0.0, 0.0, 2 * rim), ("mark", 0.0, 0.0, 2 * hub)]
    for at, zone in enumerate(sorted(game.board)):
        angle = 2 * math.pi * at / count
        edge = angle + math.pi / count
        x, y = math.sin(edge), math.cos(edge)
        sheet.lines.append(("mark", hub * x, hub * y, rim * x, rim * y))
        sheet.texts.append((rim * math.sin(angle) * 0.35, rim * math.cos(angle) * 0.35, 9.0, zone))
    return sheet


def dxf(sheet: Sheet) -> str:
    """Return a sheet in the DXF format of AutoCAD R12, which all cutting machines read."""
    out: list[object] = [0, "SECTION", 2, "HEADER", 9, "$ACADVER", 1, "AC1009", 0, "ENDSEC"]
    out += [0, "SECTION", 2, "TABLES", 0, "TABLE", 2, "LAYER", 70, len(COLOURS)]
    for layer, colour in COLOURS.items():
        out += [0, "LAYER", 2, layer, 70, 0, 62, colour, 6, "CONTINUOUS"]
    out += [0, "ENDTAB", 0, "ENDSEC", 0, "SECTION", 2, "ENTITIES"]
    for layer, x0, y0, x1, y1 in sheet.lines:
        out += [0, "LINE", 8, layer, 10, x0, 20, y0, 30, 0.0, 11, x1, 21, y1, 31, 0.0]
    for layer, x, y, across in sheet.circles:
        out += [0, "CIRCLE", 8, layer, 10, x, 20, y, 30, 0.0, 40, across / 2]
    for x, y, high, words in sheet.texts:
        out += [0, "TEXT", 8, "text", 10, x, 20, y, 30, 0.0, 40, high, 1, words]
        out += [72, 1, 11, x, 21, y, 31, 0.0]
    out += [0, "ENDSEC", 0, "EOF"]
    return "".join(f"{round(each, 4) if isinstance(each, float) else each}\n" for each in out)


def svg(sheet: Sheet) -> str:
    """Return a sheet as SVG, with lengths in mm."""
    half = sheet.half_mm + 2
    colours = {"cut": "red", "drill": "blue", "mark": "black"}
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * half:g}mm" height="{2 * half:g}mm"'
        f' viewBox="{-half:g} {-half:g} {2 * half:g} {2 * half:g}" fill="none"'
        f' stroke-width="{PEN_MM}">'
    ]
    for layer, x0, y0, x1, y1 in sheet.lines:
        ends = f'x1="{x0:.3f}" y1="{-y0:.3f}" x2="{x1:.3f}" y2="{-y1:.3f}"'
        out.append(f'<line {ends} stroke="{colours[layer]}"/>')
    for layer, x, y, across in sheet.circles:
        middle = f'cx="{x:.3f}" cy="{-y:.3f}" r="{across / 2:.3f}"'
        out.append(f'<circle {middle} stroke="{colours[layer]}"/>')
    for x, y, high, words in sheet.texts:
        out.append(
            f'<text x="{x:.3f}" y="{-y:.3f}" font-size="{high}" text-anchor="middle" fill="black"'
            f' stroke="none" font-family="sans-serif">{escape(words)}</text>'
        )
    return "\n".join([*out, "</svg>", ""])


def pdf(sheet: Sheet) -> bytes:
    """Return a sheet as a PDF of A4 pages, starting at the upper left. Printed without scaling,
    each page shows 180 x 260 mm of the sheet.
    """
    across, down = (math.ceil(2 * sheet.half_mm / each) for each in PRINTED_MM)
    objects: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    size, pages = " ".join(f"{each * MM_PT:.3f}" for each in PAGE_MM), []
    for row, column in itertools.product(range(down), range(across)):
        page = _page(sheet, column, row, across, down).encode("latin-1", "replace")
        packed = zlib.compress(page)
        head = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed)
        objects.append(head + packed + b"\nendstream")
        about = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size}]"
            f" /Contents {len(objects)} 0 R /Resources << /Font << /F 3 0 R >> >> >>"
        )
        objects.append(about.encode())
        pages.append(f"{len(objects)} 0 R")
    kids = " ".join(pages)
    objects[1] = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    out, places = b"%PDF-1.4\n", []
    for at, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (at, content)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    tail = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{tail}".encode()


def _page(sheet: Sheet, column: int, row: int, across: int, down: int) -> str:
    west, east = MARGIN_MM[0], PAGE_MM[0] - MARGIN_MM[0]
    low, high = MARGIN_MM[1], PAGE_MM[1] - MARGIN_MM[1]
    left = west + sheet.half_mm - column * PRINTED_MM[0]
    top = high - sheet.half_mm + row * PRINTED_MM[1]
    out = [f"{MM_PT:.6f} 0 0 {MM_PT:.6f} 0 0 cm {PEN_MM} w"]
    # Marks at the page's corners. When the pages are joined, the marks of each page cover the marks
    # of the next page.
    for x, y in itertools.product((west, east), (low, high)):
        out.append(f"{x - 4} {y} m {x + 4} {y} l S {x} {y - 4} m {x} {y + 4} l S")
    out.append(f"{west} 8 m {west + RULER_MM} 8 l S")
    for at in range(0, RULER_MM + 1, 10):
        out.append(f"{west + at} 8 m {west + at} {11 if at % 50 == 0 else 9.5} l S")
    said = f"{sheet.name}: column {column + 1} of {across}, row {row + 1} of {down}"
    out.append(_words(west + RULER_MM + 4, 7, 2.4, said, start=True))
    out.append(_words(west, 3.5, 2.4, f"this ruler is {RULER_MM} mm long", start=True))
    out.append(f"q {west} {low} {east - west} {high - low} re W n")
    for _, x0, y0, x1, y1 in sheet.lines:
        out.append(f"{left + x0:.3f} {top + y0:.3f} m {left + x1:.3f} {top + y1:.3f} l S")
    for _, x, y, wide in sheet.circles:
        out.append(_circle(left + x, top + y, wide / 2))
    for x, y, size, words in sheet.texts:
        out.append(_words(left + x, top + y, size, words))
    return "\n".join([*out, "Q"])


def _circle(x: float, y: float, r: float) -> str:
    turns = (math.tau * step / CIRCLE_CORNERS for step in range(CIRCLE_CORNERS))
    points = [f"{x + r * math.cos(turn):.3f} {y + r * math.sin(turn):.3f}" for turn in turns]
    return f"{points[0]} m {' l '.join(points[1:])} l s"


def _words(x: float, y: float, size: float, words: str, *, start: bool = False) -> str:
    at = x if start else x - 0.26 * size * len(words)
    safe = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F {size} Tf {at:.3f} {y:.3f} Td ({safe}) Tj ET"


def sheet_files(plans: Plans) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each sheet in all three formats."""
    for sheet in sheets(plans):
        yield f"sheets/{sheet.name}.dxf", dxf(sheet).encode()
        yield f"sheets/{sheet.name}.svg", svg(sheet).encode()
        yield f"sheets/{sheet.name}.pdf", pdf(sheet)

"""The printed parts: the games' pieces, tools for making the pieces, and the gimbal's parts.

A piece is a cup with a magnet on its floor. Ballast fills the cup until the piece has the mass that
the simulation assumes. A lid with the mark of the magnet's pole closes the cup. Lengths are in mm,
masses in g. Needs manifold3d (the extra ``make``).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tiltboard.firmware_host.config import platform
from tiltboard.firmware_host.perception.field import STRONG, WEAK, Disc
from tiltboard.games.base import PEG_ROOM_MM, TILE_HAT_MM, TILE_STEM_MM, PieceBody, peg_mm
from tiltboard.games.registry import HOSTED
from tiltboard_plans import frame as f

FLOOR, LID, WALL, FIT, CHAMFER = 0.8, 1.6, 1.6, 0.15, 0.5
# The ballast is brass shot in epoxy, because steel would disturb the magnetic field.
PLA_G_CM3, BALLAST_G_CM3, MAGNET_G_CM3 = 1.24, 5.5, 7.5
# Heights above the circuit board in mm of two components: the Hall element of a DRV5055 in a SOT-23
# package, and a WS2812B light.
ELEMENT_MM, LIGHT_HIGH_MM = 0.7, 1.6
_AROUND = 96


def _disc_mm3(across: float, high: float) -> float:
    return math.pi * across**2 / 4 * high


@dataclass(frozen=True, slots=True)
class Piece:
    """A kind of piece with its printed bodies, its magnet, and the players that use pieces of this
    kind.
    """

    name: str
    players: tuple[str, ...]
    body: PieceBody
    magnet: Disc
    cup: Any
    lid: Any
    bores: list[tuple[float, float, float]]
    """The cylinders that make up the hollow inside of the piece. Each cylinder is a lower height,
    an upper height and a diameter in mm.
    """
    tile: bool
    """True if the piece is a tile, which has a stem under its hat."""

    @property
    def printed_g(self) -> float:
        """The mass in g of the cup and the lid if both are printed solid."""
        return float(self.cup.volume() + self.lid.volume()) / 1000 * PLA_G_CM3

    @property
    def magnet_g(self) -> float:
        """The mass of the magnet in g."""
        return _disc_mm3(self.magnet.diameter_mm, self.magnet.height_mm) / 1000 * MAGNET_G_CM3

    @property
    def ballast_g(self) -> float:
        """The mass of ballast that the piece needs, in g."""
        return self.body.mass_g - self.printed_g - self.magnet_g

    @property
    def room_g(self) -> float:
        """The maximum mass of ballast that fits into the piece, in g."""
        room = sum(_disc_mm3(across, high - low) for low, high, across in self.bores)
        room -= _disc_mm3(self.bores[-1][2], LID)
        room -= _disc_mm3(self.magnet.diameter_mm, self.magnet.height_mm)
        return room / 1000 * BALLAST_G_CM3


def _manifold() -> Any:
    return import_module("manifold3d").Manifold


def _cylinder(across: float, low: float, high: float, top: float | None = None) -> Any:
    end = across if top is None else top
    solid = _manifold().cylinder(high - low, across / 2, end / 2, _AROUND)
    return solid.translate((0, 0, low))


def _outline(body: PieceBody, *, tile: bool) -> list[tuple[float, float, float]]:
    """Return the bottom, top and diameter of each section of a piece in mm, starting with the
    lowest section.
    """
    foot, below, above = TILE_HAT_MM, TILE_STEM_MM, body.diameter_mm
    if not tile:
        if body.mast_mm is None:
            return [(0.0, body.height_mm, body.diameter_mm)]
        foot, below, above = body.foot_mm, body.diameter_mm, body.mast_mm
    return [(0.0, foot, below), (foot, body.height_mm, above)]


def _bores(parts: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Return the bottom, top and diameter of each section of the hollow inside of a piece.
    ``parts``: the sections of the piece.
    """
    bores = []
    for at, (low, high, across) in enumerate(parts):
        wider = at and across > parts[at - 1][2]
        bottom = FLOOR if not at else low + (WALL if wider else 0.0)
        top = high + WALL if at + 1 < len(parts) and parts[at + 1][2] > across else high
        narrowest = across if wider else min(a for _, _, a in parts[at:])
        bores.append((bottom, top, narrowest - 2 * WALL))
    return bores


def _piece(
    name: str, players: tuple[str, ...], body: PieceBody, magnet: Disc, *, tile: bool
) -> Piece:
    parts = _outline(body, tile=tile)
    bores = _bores(parts)
    first, *more = (
        _cylinder(across - 2 * CHAMFER, low, low + CHAMFER, across)
        + _cylinder(across, low + CHAMFER, high)
        for low, high, across in parts
    )
    cup = sum(more, first)
    for low, high, across in bores:
        # A pocket in the cup's floor keeps the magnet in the centre.
        if low == FLOOR:
            pocket = FLOOR + magnet.height_mm
            cup -= _cylinder(magnet.diameter_mm + 2 * FIT, FLOOR, high)
            cup -= _cylinder(across, pocket, high + (1.0 if high == body.height_mm else 0.0))
        else:
            cup -= _cylinder(across, low, high + 1.0)
    lid = _cylinder(bores[-1][2] - 2 * FIT, 0, LID)
    return Piece(name, players, body, magnet, cup, lid, bores, tile)


def pieces(pitch_mm: float = 35.0) -> Iterator[Piece]:
    """Yield each kind of piece that the games use, once with a strong magnet and once with a weak
    magnet.
    """
    found: dict[tuple[PieceBody, bool], list[str]] = {}
    for game, kind in HOSTED.items():
        looks = {"pieces": kind.look, **kind.looks}
        for piece, look in looks.items():
            if look.form == "platform":
                continue  # A platform is a place and not a piece, so skip the platform.
            who = found.setdefault((look.body.beside(pitch_mm), look.form == "tile"), [])
            said = f"{game}: {piece.rpartition('-')[2]}"
            if said not in who:
                who.append(said)
    for (body, tile), players in found.items():
        form = "tile" if tile else "ship" if body.mast_mm is not None else "disc"
        for strength, magnet in (("strong", STRONG), ("weak", WEAK)):
            name = f"{form}-{body.diameter_mm:g}-{body.mass_g:g}g-{strength}"
            yield _piece(name, tuple(players), body, magnet, tile=tile)


def with_pole_mark(lid: Any, pole: str) -> Any:
    """Return the lid with a mark for the pole that faces the sensor: a groove for north, a cross
    for south.
    """
    for angle in (0, 90) if pole == "south" else (0,):
        groove = _manifold().cube((7.0, 1.6, 1.0), True).rotate((0, 0, angle))
        lid -= groove.translate((0, 0, LID))
    return lid


def pusher(pole: str) -> Any:
    """Return a tool for inserting a magnet the right way up. The magnet in the tool's tip attracts
    only one pole of other magnets. The tool for north has a round handle, and the tool for south
    has a square handle.
    """
    across = STRONG.diameter_mm
    rod = _cylinder(across - 1, 0, 45)
    handle = (
        _cylinder(22, 45, 57)
        if pole == "north"
        else _manifold().cube((20, 20, 12)).translate((-10, -10, 45))
    )
    return rod + handle - _cylinder(WEAK.diameter_mm + 2 * FIT, -1, WEAK.height_mm + 0.2)


def calibration_jig(gap_mm: float) -> Any:
    """Return a jig for testing a bare row board, which holds a 28 mm piece centred over one sensor.

    The magnet's face is ``gap_mm`` above the Hall element. Arrows on four sides help to centre the
    jig.
    """
    across = PieceBody().diameter_mm
    seat = gap_mm + ELEMENT_MM - FLOOR
    jig = _cylinder(across + 5, 0, seat + 4) - _cylinder(across + 2 * FIT, seat, seat + 5)
    jig -= _cylinder(12, -1, seat - 2)
    for turn in range(4):
        arrow = _manifold().cylinder(seat + 6, 2.0, 2.0, 3).translate((across / 2 + 3.2, 0, -1))
        jig -= arrow.rotate((0, 0, 90 * turn))
    return jig


def sliding(pitch_mm: float, hat_mm: float) -> Iterator[tuple[str, Any]]:
    """Yield the name and body of two parts for sliding tiles: the peg, and the ring that is placed
    around an arrived tile.

    Tiles slide between pegs. The ring around a tile's stem is too wide to pass between pegs, and
    narrower than the tile's hat, whose diameter is ``hat_mm``. Yields nothing if pegs would reach
    up to the hats.
    """
    peg = peg_mm(pitch_mm)
    if not 0 < peg < TILE_HAT_MM:
        return
    yield "tile-peg", _manifold().sphere(peg, _AROUND).trim_by_plane((0, 0, 1), 0)
    ring = _cylinder(hat_mm - 1, 0, TILE_HAT_MM - 2)
    yield "tile-ring", ring - _cylinder(TILE_STEM_MM + PEG_ROOM_MM, -1, TILE_HAT_MM)


def stl(solid: Any) -> bytes:
    """Return a solid as the content of a binary STL file."""
    np, mesh = import_module("numpy"), solid.to_mesh()
    fields = [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attributes", "<u2")]
    faces = np.zeros(len(mesh.tri_verts), fields)
    faces["corners"] = mesh.vert_properties[:, :3][mesh.tri_verts]
    return bytes(80) + struct.pack("<I", len(faces)) + bytes(faces.tobytes())


def piece_files(gap_mm: float, pitch_mm: float = 35.0) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file for printing the games' pieces and the tools to make
    and test pieces.
    """
    rows = [
        "| file | for | printed | magnet | ballast | weighs |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    made = tuple(pieces(pitch_mm))
    for piece in made:
        yield f"pieces/{piece.name}.stl", stl(piece.cup)
        for pole in ("north", "south"):
            yield f"pieces/{piece.name}-lid-{pole}.stl", stl(with_pole_mark(piece.lid, pole))
        rows.append(
            f"| {piece.name} | {', '.join(piece.players)} | {piece.printed_g:.1f} g |"
            f" {piece.magnet_g:.1f} g | {piece.ballast_g:.1f} g | {piece.body.mass_g:g} g |"
        )
    for name, solid in sliding(pitch_mm, max(p.body.diameter_mm for p in made if p.tile)):
        yield f"pieces/{name}.stl", stl(solid)
    for pole in ("north", "south"):
        yield f"pieces/pusher-{pole}.stl", stl(pusher(pole))
    yield "pieces/calibration-jig.stl", stl(calibration_jig(gap_mm))
    yield "pieces/pieces.md", "\n".join([*rows, ""]).encode()


# The functions below make the parts of the gimbal: bearings, stops, posts and the tray for the
# weight. In each part, the axle lies along x.

AXLE_FIT = 0.2


def _block(size: tuple[float, float, float], at: tuple[float, float, float]) -> Any:
    return _manifold().cube(size, True).translate(at)


def _bore(across: float, x: float, y: float, z: float, *, upright: bool = False) -> Any:
    """Return a cylinder that cuts a hole through a whole part, either along x or upright."""
    hole = _manifold().cylinder(400, across / 2 + AXLE_FIT / 2, -1.0, 48).translate((0, 0, -200))
    return hole.translate((x, y, 0)) if upright else hole.rotate((0, 90, 0)).translate((0, y, z))


def axle_holes() -> Any:
    """Return the hole for an axle, and the hole for the pin that locks the axle."""
    return _bore(platform.AXLE_MM, 0, 0, 0) + _bore(platform.LOCK_MM, 0, f.LOCK_OFF_MM, 0)


def _arrow(x: float, y: float, z: float) -> Any:
    """Return a groove that marks the upper side of a part. The groove is an arrow that points
    toward the middle of the plate or of the ring.
    """
    return _manifold().cylinder(2.0, 4.0, -1.0, 3).translate((x, y, z - 0.6))


def _bearing() -> Any:
    """Return a bearing, which is screwed under an ear of the plate."""
    long, wide = f.BEARING_MM
    low = -platform.AXLE_MM / 2 - 6
    block = _block((long, wide, f.UNDER_MM - low), (0, 0, (f.UNDER_MM + low) / 2)) - axle_holes()
    for side in (-f.SCREW_OFF_MM, f.SCREW_OFF_MM):
        block -= _bore(4.0, 0, side, 0, upright=True)
    return block - _arrow(0, -8, f.UNDER_MM)


def _stop() -> Any:
    """Return a stop, which is screwed under the ring and limits the plate's tilt.

    The stop is ``f.STOP_OFF_MM`` away from the plate's axle and reaches inward under an ear. At the
    maximum tilt, the ear touches the stop. The position x = 0 is at the inner side of the ring.
    """
    turn = math.radians(platform.STOP_DEG)
    far = f.STOP_OFF_MM + f.STOP_WIDE_MM / 2
    top = f.UNDER_MM / math.cos(turn) - far * math.tan(turn)
    under = -platform.RING_THICK_MM / 2
    low, reach = under - 8, platform.RING_GAP_MM + 14
    made = _block((f.STOP_HOLD_MM, f.STOP_WIDE_MM, 8), (f.STOP_HOLD_MM / 2, 0, low + 4))
    made += _block((reach, f.STOP_WIDE_MM, 8), (-reach / 2, 0, low + 4))
    nose = reach - 1
    made += _block((nose, f.STOP_WIDE_MM, top - low), (-1 - nose / 2, 0, (top + low) / 2))
    for at in (f.STOP_HOLD_MM / 3, 2 * f.STOP_HOLD_MM / 3):
        made -= _bore(3.5, at, 0, 0, upright=True)
    return made


def _post(high_mm: float) -> Any:
    """Return a post, which carries the ring's axle ``high_mm`` above the base.

    The ring is to the west of the post. The post's arms reach under the ring and stop the ring at
    the maximum tilt.
    """
    long, wide, foot = f.FOOT_MM
    turn = math.radians(platform.STOP_DEG)
    made = _block((long, wide, foot), (0, 0, foot / 2 - high_mm))
    made += _block((f.POST_THICK_MM, 40, 12 + high_mm), (0, 0, (12 - high_mm) / 2))
    far = f.POST_ARM_MM + f.ARM_THICK_MM / 2
    top = -platform.RING_THICK_MM / 2 / math.cos(turn) - far * math.tan(turn)
    west, east = -f.POST_THICK_MM / 2 - f.POST_GAP_MM - 20, f.POST_THICK_MM / 2
    for side in (-f.POST_ARM_MM, f.POST_ARM_MM):
        size = (east - west, f.ARM_THICK_MM, top + high_mm)
        made += _block(size, ((east + west) / 2, side, (top - high_mm) / 2))
    for x in (-f.FOOT_SCREW_MM[0], f.FOOT_SCREW_MM[0]):
        for y in (-f.FOOT_SCREW_MM[1], f.FOOT_SCREW_MM[1]):
            made -= _manifold().cylinder(foot + 2, 2.1, -1.0, 24).translate((x, y, -high_mm - 1))
    return made - axle_holes()


def _weight_tray(high_mm: float) -> Any:
    """Return the tray under the shelf that holds the discs of the weight. ``high_mm``: total height
    of all discs.
    """
    across = platform.WEIGHT_ACROSS_MM
    tray = _manifold().cylinder(high_mm + f.TRAY_MM, across / 2 + 3, -1.0, 96)
    room = _manifold().cylinder(high_mm + f.TRAY_MM, across / 2 + AXLE_FIT, -1.0, 96)
    return tray - room.translate((0, 0, f.TRAY_MM)) - _bore(8.0, 0, 0, 0, upright=True)


def gimbal_parts(frame: f.Frame) -> Iterator[tuple[str, Any]]:
    """Yield the name and body of each printed part of the gimbal."""
    yield "gimbal-bearing-two-of-it", _bearing()
    yield "gimbal-stop-four-of-it", _stop()
    yield "gimbal-post-two-of-it", _post(-frame.base_top_mm)
    yield "weight-tray", _weight_tray(frame.discs * f.DISC_MM)

"""A circuit board's manufacturing files: Gerber layers (Ucamco's specification, X2) and Excellon
drill files.

This module writes the files without KiCad, so that people can order a board on a machine without
KiCad. `make plans-check` compares the files with KiCad's own files. Lengths are in mm, x to the
right and y up from the lower left corner.
"""

from __future__ import annotations

import io
import zipfile
from collections import defaultdict

from tiltboard_plans.board import Board, Point, table

MICRON = 1_000_000  # Number of coordinate units per mm. The file format has six decimal places.
SILK_MM, EDGE_MM = 0.15, 0.1
# Fixed date of each file in the archive, so that equal boards give equal archives.
WHEN = (2026, 1, 1, 0, 0, 0)
Aperture = tuple[float, ...]
LAYERS = {
    "F_Cu.gtl": "Copper,L1,Top",
    "B_Cu.gbl": "Copper,L2,Bot",
    "F_Mask.gts": "Soldermask,Top",
    "B_Mask.gbs": "Soldermask,Bot",
    "F_Paste.gtp": "Paste,Top",
    "F_Silkscreen.gto": "Legend,Top",
    "Edge_Cuts.gm1": "Profile,NP",
}  # The function of each layer in Gerber X2, by the ending of the layer's file name in KiCad.


class Layer:
    """One Gerber file. ``function``: the layer's function, a value of ``LAYERS``."""

    def __init__(self, board: Board, function: str) -> None:
        self._left, _, _, self._bottom = board.edge
        self._function = function
        self._apertures: dict[Aperture, int] = {}
        self._lines: list[str] = []

    def flash(self, at: Point, *size: float) -> None:
        """Add a filled shape at a point. With one number as ``size``, the shape is a disc with this
        diameter. With two numbers, the shape is a rectangle with this width and height.
        """
        self._use(size)
        self._lines.append(f"{self._at(at)}D03*")

    def draw(self, width: float, *points: Point) -> None:
        """Add a line of the given width that runs along ``points``."""
        self._use((width,))
        for number, point in enumerate(points):
            self._lines.append(f"{self._at(point)}D0{1 if number else 2}*")

    def text(self) -> str:
        """Return the content of the Gerber file."""
        named = [
            f"%ADD{code}{'RC'[len(size) == 1]},{'X'.join(f'{each:.6f}' for each in size)}*%"
            for size, code in self._apertures.items()
        ]
        head = [
            "%TF.GenerationSoftware,tiltboard,tiltboard*%",
            f"%TF.FileFunction,{self._function}*%",
        ]
        head += ["%TF.FilePolarity,Positive*%", "%FSLAX46Y46*%", "%MOMM*%", "%LPD*%", "G01*"]
        return "\n".join([*head, *named, *self._lines, "M02*", ""])

    def _use(self, size: Aperture) -> None:
        code = self._apertures.setdefault(size, 10 + len(self._apertures))
        self._lines.append(f"D{code}*")

    def _at(self, point: Point) -> str:
        x, y = point[0] - self._left, self._bottom - point[1]
        return f"X{round(x * MICRON)}Y{round(y * MICRON)}"


def layers(board: Board) -> dict[str, str]:
    """Return the content of each Gerber file, by the ending of the file's name."""
    made = {end: Layer(board, function) for end, function in LAYERS.items()}
    front, back, front_mask, back_mask, paste, silk, outline = made.values()
    for part in board.components.values():
        for pad in part.pads:
            # Pads with holes are round, except for the pad of pin 1. KiCad's file does the same.
            size = pad.size[:1] if pad.drill and pad.number != "1" else pad.size
            through, flat = (front, front_mask, back, back_mask), (front, front_mask, paste)
            for layer in through if pad.drill else flat:
                layer.flash(pad.at, *size)
        left, top, right, bottom = part.outline_mm
        silk.draw(SILK_MM, *_around(left, top, right, bottom))
        _write(silk, part.ref, ((left + right) / 2, bottom + 0.7), 0.8)
    for track in board.tracks:
        (front if track.side == "F" else back).draw(track.width, *track.points)
    for via in board.vias:
        for layer in (front, back):
            layer.flash(via.at, via.size)
    for at, drill in board.holes:
        for layer in (front_mask, back_mask):
            layer.flash(at, drill)
    for *around, _ in board.stands:
        silk.draw(SILK_MM, *_around(*around))
    for at, words in board.texts:
        _write(silk, words, at, 1.0)
    outline.draw(EDGE_MM, *_around(*board.edge))
    return {end: layer.text() for end, layer in made.items()}


def _around(left: float, top: float, right: float, bottom: float) -> list[Point]:
    return [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]


def drills(board: Board, *, plated: bool) -> str:
    """Return the Excellon drill file of the plated or the unplated holes, in mm with a decimal
    point.
    """
    left, _, _, bottom = board.edge
    holes: dict[float, list[Point]] = defaultdict(list)
    if plated:
        for part in board.components.values():
            for pad in part.pads:
                if pad.drill:
                    holes[pad.drill].append(pad.at)
        for via in board.vias:
            holes[via.drill].append(via.at)
    else:
        for at, drill in board.holes:
            holes[drill].append(at)
    lines = ["M48", "FMAT,2", "METRIC"]
    lines += [f"T{number}C{drill:.3f}" for number, drill in enumerate(sorted(holes), 1)]
    lines += ["%", "G90", "G05"]
    for number, drill in enumerate(sorted(holes), 1):
        lines.append(f"T{number}")
        lines += [f"X{x - left:.3f}Y{bottom - y:.3f}" for x, y in holes[drill]]
    return "\n".join([*lines, "M30", ""])


def order(board: Board) -> bytes:
    """Return a zip archive with all files of a board, ready to upload to a board maker."""
    out = io.BytesIO()
    files = layers(board)
    files |= {"PTH.drl": drills(board, plated=True), "NPTH.drl": drills(board, plated=False)}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for end, text in files.items():
            archive.writestr(zipfile.ZipInfo(f"{board.name}-{end}", WHEN), text)
    return out.getvalue()


def _write(silk: Layer, words: str, middle: Point, high: float) -> None:
    """Write text as strokes, centred on ``middle``. Characters are drawn on a grid with three
    columns and five rows, whose points are named "a" to "o". ``high``: height of the characters in
    mm.
    """
    strokes, unit = table("shapes")["strokes"], high / 4
    x = middle[0] - unit * (3 * len(words) - 1) / 2
    for letter in words.upper():
        for stroke in strokes.get(letter, "").split():
            lattice = [divmod(ord(point) - ord("a"), 3) for point in stroke]
            silk.draw(
                SILK_MM,
                *((x + unit * column, middle[1] + unit * (row - 2)) for row, column in lattice),
            )
        x += 3 * unit

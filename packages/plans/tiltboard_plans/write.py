"""The names and contents of the files that ``tiltboard plans`` writes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tiltboard.firmware_host.config.wiring import MatrixHall
from tiltboard_plans.assembly import Assembly
from tiltboard_plans.board import (
    Board,
    Component,
    netlist_text,
    pcb_text,
    schematic_text,
    table,
)
from tiltboard_plans.gerber import order
from tiltboard_plans.model import PARTS, Plans, parts_csv, parts_html, report
from tiltboard_plans.printed import gimbal_parts, piece_files, stl
from tiltboard_plans.sheets import sheet_files
from tiltboard_plans.steps import step_pictures
from tiltboard_plans.wiring import wiring_page


def files(plans: Plans) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file. The name includes the file's folder."""
    texts = {
        "report.md": report(plans),
        "wiring.md": wiring_page(plans.profile),
        "parts.csv": parts_csv(plans),
        "parts.html": parts_html(plans),
    }
    for name, board in plans.boards.items():
        texts[f"boards/{name}.kicad_pcb"] = pcb_text(board)
        texts[f"boards/{name}.kicad_sch"] = schematic_text(board)
        texts[f"boards/{name}.net"] = netlist_text(board)
        texts[f"boards/{name}-placement.csv"] = placement(board)
        texts[f"boards/{name}-parts.csv"] = board_parts(board)
    for name, text in texts.items():
        yield name, text.encode()
    for name, board in plans.boards.items():
        yield f"boards/{name}-gerbers.zip", order(board)
    profile = plans.profile
    yield from sheet_files(plans)
    if can_print() and not isinstance(profile.hall, MatrixHall):
        yield from step_pictures(Assembly.of(plans))
        yield from piece_files(profile.gap_mm, profile.pitch_mm)
        if plans.frame is not None and plans.frame.stands == "gimbal":
            for name, solid in gimbal_parts(plans.frame):
                yield f"pieces/{name}.stl", stl(solid)


EXPORTS = (
    ("gerbers", "-o", "{board}-kicad/"),
    ("drill", "-o", "{board}-kicad/", "--excellon-separate-th"),
    ("pos", "-o", "{board}-pos.csv", "--format", "csv", "--units", "mm"),
    ("step", "-o", "{board}.step", "--force", "--subst-models", "--include-tracks"),
    ("svg", "-o", "{board}.svg", "-l", "F.Cu,B.Cu,Edge.Cuts", "--page-size-mode", "2"),
)
"""Arguments of ``kicad-cli pcb export`` for the files that board makers need."""


def export(plans: Plans, folder: Path) -> bool:
    """Run KiCad to write STEP files, plots and placements of the boards into ``folder``.

    Returns False if ``kicad-cli`` of KiCad 9 is not installed or fails.
    """
    program = shutil.which("kicad-cli")
    if program is None:
        return False
    for name in plans.boards:
        for words in EXPORTS:
            how = [word.format(board=name) for word in words]
            line = [program, "pcb", "export", *how, f"{name}.kicad_pcb"]
            if subprocess.run(line, cwd=folder, capture_output=True, check=False).returncode:  # noqa: S603
                return False
    return True


def can_print() -> bool:
    """Return whether manifold3d is installed. The printed parts need this library."""
    return find_spec("manifold3d") is not None


def placement(board: Board) -> str:
    """Return a placement table, which lists the position and rotation of each part, in the format
    that board makers use.

    Positions are in mm from the board's lower left corner. Rotations are counterclockwise in
    degrees, relative to the orientation of KiCad's own footprint.
    """
    left, _, _, bottom = board.edge
    rows = ["Designator,Value,Package,Mid X,Mid Y,Rotation,Layer"]
    for part in _board_parts(board):
        pads = [pad for pad in part.pads if not pad.drill] or part.pads
        xs, ys = ([pad.at[axis] for pad in pads] for axis in (0, 1))
        x, y = (min(xs) + max(xs)) / 2 - left, bottom - (min(ys) + max(ys)) / 2
        kind = part.footprint or PARTS[part.part]["footprint"]
        turn = (table("shapes")["turns"].get(kind, 0) + 180 * part.turned) % 360
        words = _cells(part.ref, part.value, PARTS[part.part]["package"])
        rows.append(f"{words},{x:.3f},{y:.3f},{turn},top")
    return "\n".join([*rows, ""])


def board_parts(board: Board) -> str:
    """Return a board's parts list with designators, as CSV in the format that board makers use."""
    rows = ["Comment,Designator,Footprint,Quantity,Manufacturer,Manufacturer Part,LCSC Part"]
    refs: dict[str, list[str]] = {}
    for part in _board_parts(board):
        refs.setdefault(part.part, []).append(part.ref)
    for name, each in refs.items():
        about = PARTS[name]
        number = about.get("number", "")
        named = _cells(about["title"], ",".join(each), about["package"])
        bought = _cells(about.get("maker", ""), number, about.get("orders", {}).get("LCSC", ""))
        rows.append(f"{named},{len(each)},{bought}")
    return "\n".join([*rows, ""])


def _board_parts(board: Board) -> list[Component]:
    """Return the parts of a board, leaving out the pads for wires."""
    return [p for p in board.components.values() if p.footprint not in ("wire", "power")]


def _cells(*words: str) -> str:
    return ",".join(f'"{each}"' if "," in each else each for each in words)

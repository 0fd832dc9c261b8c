"""Tests of tiltboard_plans/board.py, row_board.py, matrix_board.py,
carrier.py and write.py: KiCad's own checks of the boards: `make plans-check` runs them; what passed
is in passed.json.
"""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tiltboard_plans.board import pcb_text, schematic_text
from tiltboard_plans.gerber import drills, layers
from tiltboard_plans.model import Plans
from tiltboard_plans.row_board import row_board
from tiltboard_plans.write import EXPORTS

KICAD = shlex.split(os.environ.get("TILTBOARD_KICAD", ""))
PASSED = Path(__file__).with_name("passed.json")
BUILT = Path(__file__).parents[3] / "build/plans"
TABLES = ("plate-10", "plate-10s", "own", "plate-13", "node", "plate-7", "matrix-gpio")
asked = pytest.mark.skipif(not KICAD, reason="KiCad is asked by make plans-check (docs/plans.md)")


def texts(plans: Plans) -> dict[str, str]:
    found = {}
    for name, board in plans.boards.items():
        found[f"{name}.kicad_pcb"] = pcb_text(board)
        found[f"{name}.kicad_sch"] = schematic_text(board)
    return found


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def near(found):
    """To 0.01 mm: KiCad rounds each place to a micrometre before it is shifted."""
    return Counter({(repr(round_all(key))): count for key, count in found.items()})


def round_all(key):
    if isinstance(key, frozenset):
        return sorted(map(round_all, key))
    if isinstance(key, tuple):
        return [*map(round_all, key)]
    return key if isinstance(key, str) else round(key, 2) + 0.0


@pytest.fixture
def kicad():
    """Runs kicad-cli on files in a folder of its own; status and all that it said."""
    root = Path(KICAD[1]) if KICAD[0] == "chroot" else Path("/")
    folder = root / "var/tmp/tiltboard-plans"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def run(*command: str, text: str | None = None) -> tuple[int, str]:
        file = folder / command[-1]
        if text is not None:
            file.write_text(text)
        line = shlex.join(["kicad-cli", *command])
        done = subprocess.run(
            [*KICAD, "sh", "-c", f"cd /var/tmp/tiltboard-plans && HOME=/tmp {line}"],
            capture_output=True,
            text=True,
            check=False,
        )
        report = folder / "report"
        return done.returncode, done.stdout + done.stderr + (
            report.read_text() if report.exists() else ""
        )

    run.folder = folder
    return run


CHECK = ("--severity-error", "--exit-code-violations", "-o", "report")


@asked
@pytest.mark.parametrize("name", TABLES)
def test_kicad_finds_nothing(table, kicad, name, plotted, drilled) -> None:
    plans = Plans.of(table(name))
    drawn = texts(plans)
    for file, text in drawn.items():
        check = ("pcb", "drc") if file.endswith("pcb") else ("sch", "erc")
        status, said = kicad(*check, *CHECK, file, text=text)
        assert status == 0, said
        assert "unconnected items" not in said or "Found 0 unconnected" in said
    out = BUILT / name
    for board in sorted({file.split(".")[0] for file in drawn}):
        pcb = f"{board}.kicad_pcb"
        for words in EXPORTS:
            command = [word.format(board=board) for word in words]
            status, said = kicad("pcb", "export", *command, pcb)
            assert status == 0, said
        status, said = kicad(
            "pcb", "render", "-o", f"{board}.png", "-w", "2400", "--height", "1600", pcb
        )
        assert status == 0, said
        assert (kicad.folder / f"{board}.step").stat().st_size > 1000
        made, ours = plans.boards[board], kicad.folder / f"{board}-kicad"
        # KiCad's board lies 20 mm from its page's corner, and y there goes down
        shift = (-20.0, made.size_mm[1] + 20.0)
        for end, text in layers(made).items():
            if end.startswith(("F_Cu", "B_Cu", "F_Mask", "B_Mask", "F_Paste", "Edge")):
                theirs = plotted((ours / f"{board}-{end}").read_text(), shift)
                assert near(plotted(text)) == near(theirs), end
        for end, plated in (("PTH", True), ("NPTH", False)):
            theirs = drilled((ours / f"{board}-{end}.drl").read_text(), shift)
            assert near(drilled(drills(made, plated=plated))) == near(theirs)
    shutil.copytree(kicad.folder, out, dirs_exist_ok=True)
    passed = json.loads(PASSED.read_text()) if PASSED.exists() else {}
    passed[name] = {file: digest(text) for file, text in drawn.items()}
    PASSED.write_text(json.dumps(passed, indent=1) + "\n")


def two_outputs_joined(pcb: str, sch: str) -> tuple[str, str]:
    return pcb, sch.replace('(global_label "S2"', '(global_label "S1"')


def a_pin_used_twice(pcb: str, sch: str) -> tuple[str, str]:
    return re.sub(r'(\(pad "2" smd [^\n]*)\(net \d+ "S3"\)', r'\1(net 1 "3V3A")', pcb), sch


def a_track_missing(pcb: str, sch: str) -> tuple[str, str]:
    return re.sub(r"^\(segment .*\n", "", pcb, count=1, flags=re.M), sch


def too_wide(pcb: str, sch: str) -> tuple[str, str]:
    return pcb.replace("(width 0.25)", "(width 0.9)"), sch


def too_dense(pcb: str, sch: str) -> tuple[str, str]:
    return pcb_text(row_board(29.0, 5)), sch


@asked
@pytest.mark.parametrize(
    "broken", [two_outputs_joined, a_pin_used_twice, a_track_missing, too_wide, too_dense]
)
def test_kicad_finds_what_is_broken(kicad, broken) -> None:
    board = row_board(35.0, 5)
    pcb, sch = broken(pcb_text(board), schematic_text(board))
    drc, said = kicad("pcb", "drc", *CHECK, "b.kicad_pcb", text=pcb)
    erc, more = kicad("sch", "erc", *CHECK, "b.kicad_sch", text=sch)
    assert drc == 5 or erc == 5, said + more


@pytest.mark.parametrize("name", TABLES)
def test_what_is_drawn_is_what_kicad_has_passed(table, name) -> None:
    drawn = {file: digest(text) for file, text in texts(Plans.of(table(name))).items()}
    assert json.loads(PASSED.read_text())[name] == drawn, "make plans-check has to run again"

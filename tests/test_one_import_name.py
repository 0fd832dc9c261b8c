"""Tests of tiltboard/__init__.py: everything is imported under one name, and under no other."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from setuptools import find_packages

ROOT = Path(__file__).parents[1]
FOLDERS = {"drivers", "firmware_host", "games", "hw_sim"}

# Imports what a table, its page and the simulation use, and prints each file with two names.
IMPORT_ALL = """
import sys
from importlib import import_module
from pathlib import Path
from tiltboard.firmware_host.cli.main import cli

for name in ("cli.serve", "cli.bringup", "scenario.run", "web.server", "engines.process"):
    import_module(f"tiltboard.firmware_host.{name}")
for name in ("session.live", "physics", "faults"):
    import_module(f"tiltboard.hw_sim.{name}")
import tiltboard.games.conformance
names = {}
for module in list(sys.modules.values()):
    if getattr(module, "__file__", None) and module.__name__ != "__main__":
        names.setdefault(Path(module.__file__).resolve(), set()).add(module.__name__)
assert len([name for name in sys.modules if name.startswith("tiltboard.")]) > 150
print(*(sorted(found) for found in names.values() if len(found) > 1), sep="\\n", end="")
"""


def imported_from(source: str) -> set[str]:
    """Return the top-level names that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found |= {each.name.split(".")[0] for each in names}
            case ast.ImportFrom(module=str(module), level=0):
                found.add(module.split(".")[0])
    return found


def test_no_source_imports_a_folder_by_its_bare_name():
    for folder in (*FOLDERS, "packages", "tests", ".ci"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not imported_from(path.read_text("utf-8")) & FOLDERS, path


def test_every_folder_is_linked_once():
    links = {
        each.name: each.readlink() for each in (ROOT / "tiltboard").iterdir() if each.is_symlink()
    }
    assert links == {name: Path("..", name) for name in FOLDERS}


def test_no_file_is_imported_under_two_names():
    shown = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert shown.stdout == ""


def test_an_installation_brings_one_top_level_name():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found = find_packages(str(ROOT), **project["tool"]["setuptools"]["packages"]["find"])
    assert {name.split(".")[0] for name in found} == {"tiltboard"}
    assert {f"tiltboard.{name}" for name in FOLDERS} <= set(found)


def test_a_folder_called_games_beside_a_program_is_not_in_the_way(tmp_path):
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('not ours')\n")
    shown = subprocess.run(
        [
            sys.executable,
            "-c",
            "from tiltboard.games.registry import game_type; print(game_type('momentum').name)",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert shown.stdout == "momentum\n"

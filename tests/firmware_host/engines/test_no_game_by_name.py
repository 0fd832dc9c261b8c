"""Tests of games/registry.py and firmware_host/engines/search/thinker.py: games bring what the
rest is to know of them: the searches know none by name, the host few.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

from tiltboard.games.registry import BUILT_IN, EVERY_GAME

ROOT = Path(__file__).parents[3]
OURS = {f"tiltboard.games.{name.replace('-', '_')}" for name in EVERY_GAME}
HOST = ROOT / "firmware_host"
SEARCH = sorted((HOST / "engines").rglob("*.py"))


def imported(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=found):
                names |= {each.name for each in found}
            case ast.ImportFrom(module=str(module), names=found):
                names |= {module} | {f"{module}.{each.name}" for each in found}
    return names


def test_no_engine_knows_a_game_by_name():
    for path in SEARCH:
        if path.parent.name != "games":
            text = path.read_text("utf-8")
            assert not games_in(text), path
            assert not [name for name in EVERY_GAME if f'"{name}"' in text], path


def test_the_host_imports_the_games_that_the_documents_say():
    """docs/architecture.md."""
    found = {
        str(path.relative_to(HOST))
        for path in HOST.rglob("*.py")
        if path.parent.name != "games" and games_in(path.read_text("utf-8"))
    }
    assert found == {"cli/rules.py"}


def test_only_its_folder_and_its_entry_point_name_the_game_of_seats():
    folders = ("drivers", "firmware_host", "hw_sim", "packages/online", "packages/kernels")
    named = [
        str(path.relative_to(ROOT))
        for folder in (*folders, "packages/plans", "tiltboard/ground", "games")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".js", ".html", ".css", ".toml")
        and not {"gravity_warfare", "tests"} & {*path.parts}
        and re.search(r"gravity.?warfare", path.read_text("utf-8"), re.IGNORECASE)
    ]
    assert named == []
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    assert [*points["tiltboard.games"]] == ["gravity-warfare"]
    assert "gravity-warfare" not in BUILT_IN and "gravity-warfare" in EVERY_GAME


def games_in(text: str) -> set[str]:
    """Of our games, those that a file imports."""
    return {".".join(name.split(".")[:3]) for name in imported(ast.parse(text))} & OURS


def test_an_import_of_a_game_would_be_found():
    found = imported(
        ast.parse(
            "from tiltboard.games.momentum.rules import State\nimport tiltboard.games.attraktion"
        )
    )
    assert {"tiltboard.games.momentum.rules", "tiltboard.games.attraktion"} <= found

"""The searches know no game by name: each game brings what it tells them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from games.registry import EVERY_GAME

ROOT = Path(__file__).parents[3]
OURS = {f"games.{name.replace('-', '_')}" for name in EVERY_GAME}
SEARCH = sorted((ROOT / "firmware_host/engines").rglob("*.py"))


def imported(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=found):
                names |= {each.name for each in found}
            case ast.ImportFrom(module=str(module), names=found):
                names |= {module} | {f"{module}.{each.name}" for each in found}
    return names


@pytest.mark.parametrize(
    "path",
    [path for path in SEARCH if path.parent.name != "games"],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_no_engine_imports_a_game(path):
    text = path.read_text("utf-8")
    names = {".".join(name.split(".")[:2]) for name in imported(ast.parse(text))}
    assert not names & OURS
    assert not [name for name in EVERY_GAME if f'"{name}"' in text]


def test_an_import_of_a_game_would_be_found():
    found = imported(ast.parse("from games.momentum.rules import State\nimport games.attraktion"))
    assert {"games.momentum.rules", "games.attraktion"} <= found

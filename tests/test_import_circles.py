"""Tests of tiltboard/__init__.py: no file or room imports what imports it, not even for a type."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOST = "tiltboard.firmware_host."


def modules() -> dict[str, Path]:
    """Return the project's modules by the names under which they are imported."""
    found = {}
    for top in (ROOT / "tiltboard", *(ROOT / "packages").glob("*/tiltboard_*")):
        folders = [top, *(each for each in top.iterdir() if each.is_dir())]
        for folder in folders:
            for path in folder.glob("*.py") if folder == top else folder.rglob("*.py"):
                parts = (top.name, *path.relative_to(top).with_suffix("").parts)
                found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports(source: str, known: Mapping[str, object]) -> Iterator[str]:
    """Yield the modules of ``known`` that a source imports, also within a function."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names if each.name in known)
            case ast.ImportFrom(module=str(module), level=0, names=names):
                whole = [f"{module}.{each.name}" for each in names]
                yield from (name if name in known else module for name in whole)


def room_of(module: str) -> str:
    """Return the part of the house in which a module stands: the first folders of its name."""
    return ".".join(module.split(".")[: 3 if module.startswith(HOST) else 2])


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """Map each module to those that it imports."""
    known = modules()
    return {
        name: set(imports(path.read_text("utf-8"), known)) & known.keys() - {name}
        for name, path in known.items()
    }


def test_no_module_imports_what_imports_it(graph):
    assert len(graph) > 300
    TopologicalSorter(graph).prepare()


def test_no_room_imports_what_imports_it(graph):
    rooms: dict[str, set[str]] = {}
    for module, used in graph.items():
        rooms.setdefault(room_of(module), set()).update(map(room_of, used))
    TopologicalSorter({name: used - {name} for name, used in rooms.items()}).prepare()


def test_an_import_for_a_type_closes_a_circle():
    sources = {
        "a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from b import B\n",
        "b": "def make():\n    import a\n",
    }
    with pytest.raises(CycleError, match="cycle"):
        TopologicalSorter(
            {name: set(imports(each, sources)) for name, each in sources.items()}
        ).prepare()


def test_a_game_that_comes_by_an_entry_point_is_named_in_its_own_folder_alone():
    own = "tiltboard.games.gravity_warfare"
    named = {
        name
        for name, path in modules().items()
        if not name.startswith(own) and re.search("warfare", path.read_text("utf-8"), re.I)
    }
    assert named == set()

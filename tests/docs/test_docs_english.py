"""Tests of docs: docstrings and constants are written as CONTRIBUTING.md asks."""

import ast
import re
from pathlib import Path

import pytest

# No docstring begins with a clause that only its code completes.
CLAUSE = re.compile(r"(Of|At|By|How|In which|What|Who|Whose|Where|Which|As)\b")
# A constant for a limit has the prefix of its kind.
SUPERLATIVE = re.compile(r"\b_?(?:(?:MOST|LEAST)_[A-Z][A-Z_0-9]*|[A-Z][A-Z_0-9]*_(?:MOST|LEAST))\b")
FOLDERS = (
    "drivers",
    "firmware_host",
    "games",
    "hw_sim",
    "packages",
    "tiltboard/ground",
    "tiltboard/testing",
)


def docstrings(file: Path):
    """Yield the docstrings of a module, its classes and its functions."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield getattr(node, "name", file.stem), ast.get_docstring(node) or ""


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_docstring_says_first_what_a_thing_is_or_does(root, folder):
    files = [file for file in root.glob(f"{folder}/**/*.py") if "tests" not in file.parts]
    files += root.glob("tiltboard/*.py")
    assert files
    found = [
        f"{file.relative_to(root)}: {name}: {said.splitlines()[0]}"
        for file in files
        for name, said in docstrings(file)
        if CLAUSE.match(said)
    ]
    assert found == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_limit_is_called_a_maximum_or_a_minimum(root, folder):
    found = {
        f"{file.relative_to(root)}: {name}"
        for kind in ("py", "js")
        for file in root.glob(f"{folder}/**/*.{kind}")
        for name in SUPERLATIVE.findall(file.read_text("utf-8"))
    }
    assert found == set()

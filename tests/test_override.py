"""Tests of tiltboard/ground/override.py: a method that overrides another has no docstring that only
repeats its base's.
"""

from __future__ import annotations

import ast
from pathlib import Path

from tiltboard.ground.override import override

ROOT = Path(__file__).parents[1]
FOLDERS = ("drivers", "firmware_host", "games", "hw_sim", "packages", "tiltboard")


def methods():
    """Yield the file, the method and whether it overrides, for each method with a decorator."""
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                decorators = {ast.unparse(each) for each in node.decorator_list}
                yield path, node, "override" in decorators


def test_a_method_that_overrides_has_no_docstring_of_its_own():
    marked = [(path, node) for path, node, overrides in methods() if overrides]
    assert len(marked) > 20
    assert not [(path, node.name) for path, node in marked if ast.get_docstring(node)]


def test_the_mark_leaves_a_method_as_it_is():
    def method():
        return 7

    assert override(method) is method

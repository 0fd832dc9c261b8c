"""Tests of tiltboard/__init__.py: a class name means one thing, also in the packages beside it."""

from __future__ import annotations

import ast
import subprocess
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
APART = "drivers/node_firmware/"  # The controller's own program, which imports nothing of these.
TWICE = {
    "Lsm6dsox": "the driver of a chip, and its model",
    "Mcp3008": "the driver of a chip, and its model",
    "Mpu6050": "the driver of a chip, and its model",
    "Frame": "one scan of the plate, and the printed frame around it",
    "Hint": "the request for one, and the one that is shown",
}
"""Names that stand for two classes, each with the reason."""


def test_no_class_name_is_used_twice_without_a_reason():
    listed = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    homes = defaultdict(set)
    for name in listed.stdout.split():
        if "tests" in Path(name).parts or name.startswith((".ci/", APART, "conftest")):
            continue
        for node in ast.walk(ast.parse((ROOT / name).read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].add(name)
    assert len(TWICE) <= 12
    assert {name for name, files in homes.items() if len(files) > 1} == {*TWICE}

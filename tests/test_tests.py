"""Tests of tests: one finds the tests of a module by its name in their first paragraph, and a
sentence for people is spelt out in one of them.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

from tiltboard.firmware_host.messages import Catalogue

ROOT = Path(__file__).parents[1]

FOLDERS = ("drivers", "games", "hw_sim", "firmware_host", "tiltboard")
# A test names a module of packages/plans/ as tiltboard_plans/model.py.
BESIDE = [path.parent for path in ROOT.glob("packages/*/tiltboard_*") if path.suffix == ""]

# Measurements that one starts by hand and reads: tests/docs/test_docs_facts.py counts them alone.
BY_HAND = {
    f"tiltboard_lab/bench/{name}.py" for name in ("club", "far", "lasting", "physics", "service")
}

MIN_SENTENCE = 25  # Characters; shorter ones are words that any two tests may have.
VALUE = r"[\w,-]+(?: [\w,-]+)?"


def named(file):
    """Return the paths that a test file's first paragraph names; a bare name is in the folder of
    the one before it.
    """
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    said = re.match(r"Tests of (.+?):(?: |$)", " ".join(text.split("\n\n")[0].split()))
    assert said, f"{file} does not begin with the modules that it tests"
    paths = []
    for name in re.split(r", | and ", said[1]):
        paths.append(name if "/" in name or not paths else str(Path(paths[-1]).parent / name))
    return paths


def holds_code(file):
    """Tell whether a file defines something; most packages' ``__init__.py`` does not."""
    body = ast.parse(file.read_text("utf-8")).body
    return file.name != "__init__.py" or any(
        isinstance(part, ast.FunctionDef | ast.ClassDef) for part in body
    )


def all_files():
    patterns = ("tests/**", "packages/*/tests/**", "tiltboard/testing/conformance")
    tests = [file for each in patterns for file in ROOT.glob(f"{each}/test_*.py")]
    return [file for file in tests if not file.is_symlink()]


def texts(file):
    """Return what a test file's strings say, with a word for each value that they are filled with;
    docstrings are not compared with anything.
    """
    nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            parts = node.values
            yield "".join(p.value if isinstance(p, ast.Constant) else "word" for p in parts)
        elif isinstance(getattr(node, "value", None), str) and id(node) not in docstrings:
            yield node.value


def test_every_module_is_named_by_a_test_and_every_named_one_exists():
    tested = {path for file in all_files() for path in named(file)}
    places = (ROOT, *BESIDE)
    assert [path for path in tested if not any((each / path).exists() for each in places)] == []
    folders = {ROOT / name: ROOT for name in FOLDERS}
    folders |= {each / f"tiltboard_{each.name}": each for each in BESIDE}
    modules = {
        file.relative_to(above).as_posix()
        for folder, above in folders.items()
        for file in folder.rglob("*.py")
        if holds_code(file) and file.parent.name != "conformance"
    }
    assert modules - tested == BY_HAND


def test_no_two_tests_spell_out_the_same_sentence():
    """A changed sentence is one edit. What several compare with stands in tests/said.py."""
    found = defaultdict(set)
    said = {file.name: "\n".join(texts(file)) for file in all_files()}
    for template in Catalogue.load("de").messages:
        around = re.split(r"\{.*?\}", template)
        if len(template) < MIN_SENTENCE or template[-1] not in ".!?":
            continue
        spelt = re.compile(VALUE.join(map(re.escape, around)))
        longest = max(around, key=len)
        found[template] = {
            name for name, text in said.items() if longest in text and spelt.search(text)
        }
    assert {template: names for template, names in found.items() if len(names) > 1} == {}

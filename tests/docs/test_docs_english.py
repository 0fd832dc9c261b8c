"""Tests of docs: docstrings, constants, documents, messages and commits are written as
CONTRIBUTING.md asks.
"""

import ast
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

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
    """Yield the docstrings of a module, its classes, functions, fields and constants."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield getattr(node, "name", file.stem), ast.get_docstring(node) or ""
            for above, below in pairwise(node.body):
                if not isinstance(above, ast.Assign | ast.AnnAssign):
                    continue
                match below:
                    case ast.Expr(ast.Constant(str(said))):
                        yield ast.unparse(above), said


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


# ``name``: at the start of a sentence; a name in passing may be followed by anything else.
ENTRY = re.compile(r"(?:(?<=[.;] )|(?<=[.;]\n)|(?<=\n\n)|^)``(\w+)``:\s")
# MicroPython keeps a string under a field in its memory.
GLOSSARIES = ("node_firmware",)


def fields(kind: ast.ClassDef) -> set[str]:
    """Return the names of the fields that a class declares or its ``__init__`` sets."""
    declared = [n.target for n in kind.body if isinstance(n, ast.AnnAssign)]
    stored = [
        node.attr
        for node in ast.walk(kind)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    ]
    return {each.id for each in declared if isinstance(each, ast.Name)} | set(stored)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_field_is_documented_under_the_field(root, folder):
    found = [
        f"{file.relative_to(root)}: {kind.name}.{name}"
        for file in root.glob(f"{folder}/**/*.py")
        if not {"tests", *GLOSSARIES} & {*file.parts}
        for kind in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(kind, ast.ClassDef)
        for name in ENTRY.findall(ast.get_docstring(kind) or "")
        if name in fields(kind)
    ]
    assert found == []


# Pattern -> the plain words. Each has been in the documents, translated from another language.
STILTED = {
    r"\b(?:is|are|was|were) to be\b|\bNeeded:": "say who does it: 'you need', 'ignore'",
    r"\bby (?:itself|themselves)\b": "'automatically', or 'alone'",
    r"\bleft out\b": "'optional', or 'omitted'",
    r"\bat once\b": "'immediately', or 'together'",
    r"\b(?:anew|meanwhile|but for|come about)\b": "'again', 'since then', 'except', 'happen'",
    r"(?<!here )\bis no (?!longer\b|more\b|such\b)\w+": "'is not a'",
    r"\b(?:is|are) none\b": "'there is no', with the noun",
    r"(?<![\w*])(?:Who|Whoever) (?:\w+s|has|is)\b[^?\n]*?[.,;]": "name the person, or say 'you'",
    r"(?:^|[.:] )What (?:is|stands|comes|nobody)\b[^?\n]*?\.": "name the thing",
    r"\b[Mm]end(?:s|ed|ing)?\b": "'fix', or 'repair'",
    r"\b(?:was|is|are|were|be) told\b": "'said', 'documented', or name who says it",
    r"\b(?:computer players?|[Tt]he computer)\b": "'bot', 'Raspberry Pi', or 'controller'",
    r"\b(?:he|she|his|her|him)\b": "'they'",
}

# The author of Momentum asks for the first; the others are sentences of the games' rules.
ALLOWED = (
    r"contact him for\s+permission",
    r"^Whoever (?:connects|has all|programs|starts second)",
    r"What stands beside it does not matter",
)


def stilted(said: str) -> list[str]:
    """Return what a text has of STILTED, each with the plain words."""
    for words in ALLOWED:
        said = re.sub(words, "", said, flags=re.MULTILINE)
    found = ((re.search(each, said, re.MULTILINE), plain) for each, plain in STILTED.items())
    return [f"{hit[0]!r}: {plain}" for hit, plain in found if hit]


def test_a_document_has_plain_words(page):
    prose = re.sub(r"`[^`\n]*`", "X", page.prose)
    assert stilted(prose) == []


def test_a_sentence_for_people_has_plain_words(root):
    with (root / "firmware_host/messages/de.po").open("rb") as file:
        ids = [each.id for each in read_po(file) if each.id]
    said = [one for each in ids for one in (each if isinstance(each, tuple) else (each,))]
    assert len(said) > 1000
    assert {one: found for one in said if (found := stilted(one))} == {}


@pytest.mark.parametrize(
    "said",
    [
        "An unknown field is to be ignored.",
        "The lights then come by themselves.",
        "All of it may be left out.",
        "Several pieces moved at once.",
        "It begins anew.",
        "This is no code of a seat.",
        "Who plays stands in a file.",
        "What stands behind it does not matter.",
        "Mend its sensor.",
        "The computer plays white.",
    ],
)
def test_stilted_words_would_be_found(said):
    assert stilted(said)


# Commits from then on; earlier ones were made before the check.
CHECKED_SINCE = "2026-11-28T14:45:00+00:00"
LONGEST_SUBJECT = 72
# "Adds", "Added" and "Adding" tell a story; these only look like it.
VERBS = {"Bring", "Embed", "Exceed", "Feed", "Focus", "Need", "Proceed", "Ring", "Speed", "String"}
STORY = re.compile(r"\w+(?:ed|ing|(?<!s)s)")


def wrong_subject(subject: str) -> bool:
    """Return whether a commit's subject is too long, or does not begin with an imperative."""
    first = subject.split(maxsplit=1)[0] if subject.split() else ""
    tells = first not in VERBS and STORY.fullmatch(first) is not None
    return len(subject) > LONGEST_SUBJECT or tells or not first[:1].isupper()


def test_the_subject_of_a_commit_is_a_short_imperative(root):
    command = ["git", "log", "--no-merges", f"--since={CHECKED_SINCE}", "--format=%s"]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip("not a git checkout")
    assert [each for each in ran.stdout.splitlines() if wrong_subject(each)] == []


def test_a_subject_that_tells_a_story_would_be_found():
    assert not wrong_subject("Keep a converter's readings while one address fails")
    assert not wrong_subject("Press confirm before a phone is let in")
    for subject in ("Adds a board", "Fixed the lights", "keep the readings", f"Add {70 * 'x'}"):
        assert wrong_subject(subject), subject

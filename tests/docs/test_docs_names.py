"""Tests of docs: every file, module, class and attribute that a document, docstring or comment
names is there.
"""

import importlib.util
import re

import pytest

from tests.docs.test_docs_commands import problem

FOLDERS = ("drivers", "firmware_host", "games", "hw_sim")
BESIDE = ("tiltboard_kernels", "tiltboard_lab", "tiltboard_online", "tiltboard_plans")
PACKAGES = (*(f"tiltboard.{each}" for each in (*FOLDERS, "ground")), *BESIDE)
IN_REPOSITORY = re.compile(rf"({'|'.join((*FOLDERS, 'docs', 'packages', 'tests'))})/[\w./-]*")
DOTTED = re.compile(r"[A-Za-z_]\w*(\.\w+)+")
CAMEL = re.compile(r"(?:[A-Z][a-z0-9]+){2,}")
# What a page has its reader make
TO_BE_MADE = {"games/col/", "games/col/__init__.py"}
FILE = re.compile(r"(?<![\w./*{-])((?:[\w-]+/)*[\w-]+\.(?:py|js|mjs|toml|md))\b(?![\w(])")
# Of the owner, written by `tiltboard plans`, of MicroPython, of the npm package
ELSEWHERE = {
    "tiltboard.toml",
    "bench.toml",
    "report.md",
    "wiring.md",
    "pieces.md",
    "rp2.py",
    "three.js",
}
QUOTED = re.compile(r"``([^`\n]+)``|(?<!`)`([^`\n]+)`(?!`)")
PLAIN = re.compile(r"(?<![\w./`\"'@:-])([a-z_]\w+(?:\.[a-z_]\w+)+)(?![\w(/])")
NAME = re.compile(r"[A-Za-z_][\w.]*\w")
FILES = re.compile(
    r"\.(py|js|mjs|toml|md|html|json|jsonl|po|service|txt|sqlite|rules|conf|org|io|com)$"
)
# Of gettext; made of a prefix and a game's name
FOREIGN = {"msgctxt", "tiltboard_momentum"}
ENTRY_POINTS = {
    f"tiltboard.{each}"
    for each in ("benches", "commands", "kernels", "online", "parts", "search", "simulated")
}
RULE = re.compile(r"\b[Rr]ules? ([MACTW]\d+)")


def resolves(dotted: str, names) -> bool:
    """Whether ``package.module.Name.attribute`` exists. Imports no module, only its packages."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.util.find_spec(".".join(parts[:count]))
        except ModuleNotFoundError:  # within what is no package
            continue
        if found is None:
            continue
        first, *rest = *parts[count:], ""
        if not first:
            return True
        if first not in names.modules[parts[count - 1]]:
            return False
        return not rest[0] or rest[0] in names.classes.get(first, set())
    return False


def missing(token: str, root, names) -> bool:
    """Whether ``token`` looks like something of ours and is not there."""
    token = token.removesuffix("()")
    if IN_REPOSITORY.fullmatch(token):
        return token not in TO_BE_MADE and not (root / token).exists()
    if DOTTED.fullmatch(token):
        first, *rest = token.split(".")
        if first in FOLDERS or token.startswith(PACKAGES):
            return first in FOLDERS or not resolves(token, names)
        if first[0].isupper():
            return rest[0] not in names.classes.get(first, set())
        return False
    return bool(CAMEL.fullmatch(token)) and token not in names.classes


def unknown_name(token: str, names) -> bool:
    """Whether ``token`` is a name in quotes that no code has."""
    token = token.removesuffix("()")
    known = token in FOREIGN or token.endswith("_") or FILES.search(token)
    if known or not NAME.fullmatch(token):
        return False
    first, *rest = token.split(".")
    if not rest:
        return token not in names.words
    if first in ("tiltboard", *BESIDE):
        return token not in ENTRY_POINTS and not resolves(token, names)
    if first in names.classes:
        return rest[0] not in names.classes[first] and rest[0] not in names.words
    if importlib.util.find_spec(first) is not None:
        return False
    return any(part not in names.words for part in token.split("."))


def unknown_dotted(token: str, names) -> bool:
    """Whether ``token`` stands in prose as a module's name and what is not in that module."""
    if FILES.search(token) or token in ENTRY_POINTS:
        return False
    first, *rest = token.split(".")
    if first in ("tiltboard", *BESIDE):
        return not resolves(token, names)
    return first in names.modules and rest[0] not in names.modules[first]


def unknown_file(token: str, names) -> bool:
    """Whether no file of the repository ends like the path ``token``."""
    name = token.rpartition("/")[2]
    ends = (path for path in names.files.get(name, ()) if f"/{path}".endswith(f"/{token}"))
    return name not in ELSEWHERE and not any(ends)


def wrong(said: str, names) -> list[str]:
    """What a comment or docstring names that is not there."""
    quoted = [one or other for one, other in QUOTED.findall(said)]
    commands = [c for c in quoted if c.startswith("tiltboard ") and not c.endswith(" NAME")]
    return [
        *(each for each in quoted if unknown_name(each, names)),
        *(each for each in commands if problem(each)),
        *(each for each in PLAIN.findall(QUOTED.sub("", said)) if unknown_dotted(each, names)),
        *(each for each in FILE.findall(said) if unknown_file(each, names)),
    ]


def test_what_comments_and_docstrings_name_is_there(sources, names):
    code = [each for each in sources if not each.path.startswith("tests/docs/")]
    found = {
        (each.path, name) for each in code for said in each.said for name in wrong(said, names)
    }
    assert not found


def test_the_commands_that_the_program_names_are_there(sources):
    found = [
        (each.path, command, problem(command))
        for each in sources
        if not each.path.startswith("tests/")
        for text in each.texts
        for one, other in QUOTED.findall(text)
        if (command := one or other).startswith("tiltboard ") and problem(command)
    ]
    assert not found


def test_every_rule_that_is_cited_has_its_number(sources, open_page):
    numbers = set(re.findall(r"\*\*([MACTW]\d+)\*\*", open_page("docs/rules.md").text))
    cited = {(each.path, n) for each in sources for text in each.said for n in RULE.findall(text)}
    assert len(cited) > 20
    assert not [each for each in cited if each[1] not in numbers]


@pytest.mark.parametrize(
    "said",
    [
        "Where the game was ended (see table.agreement).",
        "A place does not tell the slot, see drops.js",
        "``tiltboard record`` writes it.",
        "As tiltboard.games.contracts has it.",
        "Calls ``observe_nobody``.",
        "``Plate.scans_nothing`` is called.",
    ],
)
def test_a_wrong_name_in_a_comment_would_be_found(said, names):
    assert wrong(said, names)


def test_a_right_name_in_a_comment_passes(names):
    said = (
        "``Plate.scan``, ``tiltboard sim``, docs/rules.md, tiltboard.games.base, ``smbus2.SMBus``"
    )
    assert not wrong(said, names)


def test_files_that_a_document_names_are_there(page, names, open_page, root):
    made = {block.file for path in root.glob("docs/**/*.md") for block in open_page(path).blocks}
    ends = {each.rpartition("/")[2] for each in made if each}
    assert not [
        f
        for f in FILE.findall(page.prose)
        if f.rpartition("/")[2] not in ends and unknown_file(f, names)
    ]


def test_what_is_named_is_there(page, root, names):
    assert not [token for token in page.code if missing(token, root, names)]


@pytest.mark.parametrize(
    "token",
    [
        "firmware_host/hosts.py",
        "tiltboard.drivers.plate.Plates",
        "tiltboard.drivers.plate.Plate.scans",
        "tiltboard.games.contracts.answer",
        "games.contract.answer",
        "Plate.scans",
        "MuxHallArrays",
    ],
)
def test_a_wrong_name_would_be_found(token, root, names):
    assert missing(token, root, names)


@pytest.mark.parametrize(
    "token",
    [
        "firmware_host/host/host.py",
        "tiltboard.drivers.plate.Plate.scan",
        "Frame.faults",
        "smbus2.SMBus",
    ],
)
def test_a_right_name_passes(token, root, names):
    assert not missing(token, root, names)


def test_the_architecture_names_many_things(open_page, root):
    """The check above would pass for a page without backticks."""
    page = open_page("docs/architecture.md")
    ours = [t for t in page.code if IN_REPOSITORY.fullmatch(t) or DOTTED.fullmatch(t)]
    assert len(ours) > 60

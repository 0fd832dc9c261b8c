"""The documents in parts: text, fenced blocks, links, and code between backticks."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (
    *sorted(path.name for path in ROOT.glob("*.md")),
    *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md")),
    *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("packages/**/*.md")),
)
PACKAGES = ("drivers", "firmware_host", "games", "hw_sim", "packages")
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block. ``words``: the words after the backticks. ``text``: the block's lines."""

    words: tuple[str, ...]
    text: str

    @property
    def file(self) -> str | None:
        """The file whose content the block shows, or None."""
        return next((w.removeprefix("file=") for w in self.words if w.startswith("file=")), None)


@dataclass(frozen=True)
class Page:
    """One document. ``prose``: the text without the fenced blocks."""

    path: Path
    text: str
    blocks: tuple[Block, ...]
    prose: str

    @property
    def code(self) -> list[str]:
        """The texts between single backticks."""
        return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", self.prose)

    @property
    def anchors(self) -> set[str]:
        """The anchors of the document's headings, as GitHub creates them."""
        found: list[str] = []
        for heading in re.findall(r"^#+ (.+)$", self.prose, re.MULTILINE):
            plain = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
            times = sum(
                re.fullmatch(rf"{re.escape(plain)}(-\d+)?", one) is not None for one in found
            )
            found.append(f"{plain}-{times}" if times else plain)
        return set(found)

    def table(self, *heading: str) -> list[list[str]]:
        """Return the cells of each row in all tables whose header begins with ``heading``."""
        rows: list[list[str]] = []
        inside = False
        for line in self.text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("|") and not inside and tuple(cells[: len(heading)]) == heading:
                inside = True
            elif not line.startswith("|"):
                inside = False
            elif inside and not set(line) <= set("|- "):
                rows.append(cells)
        assert rows, f"{self.path.name} has no table {heading}"
        return rows


@dataclass
class Names:
    """The names in the repository's code, read from the source text."""

    classes: dict[str, set[str]] = field(default_factory=dict)
    """The attributes of each class, by the class's name."""
    modules: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The top-level names of each module and package, by the last part of the module's name."""
    words: set[str] = field(default_factory=set)
    """All words in code, in its strings, and in file names."""
    files: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The paths of all files with a name, by that name."""


@dataclass(frozen=True)
class Source:
    """A file of code. ``said``: its comments and docstrings. ``texts``: its other strings."""

    path: str
    said: tuple[str, ...]
    texts: tuple[str, ...] = ()


def _page(name: str) -> Page:
    path = ROOT / name
    text = path.read_text("utf-8")
    blocks = tuple(Block(tuple(words.split()), body) for words, body in _FENCE.findall(text))
    return Page(path, text, blocks, _FENCE.sub("", text))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test with the argument ``page`` once for each document."""
    if "page" in metafunc.fixturenames:
        metafunc.parametrize("page", [_page(name) for name in PAGES], ids=PAGES)


@pytest.fixture
def root() -> Path:
    """The root folder of the repository."""
    return ROOT


@pytest.fixture
def open_page():
    """A function that reads a document by name and returns its ``Page``."""
    return _page


@pytest.fixture(scope="session")
def listed() -> list[str]:
    """The paths of all files in the repository."""
    told = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    paths = [ROOT / name for name in told.stdout.split("\0") if name]
    if told.returncode:  # The tests run in an unpacked archive without git.
        paths = [path for path in ROOT.rglob("*") if not {".venv", "build"} & {*path.parts}]
    files = (path for path in paths if path.is_file() and not path.is_symlink())
    return [str(path.relative_to(ROOT)) for path in files]


@pytest.fixture(scope="session")
def code(listed) -> tuple[list[Source], Names]:
    """All sources and names; this fixture parses each file only once."""
    sources, names = [], Names()
    for name in listed:
        path = Path(name)
        names.files[path.name].add(name)
        names.words |= {path.stem, *path.parts}
        if path.suffix in (".md", ".po", ".png", ".webp", ".jpg", ".trace", ".json"):
            continue
        text = (ROOT / path).read_text("utf-8", "replace")
        if path.suffix == ".py":
            nodes = [*ast.walk(ast.parse(text))]
            _read_python(path, nodes, names)
            sources.append(_source(name, text, nodes))
            continue
        names.words |= {*re.findall(r"\w+", text)}
        names.modules[path.stem] |= {*re.findall(r"\w+", text)}
        if path.suffix in (".js", ".mjs", ".toml", ".sh"):
            mark = "#" if path.suffix in (".toml", ".sh") else "//"
            sources.append(Source(name, tuple(re.findall(rf"(?m)(?:^|\s){mark}(.*)$", text))))
    for source in sources:
        if source.path.startswith("tests/docs/"):
            continue  # These files contain wrong names on purpose.
        for text in source.texts:
            names.words |= {*re.findall(r"\w+", text)}
    return sources, names


@pytest.fixture(scope="session")
def sources(code) -> list[Source]:
    """All source files in Python, JavaScript and TOML."""
    return code[0]


@pytest.fixture(scope="session")
def names(code) -> Names:
    """All names that the code defines, including instance attributes."""
    return code[1]


def _source(name: str, text: str, nodes: list[ast.AST]) -> Source:
    standing_alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = [
        (id(node) in standing_alone, node.value)
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = (each.string for each in tokens if each.type == tokenize.COMMENT)
    docstrings = (value for alone, value in strings if alone)
    texts = tuple(value for alone, value in strings if not alone)
    return Source(name, (*comments, *docstrings), texts)


def _read_python(path: Path, nodes: list[ast.AST], names: Names) -> None:
    module = path.parent.name if path.stem == "__init__" else path.stem
    for folder in (path.with_name(module), *path.parents):
        names.modules[folder.parent.name].add(folder.name)
    for node in nodes:
        found = _defined(node)
        names.words |= found
        if isinstance(node, ast.ClassDef):
            attributes = _attributes(node)
            names.classes.setdefault(node.name, set()).update(attributes)
            # The documents can write ``host.step`` for the attribute of a host.
            names.modules[module] |= attributes
    for node in nodes[0].body:  # The result of ast.walk begins with the module.
        names.modules[module].update(*(_defined(each) for each in _top(node)))


def _top(node: ast.stmt) -> list[ast.AST]:
    """Return a statement of a module and the nodes for the names that it defines."""
    bound = [*ast.walk(node)] if isinstance(node, ast.Assign | ast.AnnAssign | ast.If) else [node]
    if isinstance(node, ast.Import | ast.ImportFrom):
        bound += node.names
    return bound


def _defined(node: ast.AST) -> set[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
            return {name}
        case ast.keyword(arg=str(name)):
            return {name}
        case ast.alias(name=name, asname=other):
            return {*name.split("."), other or name}
    return set()


def _attributes(of: ast.ClassDef) -> set[str]:
    found = set()
    for node in ast.walk(of):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                found.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                found.add(name)
    return found

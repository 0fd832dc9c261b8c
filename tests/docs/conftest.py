"""The documents, taken apart: text, fenced blocks, links, and what stands between backticks."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (
    *sorted(path.name for path in ROOT.glob("*.md")),
    *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md")),
    *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("lab/**/*.md")),
)
PACKAGES = ("drivers", "firmware_host", "games", "hw_sim", "lab")
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block. ``words``: after the three backticks; ``text``: its lines."""

    words: tuple[str, ...]
    text: str

    @property
    def file(self) -> str | None:
        """The file that it is the text of."""
        return next((w.removeprefix("file=") for w in self.words if w.startswith("file=")), None)


@dataclass(frozen=True)
class Page:
    """One document. ``prose``: without its fenced blocks."""

    path: Path
    text: str
    blocks: tuple[Block, ...]
    prose: str

    @property
    def code(self) -> list[str]:
        """What stands between single backticks."""
        return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", self.prose)

    @property
    def anchors(self) -> set[str]:
        """Anchors of its headings, as GitHub makes them."""
        found: list[str] = []
        for heading in re.findall(r"^#+ (.+)$", self.prose, re.MULTILINE):
            plain = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
            times = sum(
                re.fullmatch(rf"{re.escape(plain)}(-\d+)?", one) is not None for one in found
            )
            found.append(f"{plain}-{times}" if times else plain)
        return set(found)

    def table(self, *heading: str) -> list[list[str]]:
        """Cells of the rows of every table whose header begins with these words."""
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
    """Classes of the code -> their attributes, as the source text has them."""

    classes: dict[str, set[str]] = field(default_factory=dict)


def _page(name: str) -> Page:
    path = ROOT / name
    text = path.read_text("utf-8")
    blocks = tuple(Block(tuple(words.split()), body) for words, body in _FENCE.findall(text))
    return Page(path, text, blocks, _FENCE.sub("", text))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for ``page`` runs for each."""
    if "page" in metafunc.fixturenames:
        metafunc.parametrize("page", [_page(name) for name in PAGES], ids=PAGES)


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture
def open_page():
    """Takes a document apart."""
    return _page


@pytest.fixture(scope="session")
def names() -> Names:
    """Every class of the packages. Read from the source: instance attributes count too."""
    names = Names()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    names.classes.setdefault(node.name, set()).update(_attributes(node))
    return names


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

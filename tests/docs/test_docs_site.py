"""Tests of .ci/site.py: the documents as a site: every page is reached, no link leads nowhere,
the reference is whole.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args
from urllib.parse import unquote, urlsplit

import msgspec
import pytest

import tiltboard
from tiltboard.firmware_host.cli.main import COMMANDS
from tiltboard.firmware_host.config import settings, wiring
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import languages
from tiltboard.firmware_host.web.api import description
from tiltboard.firmware_host.web.requests import Incoming
from tiltboard.games.registry import HOSTED

pytest.importorskip("sphinx", reason="the extra `docs` is not installed")
# Of MyST's, which uses what another Sphinx will no longer have.
pytestmark = pytest.mark.filterwarnings("ignore:.* is deprecated. Check CHANGES for Sphinx")
ROOT = Path(__file__).parents[2]


class Page(HTMLParser):
    """What a page leads to, where it can be led to, and its headings."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.headings = [], {""}, []
        self._heading = False
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.add(found.get("id", ""))
        self._heading = tag in ("h1", "h2", "h3")
        if self._heading:
            self.headings.append("")
        for name in ("href", "src"):
            if found.get(name):
                self.links.append(found[name])

    def handle_data(self, data):
        if self._heading:
            self.headings[-1] += data
            self._heading = False


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("site_tool", ROOT / ".ci/site.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    into = tmp_path_factory.mktemp("docs")
    assert tool.build(into) == ""  # no warning
    return into / "site"


def test_every_link_of_every_page_leads_somewhere(site):
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert len(pages) > 40
    for path, page in pages.items():
        for link in page.links:
            to = urlsplit(link)
            if to.scheme:
                continue
            there = (path.parent / unquote(to.path)).resolve() if to.path else path
            assert there.is_file(), (path, link)
            if there in pages and to.fragment:
                assert unquote(to.fragment) in pages[there].anchors, (path, link)


def test_all_documents_are_there_and_the_front_page_leads_to_them(site):
    front = (site / "index.html").read_text("utf-8")
    folders = ("docs/**/*.md", "packages/**/*.md", "*.md")
    for path in (each for folder in folders for each in ROOT.glob(folder)):
        page = path.relative_to(ROOT).with_suffix(".html")
        assert (site / page).is_file()
        assert path.name == "README.md" or f'href="{page}"' in front


def test_what_players_read_is_there_in_every_language(site):
    """Each language says it in words of its own: no sentence of one stands in another's page."""
    said = {path.stem: Page(path).headings for path in site.glob("docs/players/*.html")}
    assert set(said) == set(languages())
    assert len({tuple(headings) for headings in said.values()}) == len(said)
    assert {len(headings) for headings in said.values()} == {1 + len(HOSTED) + 2}
    front = (site / "index.html").read_text("utf-8")
    assert all(f'href="docs/players/{language}.html"' in front for language in said)


def test_the_reference_names_every_command_and_every_message(site):
    commands = Page(site / "docs/reference/commands.html").headings
    assert {f"tiltboard {name}" for name in COMMANDS} <= set(commands)
    messages = Page(site / "docs/reference/messages.html").headings
    assert {verb.__struct_config__.tag for verb in get_args(Incoming)} <= set(messages)


def test_the_reference_tells_the_meaning_of_every_setting_and_key(site):
    """docs/configuration.md and docs/add-a-board.md send their readers there."""
    kinds = {
        kind.__struct_config__.tag: kind
        for kind in vars(wiring).values()
        if isinstance(kind, type) and issubclass(kind, wiring.Part) and not kind.__subclasses__()
    }
    assert len(kinds) > 6
    wanted = {"settings": vars(settings).values(), "profiles": [Profile, *kinds.values()]}
    for name, structs in wanted.items():
        text = (site / f"docs/reference/{name}.html").read_text("utf-8")
        cells = re.findall(r"<td>(.*?)</td>", re.sub(r"</?(?:p|span|code)\b[^>]*>", "", text), re.S)
        meant = dict(zip(cells[::4], cells[3::4], strict=True))
        assert all(len(meaning) > 8 for meaning in meant.values())
        for struct in structs:
            if isinstance(struct, type) and issubclass(struct, msgspec.Struct):
                assert set(struct.__struct_encode_fields__) <= set(meant), struct
    headings = " ".join(Page(site / "docs/reference/profiles.html").headings)
    assert all(tag in headings for tag in kinds)


def test_the_reference_names_every_request_and_every_field_of_its_objects(site):
    """OpenAPI's schemas are made by msgspec, and the page's tables by the site."""
    page = (site / "docs/reference/http.html").read_text("utf-8")
    described = description()
    for path, methods in described["paths"].items():
        for method in methods:
            short = path.removeprefix("/api/v1")
            assert f">{method.upper()} {short}<" in re.sub(r"</?span[^>]*>", "", page), path
    _, *objects = re.split(r"<h3>", re.sub(r"</?(span|code|p)[^>]*>", "", page))
    fields = {each.partition("<")[0]: {*re.findall(r"<td>(\w+)</td>", each)} for each in objects}
    for name, schema in described["components"]["schemas"].items():
        asked = {*schema.get("properties", {})} - {"type"}
        assert asked <= fields.get(name, set()), name


def test_every_public_name_has_a_page_with_its_members(site):
    listed = (site / "docs/reference/python.html").read_text("utf-8")
    for package in (tiltboard, tiltboard.drivers, tiltboard.testing):
        for name in {*package.__all__} - {"__version__", "drivers", "testing"}:
            whole, public = f"{package.__name__}.{name}", getattr(package, name)
            page = Page(site / f"docs/reference/python/{whole}.html")
            assert f'href="python/{whole}.html"' in listed
            assert page.headings[0] == whole
            if whole == "tiltboard.drivers.TiltboardError":  # is tiltboard.TiltboardError
                continue
            methods = inspect.getmembers(public, inspect.isfunction)
            kept = [m for m, _ in methods if not m.startswith("_") and inspect.isclass(public)]
            assert {whole, *(f"{whole}.{method}" for method in kept)} <= page.anchors

"""Builds the documentation site: ``make docs`` writes build/site and treats each warning as an
error.

The pages have the same paths as in the repository, so that links work in both. docs/README.md
defines the order. The reference is generated: commands from their help, and settings, requests,
messages and public names from types and docstrings.
"""

from __future__ import annotations

import ast
import inspect as introspect
import itertools
import re
import shutil
import textwrap
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import click
import msgspec
from babel import Locale, UnknownLocaleError
from msgspec import inspect
from sphinx.application import Sphinx

import tiltboard
from tiltboard import drivers, testing
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.config.wiring import (
    HallPart,
    ImuPart,
    LightsPart,
    PanelPart,
    Spare,
)
from tiltboard.firmware_host.messages import Catalogue, Message, languages
from tiltboard.firmware_host.service.snapshot import Layout, Snapshot
from tiltboard.firmware_host.table.lights import LEGEND
from tiltboard.firmware_host.web import responses
from tiltboard.firmware_host.web.api import ENDPOINTS, REFUSED, WHY
from tiltboard.firmware_host.web.requests import Incoming
from tiltboard.games.registry import HOSTED

ROOT = Path(__file__).resolve().parent.parent
FRONT = "README"
PAGES = ("*.md", "docs/**/*.md", "packages/**/*.md")
ICON = "firmware_host/web/static/icon.svg"
LINK = re.compile(r"\]\(([^)#\s]+)[^)\s]*\)|<img src=\"([^\"]+)\"")
FILM = "film.webp"
HELP = ROOT / "firmware_host/web/static/dialogs.js"
REFERENCE = {
    "commands": "Commands",
    "settings": "Settings",
    "profiles": "Profiles",
    "http": "Requests over HTTP",
    "messages": "Messages of the WebSocket",
    "python": "The public names",
}
PUBLIC = (tiltboard, drivers, testing)
LOOKS = {
    "extensions": ["myst_parser", "sphinx.ext.autodoc"],
    "autodoc_member_order": "bysource",
    "add_module_names": False,
    "python_maximum_signature_line_length": 80,
    "project": "tiltboard",
    "author": "the makers of tiltboard",
    "root_doc": FRONT,
    "html_theme": "furo",
    "html_title": "tiltboard",
    "html_favicon": ICON,
    "html_theme_options": {
        "light_css_variables": {"color-brand-primary": "#8a4b0f", "color-brand-content": "#8a4b0f"},
        "dark_css_variables": {"color-brand-primary": "#e8b878", "color-brand-content": "#e8b878"},
    },
    "html_copy_source": False,
    "html_show_copyright": False,
    "html_show_sphinx": False,
    "myst_heading_anchors": 4,
    "myst_enable_extensions": ["html_image"],
    "myst_links_external_new_tab": False,
    "highlight_language": "none",
}


def build(into: Path = ROOT / "build") -> str:
    """Build the site in the folder ``site`` of ``into``. Return the warnings, one per line."""
    source, site = into / "site-source", into / "site"
    for folder in (source, site):
        shutil.rmtree(folder, ignore_errors=True)
    copy_pages(source)
    write_reference(source / "docs" / "reference")
    write_for_players(source / "docs" / "players")
    front = source / f"{FRONT}.md"
    front.write_text(front.read_text("utf-8") + "".join(contents()), "utf-8")
    told = StringIO()
    Sphinx(
        source, None, site, into / "site-cache", "html", LOOKS,
        status=None, warning=told, freshenv=True,
    ).build()  # fmt: skip
    shutil.copy(site / f"{FRONT}.html", site / "index.html")
    return told.getvalue()


def copy_pages(to: Path) -> None:
    """Copy the pages, and the files in this repository to which they link."""
    wanted = {path for pages in PAGES for path in ROOT.glob(pages)} | {ROOT / ICON}
    for page in wanted - {ROOT / ICON}:
        found = (one or other for one, other in LINK.findall(page.read_text("utf-8")))
        targets = ((page.parent / each).resolve() for each in found if "://" not in each)
        wanted.update(target for target in targets if target.is_file())
    for path in wanted:
        copy = to / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            copy.write_text(as_page(path.read_text("utf-8")), "utf-8")
        else:
            shutil.copy(path, copy)


def as_page(text: str) -> str:
    """Return a page whose fenced blocks name only the language; other words are for tests."""
    return re.sub(r"^( *```\w+) .*$", r"\1", text, flags=re.MULTILINE)


def contents() -> Iterator[str]:
    """Yield the navigation: the sections of docs/README.md, each with the pages that it names."""
    _, *sections = re.split(r"^## ", (ROOT / "docs/README.md").read_text("utf-8"), flags=re.M)
    named_there: set[str] = set()
    for section in sections:
        title, _, body = section.partition("\n")
        pages = [str((ROOT / "docs" / name).resolve().relative_to(ROOT)) for name in
                 re.findall(r"\]\(([^)#]+\.md)\)", body)]  # fmt: skip
        if title == "To learn by doing":
            pages += [f"docs/players/{language}.md" for language in languages()]
        if title == "To look up":
            pages += [f"docs/reference/{name}.md" for name in REFERENCE]
        named_there.update(pages)
        yield toctree(title, pages)
    found = {str(path.relative_to(ROOT)) for path in ROOT.glob("packages/*/docs/*.md")}
    notebook = found - named_there
    written = sorted(path.name for path in ROOT.glob("*.md") if path.stem != FRONT)
    last = ["docs/README.md", *written, "packages/lab/README.md"]
    yield toctree("The project", [*last, *sorted(notebook)])


def toctree(title: str, pages: list[str]) -> str:
    """Return one section of the navigation."""
    names = "\n".join(page.removesuffix(".md") for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{names}\n```\n"


def write_reference(folder: Path) -> None:
    """Write the reference pages, which are generated from the program."""
    folder.mkdir(parents=True)
    made = {
        "commands": commands(),
        "settings": settings(),
        "profiles": profiles(),
        "http": requests(),
        "messages": messages(),
        "python": public_names(folder / "python"),
    }
    for name, title in REFERENCE.items():
        text = "\n\n".join([f"# {title}", *made[name], ""])
        (folder / f"{name}.md").write_text(text, "utf-8")


def write_for_players(folder: Path) -> None:
    """Write the players' page in each language of the web page, from its own sentences."""
    folder.mkdir(parents=True)
    for language in languages():
        text = "\n\n".join(["", *for_players(Catalogue.load(language))]).lstrip()
        (folder / f"{language}.md").write_text(f"{text}\n", "utf-8")


def own_name(language: str) -> str:
    """Return a language's name in itself, or its code if Unicode does not know the language."""
    try:
        return (Locale(language).get_display_name() or language).capitalize()
    except UnknownLocaleError:
        return language


def for_players(spoken: Catalogue) -> Iterator[str]:
    """Yield the players' page: aims and rules of the games, meanings of the lights, use of the web
    page.
    """

    def said(english: str) -> str:
        return spoken.translate(Message(english))

    yield f"# {own_name(spoken.language)}"
    yield f"![tiltboard](../images/{FILM})"
    able = load_profile(Settings().profile)
    for kind in HOSTED.values():
        game = responses.game_kind(kind, able, spoken)
        yield f"## {game.credit.title}"
        yield f"**{game.aim}**"
        yield from game.rules
    yield f"## {said('The lights')}"
    for light in LEGEND:
        yield f"- {spoken.translate(light.meaning)} ({spoken.translate(light.rhythm)})"
    yield f"## {said('Help')}"
    ways = re.search(r"const ways = \[(.*?)\];", HELP.read_text("utf-8"), re.DOTALL)
    for english in re.findall(r't\("(.*?)"\)', ways[1] if ways else ""):
        yield f"- {said(english)}"


def commands() -> Iterator[str]:
    """Yield the help of each command."""
    yield "What `--help` says of each."
    yield from helps(cli, click.Context(cli, info_name="tiltboard", **cli.context_settings))


def helps(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the help of a command and of its subcommands."""
    yield f"## {context.command_path}"
    yield f"```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            under = command.get_command(context, name)
            if under is not None and not under.hidden:
                yield from helps(under, click.Context(under, context, info_name=name))


def settings() -> Iterator[str]:
    """Yield the tables of the keys in tiltboard.toml."""
    yield "The keys of `tiltboard.toml`; [Configuration](../configuration.md) says where it is."
    yield from described(Settings)
    for struct in structs(Settings):
        if struct is not Settings:
            yield from described(struct, f"## {struct.__name__}")


def profiles() -> Iterator[str]:
    """Yield the tables of a profile's keys and of the kinds of its parts."""
    yield "The keys of a profile; [Add a board](../add-a-board.md) leads to one of your own."
    yield from described(Profile)
    for base in (HallPart, ImuPart, LightsPart, PanelPart):
        section = base.__name__.removesuffix("Part").lower()
        for kind in kinds(base):
            yield from described(kind, f"## {section}: {kind.__struct_config__.tag}")
    yield from described(Spare, "## A spare of hall: mux-adc")


def kinds(base: type) -> list[type]:
    """Return the built-in kinds of a part."""
    under = [each for kind in base.__subclasses__() for each in kinds(kind)]
    own = under or ([base] if base.__module__ == Spare.__module__ else [])
    return sorted(own, key=lambda kind: str(kind.__struct_config__.tag))


def requests() -> Iterator[str]:
    """Yield the tables of the requests under /api/v1 and of their answers."""
    yield "Under `/api/v1`. A running table gives the same as `/api/v1/openapi.json`."
    rows = [
        "| request | what it does | body | answer | refusals |",
        "| --- | --- | --- | --- | --- |",
    ]
    types = []
    for each in ENDPOINTS:
        body = "" if each.body is None else named(each.body)
        answer = named(each.answers[200])
        refused = ", ".join(str(status) for status in sorted({*each.answers, *REFUSED} - {200}))
        cells = (f"`{each.method} {each.path}`", each.summary, body, answer, refused)
        rows.append(f"| {' | '.join(cells)} |")
        types += [*each.answers.values(), *([] if each.body is None else [each.body])]
    yield "\n".join(rows)
    yield "A refusal is a `Problem`:"
    yield "\n".join(f"- {status}: {why}" for status, why in WHY.items() if status != 200)
    yield "## Their objects"
    for struct in structs(*types):
        yield from described(struct, f"### {struct.__name__}")


def messages() -> Iterator[str]:
    """Yield the tables of the messages that a page can send and receive."""
    yield "[The WebSocket](../websocket.md) says how they are sent, and when."
    yield "## To the table"
    for verb in get_args(Incoming):
        yield from described(verb, f"### {verb.__struct_config__.tag}")
    yield "## From the table"
    sent = (Layout, Snapshot)
    for state in sent:
        yield from described(state, f"### {state.__name__}")
    yield "## Objects in them"
    verbs = get_args(Incoming)
    for struct in structs(*verbs, *sent):
        if struct not in (*verbs, *sent):
            yield from described(struct, f"### {struct.__name__}")


def public_names(folder: Path) -> Iterator[str]:
    """Write a page for each name of the public packages, and yield a list of names for each
    package.
    """
    folder.mkdir()
    yield "What other programs may rely on; [the Python package](../python.md) introduces it."
    pages = []
    for package in PUBLIC:
        yield f"## {package.__name__}"
        rows = ["| name | what it is |", "| --- | --- |"]
        for name in sorted({*package.__all__} - {"__version__", "drivers", "testing"}):
            page, public = f"{package.__name__}.{name}", getattr(package, name)
            (folder / f"{page}.md").write_text(documented(page, public), "utf-8")
            first = re.split(r"(?<=\.)\s|:?\n\n", introspect.getdoc(public) or "")[0]
            rows.append(f"| [{name}](python/{page}.md) | {first.replace('``', '`')} |")
            pages.append(f"/docs/reference/python/{page}.md")
        yield "\n".join(" ".join(row.split()) for row in rows)
    yield toctree("Names", pages)


def documented(name: str, public: Any) -> str:
    """Return the page of one public name, which autodoc fills from its docstrings."""
    lines = [f".. autofunction:: {name}"]
    if isinstance(public, type):
        error = issubclass(public, Exception)
        lines = [f".. {'autoexception' if error else 'autoclass'}:: {name}", "   :members:"]
        lines += ["   :show-inheritance:" if error else "   :inherited-members:"]
        lines += ["   :no-index:"] if name == "tiltboard.drivers.TiltboardError" else []
    return "\n".join([f"# {name}", "", "```{eval-rst}", *lines, "```", ""])


def structs(*types: Any) -> list[type]:
    """Return all structs that the types contain, sorted by name."""
    found, ahead = set(), list(inspect.multi_type_info(types))
    while ahead:
        within = ahead.pop()
        if isinstance(within, inspect.StructType | inspect.DataclassType):
            if within.cls in found:
                continue
            found.add(within.cls)
        for name in (
            "type",
            "types",
            "key_type",
            "value_type",
            "item_type",
            "item_types",
            "fields",
        ):
            each = getattr(within, name, ())
            ahead += each if isinstance(each, tuple) else [each]
    return sorted(found, key=lambda struct: str(struct.__name__))


def described(struct: type, title: str = "") -> Iterator[str]:
    """Yield the description of a message or an object: its docstring, and a table of its fields."""
    if title:
        yield title
    said = re.sub(r"\n +", "\n", struct.__doc__ or "").partition(">>>")[0]
    yield said.replace("``", "`").strip()
    info = inspect.type_info(struct)
    fields = getattr(info, "fields", ())
    if not fields:
        return
    meant = meanings(struct)
    rows = ["| field | type | default | meaning |", "| --- | --- | --- | --- |"]
    for field in fields:
        default = "" if field.required else f"`{usual(field)}`"
        kind, meaning = named(field.type), meant.get(field.name, "")
        rows.append(f"| `{field.encode_name}` | {kind} | {default} | {meaning} |")
    yield "\n".join(rows)


def meanings(struct: type) -> dict[str, str]:
    """Return the docstring of each field, by name, of a class and its base classes."""
    found: dict[str, str] = {}
    for each in reversed(struct.__mro__):
        if not issubclass(each, msgspec.Struct) or each.__module__.startswith("msgspec"):
            continue
        tree = ast.parse(textwrap.dedent(introspect.getsource(each)))
        for field, text in itertools.pairwise(tree.body[0].body):  # type: ignore[attr-defined]
            match field, text:
                case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(said))):
                    found[name] = " ".join(said.replace("``", "`").split())
    return found


def usual(field: inspect.Field) -> str:
    """Return the default value of a field as JSON."""
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    return msgspec.json.encode(value).decode()


def limits(number: inspect.IntType | inspect.FloatType) -> str:
    """Return the minimum and maximum of a number in words."""
    words = {"ge": "from {}", "gt": "above {}", "le": "to {}", "lt": "below {}"}
    values = ((word, getattr(number, name)) for name, word in words.items())
    return " ".join(word.format(value) for word, value in values if value is not None)


PLAIN = {
    inspect.StrType: "text",
    inspect.IntType: "whole number",
    inspect.FloatType: "number",
    inspect.BoolType: "true, false",
    inspect.NoneType: "null",
    inspect.AnyType: "anything",
}


def named(kind: Any) -> str:
    """Return the JSON type of a field in words."""
    match kind if isinstance(kind, inspect.Type) else inspect.type_info(kind):
        case inspect.Metadata(within):
            return named(within)
        case inspect.IntType() | inspect.FloatType() as number if limits(number):
            return f"{PLAIN[type(number)]} {limits(number)}"
        case inspect.StructType(cls) | inspect.DataclassType(cls):
            return f"`{cls.__name__}`"
        case inspect.LiteralType(values):
            return ", ".join(f"`{msgspec.json.encode(value).decode()}`" for value in values)
        case inspect.EnumType(cls):
            return ", ".join(f"`{msgspec.json.encode(each).decode()}`" for each in cls)
        case inspect.UnionType(types):
            return " or ".join(named(each) for each in types)
        case inspect.DictType(_, within):
            return f"object of: {named(within)}"
        case inspect.TupleType(items):
            return f"list of {len(items)}: {', '.join(dict.fromkeys(map(named, items)))}"
        case inspect.CollectionType(within):
            return f"list of: {named(within)}"
        case inspect.CustomType():  # A message, which is sent translated.
            return "text"
        case plain:
            return PLAIN[type(plain)]


if __name__ == "__main__":
    raise SystemExit(build() or 0)  # The warnings are printed, and the script fails.

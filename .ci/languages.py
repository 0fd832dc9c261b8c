"""Updates the language files: ``python .ci/languages.py`` (``make languages``).

The script gathers each English text for people from this source tree, adds it to each language's
gettext catalogue (firmware_host/messages/NAME.po), and compiles the catalogues (catalogues.py). A
new text gets the translation of the most similar old text, marked fuzzy; a deleted text is removed.
The script prints the texts that need a translator. ``--complete`` changes nothing, and exits with 1
if a text needs a translator.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint
from io import BytesIO

from babel.messages import Catalog
from babel.messages.pofile import write_po
from catalogues import FOLDER, LANGUAGES, ROOT, compile_all, english_of, is_translated, read

sys.path.insert(0, str(ROOT))  # Import this tree's texts, even if another tiltboard is installed.
from tiltboard.firmware_host.messages.catalogue import COUNT, fields

PACKAGES = ("firmware_host", "drivers", "games", "hw_sim", "packages/online/tiltboard_online")
# These files speak only on the command line, whose language is English. The page shows messages of
# two modules in ``cli``, so they are translated.
ENGLISH_ONLY = (
    "firmware_host/cli",
    "firmware_host/scenario",
    "games/conformance.py",
    "hw_sim/wiring_errors.py",
    "hw_sim/session/bench.py",
    "hw_sim/session/simulated_builder.py",
    "packages/online/tiltboard_online/commands.py",
)
BUT_TRANSLATED = ("firmware_host/cli/machine.py", "firmware_host/cli/hotspot.py")
ROOT_ERRORS = ("TiltboardError", "RulesError")
# Functions of a game that return a template, and tables of a game that contain templates.
SPOKEN = ("why", "result_said", "impossible", "unplayable")
TABLES = ("REASONS",)
_LITERAL = r'"(?:[^"\\]|\\.)*"'
# A text of the page: one string, or several strings that `+` joins to keep lines short.
PAGE_TEXT = re.compile(rf"\bt\(\s*({_LITERAL}(?:\s*\+\s*{_LITERAL})*)")


def gathered() -> set[str]:
    """Return all English texts for people."""
    found: set[str] = set()
    trees = {
        path: ast.parse(path.read_text())
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }
    errors = _errors(trees.values())
    for path, tree in trees.items():
        file = path.relative_to(ROOT).as_posix()
        if file.startswith(ENGLISH_ONLY) and file not in BUT_TRANSLATED:
            continue
        found |= set(_in_python(tree, errors, game="games" in path.parts))
    for script in (ROOT / "firmware_host/web/static").glob("*.js"):
        for text in PAGE_TEXT.findall(script.read_text()):
            found.add("".join(map(json.loads, re.findall(_LITERAL, text))))
    found |= {*_of_games(), *_of_profiles()}
    return {each for each in found if re.search("[A-Za-z]{2}", re.sub(r"{\w*}", "", each))}


def _errors(trees: Iterable[ast.Module]) -> set[str]:
    """Return the names of the error classes whose messages people read."""
    bases = {
        node.name: {getattr(base, "id", "") for base in node.bases}
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    found: set[str] = set(ROOT_ERRORS)
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found


def _in_python(tree: ast.Module, errors: set[str], *, game: bool) -> Iterator[str]:
    named = _constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in ("text", "Message") and isinstance(node.func, ast.Name):
                yield from _texts(node.args[:1])
            remedies = [each.value for each in node.keywords if each.arg == "remedy"]
            templates = node.args if name in errors else []
            said = (text for each in [*templates, *remedies] for text in _said(each, named))
            yield from (each for each in said if " " in each)
        elif game and isinstance(node, ast.FunctionDef) and node.name in SPOKEN:
            # The first statement is the docstring.
            made = (inner for part in node.body[1:] for inner in ast.walk(part))
            yield from (each for each in _texts(made) if " " in each)
        elif game and isinstance(node, ast.FunctionDef) and _makes_words(node):
            yield from (each for each in _templates(node) if " " in each)
        elif game and isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in TABLES:
            yield from (each for each in _texts(ast.walk(node.value)) if " " in each)


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the value of each name that a module defines."""
    lines = (node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    return {
        name.id: line.value
        for line in lines
        for name in (line.targets if isinstance(line, ast.Assign) else [line.target])
        if isinstance(name, ast.Name) and line.value is not None
    }


def _said(node: ast.expr, named: Mapping[str, ast.expr]) -> Iterator[str]:
    """Yield the possible texts of an expression: a constant, either branch of a choice, or the
    texts of a table.
    """
    match node:
        case ast.Constant(value=str(english)):
            yield english
        case ast.IfExp(body=one, orelse=other) | ast.BoolOp(values=[one, other]):
            yield from (*_said(one, named), *_said(other, named))
        case ast.Name(id=name) if name in named:
            yield from _texts(ast.walk(named[name]))
        case ast.Call(args=[ast.Name() as table, *_]):
            yield from _said(table, named)


def _makes_words(node: ast.FunctionDef) -> bool:
    """Return whether a game's function returns a template with its values."""
    return node.returns is not None and ast.unparse(node.returns) == "Words"


def _templates(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the texts that a function returns, or assigns to a variable ``template``."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            yield from _texts(ast.walk(node.value.elts[0]))
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.BoolOp):
            yield from _texts(ast.walk(node.value))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "template":
            yield from _texts([node.value])


def _texts(nodes: Iterable[ast.AST]) -> list[str]:
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return [each for each in constants if isinstance(each, str)]


def _of_games() -> Iterator[str]:
    """Yield the texts in the declarations of this tree's games; plug-ins have language files of
    their own.
    """
    from tiltboard.games.registry import BUILT_IN, GROUP, load
    from tiltboard.games.seated import SeatedGame

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name, source in (BUILT_IN | project["entry-points"][GROUP]).items():
        kind = load(EntryPoint(name, source, GROUP))
        game = kind.create({})
        if isinstance(game, SeatedGame):
            yield from game.texts
        yield from (
            kind.credit.notice,
            kind.last_piece,
            kind.aim,
            kind.figure,
            kind.lets,
            kind.to_put,
            kind.to_lift,
            *kind.reasons.values(),
            *kind.rules_summary,
        )
        yield from (look.noun for look in (kind.look, *kind.looks.values()))
        yield from () if kind.lesson is None else kind.lesson.texts
        for option in kind.option_specs:
            yield from (option.label or option.name, option.help, *option.choice_labels)
        for preset in kind.presets:
            yield from (*preset.choices.keys(), *preset.choices.values(), preset.about)


def _of_profiles() -> Iterator[str]:
    for profile in (ROOT / "firmware_host/config/profiles").glob("*.toml"):
        yield tomllib.loads(profile.read_text())["title"]


def is_plural(english: str) -> bool:
    """Return whether a count selects one of several plural forms of the text."""
    return COUNT in fields(english)


def updated(before: Catalog, english: Iterable[str]) -> Catalog:
    """Return the catalogue with exactly the texts in ``english``.

    Translations are kept. A new text gets the translation of the most similar old text, marked
    fuzzy.
    """
    wanted = set(english)
    template = Catalog()
    for each in sorted(wanted):
        template.add((each, each) if is_plural(each) else each)
    for message in before:
        if message.context and message.id in wanted and message.string:
            template.add(message.id, context=message.context)
    before.update(template, update_creation_date=False)
    before.obsolete.clear()
    return before


def written(catalogue: Catalog) -> bytes:
    """Return a catalogue as the content of its file, without the version of Babel."""
    file = BytesIO()
    write_po(file, catalogue, width=100, sort_output=True)
    content = re.sub(rb'"Generated-By: .*\n', b"", file.getvalue(), count=1)
    return content.rstrip() + b"\n"


def waiting(catalogue: Catalog, english: Iterable[str]) -> dict[str, str]:
    """Return each text that is shown in English, with the reason: ``new``, ``gone``, ``fuzzy``, or
    ``missing`` in a plural form.
    """
    known = {english_of(message.id): message for message in catalogue if not message.context}
    found = dict.fromkeys(set(english) - known.keys(), "new")
    found |= dict.fromkeys(known.keys() - {"", *english}, "gone")
    for message in catalogue:
        text = english_of(message.id)
        if text in known and text not in found and text and not is_translated(message):
            found[text] = "fuzzy" if message.fuzzy else "missing"
    return found


def main(*, complete: bool = False) -> int:
    """Update all languages, or with ``complete`` only check them. Return the exit status."""
    english = gathered()
    waits = 0
    for language in LANGUAGES:
        catalogue = read(language)
        if not complete:
            catalogue = updated(catalogue, english)
            (FOLDER / f"{language}.po").write_bytes(written(catalogue))
        for text, why in sorted(waiting(catalogue, english).items()):
            waits += 1
            print(f"warning: {language}: {why}: {text!r}")
    if not complete:
        compile_all()
    print(f"{len(english)} texts, {waits} translations to be made")
    return 1 if complete and waits else 0


if __name__ == "__main__":
    sys.exit(main(complete="--complete" in sys.argv[1:]))

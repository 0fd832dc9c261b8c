"""Tests of firmware_host/messages/catalogue.py, message.py, .ci/languages.py and catalogues.py:
what is translated is whole, and what is not yet speaks English.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import string
import subprocess
import sys
import tomllib
import warnings
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
from babel import Locale
from babel.messages import Catalog
from babel.messages.pofile import read_po

from tiltboard.firmware_host.config.errors import ConfigError, spoken_by
from tiltboard.firmware_host.messages import Catalogue, Message, chosen, languages, text
from tiltboard.firmware_host.messages.catalogue import fields
from tiltboard.firmware_host.web.language import accepted_languages
from tiltboard.games.registry import GAMES

TOOL = Path(__file__).parents[3] / ".ci/languages.py"
sys.path.insert(0, str(TOOL.parent))
spec = importlib.util.spec_from_file_location("languages_tool", TOOL)
assert spec is not None
assert spec.loader is not None
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)
catalogues = sys.modules["catalogues"]
sys.path.remove(str(TOOL.parent))

NUMBERS = range(250)
# Fields that take a message: a noun with its colour, or a colour or side alone.
NOUNS = {"piece", "captured", "other", "swap"}


def gathered_beside(*folders) -> frozenset[str]:
    """Every text of the source, as a new process finds it that imports from ``folders`` too."""
    program = "import json, languages; print(json.dumps(sorted(languages.gathered())))"
    command = [sys.executable, "-c", program]
    paths = os.pathsep.join(map(str, (TOOL.parent, *folders)))
    found = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=True
    )
    return frozenset(json.loads(found.stdout))


@pytest.fixture(scope="module")
def english() -> frozenset[str]:
    return gathered_beside()


@pytest.fixture(scope="module", params=tool.LANGUAGES)
def catalogue(request) -> Catalog:
    return tool.read(request.param)


def strings(message) -> tuple[str, ...]:
    return message.string if isinstance(message.string, tuple) else (message.string,)


def translated(catalogue):
    return [m for m in catalogue if m.id and catalogues.is_translated(m)]


def formatted(template: str) -> set[tuple[str, str]]:
    """Field and form: ("piece", "acc") for {piece:acc}. An example in JSON has no fields."""
    parsed = string.Formatter().parse(template)
    return {(name, form or "") for _, name, form, _ in parsed if name and name.isidentifier()}


A_GAME = """
class KnockedError(RulesError): pass
MEND = "Ask the remedy's name."
REASONS = {"a": "A game's reason."}
WORSE = {1: "One of a table's."}
def make(wide, code):
    text("A message.")
    raise KnockedError("An error's template.", remedy="Its remedy.")
    raise KnockedError("One of two." if wide else "The other of two.", remedy=MEND)
    raise KnockedError(one_of(WORSE, code))
def why(self):
    "No docstring."
    return "Why a game refuses."
def said(self) -> Words:
    template = "A game's template."
    return template, {}
"""


def test_a_text_of_each_kind_is_gathered(english):
    tree = ast.parse(A_GAME)
    found = set(tool._in_python(tree, tool._errors([tree]), game=True))
    expected = {
        *("A message.", "An error's template.", "Its remedy.", "One of two.", "The other of two."),
        *("Ask the remedy's name.", "A game's reason.", "One of a table's."),
        *("Why a game refuses.", "A game's template."),
    }
    assert found == expected
    for kind in GAMES.values():
        assert {kind.aim, kind.look.noun, *kind.rules_summary} <= english
    assert re.findall(tool.PAGE_TEXT, 't("One text"), t(\n  "One " + "text", 1)') == [
        '"One text"',
        '"One " + "text"',
    ]
    for profile in (tool.ROOT / "firmware_host/config/profiles").glob("*.toml"):
        assert tomllib.loads(profile.read_text())["title"] in english


def test_texts_of_an_installed_plugin_are_not_gathered(english, tmp_path):
    """A game that another package brings is not part of this tree."""
    (tmp_path / "made_up.py").write_text(
        "import dataclasses\nfrom tiltboard.games.momentum.game import MOMENTUM\n"
        "GAME = dataclasses.replace(MOMENTUM, name='made-up', aim='Nobody translates this aim.')\n"
    )
    about = tmp_path / "made_up-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: made-up\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[tiltboard.games]\nmade-up = made_up:GAME\n")
    assert gathered_beside(tmp_path) == english


def test_every_page_text_is_a_literal():
    for script in (tool.ROOT / "firmware_host/web/static").glob("*.js"):
        source = script.read_text()
        calls = re.findall(r"(?<![\w.])t\((?!template)", source)
        assert len(calls) == len(tool.PAGE_TEXT.findall(source)), script.name


def test_what_the_table_reads_is_what_was_translated(catalogue):
    file = tool.FOLDER / f"{catalogue.locale_identifier}.json"
    assert file.read_text() == catalogues.compiled(catalogue), "older than its .po: make languages"


@pytest.mark.filterwarnings("default")
def test_what_waits_for_a_translator_is_counted(catalogue, english):
    """It speaks English until then. Only a release wants every text translated."""
    waits = Counter(tool.waiting(catalogue, english).values())
    if waits:
        warnings.warn(f"{catalogue.locale_identifier}: {dict(waits)}", stacklevel=1)
    for message in translated(catalogue):
        forms = catalogue.num_plurals if tool.is_plural(tool.english_of(message.id)) else 1
        assert len(strings(message)) == forms, message.id


def test_bringing_a_catalogue_up_to_date_changes_nothing_in_it(catalogue):
    """Its plural rule stays what it says, whatever the installed Babel would choose."""
    before = tool.read(catalogue.locale_identifier)
    texts = {tool.english_of(message.id) for message in before if message.id}
    after = read_po(BytesIO(tool.written(tool.updated(before, texts))), before.locale_identifier)
    assert after.plural_forms == catalogue.plural_forms
    assert {(m.id, m.context): (m.string, m.fuzzy) for m in after if m.id} == {
        (m.id, m.context): (m.string, m.fuzzy) for m in catalogue if m.id
    }


def test_a_changed_sentence_keeps_its_translations_as_fuzzy_and_speaks_english():
    spanish = tool.read("es")
    one, many = "Choose the game.", "{count} games are in the list."
    spanish.add(one, "Elige el juego.")
    spanish.add((many, many), ("Hay {count} juego.", "Hay {count} juegos."))
    now_one, now_many = "Choose a game.", "{count} games are on the list."
    tool.updated(spanish, {now_one, now_many, "Nothing is like this text."})
    waits = {now_one: "fuzzy", now_many: "fuzzy", "Nothing is like this text.": "missing"}
    assert tool.waiting(spanish, waits) == waits
    assert spanish[now_one].string == "Elige el juego."
    assert spanish[now_many].string == ("Hay {count} juego.", "Hay {count} juegos.")
    assert json.loads(catalogues.compiled(spanish))["messages"] == {}
    again = read_po(BytesIO(tool.written(spanish)), "es")
    assert tool.waiting(again, waits) == waits
    for message in again:
        message.flags.discard("fuzzy")
    assert tool.waiting(again, waits) == {"Nothing is like this text.": "missing"}


def test_a_text_waits_while_one_plural_form_is_empty_and_before_it_is_brought_in():
    polish = tool.read("pl")
    tool.updated(polish, {"{count} odd things"})
    polish["{count} odd things"].string = ("{count} rzecz", "{count} rzeczy", "")
    polish["{count} odd things"].flags.discard("fuzzy")
    waits = tool.waiting(polish, {"{count} odd things", "A new one."})
    assert waits == {"{count} odd things": "missing", "A new one.": "new"}
    assert tool.waiting(polish, set()) == {"{count} odd things": "gone"}


def test_what_is_typed_and_the_paragraphs_stay(catalogue):
    for message in translated(catalogue):
        english = tool.english_of(message.id)
        typed = re.findall(r"--[a-z-]+|`[^`]+`|\w*\\n", english)
        for each in strings(message):
            assert [it for it in typed if it not in each] == [], each
            assert each.count("\n\n") == english.count("\n\n"), each


def test_fields_agree(catalogue):
    for message in translated(catalogue):
        wanted = fields(tool.english_of(message.id))
        for each in strings(message):
            assert fields(each) == wanted, each
            assert re.findall(r"{(\w*)[^}]*!r}", each) == re.findall(
                r"{(\w*)[^}]*!r}", tool.english_of(message.id)
            )


def test_numbers_keep_their_format(catalogue):
    """A form that is a number's format stands in the English text too."""
    for message in translated(catalogue):
        english = formatted(tool.english_of(message.id))
        for each in strings(message):
            own = {(name, form) for name, form in formatted(each) if form and form[0] in "+.#g"}
            assert own == {(name, form) for name, form in english if form}, each


def test_every_grammatical_form_that_is_asked_for_is_there(catalogue):
    known = {tool.english_of(message.id) for message in translated(catalogue)}
    nouns = ({kind.look.noun for kind in GAMES.values()} | {"pod", "strange piece"}) & known
    colours = ("red", "blue", "white", "black", "green", "orange", "gray", "purple")
    for message in translated(catalogue):
        for each in strings(message):
            for name, form in formatted(each):
                if not form or form[0] in "+.#g":
                    continue
                words = nouns if name in NOUNS and message.context is None else colours
                if "piece:" in each and tool.english_of(message.id).startswith(
                    "{move} pulls a row"
                ):
                    words = colours  # the piece is named by its colour
                for word in words:
                    assert catalogue.get(word, form) is not None, (each, word, form)


def test_plural_forms_are_chosen_as_unicode_says(catalogue):
    """Babel's own rules (CLDR) against gettext's, which the table follows."""
    if catalogue.locale is None:
        pytest.skip("Unicode does not know this language")
    locale = Locale.parse(str(catalogue.locale))
    tags = [tag for tag in ("one", "few", "many") if tag in locale.plural_form.tags]
    known = catalogue.get("{count} moves").string
    loaded = Catalogue.load(str(catalogue.locale))
    if not all(known):
        pytest.skip("not translated yet")
    for count in NUMBERS:
        tag = locale.plural_form(count)
        at = tags.index(tag) if tag in tags else len(known) - 1
        assert loaded.translate(text("{count} moves", count=count)) == known[at].format(count=count)


def test_polish_counts_and_cases():
    polish = Catalogue.load("pl")
    counts = [polish.translate(text("{count} moves", count=n)) for n in (1, 2, 5, 12, 22)]
    assert counts == ["1 ruch", "2 ruchy", "5 ruchów", "12 ruchów", "22 ruchy"]
    marble = Message("{colour} marble", {"colour": Message("red")})
    assert polish.translate(marble) == "czerwona kulka"
    polish = Catalogue(
        "pl", polish.messages | {"{piece} on {place}": "Połóż {piece:acc} na {place}."}
    )
    said = polish.translate(text("{piece} on {place}", piece=marble, place="d4"))
    assert said == "Połóż czerwoną kulkę na d4."


def test_german_articles_follow_the_noun():
    own = {"{piece} on {place}": "Leg {piece:ein} auf {place}."}
    german = Catalogue("de", Catalogue.load("de").messages | own)

    def put(noun: str) -> str:
        piece = Message(noun, {"colour": Message("blue")})
        return german.translate(text("{piece} on {place}", piece=piece, place="a1"))

    assert put("{colour} marble") == "Leg eine blaue Murmel auf a1."
    assert put("{colour} piece") == "Leg einen blauen Stein auf a1."
    assert put("{colour} tile") == "Leg ein blaues Plättchen auf a1."


def test_a_new_language_is_added_as_its_document_says(tmp_path):
    """In a copy of the tree, with a language that nothing here has heard of."""
    page = (tool.ROOT / "docs/languages.md").read_text().partition("## A new language")[2]
    written = re.search(r"```text\n(.*?)```", page, re.DOTALL)
    assert written is not None
    names = [".ci", "Makefile", "docs", "pyproject.toml", "setup.py"]
    names += [str(p.relative_to(tool.ROOT)) for p in tool.ROOT.glob("packages/*/pyproject.toml")]
    tests = ("conftest.py", "tests/firmware_host/messages")
    packages = [each.name for each in (tool.ROOT / "tiltboard").iterdir() if each.is_symlink()]
    for name in (*names, *tests, "tiltboard", *packages):
        source, to = tool.ROOT / name, tmp_path / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            skipped = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, to, symlinks=True, ignore=skipped)
        else:
            shutil.copy2(source, to)
    (tmp_path / ".venv").mkdir()
    for each in Path(sys.prefix).iterdir():
        if each.name not in (".dev", ".play"):
            (tmp_path / ".venv" / each.name).symlink_to(each)
    # Stamps of its own: make has nothing to install into the environment that runs this test
    for name in (".dev", ".play"):
        (tmp_path / ".venv" / name).touch()

    def run(commands: str) -> str:
        # Of this run of pytest the one within is to know nothing.
        apart = ("TILTBOARD", "PYTEST")  # the target whose time is compared, options of the run
        kept = {k: v for k, v in os.environ.items() if not k.startswith(apart)}
        environ = kept | {"PYTHONPATH": str(tmp_path)}
        shown = subprocess.run(
            ["sh", "-ec", commands],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert shown.returncode == 0, shown.stdout + shown.stderr
        return shown.stdout

    shown = run(written[1].replace("it.po", "qq.po"))
    texts = int(re.search(r"^(\d+) texts", shown, re.MULTILINE)[1])
    assert shown.count("warning: qq: missing: ") == texts > 1000
    file = tmp_path / "firmware_host/messages/qq.po"
    lines = file.read_text().replace('msgid "red"\nmsgstr ""', 'msgid "red"\nmsgstr "qrq"')
    file.write_text(lines.replace('msgstr[0] ""\nmsgstr[1] ""', 'msgstr[0] "q"\nmsgstr[1] ""'))
    assert run("make languages").count("warning: qq: ") == texts - 1
    said = run(
        f"{sys.executable} -c 'from tiltboard.firmware_host.messages import *;"
        ' c = Catalogue.load("qq"); print(languages(), c.translate(text("red")),'
        ' c.translate(text("blue")), c.translate(text("{count} moves", count=1)))\''
    )
    assert said == f"{('en', *sorted((*tool.LANGUAGES, 'qq')))} qrq blue 1 moves\n"
    run(
        f"{sys.executable} -m pytest -q -n0 -p no:cacheprovider --basetemp {tmp_path / 'inner'}"
        " tests/firmware_host/messages -k 'qq and not waits'"
    )


def test_a_players_own_name_stands_as_it_is():
    polish = Catalogue("pl", {"{player} wins": "{player} wygrywa"})
    assert polish.translate(text("{player} wins", player=Message("Anna"))) == "Anna wygrywa"


def test_there_is_a_language_for_each_catalogue():
    assert {"de", "es", "fr", "pl"} <= set(tool.LANGUAGES)
    assert languages() == ("en", *tool.LANGUAGES)


@pytest.mark.parametrize(
    ("wishes", "language"),
    [
        (["de-AT", "en"], "de"),
        (["pt-BR", "es-419"], "es"),
        (["pl_PL.UTF-8"], "pl"),
        (["ja"], None),
        ([], None),
        (["../de", "de/../en"], None),
    ],
)
def test_the_first_known_wish_is_chosen(wishes, language):
    assert chosen(wishes) == language


def test_a_browsers_wishes_go_by_their_weight():
    assert accepted_languages("fr;q=0.5, pl, en;q=0.8") == ["pl", "en", "fr"]
    assert accepted_languages("de;q=0, es;q=nonsense, fr") == ["fr"]
    assert accepted_languages("") == [""]


def test_a_service_speaks_the_language_of_the_settings_before_that_of_the_locale():
    assert spoken_by("fr", {"LANG": "de_DE.UTF-8"}).language == "fr"
    with pytest.raises(ConfigError, match="xx"):
        spoken_by("xx", {})


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_FR"}, "fr"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "ja:pl"}, "pl"),
        ({"LANG": "C", "LANGUAGE": "pl"}, "en"),
    ],
)
def test_the_environment_is_read_as_gettext_reads_it(environment, language):
    assert spoken_by(None, environment).language == language


def test_one_thing_has_one_word_as_the_glossary_says(catalogue):
    page = (tool.ROOT / "docs/languages.md").read_text()
    head, _, *rows = re.findall(r"^\| (.*) \|$", page.partition("## Glossary")[2], re.MULTILINE)
    if str(catalogue.locale) not in head.split(" | "):
        pytest.skip("docs/languages.md has no column for it")
    column = head.split(" | ").index(str(catalogue.locale))
    cells = [row.split(" | ")[column] for row in rows]
    other = [word for cell in cells for word in re.findall(r", not ([^;]+)", cell)]
    assert len(rows) > 15
    assert other
    kept_out = re.compile(rf"\b(?:{'|'.join(other)})(?:e?[nrs])?\b")
    said = [each for message in translated(catalogue) for each in strings(message)]
    assert [each for each in said if kept_out.search(each)] == []


def test_a_hexagons_places_are_called_as_people_call_them_in_every_sentence():
    labels = {"0,0": "c3", "-1,3": "b6", "1,-1": "d2"}
    asked = text("Take {piece} off {place}.", piece=text("the marble"), place="-1,3")
    said = text("{todo} Lit: {places}.", todo=asked, places="0,0, 1,-1, 7,7").with_places(labels)
    assert str(said) == "Take the marble off b6. Lit: c3, d2, 7,7."
    assert asked.with_places({}) is asked

"""Every text is there in every language, with the same fields, all plural and grammatical forms,
and in the file that the table reads.
"""

from __future__ import annotations

import gettext
import importlib.util
import json
import os
import re
import string
import subprocess
import sys
from pathlib import Path

import pytest
from babel import Locale
from babel.messages import Catalog
from babel.messages.pofile import read_po

from tiltboard.firmware_host.cli.speech import environment_language
from tiltboard.firmware_host.messages import Catalogue, Message, chosen, languages, text
from tiltboard.firmware_host.messages.catalogue import fields
from tiltboard.firmware_host.web.language import accepted
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


@pytest.fixture(scope="module")
def english() -> frozenset[str]:
    """Every text of the source, as a new process finds it: the commands of this one may have been
    translated by a test before.
    """
    program = "import json, languages; print(json.dumps(sorted(languages.gathered())))"
    command = [sys.executable, "-c", program]
    paths = os.pathsep.join(map(str, (TOOL.parent, tool.ROOT)))
    found = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=True
    )
    return frozenset(json.loads(found.stdout))


@pytest.fixture(scope="module", params=tool.LANGUAGES)
def catalogue(request) -> Catalog:
    return tool.read(request.param)


def strings(message) -> tuple[str, ...]:
    return message.string if isinstance(message.string, tuple) else (message.string,)


def translated(catalogue):
    return [m for m in catalogue if m.id and tool.is_whole(m.string)]


def formatted(template: str) -> set[tuple[str, str]]:
    """Field and form: ("piece", "acc") for {piece:acc}. An example in JSON has no fields."""
    parsed = string.Formatter().parse(template)
    return {(name, form or "") for _, name, form, _ in parsed if name and name.isidentifier()}


def test_a_text_of_each_kind_is_gathered(english):
    for known in (
        "Choose a game to begin.",  # text(...)
        "There is no move to take back.",  # an error
        "Update the operating system.",  # its remedy
        "Record again, or get another copy of the file.",  # one with a name
        "Choose a smaller board. A {table} is large enough.",  # one of two
        "This needs a Raspberry Pi. Without one run: tiltboard sim.",  # one of a table's
        "Play again",  # the page
        "Push! {move} hits {hit}: it rolls to {target}.",  # a game's reason
        "Whoever has all of theirs on the board wins.",  # an option's help
        "{colour} marble",  # a piece
        "Example: tiltboard sim",  # a command
        "Play on the simulated table, in a browser.",
    ):
        assert known in english


def test_every_page_text_is_a_literal():
    for script in (tool.ROOT / "firmware_host/web/static").glob("*.js"):
        source = script.read_text()
        calls = re.findall(r"(?<![\w.])t\((?!template)", source)
        assert len(calls) == len(tool.PAGE_TEXT.findall(source)), script.name


def test_what_the_table_reads_is_what_was_translated(catalogue):
    file = tool.FOLDER / f"{catalogue.locale}.json"
    assert file.read_text() == catalogues.compiled(catalogue), "older than its .po: make languages"


def test_every_text_is_translated(catalogue, english):
    """In every plural form; ``make languages`` brings what is new in the source, and only that."""
    texts = {tool.english_of(message.id) for message in catalogue if message.id}
    assert sorted(english - texts) == [], "new: make languages"
    assert sorted(texts - english) == [], "gone: make languages"
    assert tool.missing(catalogue) == []
    for message in translated(catalogue):
        forms = catalogue.num_plurals if tool.is_plural(tool.english_of(message.id)) else 1
        assert len(strings(message)) == forms, message.id


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
    nouns = {kind.look.noun for kind in GAMES.values()} | {"pod", "strange piece"}
    colours = ("red", "blue", "white", "black", "green", "orange", "gray", "purple")
    for message in translated(catalogue):
        for each in strings(message):
            for name, form in formatted(each):
                if not form or form[0] in "+.#g":
                    continue
                words = nouns if name in NOUNS and message.context is None else colours
                if "piece:" in each and tool.english_of(message.id).startswith("Pull!"):
                    words = colours  # the piece is named by its colour
                for word in words:
                    assert catalogue.get(word, form) is not None, (each, word, form)


def test_plural_forms_are_chosen_as_unicode_says(catalogue):
    """Babel's own rules (CLDR) against gettext's, which the table follows."""
    locale = Locale.parse(str(catalogue.locale))
    tags = [tag for tag in ("one", "few", "many") if tag in locale.plural_form.tags]
    known = catalogue.get("{count} moves").string
    loaded = Catalogue.load(str(catalogue.locale))
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
    said = polish.translate(text("Put a {piece} on {place}.", piece=marble, place="d4"))
    assert said == "Połóż czerwoną kulkę na d4."


def test_german_articles_follow_the_noun():
    german = Catalogue.load("de")

    def put(noun: str) -> str:
        piece = Message(noun, {"colour": Message("blue")})
        return german.translate(text("Put a {piece} on {place}.", piece=piece, place="a1"))

    assert put("{colour} marble") == "Leg eine blaue Murmel auf a1."
    assert put("{colour} piece") == "Leg einen blauen Stein auf a1."
    assert put("{colour} tile") == "Leg ein blaues Plättchen auf a1."


def test_a_players_own_name_stands_as_it_is():
    polish = Catalogue.load("pl")
    won = polish.translate(text("{player} wins!", player=Message("Anna")))
    assert won == "Anna wygrywa!"


def test_the_languages():
    assert languages() == ("en", "de", "es", "fr", "pl")
    assert set(languages()) == {"en", *tool.LANGUAGES}


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
    assert accepted("fr;q=0.5, pl, en;q=0.8") == ["pl", "en", "fr"]
    assert accepted("de;q=0, es;q=nonsense, fr") == ["fr"]
    assert accepted("") == [""]


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
    assert environment_language(environment) == language


def test_what_the_parser_of_commands_says_is_as_its_file_has_it_and_keeps_its_fields(catalogue):
    language = str(catalogue.locale)
    folder = tool.FOLDER / "commands" / language / "LC_MESSAGES"
    with (folder / "messages.po").open("rb") as lines:
        words = [message for message in read_po(lines, language) if message.id]
    with (folder / "messages.mo").open("rb") as file:
        said = gettext.GNUTranslations(file)
    for message in words:
        if not message.pluralizable:
            assert said.gettext(message.id) == message.string
    for message in words:
        of = set().union(*map(formatted, message.id if message.pluralizable else [message.id]))
        assert all(formatted(string) <= of for string in strings(message))
        assert all(strings(message))


def test_a_help_has_no_english_left_in_it(catalogue):
    command = [
        sys.executable,
        "-m",
        "tiltboard.firmware_host.cli",
        "--language",
        str(catalogue.locale),
    ]
    shown = subprocess.run([*command, "sim", "--help"], capture_output=True, text=True, check=True)
    assert not re.search("Usage:|Show this|default:", shown.stdout)
    wrong = subprocess.run(
        [*command, "sim", "--nothing"], capture_output=True, text=True, check=False
    )
    assert not re.search("Usage:|No such|for help", wrong.stderr)


def test_one_thing_has_one_word_as_the_glossary_says(catalogue):
    page = (tool.ROOT / "docs/languages.md").read_text()
    head, _, *rows = re.findall(r"^\| (.*) \|$", page.partition("## Glossary")[2], re.MULTILINE)
    column = head.split(" | ").index(str(catalogue.locale))
    cells = [row.split(" | ")[column] for row in rows]
    other = [word for cell in cells for word in re.findall(r", not ([^;]+)", cell)]
    assert len(rows) > 15
    assert other
    kept_out = re.compile(rf"\b(?:{'|'.join(other)})(?:e?[nrs])?\b")
    said = [
        each
        for message in catalogue
        for each in (message.string if isinstance(message.string, tuple) else [message.string])
    ]
    assert [each for each in said if kept_out.search(each)] == []

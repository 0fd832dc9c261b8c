"""What the commands say passes through the catalogue: no bare sentence, help in any language."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import tiltboard.firmware_host.cli
from tiltboard.firmware_host.cli import speech
from tiltboard.firmware_host.cli.main import COMMANDS, cli
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.messages import Catalogue, text
from tiltboard.games.base import RulesError

FOLDER = Path(tiltboard.firmware_host.cli.__file__).parent
# Calls whose text a person reads: each must be handed what has been through the catalogue.
SHOWN = {"echo", "secho", "pause", "prompt", "confirm", "fail"} | {
    *("ClickException", "UsageError", "BadParameter"),
}
PROGRAM = re.compile(r"tiltboard[ a-z]*: ")  # who says it, before a sentence: no word to translate
WORDS = re.compile(r"[A-Za-z]{2,}")


def bare_texts(source: str) -> list[str]:
    """Literal words in the arguments of SHOWN calls, but for those inside ``text(...)``."""
    found: list[str] = []

    def look(node: ast.AST) -> None:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("text", "words"):
            return
        if isinstance(node, ast.Subscript | ast.FormattedValue):
            if isinstance(node, ast.FormattedValue):
                look(node.value)
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if WORDS.search(PROGRAM.sub("", node.value)):
                found.append(node.value)
            return
        for child in ast.iter_child_nodes(node):
            look(child)

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in SHOWN:
                for argument in node.args:
                    look(argument)
    return found


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_no_command_prints_a_bare_sentence(path):
    assert bare_texts(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        'click.echo("Done.")',
        'click.echo(f"{count} moves")',
        'raise click.ClickException("No." + why)',
        'click.confirm(f"Is it on {place}?", default=True)',
    ],
)
def test_a_bare_sentence_would_be_found(source):
    assert bare_texts(source)


def test_what_is_no_sentence_is_not_taken_for_one():
    assert bare_texts("click.echo(words(text('until {day}', day=day)))") == []
    assert bare_texts("click.echo(f'{number:>3}  {day}')") == []
    assert bare_texts("click.echo(f\"{plain['found']}\")") == []


class Marked(Catalogue):
    """A language in which every sentence stands in marks."""

    def __init__(self) -> None:
        super().__init__("marked")
        self.messages = _Everything()


class _Everything(dict):
    def get(self, key, default=None):
        return f"«{key}»"

    def __bool__(self):
        return True


def options_of(command):
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.help is not None:
            yield parameter
    if isinstance(command, click.Group) and command is not cli:
        for each in command.commands.values():
            yield from options_of(each)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_shown_in_the_language(name, monkeypatch):
    english_voice = speech.Voice(Catalogue())
    shown = CliRunner().invoke(cli, [name, "--help"], obj=english_voice, terminal_width=1000)
    assert shown.exit_code == 0, shown.output
    command = cli.get_command(click.Context(cli, obj=speech.Voice(Catalogue())), name)
    before = {id(option): option.help for option in options_of(command)}
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    english = {each: (each.help, each.epilog) for each in (command, *inner)}
    try:
        speech.translated(command, Marked())
        for each, (told, example) in english.items():
            assert each.help == f"«{inspect.cleandoc(told)}»"
            assert each.epilog == f"«{inspect.cleandoc(example)}»"
        assert all(option.help == f"«{before[id(option)]}»" for option in options_of(command))
    finally:
        for each, (told, example) in english.items():
            each.help, each.epilog = told, example
        for option in options_of(command):
            option.help = before[id(option)]


def test_the_list_of_commands_is_shown_in_the_language():
    shown = CliRunner().invoke(cli, ["--help"], obj=speech.Voice(Marked()), terminal_width=200)
    for line in COMMANDS.values():
        assert f"«{line}»" in shown.output


@pytest.mark.parametrize("words", [[], ["games"]])
def test_what_the_parser_says_of_commands_is_in_the_language(words):
    # A process of its own: a run translates the commands' own texts in place.
    asked = [
        sys.executable,
        "-m",
        "tiltboard.firmware_host.cli",
        "--language",
        "de",
        *words,
        "--help",
    ]
    shown = subprocess.run(asked, capture_output=True, encoding="utf-8", check=True).stdout
    assert "\nBefehle:\n" in shown  # click's own word, by gettext
    assert "Commands:" not in shown


def test_a_command_speaks_the_language_it_was_handed(tmp_path):
    spoken = Catalogue("xx", {"There are no games in {folder} yet.": "Leer: {folder}"})
    shown = CliRunner().invoke(cli, ["games", "--state", str(tmp_path)], obj=speech.Voice(spoken))
    assert shown.output == f"Leer: {tmp_path}\n"
    spoken = Catalogue("xx", {"--option and --far go with --game.": "Nur mit --game."})
    shown = CliRunner().invoke(cli, ["sim", "--option", "a=b"], obj=speech.Voice(spoken))
    assert "Nur mit --game." in shown.output
    assert shown.exit_code == 2


def test_an_error_is_told_in_the_language_with_its_remedy_and_its_reason():
    spoken = Catalogue("xx", {"{path}: {why}": "{path} – {why}", "Mend it.": "Richte es."})
    spoken.messages["{n} is too much."] = "{n} ist zu viel."
    error = ConfigError(
        "{path}: {why}", remedy="Mend it.", path="a", why=RulesError("{n} is too much.", n=7)
    )
    with click.Context(cli, obj=speech.Voice(spoken)):
        assert speech.sentence(error) == "a – 7 ist zu viel. Richte es."
        assert str(speech.problem(text("Mend it."))) == "Richte es."


def test_the_language_of_the_settings_is_used_and_english_where_there_are_none(
    tmp_path, monkeypatch
):
    settings = tmp_path / "tiltboard.toml"
    monkeypatch.setenv("TILTBOARD_CONFIG", str(settings))
    assert speech.default_voice().catalogue.language == "en"  # cannot be read: the command says so
    settings.write_text('language = "en"\n')
    assert speech.default_voice().catalogue.language == "en"
    settings.write_text('language = "xx"\n')
    assert speech.default_voice().catalogue.language == "en"
    with pytest.raises(ConfigError, match="There is no language 'xx'"):
        speech.speak("xx")

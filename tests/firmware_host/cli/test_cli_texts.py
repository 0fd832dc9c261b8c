"""Tests of firmware_host/cli/cli_output.py and firmware_host/config/errors.py: the command line
speaks English.
"""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli import cli_output
from tiltboard.firmware_host.cli.bench import command as bench
from tiltboard.firmware_host.cli.cli_output import FIGURES_AS_JSON, report
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.games.base import RulesError


def test_an_error_is_told_with_its_remedy_and_the_error_in_it():
    why = RulesError("{n} is too much.", n=7)
    error = ConfigError("{path}: {why}", remedy="Take less.", path="a", why=why)
    assert cli_output.sentence(error) == "a: 7 is too much. Take less."


@pytest.mark.parametrize("words", [["--help"], ["games", "--help"], ["games", "--nothing"]])
def test_commands_speak_english_whatever_the_locale_and_the_settings_say(
    words, tmp_path, monkeypatch
):
    def said() -> str:
        return CliRunner().invoke(cli, words).output

    english = said()
    settings = tmp_path / "tiltboard.toml"
    settings.write_text('language = "de"\n')
    monkeypatch.setenv("TILTBOARD_CONFIG", str(settings))
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    assert said() == english


@pytest.mark.parametrize(
    ("line", "figures"),
    [
        ("  median    3.2 ms   0.41 of the limit", [3.2, 0.41]),
        ("plate-10 at 0x6a: 12,000 scans, -4.5 mT, 99.5%", [12000, -4.5, 99.5]),
        ("no lights", []),
    ],
)
def test_a_measurement_is_words_and_figures_for_a_program(line, figures):
    @click.command()
    @FIGURES_AS_JSON
    def measure() -> None:
        report(line)

    assert CliRunner().invoke(measure).output == line + "\n"
    told = json.loads(CliRunner().invoke(measure, ["--json"]).output)
    assert told == {"says": " ".join(line.split()), "figures": figures}


def test_every_measurement_can_be_read_by_a_program():
    context = click.Context(bench)
    for name in bench.list_commands(context):
        made = bench.get_command(context, name)
        assert "--json" in {opt for each in made.params for opt in each.opts}, name

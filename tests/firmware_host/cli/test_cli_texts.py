"""Tests of firmware_host/cli/cli_output.py, firmware_host/config/errors.py and
tiltboard/ground/measured.py: the command line speaks English, and programs can read it.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli import cli_output
from tiltboard.firmware_host.cli.bench import command as bench
from tiltboard.firmware_host.cli.cli_output import FIGURES_AS_JSON, report
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.games.base import RulesError
from tiltboard.ground.measured import Measured


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
        (
            Measured("  {share:>6}  {delay_ms:5.1f} ms", share="median", delay_ms=3.217),
            {"share": "median", "delay_ms": 3.217},
        ),
        (
            Measured("{at}: {row}", at="0x6a", row=Measured("{count:,} scans", count=12_000)),
            {"at": "0x6a", "count": 12000},
        ),
        ("no lights", {}),
    ],
)
def test_a_measurement_is_words_and_named_figures_for_a_program(line, figures):
    @click.command()
    @FIGURES_AS_JSON
    def measure() -> None:
        report(line)

    assert CliRunner().invoke(measure).output == line + "\n"
    told = json.loads(CliRunner().invoke(measure, ["--json"]).output)
    assert told == {"says": " ".join(line.split()), **figures}


def test_a_figure_keeps_its_digits_for_a_program_and_is_rounded_for_people():
    line = Measured("{rest_percent:.1f} %", rest_percent=0.0333)
    assert (line, line.figures) == ("0.0 %", {"rest_percent": 0.0333})


def test_every_measurement_can_be_read_by_a_program():
    context = click.Context(bench)
    for name in bench.list_commands(context):
        made = bench.get_command(context, name)
        assert "--json" in {opt for each in made.params for opt in each.opts}, name


@pytest.mark.parametrize("folder", ["packages/lab/tiltboard_lab/bench", "hw_sim/session/bench.py"])
def test_no_measurement_prints_a_figure_without_its_name(folder):
    root = Path(__file__).parents[3] / folder
    files = [root] if root.is_file() else [*root.glob("*.py")]
    printed = [
        (file.name, call.args[0])
        for file in files
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in {"echo", "say"}
    ]
    assert printed
    for file, line in printed:
        fields = [
            each for each in getattr(line, "values", ()) if isinstance(each, ast.FormattedValue)
        ]
        assert all(isinstance(each.value, ast.Constant) for each in fields), (
            f"{file}:{line.lineno}: name its figures with Measured"
        )

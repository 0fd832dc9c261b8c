"""Tests of firmware_host/cli/speech.py and firmware_host/config/errors.py: the command line
speaks English.
"""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli import speech
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.games.base import RulesError


def test_an_error_is_told_with_its_remedy_and_the_error_in_it():
    why = RulesError("{n} is too much.", n=7)
    error = ConfigError("{path}: {why}", remedy="Take less.", path="a", why=why)
    assert speech.sentence(error) == "a: 7 is too much. Take less."


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

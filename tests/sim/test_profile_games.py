"""A whole game on each table other than plate-10, and plate-10's scenarios where they fit."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_host.cli.scenario import command

FOLDER = Path(__file__).parent / "scenarios"
GAMES = sorted(FOLDER.glob("*/game.scenario"))
# Of boards of 7 x 7 with two kinds of pieces, on a plate that has no place beside them.
ANYWHERE = ("over", "paused", "swap", "takeback", "upside-down", "worked-example")


def held(path: Path, profile: str, seed: int = 1) -> None:
    arguments = [str(path), "--profile", profile, "--seed", str(seed)]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output


def test_each_profile_with_wires_has_its_game():
    assert {path.parent.name for path in GAMES} >= {"plate-7", "matrix-gpio"}


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.parent.name)
def test_a_whole_game(path):
    text = path.read_text()
    assert "expect phase over" in text
    assert text.count("fault ") >= 2
    held(path, path.parent.name)


@pytest.mark.parametrize("name", ANYWHERE)
def test_what_holds_on_linear_sensors_holds_on_switches(name):
    held(FOLDER / f"{name}.scenario", "plate-7", seed=3)


def test_three_players_are_refused_with_the_table_that_could(tmp_path):
    path = tmp_path / "three.scenario"
    path.write_text("game momentum players=3\n")
    result = CliRunner().invoke(command, [str(path), "--profile", "plate-7"])
    assert result.exit_code == 2
    assert (
        "This table tells 2 kinds of pieces apart, and Momentum for 3 needs 3."
        " Choose fewer players. A plate-10 does." in result.output
    )

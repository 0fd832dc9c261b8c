"""Tests of firmware_host/config/profile.py and firmware_host/host/assemble.py: whole games under
faults on each table.
"""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.scenario import command
from tiltboard.firmware_host.config.profile import SHIPPED, profile_names

NODE_SCANS_PER_S = 25  # A quarter of its firmware's, at which the soak plays each night.
FOLDER = Path(__file__).parent / "scenarios"
GAMES = sorted(path for name in profile_names() for path in FOLDER.joinpath(name).iterdir())


def held(path: Path, profile: str, *more: str) -> None:
    arguments = [str(path), "--profile", profile, *more]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output


def test_each_profile_has_its_game():
    assert {path.parent.name for path in GAMES if path.stem == "game"} == set(profile_names())


@pytest.mark.parametrize("path", GAMES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_whole_game(tmp_path, path):
    steps = [line.partition("#")[0].strip() for line in path.read_text().splitlines()]
    assert "expect phase over" in steps
    assert len({step.split()[1] for step in steps if step.startswith("fault ")}) >= 3
    assert {"kill", "power-cut"}.intersection(steps)
    profile = path.parent.name
    if profile == "node":
        text = SHIPPED.joinpath("node.toml").read_text()
        slow = re.sub("(?m)^scans_per_s = .*", f"scans_per_s = {NODE_SCANS_PER_S}", text)
        tmp_path.joinpath("node.toml").write_text(slow)
        profile = str(tmp_path / "node.toml")
    held(path, profile)


def test_with_physics_too_switches_make_a_game():
    pytest.importorskip("mujoco")
    held(FOLDER / "over.scenario", "plate-7", "--physics")


def test_tiles_slide_between_pegs_where_places_are_closer(tmp_path):
    """33.33 mm: hats of 32.33 and pegs that leave a stem of 20 its room (docs/plans.md)."""
    pytest.importorskip("mujoco")
    path = tmp_path / "slide.scenario"
    path.write_text(
        "game gravity-connect\nput red I3\nanswer right\nexpect phase settle\n"
        "tilt 0 -12 for 8s\nwait 10s\nexpect cells A3=red I3=empty\n"
    )
    held(path, "plate-10s", "--physics")


@pytest.mark.parametrize("profile", ["plate-7", "matrix-gpio"])
def test_a_piece_that_no_switch_feels_is_told_with_confirm(profile):
    held(FOLDER / "switches" / "dead-switch.scenario", profile)


def test_three_players_are_refused_with_the_table_that_could(tmp_path):
    path = tmp_path / "three.scenario"
    path.write_text("game momentum players=3\n")
    result = CliRunner().invoke(command, [str(path), "--profile", "plate-7"])
    assert result.exit_code == 2
    assert "Momentum for 3 needs 3" in result.output
    assert "plate-10" in result.output

"""Tests of firmware_host/scenario/run.py: sentences of the scenario contract that a newcomer
takes at their word.
"""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.scenario import command
from tiltboard.games.momentum.game import MomentumGame


def run(tmp_path: Path, text: str, *arguments: str):
    path = tmp_path / "home.scenario"
    path.write_text(text, encoding="utf-8")
    return CliRunner().invoke(command, [str(path), *arguments])


# A part that is lost pauses play, which resumes by itself.
@pytest.mark.parametrize(
    "fault",
    [
        "i2c-stuck 1",
        "spi-silent",
        "imu-axis-dead z",
        "scan-stall",
        "lights-brownout",
    ],
)
def test_bare_expectations_see_a_part_lost_and_found_again(play, fault):
    play(
        f"game momentum\nput red d4\nfault {fault}\nexpect phase paused\nheal {fault}\n"
        "expect phase turn\nput blue g7\nexpect to-move red\n"
    )


def test_bare_expectations_see_it_on_a_plate_with_a_computer_of_its_own(tmp_path):
    held = run(
        tmp_path,
        "game momentum\nput red d4\nfault node-unplugged\nexpect phase paused\n"
        "heal node-unplugged\n"
        "expect phase turn\nput blue g7\nexpect to-move red\n",
        "--profile",
        "node",
    )
    assert held.exit_code == 0, held.stderr


@pytest.mark.parametrize("fault", ["i2c-nack", "spi-silent"])
def test_a_fault_that_ends_by_itself_lets_play_go_on(play, fault):
    play(
        f"game momentum\nfault {fault} for 2s\nexpect within 1s phase paused\nwait 2s\n"
        "expect phase turn\nput red d4\nexpect to-move blue\n"
    )


def test_the_error_of_the_first_step_names_its_line(tmp_path):
    result = run(tmp_path, "# which game?\ngame chess\n")
    assert result.exit_code == 2
    assert f"{tmp_path}/home.scenario:2: There is no game chess" in result.stderr


def test_a_byte_order_mark_tabs_and_other_line_ends_are_no_steps(tmp_path):
    result = run(tmp_path, "\ufeffgame\tmomentum\r\n\tput  red d4\t# why\r\nexpect to-move blue")
    assert result.exit_code == 0, result.stderr


def test_a_deadline_that_passes_says_what_was_there(tmp_path):
    result = run(tmp_path, "game momentum\nexpect within 0.2s phase fix\n")
    assert result.exit_code == 1
    assert "expected phase fix within 0.2 s, but it is turn: Red's turn" in result.stderr


@pytest.mark.parametrize("death", ["kill", "power-cut"])
def test_a_move_taken_back_by_button_stays_so_whatever_dies_before_it_is_cleared_away(play, death):
    play(
        "game momentum\nput red d4\nput blue d5\nmove d4 d3\nexpect to-move red\n"
        f"press back\n{death}\nexpect phase fix\nexpect to-move blue\nexpect lights wrong d3 d5\n"
        f"take d5\n{death}\nexpect phase fix\nmove d3 d4\nexpect phase turn\nexpect to-move blue\n"
        f"put blue d5\nwait 1s\n{death}\nexpect phase settle\nmove d4 d3\nexpect to-move red\n"
    )


def test_of_two_alike_in_a_row_the_one_whose_place_is_lit_is_said(play):
    # Rule A2: b1-c1, then a1-b1; white stands on b1 before and after.
    play(
        "game attraktion size=8\nput white a1\nput black h8\nput white b1\nput black h1\n"
        'expect lights lift a1 h8\nexpect lights put c1 h7\nexpect say "piece from a1 to c1"\n'
        'take a1\nexpect say "Put the white piece on c1"\nput white c1\nmove h8 h7\n'
        "expect to-move white\n"
    )


def test_a_bus_and_a_chip_go_by_the_names_on_their_labels_too(play):
    play(
        "game momentum\nfault i2c-nack i2c-1\nexpect phase paused\nheal i2c-nack 1\n"
        "expect phase turn\nfault chip-reset mpu6050\nexpect within 0.5s phase paused\n"
        "expect phase turn\n"
    )


# Ours all begin with an empty board; many that others write do not.
@pytest.mark.parametrize("physics", [False, True], ids=["quick", "physics"])
def test_a_game_step_sets_the_plate_up_as_that_game_starts(monkeypatch, tmp_path, physics):
    if physics:
        pytest.importorskip("mujoco")
    empty = MomentumGame.start
    monkeypatch.setattr(MomentumGame, "start", lambda game: empty(game).after("a1").after("g7"))
    begun = "game momentum\nput red d4\nput blue b6\n"
    text = f"{begun}game momentum\nexpect cells a1=red g7=blue d4=empty b6=empty\n" + (
        "expect phase turn\nput red c3\nexpect to-move blue\n"
        "game momentum\nsetup by-hand\nexpect phase setup\nexpect lights remove c3\n"
    )
    held = run(tmp_path, text, *(["--physics"] if physics else []))
    assert held.exit_code == 0, held.stderr

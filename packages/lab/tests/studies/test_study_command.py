"""Tests of tiltboard_lab/cli/study.py: ``tiltboard study``: each kind says what its tasks
found, and goes on from its file.
"""

import json
import tomllib

from click.testing import CliRunner

from tiltboard.firmware_host.cli.main import cli

SMALL = ("--game", "gravity-connect", "--option", "size=4", "--option", "line=3", "--level", "2")
TUNED = ("--game", "gravity-trap", "--games", "12", "--level", "3", "--nodes", "200")


def run(*words):
    return CliRunner().invoke(cli, ["study", *words])


def test_openings_are_told_best_first_and_the_same_again_from_the_file(tmp_path):
    path = str(tmp_path / "o.jsonl")
    told = run("openings", *SMALL, "--games", "16", "--record", path)
    assert told.exit_code == 0, told.output
    lines = [line for line in told.output.splitlines() if "first player" in line]
    assert lines[0].startswith("All games: 16 games, first player ")
    assert len(lines) == 17  # each of the sixteen slots once
    shares = [int(line.split("player ")[1].split(" %")[0]) for line in lines[1:]]
    assert shares == sorted(shares, reverse=True)
    again = run("openings", *SMALL, "--games", "16", "--record", path)
    assert again.output.splitlines()[-17:] == lines


def test_puzzles_are_counted_and_written(tmp_path):
    out = tmp_path / "p.jsonl"
    told = run("puzzles", *SMALL, "--games", "4", "--out", str(out))
    assert told.exit_code == 0, told.output
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert written
    ones = sum((each["kind"], each["turns"]) == ("win", 1) for each in written)
    assert f"One move wins, turns: 1, puzzles: {ones}" in told.output


def test_mined_puzzles_that_cannot_be_written_or_read_are_refused_at_once(tmp_path):
    nowhere = run("puzzles", *SMALL, "--games", "1000000", "--out", str(tmp_path / "no" / "p"))
    assert isinstance(nowhere.exception, FileNotFoundError)
    torn = tmp_path / "torn.jsonl"
    torn.write_text('{"game": "moment')
    told = CliRunner().invoke(cli, ["study", "exercises", str(torn)])
    assert str(told.exception).startswith(f"Line 1 of {torn} does not hold a puzzle: ")


def test_tuning_prints_weights():
    told = run("tune", *TUNED)
    assert told.exit_code == 0, told.output
    at = told.output.index("[weights]")
    assert len(tomllib.loads(told.output[at:])["weights"]["mobility"]) == 3
    assert "log loss" in told.output


def test_weights_are_read_by_a_program():
    told = run("tune", *TUNED, "--json")
    assert told.exit_code == 0, told.output
    quality, weights = map(json.loads, told.stdout.splitlines())
    assert quality["positions"] > 0
    assert len(weights["weights"]["mobility"]) == 3


def test_a_book_and_exercises_are_json_with_and_without_asking(tmp_path):
    asked = ("book", *SMALL[:6], "--lines", "2", "--plies", "2", "--nodes", "50")
    plain = run(*asked)
    assert plain.exit_code == 0, plain.output
    assert len(json.loads(plain.stdout)["lines"]) == 2
    assert run(*asked, "--json").stdout == plain.stdout
    none = tmp_path / "none.jsonl"
    none.touch()
    assert run("exercises", str(none), "--json").exit_code == 0


def test_what_cannot_be_studied_is_refused():
    assert "no evaluation" in str(run("tune", "--game", "attraktion").exception)
    assert run("boards", "--board", "nowhere").exit_code == 2
    assert run("openings").exit_code == 2


def test_a_board_is_judged_as_it_is(tmp_path):
    """Six bases on a ring of four tracks: small enough for any machine."""
    board = tmp_path / "b.toml"
    rows = [[1, 2, 3], [3, 4, 5], [5, 6, 1], [2, 4, 6]]
    board.write_text("\n".join(f"[[track]]\nbases = {row}" for row in rows))
    told = run("boards", "--as-it-is", "--board", str(board))
    assert told.exit_code == 0, told.output
    assert "The first player wins" in told.output

"""Tests of firmware_host/cli/rules.py: Gravity Trap through ``tiltboard rules``, and ``tiltboard
check``.
"""

import json

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.rules import check
from tiltboard.firmware_host.cli.rules import command as rules_command
from tiltboard.firmware_host.config.errors import ConfigError

FILE = "[[track]]\nbases = [1, 2, 3]\n\n[[track]]\nbases = [3, 4, 5]\n"
BOARD = {"tracks": [[1, 2, 3], [3, 4, 5]]}


def test_one_position(run):
    status, (line,), errors = run(rules_command, "gravity-trap", "--moves", "1 2")
    answer = json.loads(line)
    assert (status, errors) == (0, "")
    assert answer["options"] == {"board": "whirl", "mirror": "no-copy"}
    assert answer["to_move"] == "red"
    assert list(answer["cells"].values()).count("pod") == 20
    assert (answer["cells"]["1"], answer["cells"]["2"]) == ("red", "blue")
    assert answer["reserve"] == {}
    assert answer["result"] is None


@pytest.mark.parametrize("name", ["file", "json"])
def test_a_board_of_ones_own(run, board_file, name):
    board = board_file(FILE) if name == "file" else json.dumps(BOARD)
    status, (line,), _ = run(
        rules_command, "gravity-trap", "--option", f"board={board}", "--moves", "1,4,2"
    )
    answer = json.loads(line)
    assert status == 0
    assert answer["options"] == {"board": BOARD, "mirror": "allow"}
    assert answer["legal"] == ["3", "5"]


def test_batch_takes_names_files_and_boards(run, board_file):
    boards = ["whirl", board_file(FILE), BOARD]
    questions = [
        {"game": "gravity-trap", "options": {"board": board}, "moves": ["1"]} for board in boards
    ]
    status, lines, _ = run(rules_command, "--batch", lines=map(json.dumps, questions))
    named, read, given = map(json.loads, lines)
    assert status == 0
    assert len(named["legal"]) == 21
    assert read == given
    assert read["options"]["board"] == BOARD


def test_batch_plays_the_recorded_games(run, recordings):
    recorded = recordings("gravity-trap")
    lines = [json.dumps(each["question"]) for each in recorded]
    status, answers, _ = run(rules_command, "--batch", "--trace", lines=lines)
    assert status == 0
    for each, line in zip(recorded, answers, strict=True):
        assert json.loads(line)["positions"] == each["positions"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["board=nowhere.toml"], "There is no board and no file nowhere.toml"),
        (["board={"], "board is not JSON"),
        (['board={"tracks": [[1, 2]]}'], "at least 3 bases"),
        (["mirror=maybe"], "There is no mirror maybe; there are: no-copy, allow"),
        (["mirror=no-copy", 'board={"tracks": [[1, 2, 3]]}'], "opposite to each other"),
        (["size=9"], "Gravity Trap has no option size; it has: board, mirror"),
    ],
)
def test_options_that_do_not_fit(run, options, words):
    arguments = [part for option in options for part in ("--option", option)]
    status, (line,), errors = run(rules_command, "gravity-trap", *arguments)
    assert status == 2
    assert words in json.loads(line)["error"]["reason"]
    assert words in errors


def test_a_wrong_file_is_named_with_what_is_wrong(run, board_file):
    path = board_file(FILE.replace("4, 5", "4, 6"))
    status, (line,), _ = run(rules_command, "gravity-trap", "--option", f"board={path}")
    assert status == 2
    reason = json.loads(line)["error"]["reason"]
    assert path in reason
    assert "Base 5 is on no track" in reason


def test_an_illegal_move(run):
    status, (line,), _ = run(rules_command, "gravity-trap", "--moves", "1 1")
    assert status == 1
    error = json.loads(line)["error"]
    assert (error["index"], error["move"]) == (1, "1")
    assert "taken" in error["reason"]


def test_check_says_what_is_in_a_board(run, board_file):
    status, lines, _ = run(check, board_file(FILE))
    assert status == 0
    assert "5 bases, 2 tracks of 3 bases, every base on 1 to 2" in lines[0]
    assert "copying every move is allowed" in lines[1]
    assert "3 x 2" in lines[2]


def test_check_knows_the_shipped_board_by_name(run):
    status, lines, _ = run(check, "whirl")
    assert status == 0
    assert "is complete: " in lines[0]


def test_check_says_what_is_wrong(run, board_file):
    path = board_file(FILE.replace("[3, 4, 5]", "[4, 5]"))
    status, _, _ = run(check, path)
    assert status == 0
    path = board_file(FILE.replace("[3, 4, 5]", "[4]"))
    done = CliRunner().invoke(check, [path])
    assert done.exit_code == 1
    assert f"{path}: Track 2 has fewer than 2 bases" in done.stderr
    with pytest.raises(ConfigError, match="cannot be read"):
        run(check, path + ".not")

"""Tests of firmware_host/cli/rules.py and options.py: the ``tiltboard rules`` contract, through
the command.
"""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.rules import command
from tiltboard.games.contract import answer_line


@pytest.fixture
def rules():
    """Run the command: exit status, the objects on stdout, the text on stderr."""

    def run(*arguments, lines=None):
        asked = None if lines is None else b"".join(line + b"\n" for line in lines)
        result = CliRunner().invoke(command, arguments, input=asked)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        objects = [json.loads(line) for line in result.stdout.splitlines()]
        return result.exit_code, objects, result.stderr

    return run


def question(**parts):
    return json.dumps({"game": "momentum", **parts}).encode()


def test_one_position(rules):
    status, (answer,), errors = rules("momentum", "--moves", "d4 e5")
    assert (status, errors) == (0, "")
    assert list(answer) == [
        "game",
        "options",
        "moves",
        "to_move",
        "cells",
        "reserve",
        "legal",
        "result",
    ]
    assert answer["game"] == "momentum"
    assert answer["options"]["marbles"] == 8
    assert answer["moves"] == ["d4", "e5"]
    assert answer["to_move"] == "red"
    assert answer["cells"] == {"c3": "red", "e5": "blue"}
    assert answer["reserve"] == {"red": 7, "blue": 7}
    assert len(answer["legal"]) == 47
    assert answer["legal"] == sorted(answer["legal"])
    assert answer["result"] is None


def test_without_moves_the_start(rules):
    _, (answer,), _ = rules("momentum")
    assert answer["moves"] == []
    assert answer["cells"] == {}
    assert answer["to_move"] == "red"


def test_a_finished_game(rules):
    options = ["--option", "size=3", "--option", "marbles=1"]
    status, (answer,), _ = rules("momentum", *options, "--moves", "b2")
    assert status == 0
    assert answer["to_move"] is None
    assert answer["legal"] == []
    assert answer["result"] == {"winner": "red", "reason": "complete"}


@pytest.mark.parametrize("holes", ["e5,b2", "e5 b2", "e5, b2"])
@pytest.mark.parametrize("moves", ["d4 e4", "d4,e4", " d4, e4 "])
def test_lists_by_commas_or_spaces(rules, holes, moves):
    _, (answer,), _ = rules(
        "momentum", "--option", f"holes={holes}", "--option", "marbles=8", "--moves", moves
    )
    assert answer["options"]["holes"] == ["b2", "e5"]
    assert answer["moves"] == ["d4", "e4"]


def test_lists_by_spaces_only_where_places_have_commas(rules):
    options = ("--option", "holes=0,0 1,-1", "--option", "hex=3", "--option", "marbles=4")
    status, (answer,), _ = rules("momentum", *options, "--moves", "0,1 -2,2 ")
    assert status == 0
    assert answer["options"]["holes"] == ["0,0", "1,-1"]
    assert answer["moves"] == ["0,1", "-2,2"]


def test_an_empty_list(rules):
    _, (answer,), _ = rules("momentum", "--option", "holes=")
    assert answer["options"]["holes"] == []


@pytest.mark.parametrize(
    ("moves", "index", "move", "words"),
    [
        ("d4 d5 d5", 2, "d5", "not empty"),
        ("d4 e5 swap", 2, "swap", "swap"),
        ("swap", 0, "swap", "swap"),
        ("D4", 0, "D4", "not a cell"),
        ("d4 h8", 1, "h8", "not a cell"),
    ],
)
def test_an_illegal_move(rules, moves, index, move, words):
    status, (answer,), _ = rules("momentum", "--moves", moves)
    assert status == 1
    assert list(answer) == ["error"]
    assert answer["error"]["index"] == index
    assert answer["error"]["move"] == move
    assert words in answer["error"]["reason"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chess"], "momentum"),
        (["momentum", "--option", "colour=3"], "must_block"),
        (["momentum", "--option", "size=seven"], "whole number"),
        (["momentum", "--option", f"size=1{'0' * 30}"], "from 1 to 26"),
        (["momentum", "--option", f"round_limit=1{'0' * 30}"], "from 1 to 1000000000"),
        (["momentum", "--option", "pie=maybe"], "true or false"),
        (["momentum", "--option", "size"], "KEY=VALUE"),
        (["momentum", "--option", "size=7", "--option", "size=7"], "twice"),
        (["momentum", "--option", "size=9"], "marbles="),
    ],
)
def test_unknown_games_and_options(rules, arguments, words):
    status, (answer,), errors = rules(*arguments)
    assert status == 2
    assert words in answer["error"]["reason"]
    assert words in errors


@pytest.mark.parametrize("arguments", [[], ["--batch", "momentum"], ["--batch", "--moves", "a1"]])
def test_arguments_that_do_not_go_together(rules, arguments):
    status, answers, errors = rules(*arguments)
    assert (status, answers) == (2, [])
    assert "Error" in errors


def test_trace_holds_every_position(rules):
    _, (answer,), _ = rules("momentum", "--trace", "--moves", "d4 swap e5")
    positions = answer["positions"]
    assert len(positions) == 4
    assert [each["cells"] for each in positions] == [
        {},
        {"d4": "red"},
        {"d4": "blue"},
        {"c3": "blue", "e5": "red"},
    ]
    assert [each["to_move"] for each in positions] == ["red", "blue", "red", "blue"]
    assert positions[-1] == {key: answer[key] for key in positions[-1]}


def test_batch_plays_the_recorded_games(rules, recorded):
    lines = [json.dumps(each["question"]).encode() for each in recorded]
    status, answers, errors = rules("--batch", "--trace", lines=lines)
    assert (status, errors) == (0, "")
    assert [each["positions"] for each in answers] == [each["positions"] for each in recorded]
    assert [each["moves"] for each in answers] == [each["question"]["moves"] for each in recorded]
    _, short, _ = rules("--batch", lines=lines)
    assert [{**each, "positions": None} for each in short] == [
        {**each, "positions": None} for each in answers
    ]


def test_an_illegal_move_in_a_batch_is_an_answer(rules):
    lines = [question(moves=["d4", "d4"]), question(moves=["d4"])]
    status, (bad, good), errors = rules("--batch", lines=lines)
    assert (status, errors) == (0, "")
    assert bad["error"]["index"] == 1
    assert good["cells"] == {"d4": "red"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"", "empty"),
        (b"{", "not JSON"),
        (b"\xff\xfe{", "not JSON"),
        (b'{"game": "\xe9"}', "not UTF-8"),
        (b"[" * 100_000, "not JSON"),
        (b'{"game": 1' + b"0" * 5000 + b"}", "not JSON"),
        (b"[]", "object"),
        (b"{}", "game"),
        (b'{"game": 3}', "game"),
        (b'{"game": "chess"}', "momentum"),
        (question(option={}), "option is not a key"),
        (question(options=[]), "options must be an object"),
        (question(moves="d4"), "moves must be a list"),
        (question(moves=[4]), "moves must be a list"),
        (question(options={"size": "7"}), "whole number"),
        (question(options={"holes": "e5"}), "list of places"),
        (question(options={"colour": 1}), "must_block"),
    ],
)
def test_a_line_that_cannot_be_answered(rules, line, words):
    status, (bad, good), errors = rules("--batch", lines=[line, question(moves=["d4"])])
    assert status == 2
    assert list(bad["error"]) == ["reason"]
    assert words in bad["error"]["reason"]
    assert good["cells"] == {"d4": "red"}
    assert "1 of 2 lines" in errors
    assert "line 1" in errors


def test_any_text_may_be_a_move(rules):
    line = b'{"game": "momentum", "moves": ["\\ud800 {x} \\u0000"]}'
    status, (answer,), _ = rules("--batch", lines=[line])
    assert status == 0
    assert answer["error"]["move"] == "\ud800 {x} \0"


def test_options_as_answered_are_options_again():
    first = answer_line(question(options={"players": 3, "round_limit": 5}, moves=["d4"]))
    again = answer_line(json.dumps({key: first[key] for key in ("game", "options", "moves")}))
    assert again == first


def test_help_names_the_designer_and_asks_for_permission(rules):
    result = CliRunner().invoke(command, ["--help"])
    assert result.exit_code == 0
    for words in ("Example: tiltboard rules", "Phil Leduc, 2010", "permission", "round_limit"):
        assert words in result.output
    assert "  size         Square board: Rows and columns of a square board.\n" in result.output
    assert max(map(len, result.output.splitlines())) <= 80


def test_the_real_command():
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            "from tiltboard.firmware_host.cli.main import main; main()",
            "rules",
            "--batch",
        ],
        input=question(moves=["d4", "swap"]) + b"\nnonsense\n" + question(options={"size": 5}),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 2
    played, unread, unfit = map(json.loads, run.stdout.splitlines())
    assert played["cells"] == {"d4": "blue"}
    assert "not JSON" in unread["error"]["reason"]
    assert "marbles=" in unfit["error"]["reason"]
    assert b"2 of 3 lines" in run.stderr


def test_a_view_of_a_game_without_secrets_is_the_position(rules):
    status, (seen,), _ = rules("momentum", "--moves", "d4", "--view", "red")
    _, (whole,), _ = rules("momentum", "--moves", "d4")
    assert (status, seen) == (0, whole)
    _, (line,), _ = rules("--batch", lines=[question(moves=["d4"], view="blue")])
    assert line == whole


@pytest.mark.parametrize("view", ["white", "", 3])
def test_a_view_is_a_players(rules, view):
    status, (answer,), errors = rules("--batch", lines=[question(moves=[], view=view)])
    assert status == 2
    assert list(answer["error"]) == ["reason"]
    assert errors


def test_an_unknown_viewer_is_told_the_players(rules):
    status, (answer,), _ = rules("momentum", "--view", "white")
    assert status == 2
    assert answer["error"]["reason"] == ("There is no player white; the players are: red, blue.")

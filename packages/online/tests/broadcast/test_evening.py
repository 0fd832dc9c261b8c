"""Tests of tiltboard_online/broadcast/evening.py: who plays whom, held against what makes a round
robin and a Swiss, and the file of it all.
"""

import json
import random
from itertools import combinations

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard_online.broadcast.evening import (
    DRAW,
    Result,
    append_result,
    open_game,
    read_evening,
    round_robin,
    standings,
)

NAMES = ["Ana", "Ben", "Chloé", "Dan", 'Eva "Queen" \\', "Finn", "Grażyna", "Hugo", "Ida"]


def written(tmp_path, count, more=""):
    path = tmp_path / "evening.toml"
    names = ", ".join("'" + name + "'" for name in NAMES[:count])
    path.write_text(f"players = [{names}]\n{more}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("count", range(2, 10))
def test_a_round_robin_is_everybody_once_against_everybody(count):
    rounds = round_robin(NAMES[:count])
    games = [frozenset(pair) for pairs in rounds for pair in pairs if None not in pair]
    assert sorted(map(sorted, games)) == sorted(map(sorted, combinations(NAMES[:count], 2)))
    for pairs in rounds:
        there = [name for pair in pairs for name in pair if name is not None]
        assert sorted(there) == sorted(NAMES[:count])
    first = [pair[0] for pairs in rounds for pair in pairs if None not in pair]
    assert max(map(first.count, NAMES[:count])) - min(map(first.count, NAMES[:count])) <= 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [5, 8])
def test_a_swiss_pairs_equals_and_nobody_twice(tmp_path, count, seed):
    pytest.importorskip("py4swiss", reason="the extra club is not installed")
    path, rng = written(tmp_path, count, 'pairing = "swiss"\nrounds = 4'), random.Random(seed)
    possible = 4 if count == 8 else 3  # five may have met all whom they can before a fourth
    for number in range(1, possible + 1):
        sheet = read_evening(path)
        assert len(sheet.rounds) == number
        games = sheet.rounds[-1]
        assert sorted(n for first, second, _ in games for n in (first, second) if n) == sorted(
            NAMES[:count]
        )
        if number == 2 and count == 8:  # winners meet winners, as far as no draw is among them
            points = {line.name: line.points for line in standings(NAMES, sheet.rounds[:1], bye=1)}
            assert sum(abs(points[a] - points[b]) for a, b, _ in games) <= 2
        for first, second, _ in games:
            if second is not None:
                append_result(
                    path, Result(number, first, second, rng.choice([first, second, None]))
                )
    sheet = read_evening(path)
    met = [frozenset(game[:2]) for games in sheet.rounds for game in games]
    assert len(set(met)) == len(met)
    assert sum(line.points for line in sheet.standings) >= possible * ((count + 1) // 2)


def test_points_and_opponents_are_counted():
    rounds = [
        [("a", "b", "a"), ("c", "d", DRAW)],
        [("a", "c", "c"), ("b", "d", None)],
        [("d", None, "d")],
    ]
    lines = [(each.name, each.points, each.opponents) for each in standings("abcd", rounds, bye=0)]
    assert lines == [("c", 1.5, 1.5), ("a", 1.0, 1.5), ("d", 0.5, 1.5), ("b", 0.0, 1.0)]


def test_a_result_is_written_once_and_read_again(tmp_path):
    path = written(tmp_path, 5)
    sheet = read_evening(path)
    number, first, second = open_game(sheet, frozenset((NAMES[4], "Ben")))
    append_result(path, Result(number, first, second, NAMES[4]))
    assert open_game(read_evening(path), frozenset((NAMES[4], "Ben"))) is None
    best = read_evening(path).standings[0]
    assert (best.name, best.points) == (NAMES[4], 1.0)
    assert open_game(sheet, frozenset(("Ben", "Nobody"))) is None


TWO = "players = ['Ana', 'Ben']\n"
GAME = TWO + "[[result]]\nround = 1\nfirst = 'Ana'\nsecond = "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("players = ['Ana']", r"players: too few entries, 2 is the least\. Add what is missing\.$"),
        (
            TWO + f"title = '{'x' * 81}'",
            r"title: too many characters, 80 is the most\. Make it",
        ),
        ("players = ['Ana', 'ana']", "same name"),
        (TWO + "pairing = 'swiss'", "more players"),
        (TWO + "pairing = 'knockout'", "pairing"),
        (TWO + "player = 1", "did you mean 'players'"),
        (GAME + "'Dan'", "no such game"),
        (GAME + "'Ben'\nwon = 'Dan'", "no such game"),
        ("players = [", "TOML"),
    ],
)
def test_a_file_that_is_wrong_says_where(tmp_path, text, said):
    path = tmp_path / "evening.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        read_evening(path)


def test_who_has_no_opponent_in_a_round_is_told_so_on_paper(tmp_path):
    printed = CliRunner().invoke(cli, ["club", str(written(tmp_path, 3)), "--print"]).output
    assert printed.count(" - bye\n") == 3 and " - \n" not in printed


def test_rounds_and_standings_are_objects_for_a_program(tmp_path):
    ran = CliRunner().invoke(cli, ["club", str(written(tmp_path, 3)), "--print", "--json"])
    told = [json.loads(line) for line in ran.output.splitlines()]
    byes = [each for each in told if "round" in each and each["second"] is None]
    assert [each["round"] for each in byes] == [1, 2, 3]
    assert [each["place"] for each in told if "place" in each] == [1, 2, 3]

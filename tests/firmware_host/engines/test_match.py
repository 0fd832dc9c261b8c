"""Matches: pairs, colours, the interval, and going on where one stopped."""

import math
from itertools import count

import pytest
from click.testing import CliRunner

from firmware_host.cli.main import cli
from firmware_host.config.errors import ConfigError
from firmware_host.engines.match import Heading, Played, Record, Score, elo, opening, play, score
from firmware_host.messages import Catalogue

HEADING = Heading("a", "b", "gravity-trap", {}, 4, 1, 1000)


class FirstMove:
    def __init__(self, rules):
        self.rules = rules

    def move(self, names, state):
        return self.rules.moves(state)[0]


class Cheat:
    def move(self, names, state):
        return -1


def test_two_games_that_follow_each_other_are_a_pair(game):
    made = game("gravity-trap")
    games = play(HEADING, made, lambda name, seed: FirstMove(made.rules), count())
    one, other, third = next(games), next(games), next(games)
    assert one.moves == other.moves != third.moves[:4]
    assert (one.first, other.first) == (True, False)
    assert one.share + other.share == 1  # the same game, seen from both sides
    again = next(play(HEADING, made, lambda name, seed: FirstMove(made.rules), iter([2])))
    assert again == third


def test_whoever_makes_no_legal_move_has_lost(game):
    made = game("gravity-trap")
    sides = {"a": FirstMove(made.rules), "b": Cheat()}
    games = play(HEADING, made, lambda name, seed: sides[name], iter(range(4)))
    assert [each.share for each in games] == [1.0] * 4


def test_openings_leave_the_game_open(game):
    import random

    rules = game("momentum", size=4, marbles=3).rules
    for seed in range(20):
        state = rules.start()
        for move in opening(rules, 4, random.Random(seed)):
            state = rules.apply(state, move)
        assert rules.result(state) is None


def test_the_score_and_its_interval():
    games = [
        Played(n, True, share, []) for n, share in enumerate([1.0] * 6 + [0.5] * 2 + [0.0] * 2)
    ]
    made = score(games)
    assert (made.won, made.drawn, made.lost, made.share) == (6, 2, 2, 0.7)
    # Wilson's interval of 7 in 10, as tables have it
    assert made.interval == (pytest.approx(0.397, abs=0.001), pytest.approx(0.892, abs=0.001))
    assert Score(20, 0, 0).interval[1] == pytest.approx(1.0)
    assert Score(20, 0, 0).interval[0] > 0.8
    assert Score(0, 0, 0).interval == (0.0, 1.0)


def test_elo_is_a_logistic_scale():
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1.0) == math.inf
    assert elo(0.0) == -math.inf


def test_a_record_goes_on_where_it_was_cut_off(tmp_path):
    path = tmp_path / "match.jsonl"
    kept = Record(path, HEADING)
    for number in range(3):
        kept.add(Played(number, True, 1.0, ["1"]))
    path.write_bytes(path.read_bytes()[:-5])  # the power went within the last line
    again = Record(path, HEADING)
    assert [each.number for each in again.games] == [0, 1]
    again.add(Played(2, True, 0.0, ["2"]))
    assert [each.number for each in Record(path, HEADING).games] == [0, 1, 2]


def test_a_record_of_another_match_is_refused(tmp_path):
    path = tmp_path / "match.jsonl"
    Record(path, HEADING)
    with pytest.raises(ConfigError, match="another match"):
        Record(path, Heading("a", "c", "gravity-trap", {}, 4, 1, 1000))


def run(*words):
    return CliRunner().invoke(cli, ["match", *words], obj=Catalogue())


def test_the_command_tells_the_score_and_resumes(tmp_path):
    path = str(tmp_path / "m.jsonl")
    words = ("5", "1", "--game", "gravity-trap", "--record", path)
    first = run(*words, "--games", "2")
    assert first.exit_code == 0, first.output
    more = run(*words, "--games", "6")
    assert "5 against 1: +" in more.output
    assert len((tmp_path / "m.jsonl").read_text().splitlines()) == 7
    assert run(*words, "--games", "6").output.splitlines()[-1] == more.output.splitlines()[-1]


def test_what_is_no_player_or_no_match_is_refused():
    assert "is no player" in str(run("5", "eleven").exception)
    assert run("5", "4", "--option", "players=3").exit_code == 2

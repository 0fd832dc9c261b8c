"""Tests of tiltboard_lab/studies/match.py, tiltboard_lab/cli/match.py and studying.py:
matches: pairs, colours, when one is decided, and the command.
"""

import json
import random
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError
from tiltboard.firmware_host.engines.search.limits import Limits
from tiltboard_lab.studies.match import (
    BotMatch,
    IllegalError,
    NaivePlayer,
    Played,
    Score,
    opening,
    play,
    score,
    until_decided,
)


class FirstMove:
    def __init__(self, rules):
        self.rules = rules

    def move(self, names, state):
        return self.rules.moves(state)[0]


class Cheat:
    def move(self, names, state):
        raise IllegalError("z9")


def match(**changed):
    return BotMatch(**{"a": "2", "b": "1", "game": "gravity-trap", "options": {}, **changed})


def test_a_task_is_a_pair_with_one_opening_and_both_colours():
    one, other = match(a="1", b="1", nodes=50).run(3)
    third, _ = match(a="1", b="1", nodes=50).run(4)
    assert one.moves[:4] == other.moves[:4] != third.moves[:4]
    assert match(a="1", b="1", nodes=50).run(3) == (one, other)  # pure
    assert match(a="1", b="1", nodes=50, seed=2).run(3) != (one, other)


def test_the_share_is_that_of_a_in_both_games():
    pairs = [match(a="7", b="1", nodes=1000).run(n) for n in range(4)]
    made = score(pairs)
    assert made.games == 8
    assert made.won >= 6


def test_whoever_makes_no_legal_move_has_lost(game):
    rules = game("gravity-trap").rules
    begun = opening(rules, 4, random.Random(1))
    won, lost = (
        play(rules, begun, players)
        for players in ((FirstMove(rules), Cheat()), (Cheat(), FirstMove(rules)))
    )
    assert (won.share, won.illegal) == (1.0, "z9")
    assert (lost.share, lost.illegal) == (0.0, "z9")
    played = play(rules, begun, (FirstMove(rules), FirstMove(rules)))
    assert [rules.name(move) for move in begun] == played.moves[:4]


def test_openings_leave_the_game_open(game):
    rules = game("momentum", size=4, marbles=3).rules
    for seed in range(20):
        state = rules.start()
        for move in opening(rules, 4, random.Random(seed)):
            state = rules.apply(state, move)
        assert rules.result(state) is None


def test_naive_players_win_at_once_and_the_better_one_blocks(game):
    rules = game("gravity-connect", size=4, line=3).rules

    def loses_at_once(state, move):
        reached = rules.apply(state, move)
        replies = rules.moves(reached)
        ends = [rules.result(rules.apply(reached, reply)) for reply in replies]
        return (1 - rules.mover(state),) in ends

    dice, seen = random.Random(3), 0
    while seen < 30:
        state = rules.start()
        while rules.result(state) is None:
            moves = rules.moves(state)
            wins = [
                m for m in moves if rules.result(rules.apply(state, m)) == (rules.mover(state),)
            ]
            bad = [m for m in moves if loses_at_once(state, m)]
            if wins:
                assert NaivePlayer(rules, 1, dice).move((), state) in wins
                assert NaivePlayer(rules, 2, dice).move((), state) in wins
            elif 0 < len(bad) < len(moves):
                assert NaivePlayer(rules, 2, dice).move((), state) not in bad
                seen += 1
            state = rules.apply(state, dice.choice(moves))


LEANING = 21  # hundredths of the log-odds: 55.2 %; one less is 54.98 %


def test_an_opening_is_even_where_the_judge_expects_45_to_55_percent(game, monkeypatch):
    """The first such one of those that are drawn."""
    asked = []

    class Judge:
        def think(self, state, level, limits):
            assert (level, limits) == (10, Limits(nodes=20_000))
            value = (LEANING, -LEANING, 500, -500, LEANING - 1)[len(asked) % 5]
            asked.append(state)
            return SimpleNamespace(value=value, nodes=20_000)

    monkeypatch.setattr("tiltboard_lab.studies.match.thinker", lambda *_, **__: Judge())
    made = game("momentum")
    moves = match(game="momentum", nodes=9, even=True).begun(made, 0)
    assert len(asked) == len(set(asked)) == 5
    state = made.rules.start()
    for move in moves:
        state = made.rules.apply(state, move)
    assert state == asked[-1]


def test_even_openings_are_the_same_in_one_process_in_two_and_after_a_break(tmp_path):
    def openings(name, *more):
        words = ("1", "1", "--game", "gravity-connect", "--nodes", "9", *more)
        told = run(*words, "--record", str(tmp_path / name))
        assert told.exit_code == 0, told.output
        found = map(json.loads, (tmp_path / name).read_text().splitlines()[1:])
        return {number: pair[0]["moves"][:4] for number, pair in found}

    begun = openings("one", "--even", "--games", "2")
    whole = openings("one", "--even", "--games", "6")
    assert len(begun) == 1
    assert whole == {**whole, **begun}
    assert openings("two", "--even", "--games", "6", "--workers", "2") == whole
    assert not openings("as they come", "--games", "6").items() & whole.items()


def test_a_game_that_the_judge_solves_has_no_even_opening(game, monkeypatch):
    monkeypatch.setattr("tiltboard_lab.studies.match._MAX_LOOKS", 100_000)
    with pytest.raises(NotPossibleError, match="No even opening"):
        match(even=True, nodes=9).run(0)


def test_the_score_counts_won_drawn_and_lost():
    def pair(one, other):
        return Played(one, []), Played(other, [])

    assert score([pair(1.0, 1.0), pair(0.5, 0.0), pair(1.0, 0.5)]) == Score(3, 2, 1)
    assert Score(6, 2, 2).share == 0.7


def test_a_match_ends_with_the_pair_that_decides_it():
    won = Played(1.0, []), Played(1.0, [])
    split = Played(1.0, []), Played(0.0, [])
    seen, watched = until_decided(iter([won] * 100), [0.5])
    assert len(seen) < 12
    assert watched.low > 0.5
    seen, watched = until_decided(iter([split] * 100), [0.5])
    assert len(seen) == 100  # nobody is stronger
    seen, watched = until_decided(iter([split] * 100), [0.2, 0.8])
    assert len(seen) < 100  # and that is known soon
    assert 0.2 < watched.low < 0.5 < watched.high < 0.8


def test_a_match_that_was_begun_with_kernels_is_not_played_without(monkeypatch):
    monkeypatch.setattr("tiltboard_lab.studies.match.can_compile", lambda: False)
    with pytest.raises(ConfigError, match=r"pip install \./packages/kernels"):
        match(kernels=True).run(0)


def run(*words):
    return CliRunner().invoke(cli, ["match", *words])


def test_the_command_tells_the_score_and_resumes(tmp_path):
    path = str(tmp_path / "m.jsonl")
    words = ("5", "1", "--game", "gravity-trap", "--nodes", "500", "--record", path)
    first = run(*words, "--games", "2")
    assert first.exit_code == 0, first.output
    more = run(*words, "--games", "6")
    assert "5 against 1: +" in more.output
    assert len((tmp_path / "m.jsonl").read_text().splitlines()) == 4
    plain = more.output.splitlines()[-1]
    assert run(*words, "--games", "6").output.splitlines()[-1] == plain
    told = json.loads(run(*words, "--games", "6", "--json").stdout)
    assert told["won"] + told["drawn"] + told["lost"] == 6
    assert f"+{told['won']} ={told['drawn']} -{told['lost']}, {told['share']} %" in plain
    alone = run(*words[:-2], "--games", "6", "--workers", "2")
    assert alone.output.splitlines()[-1] == plain


def test_the_command_says_how_many_games_an_engine_lost_by_illegal_moves(tmp_path):
    engine = tmp_path / "engine.sh"
    engine.write_text(
        "while read -r word rest; do case $word in ugi) echo ugiok ;; isready) echo readyok ;;"
        " go) echo bestmove z9 ;; quit) exit ;; esac; done\n"
    )
    settings = tmp_path / "tiltboard.toml"
    settings.write_text(f"[engine.cheat]\ncommand = \"sh '{engine}'\"\n")
    words = ("--game", "gravity-trap", "--nodes", "9", "--games", "4", "--config", str(settings))
    for players, won in ((("cheat", "1"), "+0 =0 -4"), (("1", "cheat"), "+4 =0 -0")):
        told = run(*players, *words).output.splitlines()
        assert told[-2].startswith(
            "cheat lost 4 of 4 games by an illegal move, the first: z9 after "
        )
        assert len(told[-2].partition(" after ")[2].rstrip(".").split()) in (4, 5)
        assert won in told[-1]


def test_the_command_stops_once_it_is_decided():
    done = run("5", "1", "--game", "gravity-trap", "--nodes", "500", "--decide", "20")
    assert "Decided after " in done.output, done.output
    short = run("1", "1", "--game", "gravity-trap", "--nodes", "500", "--decide", "50")
    assert "Not decided after 20 games." in short.output


def test_a_player_may_have_his_own_limit():
    """Four plies ahead against one position in all, the same level."""
    made = score(match(a="6@3000", b="6@1", nodes=50).run(n) for n in range(8))
    assert made.won >= 12


def test_a_search_that_has_no_kernels_is_refused():
    with pytest.raises(ConfigError, match="not compiled for this game"):
        match(a="plain", nodes=9).run(0)


def test_what_is_no_player_or_no_match_is_refused():
    for name in ("eleven", "11", "9+unproven", "10+tired", "5@0", "5@", "+forgetful"):
        assert "There is no player" in str(run("5", name).exception), name
    assert run("5", "4", "--option", "players=3").exit_code == 2
    assert run("5", "4", "--nodes", "9", "--move-ms", "9").exit_code == 2

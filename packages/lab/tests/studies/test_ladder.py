"""Tests of tiltboard_lab/studies/ladder.py: all levels, each against the one below."""

import math

import pytest

from tiltboard_lab.studies.ladder import RUNGS, Ladder, heights, pairings, scores
from tiltboard_lab.studies.match import BotMatch, Played, Score


def test_a_task_is_a_pair_of_one_rung():
    job = Ladder(game="gravity-trap", options={}, nodes=30, seed=3)
    for number in (0, 2, len(RUNGS) + 1):
        level, pair = RUNGS[number % len(RUNGS)], number // len(RUNGS)
        alone = BotMatch(
            a=str(level), b=str(level - 1), game="gravity-trap", options={}, nodes=30, seed=3
        )
        assert job.run(number) == alone.run(pair)


def test_a_ladder_may_begin_with_even_openings():
    connect = {"game": "gravity-connect", "options": {}, "nodes": 9, "even": True}
    assert Ladder(**connect).run(0) == BotMatch(a="2", b="1", **connect).run(0)


def test_what_was_found_is_told_rung_by_rung():
    rounds = [[(Played(float(level % 2), []),) for level in RUNGS] for _ in range(3)]
    found = scores([pair for each in rounds for pair in each])
    assert found[2, "1"] == Score(0, 0, 3)
    assert found[3, "2"] == Score(3, 0, 0)
    assert [level for level, _ in found] == list(RUNGS)


def test_naive_players_are_met_by_every_level():
    played = pairings(naive=True)
    assert len(played) == len(RUNGS) + 30
    at = played.index((7, "two-ply"))
    trap = {"game": "gravity-trap", "options": {}, "nodes": 30}
    found = Ladder(**trap, naive=True).run(at + len(played))
    assert found == BotMatch(a="7", b="two-ply", **trap).run(1)
    scored = scores([[Played(1.0, [])]] * len(played), naive=True)
    assert len(heights(scored)) == 10  # of the rungs alone


def test_heights_are_the_rungs_added_up_and_less_and_less_certain():
    even = {(level, str(level - 1)): Score(30, 0, 30) for level in RUNGS}
    assert all(height == pytest.approx(0) for height, _, _ in heights(even).values())
    stronger = heights({(level, str(level - 1)): Score(75, 0, 25) for level in RUNGS})
    assert stronger[1] == (0, 0, 0)
    assert stronger[10][0] == pytest.approx(9 * 191, rel=0.03)  # 75 % is 191 points
    one, all_nine = (high - low for _, low, high in (stronger[2], stronger[10]))
    assert all_nine == pytest.approx(math.sqrt(9) * one)
    assert all(
        map(math.isfinite, heights(dict.fromkeys(pairings(naive=False), Score(60, 0, 0)))[10])
    )

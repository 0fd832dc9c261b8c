"""Tests of games/lesson.py and lesson_game.py: every lesson played through its game's rules: each
move is legal, each consequence as told.
"""

from __future__ import annotations

import re

import pytest

from tiltboard.games.lesson_game import GuidedGame
from tiltboard.games.registry import GAMES

LEARNT = [name for name, kind in GAMES.items() if kind.lesson is not None]


def test_every_game_of_places_has_a_lesson():
    assert LEARNT == ["momentum", "attraktion", "gravity-connect", "gravity-trap"]


@pytest.fixture(params=LEARNT)
def kind(request):
    return GAMES[request.param]


def carried(turn):
    return [f"{shift.source}-{shift.target or ''}" for shift in turn.consequences]


def test_each_move_is_legal_and_each_consequence_as_told(kind):
    position = kind.create(kind.lesson.options).start()
    for move in kind.lesson.opening:
        position = position.play(move).position
    learner = position.to_move
    for step in kind.lesson.steps:
        turn = position.play(step.move)  # raises where it is not legal
        assert sorted(carried(turn)) == sorted(step.does), step.say
        position = turn.position
    assert position.outcome is not None
    assert position.outcome.winner == learner


def test_it_takes_a_minute(kind):
    assert 4 <= len(kind.lesson.steps) <= 5
    assert all(len(said) < 170 for said in kind.lesson.texts)


def test_what_is_said_names_the_place_of_the_move_or_the_slot(kind):
    for step in kind.lesson.steps:
        where = re.findall(r"\b([A-Ja-h]?\d+|[A-J])\b", step.say)
        assert step.move in where, step.say


def test_pods_in_reach_are_as_many_as_the_lesson_says():
    kind = GAMES["gravity-trap"]
    position, said = kind.create(kind.lesson.options).start(), []
    for move in kind.lesson.opening:
        position = position.play(move).position
    for step in kind.lesson.steps:
        player = position.to_move
        position = position.play(step.move).position
        for count in re.findall(r"(\w+) pods? (?:is|are)\b", step.say):
            said.append(count)
            assert {"one": 1, "7": 7}[count] == position.figures[player]
    assert said == ["7", "one"]


def test_the_guided_game_lets_only_the_next_step_be_played(kind):
    guided = GuidedGame(kind.create(kind.lesson.options), kind.lesson)
    position = guided.start()
    for number, step in enumerate(kind.lesson.steps):
        assert guided.step_at(position) == number
        assert guided.next_step(position) == step
        assert position.legal() == (step.move,)
        free = next(place for place in guided.board if place not in position.cells)
        if free not in (step.move, *(shift.target for shift in position.play(step.move).act)):
            assert position.drop_refusal(position.mover, free) is not None
        position = position.play(step.move).position
    assert guided.next_step(position) is None
    assert position.over

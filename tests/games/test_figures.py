"""Tests of games/registry.py and rules.py: what games count while they go on, against what else
they tell of the same positions.
"""

from __future__ import annotations

from random import Random

from tiltboard.games.registry import game_type


def test_attraktion_counts_the_winning_positions_that_its_result_names():
    rng = Random(4)
    for _ in range(20):
        position = game_type("attraktion").create({"size": 6}).start()
        while position.outcome is None:
            assert len({*position.figures.values()}) == 1  # else somebody has won
            position = position.play(rng.choice(position.legal())).position
        named = position.outcome.extra["positions"]
        assert position.figures == {player: len(found) for player, found in named.items()}


def test_gravity_trap_counts_the_pods_that_each_ship_can_fly_to():
    rng = Random(4)
    position = game_type("gravity-trap").create({}).start()
    assert position.figures == {}
    while position.outcome is None:
        if position.figures:  # the rule against copying may forbid one of them
            legal = len(position.legal())
            assert legal in (
                position.figures[position.to_move],
                position.figures[position.to_move] - 1,
            )
        position = position.play(rng.choice(position.legal())).position
    winner, loser = (
        position.outcome.winner,
        next(p for p in position.game.players if p != position.outcome.winner),
    )
    assert position.figures[winner] == position.outcome.extra["margin"]
    assert position.figures[loser] == 0 or position.outcome.extra["margin"] == 0


def test_other_games_count_nothing_besides():
    assert game_type("momentum").create({}).start().figures == {}

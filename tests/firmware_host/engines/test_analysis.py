"""Whole games looked at: the curve, the three dearest moves, and whom they cost how much."""

import pytest

from firmware_host.config.errors import NotPossibleError
from firmware_host.engines.analysis import Judgement, analyse, check
from games.registry import EVERY_GAME


def played(game, moves):
    position = game.start()
    reached = [position]
    for move in moves:
        position = position.play(move).position
        reached.append(position)
    return reached


def judge_by(table):
    """Shares of the mover by the number of moves made, and the move that was best."""
    return lambda moves: Judgement(*table[len(moves)])


def test_the_curve_is_the_first_players_and_a_loss_is_the_movers(game):
    moves = ["a1", "e5", "a5"]
    positions = played(game("momentum", size=5, marbles=4, pie=False), moves)
    found = analyse(
        positions, moves, judge_by([(0.5, "c3"), (0.65, "e5"), (0.9, "b2"), (0.3, "c3")])
    )
    # red to move at the start and after two moves: the others are seen from blue's side
    assert found.shares == pytest.approx((0.5, 0.35, 0.9, 0.7))
    assert [(p.ply, p.player, p.move, p.better) for p in found.turning] == [
        (1, "red", "a1", "c3"),
        (2, "blue", "e5", None),
        (3, "red", "a5", "b2"),
    ]
    assert (found.turning[1].before, found.turning[1].after) == pytest.approx((0.65, 0.1))


def test_at_most_the_three_dearest_in_the_order_of_play(game):
    moves = ["a1", "e5", "a5", "e1", "b2"]
    positions = played(game("momentum", size=5, marbles=4, pie=False), moves)
    shares = [0.9, 0.3, 0.6, 0.9, 0.95, 0.3]  # of the mover
    found = analyse(positions, moves, judge_by([(share, "c3") for share in shares]))
    lost = [shares[n] - (1 - shares[n + 1]) for n in range(5)]
    dearest = sorted(sorted(range(5), key=lambda n: -lost[n])[:3])
    assert [point.ply - 1 for point in found.turning] == dearest


def test_the_end_counts_as_it_was(game):
    made = game("momentum", size=5, marbles=2, pie=False)
    moves = ["a1", "e5", "a5"]
    positions = played(made, moves)
    assert positions[-1].outcome.winner == "red"
    found = analyse(positions, moves, judge_by([(0.5, "c3")] * 3))
    assert found.shares[-1] == 1.0
    assert found.turning == ()


def test_games_of_more_and_with_secrets_have_no_curve(game):
    for made in (game("momentum", players=3), EVERY_GAME["gravity-warfare"].create({})):
        with pytest.raises(NotPossibleError):
            check(made)

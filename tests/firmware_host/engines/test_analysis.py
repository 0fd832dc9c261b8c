"""Tests of firmware_host/engines/analysis.py: whole games looked at: the curve, the three
dearest moves, and whom they cost how much.
"""

import dataclasses

import pytest

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.engines.analysis import Judgement, analyse, check
from tiltboard.firmware_host.engines.search.limits import WIN, log_odds
from tiltboard.firmware_host.host.hints import turning_point
from tiltboard.games.registry import EVERY_GAME


def played(game, moves):
    position = game.start()
    reached = [position]
    for move in moves:
        position = position.play(move).position
        reached.append(position)
    return reached


def judge_by(table):
    """Shares of the mover by the number of moves made, and the move that was best."""

    def judge(moves):
        if len(moves) >= len(table):
            return Judgement(0)  # it knows no more
        share, best = table[len(moves)]
        return Judgement(log_odds(share), (best,))

    return judge


def test_the_curve_is_the_first_players_and_a_loss_is_the_movers(game):
    moves = ["a1", "e5", "a5"]
    positions = played(game("momentum", size=5, marbles=4, pie=False), moves)
    found = analyse(
        positions, moves, judge_by([(0.5, "c3"), (0.65, "e5"), (0.9, "b2"), (0.3, "c3")])
    )
    # red to move at the start and after two moves: the others are seen from blue's side
    assert found.shares == pytest.approx((0.5, 0.35, 0.9, 0.7), abs=0.01)
    assert [(p.ply, p.player, p.move, p.better[:1]) for p in found.turning] == [
        (1, "red", "a1", ("c3",)),
        (2, "blue", "e5", ()),
        (3, "red", "a5", ("b2",)),
    ]
    point = found.turning[1]
    assert (point.before, point.after) == pytest.approx((0.65, 0.1), abs=0.01)


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


def best_known(game):
    """A judge by the rules alone: it sees a win at once, and takes the first move else."""

    def judge(moves):
        position = played(game, moves)[-1]
        won = [m for m in position.legal() if position.after(m).over]
        if won:
            return Judgement(WIN - 1, (won[0],))
        return Judgement(0, position.legal()[:1])

    return judge


def test_what_let_the_other_win_is_told_in_the_games_words_with_both_lines(game):
    made = game("momentum", size=5, marbles=3, pie=False)
    moves = ["c3", "c1", "a5", "e5"]
    found = analyse(played(made, moves), moves, best_known(made))
    [point] = found.turning
    assert (point.ply, point.proven, point.turns) == (4, "lets", 1)
    after = played(made, [*moves, *point.reply])[-1]
    assert (after.over, after.outcome.winner) == (True, "red")
    held = played(made, [*moves[:-1], *point.better])  # a legal line
    assert len(held) == 4 + len(point.better)
    said = f"Blue e5 let Red's last marble in; {point.better[0]} would have stopped it."
    assert str(turning_point(point, made)) == said


def test_a_win_that_was_missed_is_told(game):
    made = game("momentum", size=5, marbles=3, pie=False)
    moves = ["c3", "c1", "a5", "e5"]
    before = played(made, moves)[-1]
    wrong = next(move for move in before.legal() if not before.after(move).over)
    moves.append(wrong)
    point = analyse(played(made, moves), moves, best_known(made)).turning[-1]
    assert (point.ply, point.proven) == (5, "missed")
    said = f"Red {wrong}: {point.better[0]} wins immediately."
    assert str(turning_point(point, made)) == said
    later = dataclasses.replace(point, turns=3)
    assert str(turning_point(later, made)) == f"Red {wrong}: {point.better[0]} wins in 3 turns."


@pytest.mark.parametrize(("own", "others", "told"), [(11, 1, "lets"), (1, 11, "missed")])
def test_of_a_win_missed_and_a_win_let_the_nearer_is_told(game, own, others, told):
    moves = ["c3", "a1"]
    judged = {1: Judgement(WIN - own, ("c1",)), 2: Judgement(WIN - others, ("e1",))}
    positions = played(game("momentum", size=5, marbles=4, pie=False), moves)
    found = analyse(positions, moves, lambda made: judged.get(len(made), Judgement(0)))
    point = found.turning[-1]
    assert (point.ply, point.proven, point.turns) == (2, told, 1)


def test_games_of_more_and_with_secrets_have_no_curve(game):
    for made in (game("momentum", players=3), EVERY_GAME["gravity-warfare"].create({})):
        with pytest.raises(NotPossibleError):
            check(made)

"""Tests of games/momentum/game.py and rules.py: Momentum, rule by rule: facts of the rule text
and of docs/rules.md, by hand.
"""

import pytest

from tiltboard.games.base import Game, GameType, IllegalMoveError, Shift
from tiltboard.games.momentum.game import MOMENTUM


def consequences(turn):
    return {(shift.piece, shift.source, shift.target) for shift in turn.consequences}


def test_is_a_game_of_the_contract(momentum):
    kind: GameType = MOMENTUM
    assert isinstance(momentum(), Game)
    assert kind.credit.designer == "Phil Leduc"
    assert kind.credit.year == 2010
    assert "permission" in kind.credit.notice


# M1: the worked example of igGameCenter's rules page.
def test_worked_example(momentum, standing):
    before = standing(momentum(), turn=8, red="e5 b3", blue="e4 a2 c4")
    turn = before.play("d5")
    assert turn.act == (Shift("red", None, "d5"),)
    assert consequences(turn) == {
        ("red", "e5", "f5"),
        ("blue", "e4", "f3"),
        ("blue", "a2", None),
    }
    after = turn.position
    assert after.cells == {
        "b3": "red",
        "c4": "blue",
        "d5": "red",
        "f3": "blue",
        "f5": "red",
    }
    assert after.reserve == {"red": 5, "blue": 6}
    assert after.to_move == "blue"


def test_worked_example_is_reached_in_play(momentum, play):
    before = play(momentum(pie=False), "c3 c4 g2 a2 f4 c7 d1 f3 g5 g2")
    assert {"e5": "red", "e4": "blue", "a2": "blue"}.items() <= before.cells.items()
    assert {"b3", "c4"} <= before.cells.keys()
    assert consequences(before.play("d5")) == {
        ("red", "e5", "f5"),
        ("blue", "e4", "f3"),
        ("blue", "a2", None),
    }


# M1, M2: figure 2's facts: one drop can return marbles of both owners, eight ways at once.
def test_eight_directions_at_once_and_marbles_of_both_return_to_their_owners(momentum, standing):
    before = standing(momentum(size=3, marbles=6), turn=8, red="a1 a2 a3 b1", blue="b3 c1 c2 c3")
    after = before.play("b2").position
    assert after.cells == {"b2": "red"}
    assert after.reserve == {"red": 5, "blue": 6}


def test_a_gap_next_to_the_drop_keeps_the_line_still(momentum, standing):
    turn = standing(momentum(), turn=2, red="d2", blue="d3").play("d5")
    assert turn.consequences == ()


def test_only_the_last_of_a_line_moves_and_there_is_no_chain_reaction(momentum, standing):
    # d2 d3 d4 are the line; d4 rolls to d5, next to d6, which stays.
    turn = standing(momentum(), turn=4, red="d2 d4", blue="d3 d6").play("d1")
    assert consequences(turn) == {("red", "d4", "d5")}


# M6
@pytest.mark.parametrize(
    ("obstacle", "expected"),
    [
        ({}, {("blue", "c1", "d1")}),
        ({"holes": ["d1"]}, {("blue", "c1", None)}),
        ({"missing": ["d1"]}, {("blue", "c1", None)}),
        ({"cushions": ["d1"]}, set()),
    ],
)
def test_what_ends_a_line(momentum, standing, obstacle, expected):
    game = momentum(marbles=8, **obstacle)
    assert consequences(standing(game, turn=2, red="b1", blue="c1").play("a1")) == expected


def test_an_obstacle_further_on_does_not_matter(momentum, standing):
    game = momentum(marbles=8, cushions=["d1"], holes=["a4"])
    turn = standing(game, turn=2, red="b1", blue="a2").play("a1")
    assert consequences(turn) == {("red", "b1", "c1"), ("blue", "a2", "a3")}


def test_hexagon_has_six_directions(momentum, standing):
    game = momentum(hex=3, marbles=8)
    ring = "1,0 0,1 -1,1 -1,0 0,-1 1,-1"
    turn = standing(game, turn=6, red=ring).play("0,0")
    assert consequences(turn) == {
        ("red", source, ",".join(str(2 * int(number)) for number in source.split(",")))
        for source in ring.split()
    }
    # 1,1 and -1,-1 are no neighbours
    assert standing(game, turn=2, red="1,1", blue="-1,-1").play("0,0").consequences == ()


def test_boards_have_the_cells_they_should(momentum):
    assert len(momentum(hex=4, marbles=4).board) == 37
    assert len(momentum(width=9, height=7).board) == 63
    holed = momentum(size=9, holes=["e5"])
    assert len(holed.board) == 81
    assert holed.blocked == {"e5": "hole"}
    assert len(holed.start().legal()) == 80
    chipped = momentum(marbles=8, missing=["a1"])
    assert "a1" not in chipped.board
    assert chipped.board["b1"] == (1, 0)
    assert momentum(hex=2, marbles=2).board == {
        "-1,0": (0, 1),
        "-1,1": (0, 2),
        "0,-1": (1, 0),
        "0,0": (1, 1),
        "0,1": (1, 2),
        "1,-1": (2, 0),
        "1,0": (2, 1),
    }


# M3
def test_the_mover_wins_with_all_his_marbles_on_the_board(momentum, standing):
    game = momentum()
    blue = "a7 c7 e7 g7 a5 c5 e5"
    outcome = standing(game, turn=15, red="a1 c1", blue=blue).play("g3").position.outcome
    assert outcome.as_json() == {"winner": "blue", "reason": "complete"}
    assert set(outcome.places) == {*blue.split(), "g3"}


def test_a_last_marble_that_pushes_one_of_its_own_off_does_not_win(momentum, standing):
    position = standing(momentum(), turn=14, red="a1 c1 e1 g1 a3 c3 e3").play("a2").position
    assert position.outcome is None
    assert position.reserve["red"] == 1


# M4
def test_swap_replaces_the_marble_without_momentum(momentum, play):
    before = play(momentum(), "d4")
    assert "swap" in before.legal()
    turn = before.play("swap")
    assert turn.act == (Shift("red", "d4", None), Shift("blue", None, "d4"))
    assert turn.consequences == ()
    after = turn.position
    assert after.cells == {"d4": "blue"}
    assert after.reserve == {"red": 8, "blue": 7}
    assert after.to_move == "red"
    assert "swap" not in after.legal()


@pytest.mark.parametrize(
    ("options", "moves"),
    [
        ({}, ""),
        ({}, "d4 e6"),
        ({}, "d4 swap"),
        ({"pie": False}, "d4"),
        ({"players": 3}, "d4"),
        ({"players": 4, "marbles": 5}, "d4"),
    ],
)
def test_swap_is_refused_at_any_other_time(momentum, play, options, moves):
    position = play(momentum(**options), moves)
    assert "swap" not in position.legal()
    with pytest.raises(IllegalMoveError, match=r"[Ss]wap"):
        position.play("swap")


# M5
def test_round_limit_counts_a_turn_of_each_and_the_majority_wins(momentum, play):
    game = momentum(size=4, marbles=5, round_limit=2)
    assert play(game, "a1 a3 c1").outcome is None
    drawn = play(game, "a1 a3 c1 c3").outcome
    assert drawn.as_json() == {"winner": None, "reason": "round-limit"}
    # blue's b1 pushes red's a1 and c1: one falls, so two blue marbles stand against one red
    won = play(game, "a1 a3 c1 b1").outcome
    assert won.as_json() == {"winner": "blue", "reason": "round-limit"}
    assert set(won.places) == {"a3", "b1"}


def test_swap_counts_as_a_turn_of_the_round(momentum, play):
    outcome = play(momentum(round_limit=1), "d4 swap").outcome
    assert outcome.as_json() == {"winner": "blue", "reason": "round-limit"}


def test_a_complete_set_in_the_last_turn_comes_first(momentum, play):
    game = momentum(size=4, marbles=2, round_limit=2, pie=False)
    assert play(game, "a1 a3 a2 c3").outcome.as_json() == {"winner": "blue", "reason": "complete"}


def test_round_limit_in_teams_counts_the_team(momentum, play):
    game = momentum(players=4, marbles=5, round_limit=1)
    outcome = play(game, "a1 d1 g1 e1").outcome
    # green's e1 sends blue's d1 to c1: two marbles each side
    assert outcome.as_json() == {"winner": None, "reason": "round-limit"}
    outcome = play(game, "a1 a3 a2 g7").outcome
    # white's a2 pushes red's a1 off and blue's a3 to a4: blue and green have two of three
    assert outcome.as_json() == {
        "winner": None,
        "reason": "round-limit",
        "team": ["blue", "green"],
    }
    assert set(outcome.places) == {"a4", "g7"}


# M8
def test_three_players_must_stop_the_next_ones_win(momentum, standing):
    game = momentum(players=3, size=5, marbles=3)
    red_to_move = standing(game, turn=6, red="a5", blue="a1 e1", white="e5")
    assert red_to_move.legal() == ("a2", "b1", "b2", "d1", "d2", "e2")
    refusal = red_to_move.drop_refusal("red", "c3")
    assert refusal is not None
    assert "Blue" in str(refusal)
    with pytest.raises(IllegalMoveError):
        red_to_move.play("c3")
    free = standing(
        momentum(players=3, size=5, marbles=3, must_block=False),
        turn=6,
        red="a5",
        blue="a1 e1",
        white="e5",
    )
    assert "c3" in free.legal()


def test_three_players_need_not_stop_the_one_before(momentum, standing):
    game = momentum(players=3, size=5, marbles=3)
    assert len(standing(game, turn=6, red="a5", blue="e5", white="a1 e1").legal()) == 21


def test_three_players_may_win_in_place_of_stopping(momentum, standing):
    game = momentum(players=3, size=5, marbles=3)
    position = standing(game, turn=6, red="a5 c5", blue="a1 e1")
    assert "c3" in position.legal()
    assert position.play("c3").position.outcome.winner == "red"


def test_four_players_are_two_teams(momentum, standing):
    game = momentum(players=4, marbles=2)
    outcome = standing(game, turn=6, white="a1").play("c1").position.outcome
    assert outcome.as_json() == {
        "winner": "white",
        "reason": "complete",
        "team": ["red", "white"],
    }


# M10: a row between cushions never moves, so it fills.
def test_a_full_board_is_a_draw(momentum, play):
    game = momentum(width=4, height=1, cushions=["a1", "d1"], marbles=2, pie=False)
    assert play(game, "b1 c1").outcome.as_json() == {"winner": None, "reason": "full"}


def test_after_the_end_nothing_may_be_played(momentum, play):
    over = play(momentum(marbles=1, size=3), "b2")
    assert over.outcome.winner == "red"
    assert over.to_move is None
    assert over.legal() == ()
    with pytest.raises(IllegalMoveError, match="over"):
        over.play("a1")
    assert over.drop_refusal("blue", "a1") is not None


@pytest.mark.parametrize(
    ("piece", "place", "words"),
    [
        ("blue", "c3", "Red's turn"),
        ("red", "a1", "hole"),
        ("red", "a2", "cushion"),
        ("red", "a3", "missing"),
        ("red", "d4", "not empty"),
        ("red", "z9", "not a cell"),
        ("red", "D4", "not a cell"),
        ("red", "swap", "not a cell"),
    ],
)
def test_a_refused_drop_says_why(momentum, standing, piece, place, words):
    game = momentum(marbles=8, holes=["a1"], cushions=["a2"], missing=["a3"])
    position = standing(game, turn=2, red="d4", blue="e6")
    assert words in str(position.drop_refusal(piece, place))
    assert position.drop_refusal("red", "c1") is None

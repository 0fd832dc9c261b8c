"""Tests of games/attraktion/rules.py and game.py: Attraktion, rule by rule: facts of the rule
text and of docs/rules.md, by hand.
"""

import pytest

from tiltboard.games.attraktion.game import ATTRAKTION
from tiltboard.games.base import Game, GameType, IllegalMoveError, OptionError, Shift


def pulled(turn):
    return {(shift.source, shift.target) for shift in turn.consequences}


def test_is_a_game_of_the_contract(attraktion):
    kind: GameType = ATTRAKTION
    game = attraktion()
    assert isinstance(game, Game)
    assert (kind.credit.designer, kind.credit.year) == ("Jaroslaw Cichocki", 2005)
    assert game.players == ("white", "black")
    assert game.board["a1"] == (0, 0)
    assert game.board["j10"] == (9, 9)
    assert list(game.board) == sorted(game.board)


# A1, A2: the worked example of pergioco.net.
def test_worked_example(attraktion, standing):
    before = standing(attraktion(), turn=8, white="e1 e6 a3 e7", black="b3 g3 e4")
    turn = before.play("e3")
    assert turn.act == (Shift("white", None, "e3"),)
    assert len(turn.consequences) == 6
    assert set(turn.consequences) == {
        Shift("white", "e1", "e2"),
        Shift("black", "b3", "c3"),
        Shift("black", "g3", "f3"),
        Shift("white", "a3", "b3"),
        Shift("white", "e6", "e5"),
        Shift("white", "e7", "e6"),
    }
    assert turn.position.cells == {
        "e2": "white",
        "c3": "black",
        "f3": "black",
        "b3": "white",
        "e5": "white",
        "e6": "white",
        "e4": "black",
        "e3": "white",
    }
    assert turn.position.to_move == "black"


# A2
@pytest.mark.parametrize(
    ("others", "drop", "pulls"),
    [
        ("j1", "a1", {("j1", "i1")}),  # the whole row
        ("a10", "a1", {("a10", "a9")}),  # the whole column
        ("b2 c3 d4", "a1", set()),  # never diagonally
        ("b1 c1 d1", "a1", set()),  # an unbroken line stays
        ("b1 d1 e1 j1", "a1", {("d1", "c1"), ("e1", "d1"), ("j1", "i1")}),  # from the gap on
        ("c1 d1 e1", "a1", {("c1", "b1"), ("d1", "c1"), ("e1", "d1")}),  # each makes room
        ("b1 c1 d1 e1 f1 g1 i1 j1", "a1", {("i1", "h1"), ("j1", "i1")}),  # a gap far away
        ("a1 b1 h1 j1", "i1", {("a1", "b1"), ("b1", "c1")}),  # the other way
    ],
)
def test_attraction(attraktion, standing, others, drop, pulls):
    for colours in ({"white": others}, {"black": others}):
        turn = standing(attraktion(), turn=10, **colours).play(drop)
        assert pulled(turn) == pulls


# A3, A4. A piece on a corner of the four would pull its neighbours in, were they not held.
@pytest.mark.parametrize(
    ("stand", "drop", "winner"),
    [
        (("e5 e6 f5", "d4 d6 f4"), "f6", "white"),  # black makes white's position: white wins
        (("e5", "d4 d6 f4"), "f6", None),  # the new piece pulls the four apart
        (("e5 e6 f5 d5 e4", "d4 d6 f4"), "f6", "white"),  # what stands beside it does not matter
        (("e5 e6 f5 f4", "d4 d6"), "f6", None),  # one of the four is white's own
        (("a5 b5", "b4"), "b6", None),  # on the rim
        (("b2 b3 c2", "a1 a3 c1"), "c3", "white"),  # next to the rim
    ],
)
def test_winning_position(attraktion, standing, stand, drop, winner):
    white, black = stand
    outcome = standing(attraktion(), turn=9, white=white, black=black).play(drop).position.outcome
    assert (outcome and outcome.winner) == winner
    if winner:
        middle = white.split()[0]
        assert outcome.as_json() == {
            "winner": winner,
            "reason": "positions",
            "positions": {"white": [middle], "black": []},
        }
        assert outcome.places == (middle,)


def test_the_mover_wins_with_a_piece_in_the_middle(attraktion, standing):
    before = standing(attraktion(), turn=8, white="a9", black="d4 d6 f4 f6")
    outcome = before.play("e5").position.outcome
    assert (outcome.winner, outcome.reason) == ("white", "positions")


def test_equal_counts_go_on_and_the_next_turn_may_decide(attraktion, standing):
    before = standing(attraktion(), turn=13, white="c4 c6 e4 e6", black="d3 f3 f5 d4 e5")
    equal = before.play("d5").position
    index = equal.game.rules.index
    assert equal.game.rules.winning(equal.state) == (1 << index["e4"], 1 << index["d5"])
    assert equal.outcome is None
    assert equal.to_move == "white"
    decided = equal.play("c8")  # pulls black's position apart
    assert pulled(decided) == {("c6", "c7"), ("c4", "c5")}
    assert decided.position.outcome.as_json() == {
        "winner": "white",
        "reason": "positions",
        "positions": {"white": ["e4"], "black": []},
    }


def test_positions_may_share_pieces_and_both_count(attraktion, standing):
    before = standing(attraktion(), turn=11, white="c3 e3 d3 c4 e4", black="b2 b4 d2 f2 f4")
    outcome = before.play("d4").position.outcome
    assert outcome.as_json() == {
        "winner": "white",
        "reason": "positions",
        "positions": {"white": ["c3", "e3"], "black": []},
    }
    assert outcome.places == ("c3", "e3")


# A5
def test_a_full_board_is_a_draw(attraktion, play):
    over = play(attraktion(size=2), "a1 a2 b1 b2")
    assert (over.outcome.winner, over.outcome.reason) == (None, "full")
    assert over.reserve == {"white": 0, "black": 0}
    assert over.to_move is None
    assert over.legal() == ()


def test_no_piece_left_for_the_player_to_move_is_a_draw(attraktion, play):
    game = attraktion(size=5, pieces=1)
    assert play(game, "a1").outcome is None  # black still has his
    over = play(game, "a1 c3")
    assert (over.outcome.winner, over.outcome.reason) == (None, "no-pieces")


def test_a_position_made_with_the_last_piece_comes_first(attraktion, standing):
    before = standing(attraktion(pieces=5), turn=9, white="e5 e6 f5 a1 c8", black="d4 d6 f4 h1")
    outcome = before.play("f6").position.outcome
    assert (outcome.winner, outcome.reason) == ("white", "positions")


@pytest.mark.parametrize(
    ("options", "filled"),
    [
        ({}, {"size": 10, "pieces": 50}),
        ({"size": 8}, {"size": 8, "pieces": 32}),
        ({"size": 9}, {"size": 9, "pieces": 41}),
        ({"size": None, "pieces": 60}, {"size": 10, "pieces": 60}),
    ],
)
def test_options_are_filled_in(attraktion, options, filled):
    assert attraktion(**options).options == filled


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 27}, "from 1 to 26"),
        ({"size": 0}, "from 1 to 26"),
        ({"size": "10"}, "whole number"),
        ({"size": True}, "whole number"),
        ({"pieces": 0}, "from 1 to 1000000000"),
        ({"hex": 4}, "no option hex; it has: size, pieces"),
    ],
)
def test_options_that_cannot_be(attraktion, options, words):
    with pytest.raises(OptionError, match=words):
        attraktion(**options)


@pytest.mark.parametrize(
    ("piece", "place", "words"),
    [
        ("black", "c3", "White's turn"),
        ("white", "d4", "not empty"),
        ("white", "k1", "not a space"),
        ("white", "D4", "not a space"),
        ("white", "", "not a space"),
    ],
)
def test_a_refused_drop_says_why(attraktion, standing, piece, place, words):
    position = standing(attraktion(), turn=2, white="d4", black="e6")
    assert words in str(position.drop_refusal(piece, place))
    assert position.drop_refusal("white", "c3") is None
    if piece == "white":
        with pytest.raises(IllegalMoveError, match=words):
            position.play(place)


def test_after_the_end_nothing_may_be_placed(attraktion, play):
    over = play(attraktion(size=5, pieces=1), "a1 c3")
    with pytest.raises(IllegalMoveError, match="over"):
        over.play("b2")
    assert over.drop_refusal("white", "b2") is not None

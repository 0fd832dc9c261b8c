"""Tests of games/gravity_trap/rules.py and game.py: Gravity Trap, rule by rule: facts of the
rule text and of docs/rules.md, by hand.
"""

import pytest

from tiltboard.games.base import Game, GameType, IllegalMoveError, OptionError, Shift
from tiltboard.games.gravity_trap.game import GRAVITY_TRAP

PATH = [[1, 2], [2, 3], [3, 4], [4, 5], [5, 6]]  # neighbours only
MIRRORED = [(1, 6), (2, 5), (3, 4)]


def result(position):
    return position.outcome.as_json()


def test_is_a_game_of_the_contract(trap):
    kind: GameType = GRAVITY_TRAP
    game = trap()
    assert isinstance(game, Game)
    assert (kind.credit.designer, kind.credit.year) == ("Mike McManaway", 2008)
    assert "our own reconstruction" in kind.credit.notice
    assert game.players == ("red", "blue")
    # Ships are strong magnets, pods weak ones
    assert game.pieces == ("red", "blue", "pod")
    assert not kind.commas_in_places({})


# T2: cells is empty, then one ship, then ships and pods
def test_set_up(trap):
    start = trap().start()
    assert start.cells == {}
    assert start.legal() == tuple(sorted(str(base) for base in range(1, 23)))
    first = start.play("7")
    assert first.act == (Shift("red", None, "7"),)
    assert first.consequences == ()
    one = first.position
    assert (one.cells, one.to_move) == ({"7": "red"}, "blue")
    assert set(one.legal()) == set(start.legal()) - {"7"}
    second = one.play("12")
    others = set(start.legal()) - {"7", "12"}
    assert second.act == (Shift("blue", None, "12"),)
    assert set(second.consequences) == {Shift("pod", None, base) for base in others}
    assert len(second.consequences) == 20
    two = second.position
    assert two.cells == {**dict.fromkeys(others, "pod"), "7": "red", "12": "blue"}
    assert (two.to_move, two.reserve) == ("red", {})


# T3
def test_a_ship_goes_along_a_track_over_pods_empty_bases_and_the_other_ship(trap, play):
    game = trap([[1, 2, 3, 4, 5], [5, 6, 7]])
    set_up = play(game, "1 2")
    assert set_up.legal() == ("3", "4", "5")
    turn = set_up.play("4")
    assert turn.act == (Shift("red", "1", "4"), Shift("pod", "4", None))
    assert turn.consequences == ()
    assert turn.path == ("1", "2", "3", "4")
    after = turn.position
    assert after.cells == {"2": "blue", "3": "pod", "4": "red", "5": "pod", "6": "pod", "7": "pod"}
    assert after.legal() == ("3", "5")
    back = after.play("3").position.play("5")
    assert back.path == ("4", "5")
    assert back.position.legal() == ()


def test_a_ship_does_not_change_the_track_on_the_way(trap, play):
    position = play(trap([[1, 2, 3], [3, 4, 5], [5, 6, 1]]), "1 4")
    assert position.legal() == ("2", "3", "5", "6")
    with pytest.raises(IllegalMoveError, match="No track joins bases 1 and 4"):
        play(trap([[1, 2, 3], [3, 4, 5]]), "1 2").play("4")


def test_two_tracks_that_join_the_same_bases_are_one_move(trap, play):
    position = play(trap([[1, 2, 3], [3, 4, 5, 1], [1, 3]]), "1 5")
    assert position.legal() == ("2", "3", "4")
    assert position.play("3").path == ("1", "3")


# T4
def test_a_ship_that_lands_where_it_reaches_no_pod_has_lost(trap, play):
    over = play(trap([[1, 2], [3, 4, 5]]), "1 3 2")
    assert result(over) == {"winner": "blue", "reason": "stuck", "margin": 2}
    assert over.outcome.places == ("3", "4", "5")
    assert (over.to_move, over.legal()) == (None, ())


def test_also_when_both_are_stuck(trap, play):
    over = play(trap([[1, 2, 3]]), "1 2 3")
    assert result(over) == {"winner": "blue", "reason": "stuck", "margin": 0}
    assert over.outcome.places == ("2",)


def test_who_leaves_the_other_ship_without_a_pod_has_won(trap, play):
    over = play(trap([[1, 2, 3], [2, 4]]), "1 4 2")
    assert result(over) == {"winner": "red", "reason": "stuck", "margin": 1}


def test_red_without_a_pod_right_after_the_set_up_has_lost(trap, play):
    over = play(trap([[1, 2], [2, 3]]), "1 2")
    assert result(over) == {"winner": "blue", "reason": "stuck", "margin": 1}
    assert over.cells == {"1": "red", "2": "blue", "3": "pod"}


def test_blue_without_a_pod_right_after_the_set_up_has_not_lost_yet(trap, play):
    game = trap([[1, 2], [2, 3], [3, 4], [4, 5]])
    position = play(game, "2 1")
    assert position.to_move == "red"
    assert result(play(game, "2 1 3")) == {"winner": "red", "reason": "stuck", "margin": 1}


# T6
def test_the_second_player_may_not_copy_from_his_first_reply_on(trap, play):
    six = [[1, 2, 3, 4, 5, 6]]
    assert play(trap(six, MIRRORED), "1 6 2").legal() == ("3", "4")
    with pytest.raises(IllegalMoveError, match="opposite to the move just made"):
        play(trap(six, MIRRORED), "1 6 2").play("5")
    assert play(trap(six, MIRRORED, mirror="allow"), "1 6 2").legal() == ("3", "4", "5")
    assert play(trap(six), "1 6 2").legal() == ("3", "4", "5")


def test_a_second_player_who_began_elsewhere_may_copy(trap, play):
    assert play(trap([[1, 2, 3, 4, 5, 6]], MIRRORED), "1 5 3").legal() == ("2", "4", "6")


def test_a_copy_that_is_the_only_move_is_legal_and_counts_as_a_copy(trap, play):
    eight = [*PATH[:1], [2, 3, 4], [5, 6, 7], [7, 8]]
    opposite = [(1, 8), (2, 7), (3, 6), (4, 5)]
    forced = play(trap(eight, opposite), "1 8 2")
    assert forced.legal() == ("7",)
    assert play(trap(eight, opposite), "1 8 2 7 3").legal() == ("5",)
    assert play(trap(eight, opposite, mirror="allow"), "1 8 2 7 3").legal() == ("5", "6")


def test_after_another_move_copies_are_free(trap, play):
    ten = [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]
    opposite = [(base, 11 - base) for base in range(1, 6)]
    assert "9" not in play(trap(ten, opposite), "1 10 2").legal()
    assert "8" in play(trap(ten, opposite), "1 10 2 7 3").legal()


def test_the_first_player_may_copy(trap, play):
    # blue's 7 is opposite to red's next 4
    ten = [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]
    opposite = [(base, 11 - base) for base in range(1, 6)]
    assert "4" in play(trap(ten, opposite), "1 10 2 7").legal()


def test_mirror_depends_on_the_board(trap):
    assert trap().options["mirror"] == "no-copy"
    assert trap(PATH, MIRRORED).options["mirror"] == "no-copy"
    assert trap(PATH).options["mirror"] == "allow"
    with pytest.raises(OptionError, match="opposite"):
        trap(PATH, mirror="no-copy")


@pytest.mark.parametrize(
    ("piece", "place", "words"),
    [
        ("blue", "4", "Red's ship"),
        ("pod", "4", "Pods stay"),
        ("red", "1", "already"),
        ("red", "5", "other ship"),
        ("red", "6", "No track joins"),
        ("red", "9", "not a base"),
        ("red", "04", "not a base"),
        ("red", "3", "no pod"),
    ],
)
def test_a_refused_landing_says_why(trap, play, piece, place, words):
    position = play(trap([[1, 2, 3, 4, 5], [5, 6, 7]]), "3 2 1 5")
    assert words in str(position.drop_refusal(piece, place))
    assert position.drop_refusal("red", "4") is None


def test_set_up_and_end_refuse_too(trap, play):
    game = trap([[1, 2], [3, 4, 5]])
    assert "taken" in str(play(game, "1").drop_refusal("blue", "1"))
    over = play(game, "1 3 2")
    with pytest.raises(IllegalMoveError, match="over"):
        over.play("4")
    assert "over" in str(over.drop_refusal("blue", "4"))

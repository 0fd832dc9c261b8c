"""Tests of games/gravity_connect/rules.py and game.py: Gravity Connect, rule by rule: facts of
the rule text and of docs/rules.md, by hand.
"""

import pytest

from tiltboard.games.base import Game, GameType, IllegalMoveError, OptionError, Shift
from tiltboard.games.contract import moves_from_text, options_from_text
from tiltboard.games.gravity_connect.game import GRAVITY_CONNECT
from tiltboard.games.gravity_connect.rules import SIDES


def test_is_a_game_of_the_contract(connect):
    kind: GameType = GRAVITY_CONNECT
    game = connect()
    assert isinstance(game, Game)
    assert kind.credit.designer == "XNimus"
    assert game.players == ("red", "blue")
    assert game.start().reserve == {}


def test_rows_are_numbered_from_the_top(connect):
    board = connect().board
    assert len(board) == 81
    assert board["A1"] == (0, 8)
    assert board["I3"] == (8, 6)
    assert board["A9"] == (0, 0)


@pytest.mark.parametrize(
    ("slot", "side", "first", "last"),
    [
        ("1", "left orange", "A1", "I1"),
        ("9", "left orange", "A9", "I9"),
        ("10", "right gray", "I1", "A1"),
        ("18", "right gray", "I9", "A9"),
        ("A", "top green", "A1", "A9"),
        ("I", "top green", "I1", "I9"),
        ("J", "bottom purple", "A9", "A1"),
        ("R", "bottom purple", "I9", "I1"),
    ],
)
def test_slots(connect, slot, side, first, last):
    found = connect().slots[slot]
    assert f"{found.side} {found.colour}" == side
    assert (found.cells[0], found.cells[-1]) == (first, last)


def test_the_rule_texts_number_of_options(connect):
    assert len(connect().start().legal()) == 36
    assert len(SIDES) == 4


def test_the_largest_board_uses_the_whole_alphabet(connect):
    game = connect(size=13)
    assert len(game.slots) == 52
    assert {"1", "26", "A", "M", "N", "Z"} <= set(game.slots)
    assert game.start().play("Z").act == (Shift("red", None, "M13"),)
    assert game.start().play("26").path[0] == "M13"


# C1, C2: the example of the rule text.
def test_worked_example(connect, play):
    start = connect().start()
    first = start.play("12")
    assert first.act == (Shift("red", None, "I3"),)
    assert first.consequences == (Shift("red", "I3", "A3"),)
    assert first.path == tuple(f"{letter}3" for letter in "IHGFEDCBA")
    second = first.position.play("3")
    assert second.act == (Shift("blue", None, "B3"),)
    assert second.consequences == (Shift("blue", "B3", "I3"),)
    before = second.position
    assert before.game.forbidden_side(before) == "right"
    for slot in range(10, 19):
        assert str(slot) not in before.legal()
        with pytest.raises(IllegalMoveError, match="Red used the right side"):
            before.play(str(slot))
    third = before.play("A")
    assert third.act == (Shift("red", None, "A1"),)
    assert third.consequences == (Shift("red", "A1", "A2"),)
    assert third.position.cells == {"A2": "red", "A3": "red", "I3": "blue"}


def test_on_the_command_line(connect):
    kind = GRAVITY_CONNECT
    game = kind.create(options_from_text(kind, ["size=4", "line=3"]))
    assert game.options == {"size": 4, "line": 3}
    assert moves_from_text(connect(), "12, 3 A") == ["12", "3", "A"]


# C1
def test_a_tile_whose_entry_is_its_landing_does_not_fall(connect, play):
    before = play(connect(size=3, line=3), "A B")
    assert before.cells == {"A3": "red", "B3": "blue"}
    turn = before.play("3")  # the row's only open cell is C3, behind two tiles
    assert turn.act == (Shift("red", None, "C3"),)
    assert turn.consequences == ()
    assert turn.path == ("C3",)


# C2
def test_a_full_line_takes_no_tile_from_either_end(connect, play):
    position = play(connect(size=2, line=2), "1 2")
    assert position.cells == {"B1": "red", "B2": "blue"}
    with pytest.raises(IllegalMoveError, match="slot B has no open cell"):
        position.play("B")
    assert position.legal() == ("3", "4", "A", "C")


def test_only_the_own_previous_turns_side_is_forbidden(connect, play):
    game = connect()
    assert {"1", "10", "A", "J"} <= set(play(game, "1").legal())  # the other one's side is free
    assert "2" not in play(game, "1 2").legal()
    assert "2" in play(game, "1 A 10 J").legal()  # a turn later the side is free again


# C3
def test_five_connected_tiles_win(connect, play):
    before = play(connect(), "18 R A 9 16 R A 9")
    assert before.cells == {
        **dict.fromkeys(("A6", "A7", "A8", "A9"), "red"),
        **dict.fromkeys(("H9", "I1", "I2", "I9"), "blue"),
    }
    assert before.outcome is None
    over = before.play("14").position
    assert over.outcome.as_json() == {"winner": "red", "reason": "line"}
    assert over.outcome.places == ("A5", "A6", "A7", "A8", "A9")
    assert over.to_move is None
    assert over.legal() == ()


def test_more_than_the_number_connected_win_too(connect, play):
    before = play(connect(size=5, line=3), "10 J A 5 6 J F 5")
    assert [before.cells.get(f"A{row}") for row in range(1, 6)] == [
        "red",
        "red",
        None,
        "red",
        "red",
    ]
    assert before.outcome is None
    assert before.play("8").position.outcome.places == ("A1", "A2", "A3", "A4", "A5")


@pytest.mark.parametrize(("size", "cells"), [(1, 1), (2, 4), (4, 16)])
def test_a_full_board_is_the_second_players(connect, size, cells):
    position = connect(size=size).start()
    for _ in range(cells):
        assert position.outcome is None
        position = position.play(position.legal()[0]).position
    assert position.outcome.as_json() == {"winner": "blue", "reason": "full"}
    assert position.to_move is None
    assert position.legal() == ()
    with pytest.raises(IllegalMoveError, match="over"):
        position.play("1")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 14}, "from 1 to 13"),
        ({"size": 0}, "from 1 to 13"),
        ({"line": 0}, "from 1 to 13"),
        ({"line": "5"}, "whole number"),
        ({"players": 3}, "no option players; it has: size, line"),
    ],
)
def test_options_that_cannot_be(connect, options, words):
    with pytest.raises(OptionError, match=words):
        connect(**options)


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("S", "the slots are 1 to 18 and A to R"),
        ("a", "not a slot"),
        ("0", "not a slot"),
        ("19", "not a slot"),
        ("01", "not a slot"),
        ("A1", "not a slot"),
        ("", "not a slot"),
    ],
)
def test_what_is_no_slot(connect, move, words):
    with pytest.raises(IllegalMoveError, match=words):
        connect().start().play(move)


@pytest.mark.parametrize(
    ("piece", "place", "words"),
    [
        ("blue", "D1", "Red's turn"),
        ("red", "A3", "not empty"),
        ("red", "D4", "No tile comes to D4"),
        ("red", "J1", "not a cell"),
        ("red", "a1", "not a cell"),
    ],
)
def test_a_refused_drop_says_why(connect, play, piece, place, words):
    position = play(connect(), "12 3")
    assert words in str(position.drop_refusal(piece, place))
    assert position.drop_refusal("red", "B3") is None  # slot 3 enters there
    assert position.drop_refusal("red", "A2") is None  # slot A lands there


def test_a_place_that_only_the_forbidden_side_reaches_is_refused_for_that(connect, play):
    position = play(connect(size=3, line=3), "1 1 E")
    assert position.cells == {"C1": "red", "B1": "blue", "B2": "red"}
    assert position.game.forbidden_side(position) == "left"
    assert "Blue used the left side" in str(position.drop_refusal("blue", "A2"))
    assert position.drop_refusal("blue", "A3") is None  # slot A lands there

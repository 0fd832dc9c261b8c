"""The menu of games by the buttons alone."""

from __future__ import annotations

from firmware_host.menu import game_menu
from firmware_host.standing import Phase, Role
from games.registry import GAMES


def test_the_menu_offers_every_game_by_its_title():
    menu = game_menu()
    assert [choice.value for choice in menu.choices] == list(GAMES)
    assert [str(c.label) for c in menu.choices] == [k.credit.title for k in GAMES.values()]


def test_holding_back_opens_it_and_the_phase_stays(desk):
    table = desk("a1")
    standing = table.press("back", 2.0)
    assert (standing.phase, standing.to_move) == (Phase.TURN, "blue")
    assert str(standing.say).startswith("Which game? Chosen now: Momentum.")
    assert table.lights(Role.LEGAL) == {"a1", "b1", "c1", "d1"}  # one light for each
    assert standing.path == ("a1",)
    assert table.standing.moves == ("a1",)


def test_the_buttons_choose(desk):
    table = desk()
    table.press("back", 2.0)
    table.press("confirm")
    assert table.standing.path == ("b1",)
    table.press("confirm")
    assert table.referee.wants_game is None
    table.press("confirm", 2.0)
    assert table.referee.wants_game == list(GAMES)[2]
    assert table.standing.question is None
    table.referee.begin(table.game, 8)
    assert table.referee.wants_game is None


def test_a_command_chooses(desk):
    table = desk()
    table.press("back", 2.0)
    table.answer("gravity-trap")
    assert table.referee.wants_game == "gravity-trap"


def test_back_leaves_it_and_takes_nothing_back(desk):
    table = desk("a1")
    table.press("back", 2.0)
    table.press("back")
    assert table.standing.question is None
    assert table.standing.moves == ("a1",)
    assert table.lights(Role.LAST) == {"a1"}


def test_a_piece_that_is_put_closes_it(desk):
    table = desk("a1")
    table.press("back", 2.0)
    table.put("blue", "d4")
    assert table.standing.question is None
    assert table.standing.moves == ("a1", "d4")


def test_it_stands_at_the_end_of_a_game_too(desk):
    table = desk("a1", "g7", "c1", "g5", "e1", marbles=3, pie=False)
    assert table.standing.phase is Phase.OVER
    table.press("back", 2.0)
    assert (table.standing.phase, table.standing.question is not None) == (Phase.OVER, True)
    table.press("confirm")
    assert not table.referee.wants_new_game
    table.press("back")
    table.press("confirm")
    assert table.referee.wants_new_game


def test_it_lies_over_another_question_and_that_comes_back(desk):
    table = desk(game="gravity-connect")
    table.put("red", "I3")
    side = table.standing.question
    table.press("back", 2.0)
    assert [c.value for c in table.standing.question.choices] == list(GAMES)
    table.press("back")
    assert table.standing.question == side
    table.answer("right")
    assert table.lights(Role.PUT) == {"A3"}


def test_a_board_too_small_for_a_light_each_still_asks(desk):
    table = desk(width=2, height=1, marbles=1, pie=False)
    table.press("back", 2.0)
    table.press("confirm")
    table.press("confirm")
    assert table.standing.path == ()
    table.press("confirm", 2.0)
    assert table.referee.wants_game == list(GAMES)[2]


def test_what_the_host_cannot_begin_is_said_for_a_moment(desk):
    table = desk()
    table.press("back", 2.0)
    table.answer("attraktion")
    why = game_menu().ask
    table.referee.refuse(why)
    assert table.scan().say == why
    assert table.referee.wants_game is None
    assert table.wait(3.2).say != why

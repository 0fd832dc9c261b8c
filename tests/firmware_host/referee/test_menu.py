"""Tests of firmware_host/host/lobby.py and firmware_host/table/new_game.py: the menu of games by
the buttons alone.
"""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.config.profile import load_profile, profile_names
from tiltboard.firmware_host.host.lobby import game_menu, options_for, presets_for
from tiltboard.firmware_host.table.referee_protocol import AGAIN
from tiltboard.firmware_host.table.status import Phase, Role
from tiltboard.firmware_host.table.zones import overlay_for
from tiltboard.games.registry import GAMES, HOSTED

PLATE = load_profile("plate-10")
SWITCHES = load_profile("plate-7")  # tells two kinds of pieces apart
OFFERED = [*HOSTED, "momentum 3", "momentum 4"]


def test_the_menu_offers_every_game_with_each_number_of_players():
    menu = game_menu(PLATE)
    assert [choice.value for choice in menu.choices] == OFFERED
    assert [str(choice.label) for choice in menu.choices[3:]] == [
        "Gravity Trap",
        "Gravity Warfare",
        "Momentum for 3",
        "Momentum for 4",
    ]


def test_a_table_that_tells_two_kinds_apart_offers_games_for_two():
    assert [choice.value for choice in game_menu(SWITCHES).choices] == list(HOSTED)


@pytest.mark.parametrize("profile", profile_names())
def test_everything_that_is_offered_can_be_begun(profile):
    table = load_profile(profile)
    for name, kind in HOSTED.items():
        for preset in presets_for(kind, table):
            game = kind.create(preset.options)
            overlay_for(table, game)
            assert game.start().legal()
        fitting = bool(presets_for(kind, table))
        assert fitting == (name != "gravity-trap" or table.columns == 10)


def test_numbers_are_limited_to_what_the_plate_can_carry():
    limits = {
        (kind.name, spec.name): spec.high
        for kind in GAMES.values()
        for spec in options_for(kind, SWITCHES)
        if spec.high is not None
    }
    assert limits == {
        ("momentum", "players"): 2,
        ("momentum", "size"): 7,
        ("momentum", "width"): 7,
        ("momentum", "height"): 7,
        ("momentum", "hex"): 4,
        ("attraktion", "size"): 7,
        ("gravity-connect", "size"): 7,
        ("gravity-connect", "line"): 7,
    }


def test_holding_back_opens_it_and_the_phase_stays(refereed):
    table = refereed("a1")
    status = table.press("back", 2.0)
    assert (status.phase, status.to_move) == (Phase.TURN, "blue")
    assert str(status.say).startswith("Which game? Chosen now: Momentum.")
    assert table.lights(Role.LEGAL) == {f"{column}1" for column in "abcdefg"}  # one for each
    assert status.path == ("a1",)
    assert table.status.moves == ("a1",)


def test_the_buttons_choose(refereed):
    table = refereed()
    table.press("back", 2.0)
    table.press("confirm")
    assert table.status.path == ("b1",)
    table.press("confirm")
    assert table.referee.menu_choice is None
    table.press("confirm", 2.0)
    assert table.referee.menu_choice == OFFERED[2]
    assert table.status.question is None
    table.begin(game_id=8)
    assert table.referee.menu_choice is None


def test_a_command_chooses(refereed):
    table = refereed()
    table.press("back", 2.0)
    table.answer("gravity-trap")
    assert table.referee.menu_choice == "gravity-trap"


def test_back_leaves_it_and_takes_nothing_back(refereed):
    table = refereed("a1")
    table.press("back", 2.0)
    table.press("back")
    assert table.status.question is None
    assert table.status.moves == ("a1",)
    assert table.lights(Role.LAST) == {"a1"}


def test_a_piece_that_is_put_closes_it(refereed):
    table = refereed("a1")
    table.press("back", 2.0)
    table.put("blue", "d4")
    assert table.status.question is None
    assert table.status.moves == ("a1", "d4")


def test_it_stands_at_the_end_of_a_game_too(refereed):
    table = refereed("a1", "g7", "c1", "g5", "e1", marbles=3, pie=False)
    assert table.status.phase is Phase.OVER
    table.press("back", 2.0)
    assert (table.status.phase, table.status.question is not None) == (Phase.OVER, True)
    table.press("confirm")
    assert table.referee.menu_choice is None
    table.press("back")
    table.press("confirm")
    assert table.referee.menu_choice == AGAIN


def test_it_lies_over_another_question_and_that_comes_back(refereed):
    table = refereed(game="gravity-connect")
    table.put("red", "I3")
    side = table.status.question
    table.press("back", 2.0)
    assert [c.value for c in table.status.question.choices] == OFFERED
    table.press("back")
    assert table.status.question == side
    table.answer("right")
    assert table.lights(Role.PUT) == {"A3"}


def test_a_board_too_small_for_a_light_each_still_asks(refereed):
    table = refereed(width=2, height=1, marbles=1, pie=False)
    table.press("back", 2.0)
    table.press("confirm")
    table.press("confirm")
    assert table.status.path == ()
    table.press("confirm", 2.0)
    assert table.referee.menu_choice == OFFERED[2]


def test_what_the_host_cannot_begin_is_said_for_a_moment(refereed):
    table = refereed()
    table.press("back", 2.0)
    table.answer("attraktion")
    why = game_menu(PLATE).ask
    table.referee.close_menu_choice(why)
    assert table.scan().say.params["notice"] == why
    assert table.referee.menu_choice is None
    assert "notice" not in table.wait(3.2).say.params


def test_the_plate_scrolls_it_and_a_steep_tilt_closes_it(refereed):
    table = refereed()
    table.press("back", 2.0)
    table.tilt(0, 5)  # the west edge up: toward the east
    assert table.status.path == ("a1",)
    table.wait(0.8)
    assert table.status.path == ("b1",)
    table.wait(0.8)
    assert table.status.path == ("c1",)
    table.tilt(0, -5)
    table.wait(0.8)
    assert table.status.path == ("b1",)
    table.sounds.clear()
    table.ready = False  # level again, its places are to be looked at first
    table.tilt(0, 0)
    assert table.scan().path == ("b1",)
    table.ready = True
    table.wait(2.0)
    assert table.status.path == ("b1",)
    assert table.sounds == []
    table.tilt(0, 12)
    assert table.status.phase is Phase.PAUSED
    table.tilt(0, 0)
    assert table.status.path == ()

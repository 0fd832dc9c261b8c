"""Tests of games/momentum/options.py: options of Momentum: defaults, what fits together, and
errors that say what to do.
"""

import pytest

from tiltboard.games.base import OptionError
from tiltboard.games.momentum.game import MOMENTUM
from tiltboard.games.momentum.options import suggested_marbles


def test_defaults_are_filled_in(momentum):
    assert momentum().options == {
        "players": 2,
        "size": 7,
        "width": None,
        "height": None,
        "hex": None,
        "missing": [],
        "holes": [],
        "cushions": [],
        "marbles": 8,
        "pie": True,
        "round_limit": None,
        "must_block": False,
    }


def test_every_option_is_described():
    assert [spec.name for spec in MOMENTUM.option_specs] == list(MOMENTUM.create({}).options)
    assert all(spec.help for spec in MOMENTUM.option_specs)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"players": 3},
        {"players": 4, "marbles": 5},
        {"width": 9, "height": 7, "round_limit": 30},
        {"size": 9, "holes": ["e5"], "pie": False},
        {"hex": 3, "marbles": 5, "holes": ["0,0"], "cushions": ["1,0"], "missing": ["2,0"]},
    ],
)
def test_options_as_shown_make_the_same_game(momentum, options):
    shown = momentum(**options).options
    assert options.items() <= shown.items()
    assert momentum(**shown).options == shown


# M7: board and players -> marbles each, from docs/rules.md
@pytest.mark.parametrize(
    ("options", "marbles"),
    [
        ({}, 8),
        ({"players": 3}, 6),
        ({"width": 7, "height": 7}, 8),
        ({"width": 9, "height": 7}, 10),
        ({"width": 9, "height": 7, "players": 3}, 7),
        ({"size": 9, "holes": ["e5"]}, 12),
        ({"width": 9, "height": 9, "holes": ["e5"], "players": 3}, 8),
    ],
)
def test_standard_sets(momentum, options, marbles):
    assert momentum(**options).options["marbles"] == marbles


@pytest.mark.parametrize(
    "options",
    [
        {"size": 8},
        {"size": 9},
        {"width": 7, "height": 9},
        {"size": 9, "missing": ["e5"]},
        {"size": 9, "cushions": ["e5"]},
        {"size": 9, "holes": ["e5", "a1"]},
        {"holes": ["d4"]},
        {"missing": ["a1"]},
        {"cushions": ["a1"]},
        {"hex": 4},
        {"players": 4},
    ],
)
def test_any_other_board_needs_its_marbles(momentum, options):
    with pytest.raises(OptionError, match="how many marbles each"):
        momentum(**options)
    assert momentum(**options, marbles=5).options["marbles"] == 5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"colour": "red"}, r"colour.*players, size, .*must_block"),
        ({"players": 1}, "Players: a whole number from 2 to 4."),
        ({"players": 5}, "Players: a whole number from 2 to 4."),
        ({"players": "2"}, "Players: a whole number from 2 to 4."),
        ({"players": True}, "Players: a whole number from 2 to 4."),
        ({"players": 2.0}, "Players: a whole number from 2 to 4."),
        ({"size": 27}, "Square board: a whole number from 1 to 26."),
        ({"size": 7, "width": 7, "height": 7}, "size and width and height exclude"),
        ({"size": 7, "hex": 4}, "size and hex exclude"),
        ({"width": 7, "height": 7, "hex": 4}, "exclude"),
        ({"width": 9}, "width needs height"),
        ({"height": 9}, "height needs width"),
        ({"holes": "e5"}, "holes must be a list"),
        ({"holes": [5]}, "holes must be a list"),
        ({"holes": ["h1"]}, "holes: h1 is not a cell"),
        ({"holes": ["A1"]}, "holes: A1 is not a cell"),
        ({"hex": 3, "holes": ["e5"]}, "holes: e5 is not a cell"),
        ({"hex": 3, "holes": ["2,1"]}, "holes: 2,1 is not a cell"),
        ({"holes": ["e5"], "cushions": ["e5"]}, "e5 cannot be in holes and in cushions"),
        ({"missing": ["e5"], "holes": ["e5"]}, "e5 cannot be in missing and in holes"),
        ({"size": 1, "missing": ["a1"], "marbles": 1}, "No cell"),
        ({"marbles": 0}, "Marbles each: a whole number from 1 to 1000000000."),
        ({"size": 3, "marbles": 10}, "9 open cells"),
        ({"size": 3, "marbles": 9, "cushions": ["b2"]}, "8 open cells"),
        ({"round_limit": 0}, "Last round: a whole number from 1 to 1000000000."),
        ({"pie": 1}, "pie must be true or false"),
        ({"pie": True, "players": 3}, "Swap rule is for 2 players"),
        ({"must_block": True}, "Forced block is for 3 players"),
        ({"must_block": True, "players": 4, "marbles": 5}, "Forced block is for 3 players"),
    ],
)
def test_options_that_do_not_fit(momentum, options, words):
    with pytest.raises(OptionError, match=words):
        momentum(**options)


def test_options_that_are_off_may_be_said(momentum):
    assert momentum(pie=False, players=3).options["pie"] is False
    assert momentum(must_block=False).options["must_block"] is False


@pytest.mark.parametrize("players", [2, 3])
def test_the_suggested_marbles_are_the_standard_ones_where_there_are_any(momentum, players):
    for board in ({"size": 7}, {"width": 9, "height": 7}, {"size": 9, "holes": ["e5"]}):
        game = momentum(players=players, **board)
        assert suggested_marbles(players, len(game.rules.index)) == game.options["marbles"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_as_many_as_are_suggested_can_all_be_on_the_board(players):
    for size in range(3, 27):
        assert 1 <= suggested_marbles(players, size * size) <= size * size // (2 * players)


def test_presets_answer_the_same_questions_and_each_differently():
    answers = [tuple(preset.choices.values()) for preset in MOMENTUM.presets]
    assert {tuple(preset.choices) for preset in MOMENTUM.presets} == {("Players", "Board")}
    assert len(set(answers)) == len(answers) == 18


def test_four_players_are_two_teams(momentum):
    assert momentum(players=4, marbles=5).teams == (("red", "white"), ("blue", "green"))
    assert momentum(players=3).teams == ()

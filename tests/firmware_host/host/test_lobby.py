"""Tests of firmware_host/host/lobby.py: which games and options fit a table, and the menu there."""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.config.errors import BoardDoesNotFitError
from tiltboard.firmware_host.config.profile import load_profile, profile_names
from tiltboard.firmware_host.host.lobby import (
    Lobby,
    game_of,
    games_to_begin,
    presets_for,
    usual_options,
    with_boards_read,
)
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.status import Choice
from tiltboard.firmware_host.table.zones import overlay_for
from tiltboard.games.base import RulesError
from tiltboard.games.registry import HOSTED


@pytest.mark.parametrize("profile", profile_names())
def test_the_presets_that_are_left_out_are_those_that_do_not_fit(profile):
    table = load_profile(profile)
    for kind in HOSTED.values():
        fitting = presets_for(kind, table)
        for preset in kind.presets:
            if preset in fitting:
                overlay_for(table, kind.create(preset.options))
                continue
            with pytest.raises(BoardDoesNotFitError):
                overlay_for(table, kind.create(preset.options))
        assert usual_options(kind, table) == (fitting[0].options if fitting else {})


def test_each_choice_for_another_number_of_players_begins_a_game_for_as_many():
    begun = games_to_begin(load_profile("plate-10"))
    for value, (_, command) in begun.items():
        name, _, count = value.partition(" ")
        game = game_of(command)
        assert game.name == name and (not count or len(game.players) == int(count))


def test_the_menu_ends_with_what_other_parts_offer_and_tells_them():
    lobby, told = Lobby(load_profile("plate-10")), []
    games = [choice.value for choice in lobby.menu().choices]
    lobby.offer(Choice("pairing", Message("Pair a device")), lambda: told.append("pairing"))
    lobby.offer(Choice("lamp", Message("Shine")), lambda: told.append("lamp"))
    assert [choice.value for choice in lobby.menu().choices] == [*games, "pairing", "lamp"]
    assert lobby.choose("lamp") is None and told == ["lamp"]
    assert lobby.choose("momentum") == games_to_begin(load_profile("plate-10"))["momentum"][1]
    assert told == ["lamp"]


def test_an_option_without_a_value_has_its_usual_one_and_a_wrong_board_is_refused():
    usual = game_of(NewGame("momentum")).options
    assert game_of(NewGame("momentum", {"size": None})).options == usual
    with pytest.raises(RulesError):
        with_boards_read(NewGame("momentum", boards={"board": "no board at all ="}))

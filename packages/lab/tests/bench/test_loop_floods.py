"""Tests of tiltboard_lab/bench/loop.py: `tiltboard bench loop` floods all that a page may
ask for, so nothing new is left unmeasured.
"""

from typing import get_args

import msgspec

from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.hands import HandsCommand
from tiltboard.firmware_host.web.app import ENDPOINTS
from tiltboard.firmware_host.web.requests import MAX_MESSAGE_BYTES, PageCommand
from tiltboard.games.registry import game_type
from tiltboard_lab.bench.loop import (
    API,
    FILE_CHARACTERS,
    floods_of,
    largest_files,
)

FLOODS = floods_of("", 1)


def test_every_verb_is_flooded():
    verbs = {
        verb.__struct_config__.tag
        for verb in get_args(PageCommand)
        if not issubclass(verb, HandsCommand)
    }
    asked = [flood for flood in FLOODS if flood.path == f"{API}/command"]
    assert {body["type"] for flood in asked for body in flood.bodies} == verbs


def test_every_endpoint_is_flooded():
    wanted = {
        (endpoint.method, endpoint.path.format(id=1, move="d4", name="momentum"))
        for endpoint in ENDPOINTS
    }
    asked = {("POST" if flood.bodies else "GET", flood.path.removeprefix(API)) for flood in FLOODS}
    assert asked == wanted - {("POST", "/pairing/network")}  # It would open the page to others.


def test_the_largest_files_are_as_large_as_a_message_lets_them_be_and_good():
    files = [*largest_files()]
    assert {option for _, option, _ in files} == {"board", "deck"}
    for game, option, text in files:
        assert len(text) == FILE_CHARACTERS
        kind = game_type(game)
        kind.create({option: kind.board_of(text)})
        body = {"type": "game", "game": game, "boards": {option: text}}
        message = msgspec.json.encode(body)
        assert len(message) < MAX_MESSAGE_BYTES
        assert msgspec.json.decode(message, type=NewGame).game == game

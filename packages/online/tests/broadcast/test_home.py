"""Tests of tiltboard_online/broadcast/home.py: what the house is told, held against Home Assistant;
and what it may ask for.
"""

import importlib.util
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.snapshots import with_fields
from tiltboard.firmware_host.messages import Catalogue, languages
from tiltboard.firmware_host.table.commands import Again, TakeBack
from tiltboard.ground.errors import TiltboardError
from tiltboard_online.broadcast.home import (
    command_of,
    discovery,
    events,
    state_of,
)

ENGLISH = Catalogue()
ONLINE = "tiltboard/table/oak/online"
CHECK = Path(__file__).with_name("home_assistant.py")
# Of https://www.home-assistant.io/integrations/mqtt and the pages of its platforms (2026.2): what a
# part of a device may have, and has to
EVERY = {"platform", "name", "unique_id", "icon", "entity_category"}
DOCUMENTED = {
    "sensor": (
        {"value_template", "unit_of_measurement", "state_class", "json_attributes_topic",
         "json_attributes_template", "state_topic"},
        set(),
    ),
    "binary_sensor": ({"value_template", "state_topic", "payload_on", "payload_off"}, set()),
    "event": ({"state_topic", "event_types"}, {"event_types"}),
    "button": ({"command_topic", "payload_press"}, {"command_topic"}),
}  # fmt: skip


def described(commands=True, language="en"):
    spoken = Catalogue.load(language)
    return discovery("oak", "Oak", "plate-10", ONLINE, spoken, commands=commands)


def state(table, before=None):
    return state_of(*table.shown(), ENGLISH, before)


@pytest.mark.parametrize("language", languages())
def test_every_part_is_as_documented(language):
    device = json.loads(json.dumps(described(language=language)))
    assert device["device"]["identifiers"] and device["device"]["name"]
    assert device["origin"]["name"]
    for name, part in device["components"].items():
        may, must = DOCUMENTED[part["platform"]]
        assert must <= part.keys() <= EVERY | may, name
        assert part["unique_id"] == f"tiltboard_oak_{name}"
        assert part["name"]


def test_what_the_house_may_ask_is_there_only_where_that_is_allowed():
    platforms = [part["platform"] for part in described(commands=False)["components"].values()]
    assert set(platforms) == {"sensor", "binary_sensor", "event"}


def house():
    """A Python that has Home Assistant."""
    named = shlex.split(os.environ.get("TILTBOARD_HOME_ASSISTANT", ""))
    if not named and importlib.util.find_spec("homeassistant") is None:
        pytest.skip("no Python with homeassistant; TILTBOARD_HOME_ASSISTANT names one")
    return named or [sys.executable]


def ask_house(device, state):
    return subprocess.run(
        [*house(), "-c", CHECK.read_text()],
        input=json.dumps([device, state]),
        capture_output=True,
        text=True,
        check=False,
    )


def test_home_assistant_itself_takes_it(table):
    table.play("game momentum size=7\nput red d4\nexpect phase turn")
    answer = ask_house(described(), msgspec.to_builtins(state(table)))
    assert answer.returncode == 0, answer.stderr
    seen = json.loads(answer.stdout)
    assert seen.keys() == described()["components"].keys()
    assert [
        seen[each] for each in ("game", "turn", "last_move", "winner", "faults", "waiting")
    ] == [*("Momentum", "Blue", "d4", "", "0", "OFF")]
    wrong = described()
    wrong["components"]["level"]["unit"] = "deg"
    answer = ask_house(wrong, msgspec.to_builtins(state(table)))
    assert (answer.returncode, answer.stderr.split(":")[0]) == (1, "level")


def test_a_game_from_its_first_move_to_a_win(table):
    table.play("game momentum size=5 marbles=4\nexpect phase turn")
    first = state(table)
    assert (first.game, first.turn, first.last_move, first.winner) == (
        "Momentum",
        "Red",
        None,
        None,
    )
    table.play("put red c3\nexpect phase turn")
    assert (state(table).turn, state(table).last_move) == ("Blue", "c3")
    table.host.session.referee.carry_out(_resign("blue"))
    table.run(1)
    over = state(table)
    assert (over.winner, over.turn) == ("Red", None)
    assert events(first, over) == [{"event_type": "win", "game": "Momentum", "winner": "Red"}]
    assert events(over, over) == []
    assert events(None, over) == []  # it was over before anybody listened


def _resign(player):
    from tiltboard.firmware_host.table.commands import Resign

    return Resign(player)


def test_a_fault_is_told_once(table):
    well = state(table)
    table.play("fault spi-silent\nexpect phase paused")
    broken = state(table)
    assert broken.faults
    assert [each["event_type"] for each in events(well, broken)] == ["fault"] * len(broken.faults)
    assert events(broken, broken) == []


def test_who_is_waited_for(table):
    from msgspec.structs import replace

    from tiltboard.firmware_host.config.players import EngineSeat
    from tiltboard.firmware_host.host.online import MatchGroup
    from tiltboard.firmware_host.messages import text

    table.play("game momentum size=7\nexpect phase turn")
    layout, snapshot = table.shown()

    def waits(**fields):
        return state_of(layout, with_fields(snapshot, **fields), ENGLISH).waiting

    assert not waits()  # the two of them are there
    assert waits(engines={"blue": EngineSeat("tiltboard", "3")})
    assert not waits(engines={"red": EngineSeat("tiltboard", "3")})
    match = MatchGroup(far=["blue"], code=None, asked=[], connected=True)
    assert waits(match=match)
    assert not waits(match=match, to_move="blue")
    assert waits(match=replace(match, asked=["draw"]), to_move="blue")
    assert not waits(match=match, phase="over", to_move=None)
    table.host.ask_for_press(text("{name} wants to join.", name="Phone"), "123", lambda _: None)
    asked = state(table)
    assert (asked.waiting, asked.faults) == (True, [])


def test_the_level_does_not_flicker(table):
    table.run(2)
    level = state(table)
    assert level.level_deg == 0.0
    table.play("tilt 8 0")
    table.run(2)
    tilted = state(table, level)
    assert tilted.level_deg == pytest.approx(8.0, abs=0.5)
    assert state(table, tilted) == tilted


def test_buttons_are_requests_like_all_others(table):
    table.play("game momentum size=7\nput red d4\nexpect phase turn")
    assert command_of(b"take-back") == TakeBack()
    assert command_of(b"new-game") == Again()
    game = table.host.session.game_id
    table.host.do(Again())
    table.run(1)
    assert table.host.session.game_id != game
    assert table.host.game.options["size"] == 7
    with pytest.raises(TiltboardError, match="no move to take back"):
        table.host.do(TakeBack())


@pytest.mark.parametrize("payload", [b"", b"\xff", b"[]", b"light-scene", b"new-game "])
def test_what_is_no_wish_is_nothing(payload):
    assert command_of(payload) is None

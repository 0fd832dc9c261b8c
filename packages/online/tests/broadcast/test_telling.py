"""Tests of tiltboard_online/broadcast/publisher.py and home.py: a running table tells a real broker
how it stands, and does what the house asks, if it may.
"""

import json
from queue import Queue

import pytest

from tests.broker import NEEDS_MOSQUITTO, Mosquitto
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import (
    FarSettings,
    HomeSettings,
    LookSettings,
    Settings,
)
from tiltboard.firmware_host.messages import Catalogue
from tiltboard.firmware_host.table.commands import MakeMove, NewGame
from tiltboard.firmware_host.table.hands import CarryOut
from tiltboard.ground.clock import SystemClock
from tiltboard.hw_sim.session.live import LiveTable
from tiltboard_online.broadcast.publisher import (
    COPIED,
    LOOK,
    PROOF_FILE,
    Telling,
    look_key,
    online_topic,
    public_name,
)
from tiltboard_online.broadcast.spectator_view import read
from tiltboard_online.far.link import Broker, Link

PATIENCE_S = 30

pytestmark = NEEDS_MOSQUITTO


class Listening:
    """Somebody else at the broker."""

    def __init__(self, port, topics="#"):
        self.link = Link(Broker("127.0.0.1", port, False))
        self.heard = Queue()
        self.link.subscribe(topics, lambda *message: self.heard.put(message))
        self.link.start()

    def until(self, topic, holds=lambda _: True):
        while True:
            at, content = self.heard.get(timeout=PATIENCE_S)
            if at.endswith(topic) and holds(content):
                return content


def next_game(table, before):
    """Wait for a game that comes after the one of number ``before``, and return its number."""
    begun = Queue()
    end = table.subscribe(lambda: begun.put(table.layout().game.id))
    while (game := begun.get(timeout=PATIENCE_S)) == before:
        pass
    end()
    return game


@pytest.fixture
def broker(tmp_path):
    with Mosquitto(tmp_path) as running:
        yield running


@pytest.fixture
def started(tmp_path, broker):
    """A table that tells, and somebody who listens."""
    ends = {}

    def start(**settings):
        told = Settings(far=FarSettings(broker=broker.url, name="Oak"), **settings)
        live = LiveTable(load_profile("plate-10"), tmp_path, told, real=SystemClock())
        live.table.start()
        listening = Listening(broker.port)
        telling = Telling(live.table, told, tmp_path, Catalogue())
        telling.start()
        ends.update(telling=telling.close, table=live.table.stop, link=listening.link.close)
        return live.table, listening

    start.ends = ends
    yield start
    for end in ends.values():
        end()


def test_lookers_see_each_move_and_know_when_the_table_is_gone(started, tmp_path):
    table, listening = started(look=LookSettings(show="club"))
    key = look_key(tmp_path)
    assert listening.until("/online") == b"online"
    table.submit(NewGame("momentum", {"size": 7})).result(PATIENCE_S)
    listening.until(LOOK + key, lambda content: b'"number":2' in content and b'"turn"' in content)
    table.submit(MakeMove("d4")).result(PATIENCE_S)
    table.submit(CarryOut()).result(PATIENCE_S)
    seen, layout = read(listening.until(LOOK + key, lambda content: b'"ply":1' in content))
    assert (seen.table, seen.move, seen.cells, seen.listed) == ("Oak", "d4", {"d4": "red"}, True)
    assert layout.game.name == "momentum"
    assert b"tiltboard/home" not in b"".join(at.encode() for at, _ in listening.heard.queue)
    started.ends.pop("telling")()
    assert listening.until("/online") == b"offline"
    assert (tmp_path / "look-key").stat().st_mode & 0o777 == 0o600


def test_two_tables_with_one_look_key_are_told_until_one_has_gone(started, tmp_path, broker):
    table, listening = started(look=LookSettings(show="link"))
    key, told = look_key(tmp_path), Queue()
    table.subscribe(
        lambda: told.put({each.part: each.problem for each in table.latest().guidance.faults})
    )
    more = {"will": (online_topic(key), b"offline"), "copied": COPIED}
    listening.until("/online", lambda content: content == b"online")

    class Watched(Link):
        def _hear_key(self, *asked):
            super()._hear_key(*asked)
            answers.put(asked) if len(asked[1]) == 64 else None

    def connected(secret):
        link = Watched(Broker("127.0.0.1", broker.port, False), secret=secret, **more)
        link.start()
        return link

    answers = Queue()
    stranger = connected(key)  # which each user of the broker may read
    for _ in range(2):  # its own, and the table's
        answers.get(timeout=PATIENCE_S)
    assert stranger.problem is None
    stranger.close()
    copy = connected(look_key(tmp_path, PROOF_FILE))
    while told.get(timeout=PATIENCE_S).get("look") != COPIED:
        pass
    copy.close()
    while "look" in told.get(timeout=PATIENCE_S):
        pass


def test_the_house_asks_where_it_may(started, tmp_path):
    table, listening = started(home=HomeSettings(discovery="homeassistant", commands=True))
    name = public_name(look_key(tmp_path))
    device = json.loads(listening.until(f"homeassistant/device/tiltboard_{name}/config"))
    parts = device["components"]
    state = json.loads(listening.until(device["state_topic"]))
    assert (state["game"], state["waiting"]) == ("Momentum", False)
    before = table.layout().game.id
    listening.link.publish(parts["new_game"]["command_topic"], b"new-game")
    assert next_game(table, before) == before + 1
    # the key of the link is in none of it
    assert not any(look_key(tmp_path) in at for at, _ in listening.heard.queue)


def test_what_was_retained_for_the_house_is_of_another_day(started, tmp_path, broker):
    at = f"tiltboard/home/{public_name(look_key(tmp_path))}/do"
    early = Listening(broker.port)
    early.link.publish(at, b"new-game", retain=True)
    early.until("/do")
    early.link.close()
    table, listening = started(home=HomeSettings(discovery="homeassistant", commands=True))
    before = table.layout().game.id
    listening.until("/state")
    listening.link.publish(at, b"new-game")
    assert next_game(table, before) == before + 1  # the one that was asked for today


def test_nothing_is_asked_where_that_is_off(started, tmp_path):
    table, listening = started(home=HomeSettings(discovery="homeassistant"))
    listening.until("/state")
    name, before = public_name(look_key(tmp_path)), table.layout().game.id
    for _ in range(3):
        listening.link.publish(f"tiltboard/home/{name}/do", b"new-game")
        listening.until("/do")
    table.call(lambda: None).result(PATIENCE_S)
    assert table.layout().game.id == before


def test_a_flood_of_the_house_is_a_handful_of_requests(started, tmp_path):
    table, listening = started(home=HomeSettings(discovery="homeassistant", commands=True))
    listening.until("/state")
    name, before = public_name(look_key(tmp_path)), table.layout().game.id
    for _ in range(300):
        listening.link.publish(f"tiltboard/home/{name}/do", b"new-game")
    for _ in range(300):
        listening.until("/do")
    table.call(lambda: None).result(PATIENCE_S)
    assert before < table.layout().game.id < before + 30


def test_without_a_broker_it_says_so(tmp_path):
    with pytest.raises(ConfigError, match="need a broker"):
        Telling(None, Settings(), tmp_path, Catalogue())

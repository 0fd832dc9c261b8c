"""Tests of tiltboard_online/broadcast/club.py and firmware_host/web/static/club.js: what hostile
tables put before a club's page: it shows the others, and runs no word of theirs.
"""

import json
from types import SimpleNamespace

import pytest

from packages.online.tests.broadcast.test_club import until
from packages.online.tests.broadcast.test_seen import STRANGE
from tests.broker import NEEDS_MOSQUITTO
from tests.clubs import FIRST, evening
from tiltboard.firmware_host.messages import Catalogue
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard_online.broadcast.club import AGED_S, MAX_KEY, Club
from tiltboard_online.broadcast.evening import read_evening
from tiltboard_online.broadcast.publisher import LOOK, online_topic
from tiltboard_online.broadcast.spectator_view import MAX_BYTES

pytestmark = NEEDS_MOSQUITTO
PAIRED = """
title = "Thursday"
pairing = "round-robin"
players = ["Ana", "Ben"]
"""


@pytest.fixture
def club(tmp_path):
    with evening(tmp_path) as held:
        yield held


def test_strange_messages_are_no_tables_and_do_not_end_it(club):
    with club.looking() as events:
        for number, content in enumerate(STRANGE.values()):
            club.tell(f"k{number}", content)
        club.tell("k3", table="It was one")
        club.tell("k3", STRANGE["a piece that is none"])
        club.tell("good")
        _, before = until(events, type="table", table="Oak")
        assert {each["type"] for each in before} <= {"board", "table", "gone"}
        assert {each["seen"]["table"] for each in before if each["type"] == "table"} <= {
            "It was one"
        }


def test_topics_that_are_none_do_no_harm(club):
    with club.looking() as events:
        for topic in ("tiltboard/look/", "tiltboard/look//", f"tiltboard/look/{'x' * 5000}"):
            club.link.publish(topic, json.dumps(FIRST | {"listed": False}).encode())
        for topic in ("tiltboard/table//online", f"tiltboard/table/{'y' * 5000}/online"):
            club.link.publish(topic, b"online" * 1000)
        club.tell("good")
        until(events, type="table", table="Oak")


def test_many_tables_leave_room_for_no_more_than_there_is(club, monkeypatch):
    monkeypatch.setattr("tiltboard_online.broadcast.club.MAX_TABLES", 5)
    with club.looking() as events:
        for number in range(20):
            club.tell(f"k{number}", table=f"T{number}")
        club.tell("k0", table="T0", ply=9)
        _, before = until(events, type="table", ply=9)
        names = {each["seen"]["table"] for each in before if each["type"] == "table"}
        assert names <= {f"T{number}" for number in range(5)}


def test_a_flood_keeps_out_no_pair_of_the_evening_nor_who_is_there_for_who_is_away(
    tmp_path, monkeypatch
):
    """The club alone, and its clock: 5 tables at most."""
    monkeypatch.setattr("tiltboard_online.broadcast.club.MAX_TABLES", 5)
    clock, heard = VirtualClock(), {}
    sheet = tmp_path / "evening.toml"
    sheet.write_text(PAIRED)
    link = SimpleNamespace(subscribe=lambda topics, hear: heard.update({topics: hear}))
    club = Club(link, None, Catalogue(), clock)
    club._sheet = read_evening(sheet)
    look, there = heard.values()

    def tell(key, *, online=True, **seen):
        if online:
            there(online_topic(key), b"online")
        look(LOOK + key, json.dumps(FIRST | seen).encode())

    for number in range(5):
        tell(f"false{number}")
    tell("late")
    assert "late" not in club._tables
    tell("pair", names={"red": "Ana", "blue": "Ben"})
    assert "pair" in club._tables
    for number in range(200):
        tell(f"more{number}")
    assert "pair" in club._tables
    clock.advance(AGED_S)
    tell("late")
    assert "late" in club._tables
    for number in range(200):
        look(f"{LOOK}never-online{number}", json.dumps(FIRST).encode())
        look(LOOK + "k" * (MAX_KEY + 1 + number), json.dumps(FIRST).encode())
        there(f"tiltboard/table/{'n' * (13 + number)}/online", b"online")
    assert {"pair", "late"} <= club._tables.keys()
    kept = [club._tables, club._online, club._going, club._told_s]
    assert max(map(len, kept)) <= 5


def test_ever_new_boards_are_forgotten(club):
    with club.looking() as events:
        for size in [*range(4, 10)] * 5:
            club.tell("k1", options={"size": size}, ply=size)
        club.tell("k1", ply=99)
        until(events, type="table", ply=99)


def test_the_largest_message_that_is_read_is_small():
    assert MAX_BYTES * 500 < 10e6  # all tables together

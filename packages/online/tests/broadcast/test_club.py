"""Tests of tiltboard_online/broadcast/club.py, tiltboard_online/commands.py and port.py: the
club's page as a browser hears it: what tables tell, and nothing else.
"""

import pytest

from tests.broker import NEEDS_MOSQUITTO
from tests.clubs import evening
from tiltboard_online.broadcast.evening import read_evening
from tiltboard_online.broadcast.publisher import public_name

pytestmark = NEEDS_MOSQUITTO


@pytest.fixture
def club(tmp_path):
    with evening(tmp_path) as held:
        yield held


def until(events, **wanted):
    """The first event that has these; those before it."""
    before = []
    for event in events:
        flat = {**event, **event.get("seen", {})}
        if all(flat.get(name) == value for name, value in wanted.items()):
            return event, before
        before.append(event)
    raise AssertionError(before)


def test_a_table_comes_moves_and_goes(club):
    with club.looking() as events:
        club.tell("k1", ply=1, cells={"d4": "red"}, to_move="blue")
        table, before = until(events, type="table", ply=1)
        assert [each["type"] for each in before if each["type"] == "board"] == ["board"]
        assert (table["id"], table["online"]) == (public_name("k1"), True)
        assert table["seen"]["cells"] == {"d4": "red"}
        club.tell("k1", ply=2, cells={"d4": "red", "d5": "blue"})
        _, before = until(events, type="table", ply=2)
        assert not [each for each in before if each["type"] == "board"]  # it is known already
        club.tell("k1", online=False, ply=2, cells={"d4": "red", "d5": "blue"})
        until(events, type="table", online=False)
        club.tell("k1", b"")
        assert until(events, type="gone")[0]["id"] == public_name("k1")


def test_who_comes_later_gets_the_newest_alone(club):
    with club.looking() as events:
        for ply in range(20):
            club.tell("k1", ply=ply)
        until(events, type="table", ply=19)
    with club.looking() as events:
        assert until(events, type="table")[0]["seen"]["ply"] == 19


def test_a_link_shows_its_table_and_the_page_shows_those_that_are_listed(club):
    with club.looking() as events, club.looking("/events/secret") as mine:
        club.tell("secret", table="Mine", listed=False)
        club.tell("k1", table="Open")
        table, before = until(mine, type="table")
        assert table["seen"]["table"] == "Mine"
        table, before = until(events, type="table")
        assert table["seen"]["table"] == "Open"
        assert "Mine" not in str(before)
        assert "secret" not in str(before) + str(table)
        club.tell("k2", table="Later")
        _, before = until(events, type="table", table="Later")
        assert "Mine" not in str(before)


def test_a_table_that_was_away_before_is_not_shown(club):
    club.tell("old", table="Last week", online=False)
    with club.looking() as events:
        club.tell("k1", table="Open")
        _, before = until(events, table="Open")
        assert "Last week" not in str(before)


def test_nothing_can_be_changed_by_a_browser(club):
    for path in ("/", "/look/k1", "/events", "/api/v1/texts"):
        assert club.get(path, "POST")[0] == 405
    status, headers, _ = club.get("/look/anything")
    assert status == 200
    assert "script-src 'self'" in headers["content-security-policy"]
    assert club.get("/api/v1/command")[0] == 404
    assert club.get("/static/club.js")[0] == 200


def test_a_table_writes_the_result_of_its_game_on_the_sheet(tmp_path):
    file = tmp_path / "evening.toml"
    file.write_text("title = 'Thursday'\nplayers = ['Ana', 'Ben']\n")
    with evening(tmp_path, file) as club, club.looking() as events:
        sheet = until(events, type="evening")[0]["sheet"]
        assert sheet["rounds"] == [[["Ana", "Ben", None]]]
        names = {"red": "Ana", "blue": "Ben"}
        club.tell("k0", over=True, winner="red", to_move=None, names=names)  # of last week
        until(events, type="table", winner="red")
        club.tell("k1", names=names)
        club.tell("k1", over=True, winner="blue", to_move=None, names={"red": "Ana", "blue": "Ben"})
        while sheet["rounds"][0][0][2] is None:
            sheet = until(events, type="evening")[0]["sheet"]
        assert sheet["rounds"] == [[["Ana", "Ben", "Ben"]]]
        club.tell("k2", over=True, winner="red", to_move=None, names={"red": "Ana", "blue": "Ben"})
        until(events, type="table", winner="red")
        file.write_text(file.read_text() + "won = 3\n")  # somebody writes nonsense
        sheet = until(events, type="evening")[0]["sheet"]
        assert "evening.toml" in sheet["problem"]
        assert sheet["rounds"] == [[["Ana", "Ben", "Ben"]]]
    file.write_text(file.read_text().replace("won = 3\n", ""))
    assert [line.name for line in read_evening(file).standings] == ["Ben", "Ana"]

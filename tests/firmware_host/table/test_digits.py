"""Tests of firmware_host/table/lights.py: a pairing code on the lights: legible from the low
edge, for people at the table alone.
"""

from __future__ import annotations

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.host.lobby import usual_options
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.firmware_host.table.buttons import Buttons
from tiltboard.firmware_host.table.commands import NewGame, ShowCode
from tiltboard.firmware_host.table.lights import (
    CODE_SHOWN_S,
    FONT,
    PAGE_S,
    WHITE,
    CodeShown,
    lit_places_at,
    round_s,
)
from tiltboard.firmware_host.table.status import Choice
from tiltboard.games.momentum.game import MOMENTUM
from tiltboard.hw_sim.session import SimSession

SEVEN = """
o.o....
.......
.#..###
##....#
.#...#.
.#...#.
###..#.
"""
TEN = """
..........
..........
.o........
..........
.###.#.#..
...#.#.#..
.###.###..
.#.....#..
.###...#..
..........
"""
SIXTH = """
oooooo.
.......
.#..###
##....#
.#...#.
.#...#.
###..#.
"""
FIVE = """
.###.
.#.#.
.###.
.#.#.
.###.
"""


def picture(code, columns, rows, since_s):
    lit = lit_places_at(code, columns, rows, since_s)
    marks = {index: "#" if rgb == WHITE else "o" for index, rgb in lit.items()}
    lines = [
        "".join(marks.get(row * columns + column, ".") for column in range(columns))
        for row in reversed(range(rows))
    ]
    return "\n".join(["", *lines, ""])


@pytest.mark.parametrize(
    ("size", "code", "since_s", "shown"),
    [
        (7, "001799", PAGE_S, SEVEN),
        (7, "999999999917", 5 * PAGE_S, SIXTH),
        (10, "240000", 0.0, TEN),
        (5, "000080", 4 * PAGE_S, FIVE),
        # a name's digits and a password's, each with dots of its own
        (7, "4700 001799", 4 * PAGE_S, SEVEN),
        (5, "47 000080", 7 * PAGE_S, FIVE),
    ],
)
def test_digits_are_drawn_in_the_places(size, code, since_s, shown):
    assert picture(code, size, size, since_s) == shown
    assert picture(code, size, size, since_s + round_s(code, size)) == shown
    assert lit_places_at(code, size, size, round_s(code, size) - 0.1) == {}


def test_a_pause_parts_two_numbers():
    assert lit_places_at("4700 001799", 7, 7, 2.5 * PAGE_S) == {}
    assert round_s("4700 001799", 7) == round_s("001799", 7) + 3 * PAGE_S


def test_ten_digits_differ_and_fit():
    assert len(set(FONT.values())) == 10
    assert {len(row) for rows in FONT.values() for row in rows} == {3}
    assert {len(rows) for rows in FONT.values()} == {5}
    assert lit_places_at("123456", 4, 4, 0.0) == {}


@pytest.fixture(params=["plate-10", "plate-7", "node"])
def session(request, tmp_path):
    with SimSession(unhurried(request.param), tmp_path) as made:
        made.host.do(NewGame("momentum", usual_options(MOMENTUM, made.profile)))
        made.run_until(made.clock.now() + 3)
        yield made


def shining(session):
    return {i for i, rgb in enumerate(session.table.lights) if max(rgb) > 8}


def test_the_table_shows_it_and_the_page_does_not(session):
    host, profile = session.host, session.profile
    game = shining(session)
    host.do(ShowCode("190472"))
    began_s = session.clock.now()
    for page in range(3):
        session.run_until(began_s + (page + 0.5) * PAGE_S)
        wanted = lit_places_at("190472", profile.columns, profile.rows, (page + 0.5) * PAGE_S)
        assert shining(session) == set(wanted)
        # Whoever looks on over the network must not read it there.
        lights = Publisher(host).snapshot().plate.lights
        assert set(lights) <= {"0"}
    host.do(ShowCode(None))  # it was used
    session.run_until(session.clock.now() + 0.5)
    assert shining(session) == game


def test_it_ends_by_itself_once_its_time_is_over():
    code = CodeShown("190472", since_s=100.0)
    assert not code.is_over(100.0 + CODE_SHOWN_S - 0.1)
    assert code.is_over(100.0 + CODE_SHOWN_S)


def test_any_button_ends_it_and_does_nothing_else(session):
    host = session.host
    game, phase = shining(session), host.status.phase
    host.do(ShowCode("190472"))
    session.run_until(session.clock.now() + 0.5)
    session.hands.press("back", 0.3)
    session.run_until(session.clock.now() + 1.0)
    assert not host.output.shows_code
    assert (shining(session), host.status.phase) == (game, phase)


def test_the_menu_at_the_table_asks_for_one(session):
    host, asked = session.host, []
    host.offer(Choice("pairing", text("Pair a device")), lambda: asked.append(True))
    session.hands.press("back", 2.3)
    session.run_until(session.clock.now() + 3)
    question = host.status.question
    assert question.choices[-1].value == "pairing"
    while host.status.question.at < len(question.choices) - 1:
        session.hands.press("confirm", 0.3)
        session.run_until(session.clock.now() + 1)
    assert asked == []
    session.hands.press("confirm", 2.3)
    session.run_until(session.clock.now() + 3)
    assert asked == [True]
    assert host.status.question is None
    assert host.status.phase == "turn"


def test_back_held_counts_down_and_has_the_computer_shut_down_once(session):
    host, profile, asked = session.host, session.profile, []
    host.may_power_off(lambda: asked.append(session.clock.now()))
    began_s = session.clock.now()
    session.hands.press("back", 12.0)
    for held_s, left in ((3.5, "5"), (4.5, "4"), (7.5, "1"), (9.0, "0"), (11.0, "0")):
        session.run_until(began_s + held_s)
        assert shining(session) == set(lit_places_at(left, profile.columns, profile.rows, 0.0)), (
            held_s
        )
    assert [round(each - began_s) for each in asked] == [8]


def test_back_let_go_while_it_counts_is_a_long_press_as_any(session):
    host, asked = session.host, []
    host.may_power_off(lambda: asked.append(True))
    session.hands.press("back", 6.0)
    session.run_until(session.clock.now() + 5.0)
    assert "power" in host.notices
    session.run_until(session.clock.now() + 2.0)
    assert (asked, "power" in host.notices) == ([], False)
    assert host.status.question is not None  # the menu


def test_nobody_knows_since_when_a_button_is_held_that_was_down_at_first(session):
    """A short circuit must not switch off whatever starts with it."""
    asked, buttons = [], Buttons()
    for scan in range(600):
        buttons.update(frozenset({"back"}), scan / 50)
        asked.append(buttons.held_s("back", scan / 50))
    assert set(asked) == {0.0}

"""Tests of firmware_host/referee/guidance.py and view.py: Gravity Connect at the table: entries,
questions and ways to answer them, the way of a tile.
"""

from __future__ import annotations

import pytest

from tests.said import move
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.table.buttons import ButtonPress
from tiltboard.firmware_host.table.commands import Answer
from tiltboard.firmware_host.table.status import Phase, Role, Sound
from tiltboard.games.base import Shift

SIDES = {"left": "orange", "right": "gray", "top": "green", "bottom": "purple"}


@pytest.fixture
def connect(refereed):
    def start(*moves, **options):
        return refereed(*moves, game="gravity-connect", **options)

    return start


def labels(question):
    return [str(choice.label) for choice in question.choices]


def test_every_entry_glows_in_the_colours_of_its_sides(connect):
    table = connect(size=3, line=3)
    rim = {"A1", "A2", "A3", "B1", "B3", "C1", "C2", "C3"}
    assert table.lights(Role.LEGAL) == rim
    assert dict(table.status.tint) == {
        "A1": ("orange", "green"),
        "A2": ("orange",),
        "A3": ("orange", "purple"),
        "B1": ("green",),
        "B3": ("purple",),
        "C1": ("gray", "green"),
        "C2": ("gray",),
        "C3": ("gray", "purple"),
    }
    assert "The colour shows the side." in str(table.status.say)


def test_the_rules_example(connect):
    """Red 12 enters at I3 and lands on A3; blue 3 enters at B3; red may not use the right side."""
    table = connect()
    status = table.put("red", "I3")
    assert (status.phase, status.to_move) == (Phase.TURN, "red")
    assert [c.value for c in status.question.choices] == ["right", "left"]
    assert labels(status.question) == ["right, gray, slot 12", "left, orange, slot 3"]
    status = table.answer("right")
    assert (status.phase, status.question) == (Phase.SETTLE, None)
    assert dict(status.roles) == {"I3": Role.LIFT, "A3": Role.PUT}
    assert status.shifts == (Shift("red", "I3", "A3"),)
    assert status.path == tuple(f"{c}3" for c in "IHGFEDCBA")
    assert status.path_colour == "gray"
    table.move("I3", "A3")
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "blue")
    assert table.lights(Role.LAST) == {"A3"}
    table.put("blue", "B3")
    table.answer("left")
    table.move("B3", "I3")
    assert table.status.moves == ("12", "3")
    assert "gray" not in {tint for names in table.status.tint.values() for tint in names}
    table.put("red", "I5")  # the right side's entry is only the left one's landing now
    assert table.status.question is None
    assert table.status.moves == ("12", "3", "5")


def test_a_tile_put_where_only_one_slot_brings_it_is_not_asked_about(connect):
    table = connect("A", "3", "5", size=9)  # red on A9
    table.scan()
    entries = [p for p, tints in table.status.tint.items() if len(tints) == 1]
    assert entries
    asked = 0
    for place in sorted(entries):
        if place not in table.cells:
            table.put(table.status.to_move, place)
            asked += table.status.question is not None
            table.take(place)
            table.wait(0.1)
    assert 0 < asked < len(entries)


def test_a_tile_put_on_its_landing_is_final_once_the_side_is_known(connect):
    table = connect()
    table.put("red", "A3")
    table.answer("12")  # a slot's own name answers, too
    assert table.status.moves == ("12",)
    assert table.heard() == [Sound.ASK, Sound.MOVE]


def test_in_a_corner_four_slots_are_possible(connect):
    table = connect()
    status = table.put("red", "A1")
    assert {c.value for c in status.question.choices} == set(SIDES)
    assert {c.value: c.colour for c in status.question.choices} == SIDES
    # the edge at which each one's line begins
    edges = {c.value: c.places for c in status.question.choices}
    assert edges == {"left": ("A1",), "top": ("A1",), "right": ("I1",), "bottom": ("A9",)}
    assert table.lights(Role.LEGAL) == {"A1", "I1", "A9"}
    assert set(status.tint["A1"]) == {"orange", "green"}
    assert status.tint["I1"] == ("gray",)
    table.answer("purple")
    assert table.status.moves == ("J",)


def test_confirm_steps_through_the_choices_and_a_long_press_takes_one(connect):
    table = connect()
    table.put("red", "A1")
    seen = []
    for _ in range(5):
        question = table.status.question
        seen.append(question.chosen.value)
        assert table.status.path == question.chosen.path
        assert str(question.chosen.label) in str(table.status.say)
        table.press("confirm")
    assert sorted(seen[:4]) == sorted(SIDES)
    assert seen[4] == seen[0]
    while table.status.question.chosen.value != "top":
        table.press("confirm")
    table.press("confirm", 2.0)
    assert table.status.question is None
    assert table.lights(Role.PUT) == {"A9"}


FALLS = {"left": (0, 5), "right": (0, -5), "top": (5, 0), "bottom": (-5, 0)}


@pytest.mark.parametrize("side", FALLS)
def test_a_small_tilt_the_way_it_falls_answers(connect, side):
    # About x the north edge rises: things slide south, which is from the top.
    table = connect()
    table.put("red", "A1")
    table.tilt(*FALLS[side])
    assert (table.status.phase, table.status.question is not None) == (Phase.TURN, True)
    table.wait(0.5)
    assert table.status.question is not None
    table.wait(0.3)
    assert (table.status.phase, table.status.question) == (Phase.PAUSED, None)
    table.tilt(0, 0)
    assert table.status.moves or table.status.phase is Phase.SETTLE
    move = table.status.moves[-1] if table.status.moves else None
    landing = {"left": "I1", "top": "A9"}.get(side)  # from the other sides it lies there already
    assert table.lights(Role.PUT) == ({landing} if landing else set())
    assert move == {"right": "10", "bottom": "J"}.get(side)


@pytest.mark.parametrize("angles", [(2.8, 0), (0, 1), (3, 3), (4, -4)])
def test_tilts_that_are_too_small_or_between_two_ways_answer_nothing(connect, angles):
    table = connect()
    table.put("red", "A1")
    table.tilt(*angles)
    table.wait(3)
    assert (table.status.phase, table.status.question is not None) == (Phase.TURN, True)
    table.tilt(0, 0)
    assert table.status.question is not None


def test_a_steep_tilt_along_no_way_pauses_and_the_question_is_asked_again(connect):
    table = connect()
    table.put("red", "A1")
    table.tilt(9, 9)
    table.wait(2)
    assert (table.status.phase, table.status.question) == (Phase.PAUSED, None)
    table.tilt(0, 0)
    assert table.status.question is not None


def test_a_pause_does_not_change_what_a_held_button_says(connect):
    table = connect()
    table.put("red", "A1")
    table.press("confirm")
    chosen = table.status.question.chosen
    assert chosen != table.status.question.choices[0]
    table.ready = False  # the computer was busy for a moment, while confirm is held
    assert table.scan().phase is Phase.PAUSED
    assert table.press("confirm").phase is Phase.PAUSED  # nobody sees what this would choose
    table.press("confirm", 2.0)
    table.ready = True
    assert table.scan().question.chosen == chosen
    table.press("confirm", 2.0)
    assert table.journal.moves == [chosen.also[0]]


def test_a_press_answers_only_what_was_asked_when_it_began(connect):
    """Found by the soak: held for one tile, confirm answered for where that was knocked to."""
    table = connect()
    table.put("red", "A1")
    first = table.status.question
    table.wait(1.5)
    table.move("A1", "I1")
    table.wait(0.5)
    asked = table.status.question
    assert asked not in (None, first)
    table.scan(presses=[ButtonPress("confirm", 2.0)])
    assert (table.status.question, table.journal.moves) == (asked, [])
    table.press("confirm", 2.0)
    assert len(table.journal.moves) == 1


def test_a_tilt_that_is_only_passed_through_answers_nothing(connect):
    table = connect()
    table.put("red", "A1")
    for _ in range(4):
        table.tilt(0, 5)
        table.wait(0.4)
        table.tilt(5, 0)
        table.wait(0.4)
    assert table.status.question is not None


def test_answers_that_are_none_are_refused_with_those_that_are(connect):
    table = connect()
    with pytest.raises(NotPossibleError, match="asks nothing"):
        table.referee.carry_out(Answer("left"))
    table.put("red", "I3")
    with pytest.raises(NotPossibleError, match="the answers are: right, left"):
        table.referee.carry_out(Answer("top"))


def test_a_tile_taken_away_again_ends_the_question(connect):
    table = connect()
    table.put("red", "I3")
    table.take("I3")
    assert (table.status.phase, table.status.question) == (Phase.TURN, None)
    assert table.status.moves == ()
    table.put("red", "A1")
    assert len(table.status.question.choices) == 4


def test_back_while_it_is_asked_takes_that_move_back_and_no_other(connect):
    table = connect("12")
    table.put("blue", "I5")
    assert table.status.question is not None
    table.press("back")
    assert (table.status.phase, table.status.to_move) == (Phase.FIX, "blue")
    assert dict(table.status.roles) == {"I5": Role.WRONG}
    table.take("I5")
    assert (table.status.phase, table.status.moves) == (Phase.TURN, ("12",))


def test_after_a_wrong_answer_the_way_back_is_open(connect):
    table = connect()
    table.put("red", "I3")
    table.answer("right")
    assert table.status.phase is Phase.SETTLE
    table.press("back")
    assert dict(table.status.roles) == {"I3": Role.WRONG}
    table.take("I3")
    table.put("red", "I3")
    table.answer("left")  # it is where it falls to already
    assert table.status.moves == ("3",)


def test_a_tile_lifted_to_be_carried_and_kept_for_long_is_a_takeback(connect):
    table = connect()
    table.put("red", "I3")
    table.answer("right")
    table.take("I3")
    assert table.status.phase is Phase.SETTLE
    assert dict(table.status.roles) == {"A3": Role.PUT}
    table.wait(3.2)
    assert (table.status.phase, table.status.moves) == (Phase.TURN, ())


def test_a_tile_set_down_on_its_way_is_wrong(connect):
    table = connect()
    table.put("red", "I3")
    table.answer("right")
    table.move("I3", "E3")
    assert table.status.phase is Phase.FIX
    assert dict(table.status.roles) == {"E3": Role.WRONG, "A3": Role.PUT}
    assert str(table.status.say).endswith(move("red tile", "E3", "A3"))
    table.move("E3", "A3")
    assert table.status.moves == ("12",)


def test_a_place_to_which_no_tile_comes_is_refused(connect):
    table = connect("12", "3")
    table.put("red", "C5")
    assert dict(table.status.roles) == {"C5": Role.WRONG}
    assert "No tile comes to C5" in str(table.status.say)
    table.take("C5")
    table.put("blue", "I5")
    assert table.status.phase is Phase.FIX
    assert "Red's turn" in str(table.status.say)


def test_the_same_side_twice_is_refused_by_name(connect):
    # Red has just used the left side; only from there a tile comes to B2, between A2 and C2.
    table = connect("C", "C", "6", "1", "C", "5", "4", "D", size=4, line=4)
    assert table.cells["A2"] == table.cells["C2"] == "red"
    assert "B2" not in table.lights(Role.LEGAL)
    table.put("red", "B2")
    assert table.status.phase is Phase.FIX
    assert "Red used the left side last turn" in str(table.status.say)


def test_a_side_that_may_not_be_used_is_not_asked_about(connect):
    table = connect("3", "B")  # red used the left side
    table.put("red", "A5")  # the left side's entry, and where a tile from the right lands
    assert table.status.question is None
    assert table.status.moves == ("3", "B", "14")


def test_a_question_is_asked_again_after_the_service_died(new_desk):
    table = new_desk("12", game="gravity-connect", begin={"resumed": True})
    table.cells = {"A3": "red", "I5": "blue"}
    table.scan()
    assert table.status.question is not None
    table.answer("right")
    assert dict(table.status.roles) == {"I5": Role.LIFT, "A5": Role.PUT}


def test_a_full_board_and_a_line_end_the_game(connect):
    table = connect(size=2, line=2)
    while table.status.phase is not Phase.OVER:
        table.play(table.status.position.legal()[0])
    assert table.status.outcome.reason in ("line", "full")
    assert table.lights(Role.WIN)

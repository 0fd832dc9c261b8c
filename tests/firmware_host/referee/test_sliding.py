"""Tests of firmware_host/referee/slide_guidance.py: a tile that slides: what is said and asked of
the plate, and what counts.
"""

from __future__ import annotations

from math import radians

import pytest

from tests.said import move
from tiltboard.firmware_host.table.commands import MakeMove
from tiltboard.firmware_host.table.status import Phase, Role, Sound

WEST = (0.0, radians(-11.0))


@pytest.fixture
def falling(refereed):
    """Red's tile has come in at I3 from the right: it is to slide west, to A3."""
    table = refereed(game="gravity-connect", tilts=True)
    table.put("red", "I3")
    table.answer("right")
    table.heard()
    return table


def said(table, x_deg, y_deg):
    status = table.tilt(x_deg, y_deg)
    assert status.phase is Phase.PAUSED
    return str(status.say)


def test_how_far_and_which_way_is_said_while_the_plate_is_tilted(falling):
    assert falling.status.phase is Phase.SETTLE
    assert str(falling.status.say) == (
        "The tile falls from I3 to the far edge, A3. "
        "Raise the right side until the red tile slides, or do it by hand."
    )
    assert falling.status.lean_rad == pytest.approx(WEST)
    assert said(falling, 0, -4) == "Raise the right side further: 4 of 10 degrees."
    assert said(falling, 0, -9) == "Raise the right side further: 9 of 10 degrees."
    assert said(falling, 0, -11) == "Hold the plate so: the red tile slides."
    assert said(falling, 0, -14) == "Not so steep: 12 degrees at most."
    for x, y in ((4, -10), (-4, -10), (0, 11), (11, 0)):
        assert said(falling, x, y) == "Raise the right side and no other."
    assert falling.status.path[0] == "I3"
    assert falling.heard() == []  # no alarm: it is meant


@pytest.mark.parametrize(
    ("place", "side", "x", "y"),
    [
        ("I3", "right", 0, -11),
        ("A3", "left", 0, 11),
        ("C1", "top", 11, 0),
        ("C9", "bottom", -11, 0),
    ],
)
def test_it_is_tilted_the_way_it_falls(refereed, place, side, x, y):
    table = refereed(game="gravity-connect", tilts=True)
    table.put("red", place)
    table.answer(side)
    assert table.status.lean_rad == pytest.approx((radians(x), radians(y)))
    assert f"Raise the {side} side until" in str(table.status.say)
    assert said(table, x, y) == "Hold the plate so: the red tile slides."


def test_it_is_followed_to_its_place_and_counts_once_the_plate_is_level(falling):
    falling.tilt(0, -11)
    for place in ("H3", "E3"):
        falling.cells = {place: "red"}
        assert str(falling.scan().say) == "Hold the plate so: the red tile slides."
    falling.cells = {}  # between two places
    assert falling.scan().lean_rad == pytest.approx(WEST)
    falling.cells = {"A3": "red"}
    status = falling.scan()
    assert status.lean_rad == (0.0, 0.0)
    assert str(status.say) == "The red tile is on A3: level the plate, and secure it."
    assert (status.phase, falling.journal.moves) == (Phase.PAUSED, [])
    status = falling.tilt(0, 0)
    assert (status.phase, status.to_move, status.lean_rad) == (Phase.TURN, "blue", None)
    assert falling.journal.moves == ["12"]
    assert Sound.SETTLED in falling.heard()


def test_one_that_stopped_too_early_slides_on_or_is_moved(falling):
    falling.tilt(0, -11)
    falling.cells = {"D3": "red"}
    falling.tilt(0, 0)
    assert falling.status.phase is Phase.FIX
    assert str(falling.status.say) == (
        f"{move('red tile', 'D3', 'A3')} "
        "Raise the right side until the red tile slides, or do it by hand."
    )
    assert falling.status.lean_rad == pytest.approx(WEST)
    falling.move("D3", "A3")
    assert falling.status.to_move == "blue"


def test_a_move_that_was_asked_for_may_enter_at_its_slot_and_slide(refereed):
    table = refereed(game="gravity-connect", tilts=True)
    table.scan(requests=[MakeMove("12")])
    assert dict(table.status.roles) == {"A3": Role.PUT}
    assert table.status.lean_rad is None
    table.put("red", "I3")
    assert table.status.phase is Phase.SETTLE
    assert dict(table.status.roles) == {"I3": Role.LIFT, "A3": Role.PUT}
    assert table.status.lean_rad == pytest.approx(WEST)
    table.move("I3", "A3")
    assert (table.status.to_move, table.journal.moves) == ("blue", ["12"])


def test_when_anything_else_has_moved_the_plate_is_to_be_level(refereed):
    table = refereed("12", game="gravity-connect", tilts=True)
    table.put("blue", "C1")
    table.answer("top")
    table.tilt(11, 0)
    table.cells = {"A4": "red", "C5": "blue"}  # both have slid
    status = table.scan()
    assert (status.lean_rad, str(status.say)) == (None, "Level the plate.")
    assert table.tilt(0, 0).phase is Phase.FIX


def test_a_table_whose_plate_is_fixed_asks_for_a_hand(refereed):
    table = refereed(game="gravity-connect")
    table.put("red", "I3")
    table.answer("right")
    assert str(table.status.say) == "The tile falls from I3 to the far edge, A3."
    assert table.status.lean_rad is None


@pytest.mark.parametrize("steep_deg", [4, 8.5, 12.6, 25])
@pytest.mark.parametrize("slides", [False, True])
def test_the_tilt_is_the_answer_little_or_large_before_or_after_it_slid(
    refereed, steep_deg, slides
):
    table = refereed(game="gravity-connect", tilts=True)
    table.put("red", "A1")
    assert table.status.question is not None
    table.tilt(0, steep_deg)  # eastward
    if slides:
        table.cells = {"I1": "red"}
    table.wait(1.0)
    assert table.status.question is None
    if not slides:
        table.cells = {"I1": "red"}
    table.tilt(0, 0)
    table.wait(1.0)
    assert (table.status.to_move, table.journal.moves) == ("blue", ["1"])


def test_a_steep_tilt_that_is_no_tiles_way_pauses_and_answers_nothing(refereed):
    table = refereed(game="gravity-connect", tilts=True)
    table.put("red", "A1")
    status = table.tilt(8, 8)
    assert status.phase is Phase.PAUSED
    table.wait(1.0)
    table.tilt(0, 0)
    assert table.status.question is not None


def test_a_tile_that_slides_at_once_off_a_plate_that_is_soon_level_has_its_answer(refereed):
    table = refereed(game="gravity-connect", tilts=True)
    table.put("red", "A1")
    table.tilt(0, 25)
    table.wait(0.3)
    table.cells = {"I1": "red"}
    table.tilt(0, 0)
    table.wait(1.0)
    assert (table.status.to_move, table.journal.moves) == ("blue", ["1"])

"""Tests of firmware_host/referee/guidance.py and firmware_host/table/problem_messages.py: pauses,
places that cannot be read, a refusing journal, and restarts.
"""

from __future__ import annotations

import pytest

from tests import said
from tiltboard.drivers.errors import PartAbsentError
from tiltboard.firmware_host.table.sight import Happening, Stillness
from tiltboard.firmware_host.table.status import Phase, Role, Sound

HALL_LOST = PartAbsentError("hall", "The sensors do not answer.", remedy="Check the ribbon cable.")


def say(table):
    return str(table.status.say)


def lose_part(table):
    table.faults = (HALL_LOST,)


def tilt(table):
    table.stillness = Stillness.TILTED


def move(table):
    table.stillness = Stillness.MOVING


def unknown(table):
    table.stillness = Stillness.UNKNOWN


def not_ready(table):
    table.ready = False


def mend(table):
    table.faults, table.stillness, table.ready = (), Stillness.STILL, True


@pytest.mark.parametrize(
    ("happen", "sentence"),
    [
        (lose_part, "The sensors do not answer. Check the ribbon cable."),
        (tilt, "Level the plate."),
        (move, "Wait until the plate is still."),
        (unknown, "Wait until the plate is still."),
        (not_ready, "One moment – checking the board."),
    ],
)
@pytest.mark.parametrize("phase", [Phase.TURN, Phase.SETTLE, Phase.FIX, Phase.OVER])
def test_play_pauses_says_why_and_goes_on_where_it_was(refereed, phase, happen, sentence):
    if phase is Phase.OVER:
        table = refereed("a1", "g7", "c1", "g5", "e1", marbles=3, pie=False)
    else:
        table = refereed("d4", pie=False)
        if phase is not Phase.TURN:
            table.put("blue", "e5")
        if phase is Phase.FIX:
            table.put("blue", "g1")
    assert table.status.phase is phase
    before = table.scan()
    table.heard()
    happen(table)
    table.scan()
    assert (table.status.phase, say(table)) == (Phase.PAUSED, sentence)
    assert table.status.roles == {}
    assert table.status.shifts == ()
    assert table.status.to_move == before.to_move
    table.wait(2.0)
    assert table.heard() == ([] if phase is Phase.OVER else [Sound.PAUSED])
    mend(table)
    table.scan()
    assert table.scan() == before
    assert table.heard() == []


def test_what_changed_during_a_pause_is_judged_as_it_stands(refereed):
    table = refereed("d4", pie=False)
    tilt(table)
    table.scan()
    table.put("blue", "a1")
    assert table.status.phase is Phase.PAUSED
    assert table.journal.moves == ["d4"]
    mend(table)
    table.scan()
    assert table.journal.moves == ["d4", "a1"]


def test_a_takeback_by_button_counts_during_a_pause(refereed):
    table = refereed("d4", "a1", pie=False)
    tilt(table)
    table.press("back")
    assert table.journal.moves == ["d4"]
    assert table.status.phase is Phase.PAUSED
    mend(table)
    table.scan()
    assert table.status.phase is Phase.FIX


# --- places that cannot be read


def test_a_short_doubt_changes_nothing(refereed):
    table = refereed("d4", pie=False)
    before = table.scan()
    table.unsure = frozenset({"d4"})
    table.wait(0.38)
    assert table.status == before
    table.unsure = frozenset()
    assert table.scan() == before


def test_a_lasting_doubt_is_said_then_becomes_a_fix_then_heals(refereed):
    table = refereed("d4", pie=False)
    before = table.scan()
    table.unsure = frozenset({"d4"})
    table.wait(0.5)
    assert table.status.phase is Phase.TURN
    assert say(table) == "Move the piece on d4 to the middle of its space."
    assert table.lights(Role.WRONG) == set()
    table.wait(0.6)
    assert table.status.phase is Phase.FIX
    assert dict(table.status.roles) == {"d4": Role.WRONG}
    assert say(table) == "Move the piece on d4 to the middle of its space."
    table.unsure = frozenset()
    assert table.scan() == before
    assert table.sounds == [Sound.WRONG]


def test_something_unreadable_on_an_empty_place(refereed):
    table = refereed("d4", pie=False)
    table.unsure = frozenset({"f6"})
    table.wait(1.1)
    assert dict(table.status.roles) == {"f6": Role.WRONG}
    assert say(table).startswith("The table cannot read f6.")


def test_doubt_beside_the_board_is_nobody_s_business(refereed):
    table = refereed("d4", pie=False)
    before = table.scan()
    table.unsure = frozenset({"h8"})
    table.wait(5.0)
    assert table.status == before


def test_an_unsure_place_is_never_a_move(refereed):
    table = refereed("d4", pie=False)
    table.unsure = frozenset({"a1"})
    table.put("blue", "a1")
    table.wait(0.5)
    assert table.status.phase is Phase.TURN
    assert say(table) == "Move the piece on a1 to the middle of its space."
    assert table.journal.moves == ["d4"]
    table.wait(1.0)
    assert table.status.phase is Phase.FIX
    table.unsure = frozenset()
    table.scan()
    assert table.journal.moves == ["d4", "a1"]


def test_doubt_elsewhere_does_not_hold_a_move_up(refereed):
    table = refereed("d4", pie=False)
    table.unsure = frozenset({"g7"})
    table.put("blue", "a1")
    assert table.journal.moves == ["d4", "a1"]


def test_in_settle_an_unsure_target_is_not_confirmed(refereed):
    table = refereed("d4", pie=False)
    table.put("blue", "e5")
    table.take("d4")
    table.unsure = frozenset({"c3"})
    table.put("red", "c3")
    assert (table.status.phase, table.status.to_move) == (Phase.SETTLE, "blue")
    table.wait(1.1)
    assert table.status.phase is Phase.FIX
    assert dict(table.status.roles) == {"c3": Role.WRONG}
    table.unsure = frozenset()
    table.scan()
    assert table.journal.moves == ["d4", "e5"]


def test_an_unsure_place_keeps_set_up_from_ending(new_desk):
    table = new_desk()
    table.unsure = frozenset({"b2"})
    table.wait(0.5)
    assert (table.status.phase, table.heard()) == (Phase.SETUP, [])
    assert dict(table.status.roles) == {"b2": Role.REMOVE}
    table.unsure = frozenset()
    table.scan()
    assert (table.status.phase, table.heard()) == (Phase.TURN, [Sound.START])


# --- the journal refuses


def test_a_full_disk_pauses_keeps_the_move_and_confirms_it_later(refereed):
    table = refereed("d4", pie=False)
    table.journal.full = True
    table.put("blue", "a1")
    assert (table.status.phase, table.status.to_move) == (Phase.PAUSED, "blue")
    assert say(table) == "The disk is full. Make room."
    assert table.status.moves == ("d4",)
    assert table.heard() == [Sound.PAUSED]
    table.wait(5.01)
    tries = table.journal.calls.count(("append", 7, 2, "a1"))
    assert tries == 6  # at once, then once a second
    table.journal.full = False
    table.wait(1.0)
    assert table.journal.moves == ["d4", "a1"]
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")
    assert table.heard() == [Sound.MOVE]


def test_with_a_full_disk_the_board_may_still_go_back(refereed):
    table = refereed("d4", pie=False)
    table.journal.full = True
    table.put("blue", "a1")
    table.take("a1")
    table.wait(1.1)
    assert table.status.phase is Phase.FIX
    table.wait(3.1)
    assert (table.status.phase, table.status.moves) == (Phase.TURN, ("d4",))


def test_with_a_full_disk_back_drops_the_move_that_waits(refereed):
    table = refereed("d4", pie=False)
    table.journal.full = True
    table.put("blue", "a1")
    table.press("back")
    assert table.status.phase is Phase.FIX
    table.take("a1")
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "blue")


def test_a_takeback_that_cannot_be_written_is_tried_again(refereed):
    table = refereed("d4", "a1", pie=False)
    table.journal.full = True
    table.press("back")
    assert (table.status.phase, table.status.moves) == (Phase.PAUSED, ("d4", "a1"))
    table.journal.full = False
    table.wait(1.02)
    assert table.journal.moves == ["d4"]
    assert table.status.phase is Phase.FIX


def test_a_takeback_by_hand_that_cannot_be_written_is_tried_again(refereed):
    table = refereed("d4", "a1", pie=False)
    table.take("a1")
    table.journal.full = True
    table.wait(3.02)
    assert table.status.phase is Phase.PAUSED
    table.journal.full = False
    table.wait(5.0)
    assert table.journal.moves == ["d4"]
    assert table.status.phase is Phase.TURN


def test_a_result_that_cannot_be_written_is_tried_again(refereed):
    table = refereed("a1", "g7", "c1", "g5", marbles=3, pie=False)
    append = table.journal.append

    def last_room(*call):
        append(*call)
        table.journal.full = True

    table.journal.append = last_room
    table.put("red", "e1")
    assert (table.status.phase, table.journal.results) == (Phase.PAUSED, [])
    table.journal.full = False
    table.wait(1.02)
    assert table.status.phase is Phase.OVER
    assert table.journal.results == [{"winner": "red", "reason": "complete"}]
    assert Sound.WIN in table.heard()


# --- restart


def resume(new_desk, moves, cells, **options):
    table = new_desk(*moves, begin={"resumed": True}, pie=False, **options)
    table.cells = dict(cells)
    table.scan()
    return table


def test_resumed_on_an_equal_board_it_is_somebody_s_turn(new_desk):
    table = resume(new_desk, ["d4"], {"d4": "red"})
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "blue")
    assert table.heard() == []


def test_resumed_while_the_sensors_are_zeroed_it_waits(new_desk):
    table = new_desk("d4", begin={"resumed": True})
    table.ready = False
    table.wait(1.0)
    assert (table.status.phase, table.status.moves) == (Phase.PAUSED, ("d4",))
    assert table.heard() == []


def test_a_move_made_before_the_cut_is_confirmed_after_it(new_desk):
    table = resume(new_desk, ["d4"], {"d4": "red", "a1": "blue"})
    assert table.journal.calls == [("append", 7, 2, "a1")]
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")


def test_the_first_move_made_before_the_cut_is_confirmed_after_it(new_desk):
    table = resume(new_desk, [], {"d4": "red"})
    assert table.journal.moves == ["d4"]


@pytest.mark.parametrize("held", [set(), {"d4"}, {"b2"}, {"d4", "b2"}])
def test_settling_goes_on_after_the_cut_with_pieces_in_the_hand(new_desk, held):
    # Blue on b2, red on d4; blue drops on c3.
    before = {"d4": "red", "b2": "blue"}
    cells = {p: k for p, k in before.items() if p not in held} | {"c3": "blue"}
    table = resume(new_desk, ["d4", "b2", "a7"], {**cells, "a7": "red"})
    if held == {"b2"}:
        # As a board, blue's marble moved from b2 to c3: not taken for a move, and led back.
        assert table.status.phase is Phase.FIX
        table.put("blue", "b2")
    assert (table.status.phase, table.status.to_move) == (Phase.SETTLE, "blue")
    assert table.status.moves == ("d4", "b2", "a7")


def test_a_board_changed_during_the_cut_is_mended(new_desk):
    table = resume(new_desk, ["d4", "a1"], {"d5": "red", "a1": "blue"})
    assert table.status.phase is Phase.FIX
    moved = said.move("red marble", "d5", "d4")
    assert say(table) == f"The board isn't as this game left it. {moved}"
    assert table.heard() == []
    table.move("d5", "d4")
    assert table.status.phase is Phase.TURN


def test_a_first_move_is_not_taken_back_by_a_board_that_nobody_has_set_up_yet(new_desk):
    table = resume(new_desk, ["d4"], {})
    table.wait(10.0)
    assert (table.status.phase, table.status.moves) == (Phase.FIX, ("d4",))
    table.put("red", "d4")
    table.take("d4")
    table.wait(3.1)
    assert table.status.moves == ()


def test_a_board_cleared_during_the_cut_is_asked_to_be_set_again(new_desk):
    table = resume(new_desk, ["d4", "a1"], {})
    table.wait(10.0)
    assert (table.status.phase, table.status.moves) == (Phase.FIX, ("d4", "a1"))
    table.put("red", "d4")
    table.put("blue", "a1")
    assert table.status.phase is Phase.TURN


def test_set_up_goes_on_after_the_cut(new_desk):
    table = resume(new_desk, [], {"d4": "red", "e4": "blue"})
    assert table.status.phase is Phase.SETUP
    table.take("e4")
    assert table.status.phase is Phase.SETUP
    table.take("d4")
    assert (table.status.phase, table.journal.moves) == (Phase.TURN, [])


def test_a_finished_game_is_shown_and_its_result_written_again(new_desk):
    table = resume(new_desk, ["a1", "g7", "c1", "g5", "e1"], {}, marbles=3)
    assert table.status.phase is Phase.OVER
    assert table.journal.calls == [("finish", 7)]
    assert table.heard() == []


def test_events_alone_change_nothing(refereed):
    table = refereed("d4", pie=False)
    before = table.scan()
    for happening in Happening:
        table.event(happening, "d4")
        assert table.status == before

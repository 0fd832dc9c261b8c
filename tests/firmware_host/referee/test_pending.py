"""Tests of firmware_host/table/move_line.py and firmware_host/referee/progress.py: a move that is
being carried out is on disk, and a restart goes on with it.
"""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.table.commands import MakeMove
from tiltboard.firmware_host.table.move_line import PendingMove
from tiltboard.firmware_host.table.status import Phase, Role


def restarted(table, **more):
    """The service died and is there again; the board stands as it stood."""
    journal = table.journal
    kept = {"resumed": True, "pending": journal.pending, **more}
    table.begin(tuple(journal.moves), **kept)
    table.scan()
    return table


def test_what_is_carried_out_is_on_disk_until_it_is_confirmed(refereed):
    d = refereed("d4")
    d.put("blue", "d5")
    assert d.journal.pending == PendingMove("d5")
    assert d.journal.moves == ["d4"]
    d.move("d4", "d3")
    assert (d.journal.pending, d.journal.moves) == (None, ["d4", "d5"])


def test_a_move_without_consequences_needs_no_second_write(refereed):
    d = refereed()
    d.journal.calls.clear()
    d.put("red", "d4")
    assert [call[0] for call in d.journal.calls] == ["append"]


@pytest.mark.parametrize("carried", [(), ("d4",), ("d4", "d3")])
def test_a_restart_comes_back_to_the_same_settle(refereed, carried):
    d = refereed("d4")
    d.put("blue", "d5")
    asked = d.status.roles
    if carried:
        d.cells.pop("d4")
    restarted(d)
    if carried != ("d4", "d3"):
        assert d.status.phase is Phase.SETTLE
        assert d.status.can_take_back
        if not carried:
            assert d.status.roles == asked
    d.cells.pop("d4", None)
    d.put("red", "d3")
    assert d.journal.moves == ["d4", "d5"]


def test_the_answer_to_a_question_outlives_a_restart(refereed):
    d = refereed(game="gravity-connect", size=5, line=4)
    d.put("red", "E3")
    d.answer("right")
    assert d.status.phase is Phase.SETTLE
    restarted(d)
    assert d.status.phase is Phase.SETTLE
    assert d.status.question is None
    d.move("E3", "A3")
    assert len(d.journal.moves) == 1


def test_a_half_done_swap_by_button_outlives_a_restart(refereed):
    d = refereed("d4")
    d.press("confirm", 2.0)
    assert d.journal.pending == PendingMove("swap", requested=True)
    d.take("d4")
    restarted(d)
    assert d.status.phase is Phase.SETTLE
    d.put("blue", "d4")
    assert d.journal.moves == ["d4", "swap"]


def test_a_half_done_swap_by_hand_outlives_a_restart(refereed):
    d = refereed("d4")
    d.take("d4")
    d.wait(3.1)
    assert d.journal.moves == []  # the marble was lifted for so long: it may be a takeback
    restarted(d, taken_back="d4")
    d.put("blue", "d4")
    assert d.journal.moves == ["d4", "swap"]


def test_back_drops_it_for_good(refereed):
    d = refereed("d4")
    d.put("blue", "d5")
    d.press("back")
    assert d.journal.pending is None
    assert d.lights(Role.WRONG) == {"d5"}
    restarted(d, taken_back="d5")
    assert d.lights(Role.WRONG) == {"d5"}  # it still stands there: that is no new one
    d.take("d5")
    assert d.status.phase is Phase.TURN


def test_undone_by_hand_it_is_dropped(refereed):
    d = refereed("d4")
    d.put("blue", "d5")
    restarted(d)
    d.take("d5")
    d.wait(3.1)
    assert (d.journal.pending, d.journal.moves) == (None, ["d4"])
    assert d.status.phase is Phase.TURN


def test_a_full_disk_pauses_before_anything_is_asked_for(refereed):
    d = refereed("d4")
    d.journal.full = True
    d.put("blue", "d5")
    assert d.status.phase is Phase.PAUSED
    d.journal.full = False
    d.wait(1.1)
    assert d.status.phase is Phase.SETTLE
    assert d.journal.pending == PendingMove("d5")


def test_the_position_before_is_a_takeback_after_a_restart_too(refereed):
    d = refereed("d4", "b2")
    d.cells.pop("b2")
    restarted(d)
    assert d.journal.moves == ["d4", "b2"]
    d.wait(3.1)
    assert d.journal.moves == ["d4"]
    assert d.status.phase is Phase.TURN


def test_another_move_is_not_made_before_this_one_is_finished(refereed):
    d = refereed("d4")
    d.put("blue", "d5")
    with pytest.raises(NotPossibleError, match=r"A move is being carried out\. Finish it first\."):
        d.scan(requests=[MakeMove("a1")])
    assert d.status.phase is Phase.SETTLE

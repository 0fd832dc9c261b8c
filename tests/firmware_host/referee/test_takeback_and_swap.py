"""Tests of firmware_host/referee/progress.py and firmware_host/table/move_line.py: taking moves
back and swapping, by button and by hand.
"""

from __future__ import annotations

import pytest

from tests.said import put, put_a, take
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.table.commands import Swap, TakeBack
from tiltboard.firmware_host.table.move_line import PendingMove
from tiltboard.firmware_host.table.status import Phase, Role, Sound


def say(table):
    return str(table.status.say)


def by_button(table):
    return table.press("back")


def by_page(table):
    return table.scan(requests=[TakeBack()])


@pytest.mark.parametrize("ask", [by_button, by_page])
def test_a_confirmed_move_goes_at_once_and_the_board_follows(refereed, ask):
    table = refereed("d4", "a1", pie=False)
    status = ask(table)
    assert (status.phase, status.to_move, status.moves) == (Phase.FIX, "blue", ("d4",))
    assert table.journal.calls[-1] == ("take_back", 7, 2, 1)
    assert dict(status.roles) == {"a1": Role.WRONG}
    assert say(table) == f"The move is taken back. {take('blue marble', 'a1')}"
    assert table.heard() == [Sound.TAKEBACK]
    table.wait(10.0)
    assert table.status.moves == ("d4",)  # the marble still lying there is not a move again
    table.take("a1")
    assert (table.status.phase, table.heard()) == (Phase.TURN, [])


def test_the_pushed_marbles_are_led_home_too(example_desk):
    table = example_desk()
    table.play("d5")
    count = len(table.journal.moves)
    table.press("back")
    assert len(table.journal.moves) == count - 1
    assert table.lights(Role.WRONG) == {"d5", "f5", "f3"}
    assert table.lights(Role.PUT) == {"e5", "e4", "a2"}
    table.take("d5")
    table.move("f5", "e5")
    table.move("f3", "e4")
    assert table.status.phase is Phase.FIX
    table.put("blue", "a2")
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")


@pytest.mark.parametrize("place", ["d4", "g7"])
def test_a_board_that_is_not_surely_as_before_takes_nothing_back(refereed, place):
    table = refereed("d4", "a1", pie=False)
    table.wait(1.0)
    table.unsure = frozenset({place})  # a knocked piece off its middle, or one that has just come
    table.take("a1")
    table.wait(10.0)
    assert table.journal.moves == ["d4", "a1"]
    table.unsure = frozenset()
    table.wait(2.5)
    table.unsure = frozenset({place})  # something came and went
    table.wait(0.5)
    table.unsure = frozenset()
    table.wait(2.9)
    assert table.journal.moves == ["d4", "a1"]
    table.wait(0.2)
    assert table.journal.moves == ["d4"]


def test_several_moves_in_a_row(refereed):
    table = refereed("d4", "a1", "g7", pie=False)
    for _ in range(3):
        table.press("back")
    assert table.journal.moves == []
    assert table.lights(Role.WRONG) == {"d4", "a1", "g7"}
    table.press("back")
    assert say(table) == (
        f"There is no move to take back. The move is taken back. {take('blue marble', 'a1')}"
    )
    table.wait(3.1)
    assert say(table).startswith("The move is taken back.")
    table.cells.clear()
    table.scan()
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")


def test_all_moves_after_one_go_at_once_as_one_entry_of_the_journal(refereed):
    table = refereed("d4", "a1", "g7", "c1", pie=False)
    status = table.scan(requests=[TakeBack(to=1)])
    assert (status.phase, status.to_move, status.moves) == (Phase.FIX, "blue", ("d4",))
    assert table.journal.calls[-1] == ("take_back", 7, 4, 1)
    assert table.lights(Role.WRONG) == {"a1", "g7", "c1"}
    assert table.heard() == [Sound.TAKEBACK]


def test_a_refusing_journal_is_asked_again_for_who_has_only_the_button(refereed):
    table = refereed("d4", "a1", "g7", pie=False)
    table.journal.full = True
    table.press("back")
    assert len(table.journal.moves) == 3
    table.journal.full = False
    table.wait(1.1)
    assert table.journal.moves == [*table.status.moves] == ["d4", "a1"]


def test_what_a_page_asked_of_a_refusing_journal_is_refused_and_not_done_later(refereed):
    table = refereed("d4", "a1", "g7", pie=False)
    table.wait(10.0)  # nothing else wakes the referee
    table.journal.full = True
    table.scan(requests=[TakeBack(to=0)])
    table.journal.full = False
    table.wait(3.0)
    assert len(table.journal.moves) == len(table.status.moves) == 3
    table.scan(requests=[TakeBack(to=2)])
    assert len(table.journal.moves) == 2


def test_there_must_be_a_move_after_the_one_that_is_named(refereed):
    table = refereed("d4", "a1", pie=False)
    with pytest.raises(NotPossibleError, match="no move after move 2"):
        table.referee.carry_out(TakeBack(to=2))
    table.put("red", "d5")  # made, and not confirmed: that one is after move 2
    assert table.status.phase is Phase.SETTLE
    assert table.scan(requests=[TakeBack(to=2)]).moves == ("d4", "a1")
    assert table.lights(Role.WRONG) == {"d5"}


def test_in_settle_the_pending_move_is_dropped_and_the_journal_left_alone(example_desk):
    table = example_desk()
    table.put("red", "d5")
    table.move("e5", "f5")
    calls = list(table.journal.calls)
    table.press("back")
    assert table.status.phase is Phase.FIX
    assert table.lights(Role.WRONG) == {"d5", "f5"}
    assert table.lights(Role.PUT) == {"e5"}
    table.move("f5", "e5")
    assert table.status.phase is Phase.FIX
    table.take("d5")
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")
    assert table.journal.calls == [*calls, ("hold", 7, None)]


def test_nothing_to_take_back_is_said_for_a_while(refereed):
    table = refereed()
    said = say(table)
    table.press("back")
    assert table.status.phase is Phase.TURN
    assert say(table) == "There is no move to take back. " + said
    assert not table.status.can_take_back
    table.wait(3.1)
    assert say(table).startswith("Red's turn")
    with pytest.raises(NotPossibleError):
        table.referee.carry_out(TakeBack())


def test_by_hand_the_board_of_before_must_stand_three_seconds(refereed):
    table = refereed("d4", "a1", pie=False)
    table.take("a1")
    assert table.status.phase is Phase.FIX
    assert say(table) == f"{put_a('blue marble', 'a1')} Or wait, and the move is taken back."
    assert table.heard() == []  # nobody has done anything wrong yet
    table.wait(2.9)
    assert (table.status.phase, table.status.moves) == (Phase.FIX, ("d4", "a1"))
    table.wait(0.12)
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "blue")
    assert table.journal.moves == ["d4"]
    assert table.heard() == [Sound.TAKEBACK]


def test_by_hand_a_move_that_ended_the_game_goes_back_too(refereed):
    table = refereed("a1", "c3", "a3", size=3, marbles=2, pie=False)
    assert table.status.phase is Phase.OVER
    table.take("a3")
    table.wait(2.9)
    assert table.status.phase is Phase.OVER
    table.wait(0.12)
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")
    assert (table.status.outcome, table.journal.moves) == (None, ["a1", "c3"])
    table.play("a3")
    assert table.status.phase is Phase.OVER


def test_when_the_game_is_over_clearing_another_marble_takes_nothing_back(refereed):
    table = refereed("a1", "c3", "a3", size=3, marbles=2, pie=False)
    table.take("a1")
    table.wait(10.0)
    assert (table.status.phase, len(table.journal.moves)) == (Phase.OVER, 3)


def test_by_hand_the_three_seconds_begin_anew_after_every_change_and_pause(refereed):
    table = refereed("d4", "a1", pie=False)
    table.take("a1")
    table.wait(2.5)
    table.put("blue", "a1")
    table.take("a1")
    table.wait(2.5)
    assert table.status.moves == ("d4", "a1")
    table.ready = False
    table.wait(1.0)
    table.ready = True
    table.wait(2.5)
    assert table.status.moves == ("d4", "a1")
    table.wait(0.6)
    assert table.status.moves == ("d4",)


@pytest.mark.parametrize(
    "order",
    [
        ["take b2", "move a1 b1"],
        ["move a1 b1", "take b2"],
        ["take a1", "take b2", "put b1"],
    ],
)
def test_by_hand_a_move_that_pushed_goes_back_in_any_order(refereed, order):
    """On its way the board may look like the other player's drop that pushes what he holds."""
    table = refereed("g7", "b1", pie=False)
    table.play("c1")  # pushes b1 to a1
    assert table.status.position.cells == {"g7": "red", "a1": "blue", "c1": "red"}
    order = [step.replace("b2", "c1") for step in order]
    for step in order:
        verb, *places = step.split()
        if verb == "put":
            table.put("blue", *places)
        else:
            getattr(table, verb)(*places)
        assert table.status.phase is Phase.FIX
    table.wait(3.1)
    assert table.journal.moves == ["g7", "b1"]
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")


def test_in_settle_by_hand_the_pending_move_is_dropped(example_desk):
    table = example_desk()
    calls = list(table.journal.calls)
    table.put("red", "d5")
    table.heard()
    table.take("d5")
    assert table.status.phase is Phase.FIX
    assert table.status.roles["d5"] is Role.PUT
    assert say(table) == f"{put_a('red marble', 'd5')} Or wait, and the move is taken back."
    table.wait(1.0)
    table.put("red", "d5")
    assert table.status.phase is Phase.SETTLE
    table.take("d5")
    table.wait(3.02)
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")
    assert table.journal.calls == [*calls, ("hold", 7, PendingMove("d5")), ("hold", 7, None)]
    assert table.heard() == [Sound.TAKEBACK]


def test_a_finished_game_goes_on_after_a_takeback(refereed):
    table = refereed("a1", "g7", "c1", "g5", "e1", marbles=3, pie=False)
    assert table.status.phase is Phase.OVER
    table.press("back")
    assert (table.status.phase, table.status.outcome) == (Phase.FIX, None)
    table.take("e1")
    table.put("red", "e3")
    assert table.status.phase is Phase.OVER
    assert table.journal.moves[-1] == "e3"


# --- swap


def test_exchanging_the_marble_swaps(refereed):
    table = refereed("d4")
    assert table.status.swap_legal
    assert "swap" in say(table)
    table.take("d4")
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "blue")
    assert say(table) == "To swap, put a blue marble on d4. Or put the red marble back."
    assert table.lights(Role.LEGAL) == {"d4"}
    table.wait(1.0)
    table.put("blue", "d4")
    assert table.journal.moves == ["d4", "swap"]
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")
    assert table.lights(Role.LAST) == {"d4"}
    assert not table.status.swap_legal
    assert table.heard() == [Sound.MOVE]


def test_putting_the_same_marble_back_changes_nothing(refereed):
    table = refereed("d4")
    before = table.scan()
    table.take("d4")
    table.put("red", "d4")
    assert table.scan() == before
    assert table.journal.moves == ["d4"]
    assert table.heard() == []


def test_lifting_and_dropping_elsewhere_is_no_swap(refereed):
    table = refereed("d4")
    table.take("d4")
    table.put("blue", "a1")
    assert table.status.phase is Phase.FIX
    table.put("red", "d4")
    assert table.journal.moves == ["d4", "a1"]


def test_an_empty_board_for_three_seconds_takes_the_first_move_back(refereed):
    table = refereed("d4")
    table.take("d4")
    table.wait(3.02)
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")
    assert table.journal.moves == []
    table.put("red", "e5")
    assert table.journal.moves == ["e5"]


def test_a_slow_swap_is_still_a_swap(refereed):
    table = refereed("d4")
    table.take("d4")
    table.wait(20.0)
    assert table.journal.moves == []
    table.put("blue", "d4")
    assert table.journal.moves == ["d4", "swap"]
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")


def test_a_slow_swap_is_forgotten_once_something_else_was_played(refereed):
    table = refereed("d4")
    table.take("d4")
    table.wait(4.0)
    table.put("red", "a1")
    table.take("a1")
    table.wait(4.0)
    table.put("blue", "d4")
    assert table.status.phase is Phase.FIX
    assert table.journal.moves == []


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: table.press("confirm", 2.0),
        lambda table: table.scan(requests=[Swap()]),
    ],
)
def test_swap_by_button_guides_the_exchange(refereed, ask):
    table = refereed("d4")
    ask(table)
    assert (table.status.phase, table.status.to_move) == (Phase.SETTLE, "blue")
    assert dict(table.status.roles) == {"d4": Role.REMOVE}
    assert say(table) == take("red marble", "d4")
    table.wait(10.0)
    assert table.status.phase is Phase.SETTLE
    assert table.journal.moves == ["d4"]
    table.take("d4")
    assert dict(table.status.roles) == {"d4": Role.PUT}
    assert dict(table.status.piece_for) == {"d4": "blue"}
    assert say(table) == put("blue marble", "d4")
    table.wait(10.0)
    assert table.journal.moves == ["d4"]
    table.put("blue", "d4")
    assert table.journal.moves == ["d4", "swap"]
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")


def test_swap_by_button_can_be_called_off(refereed):
    table = refereed("d4")
    table.press("confirm", 2.0)
    table.press("back")
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "blue")
    assert table.journal.moves == ["d4"]


def test_swap_when_it_is_not_legal_says_so(refereed):
    table = refereed("d4", "a1")
    with pytest.raises(NotPossibleError):
        table.referee.carry_out(Swap())
    table.press("confirm", 2.0)
    assert table.status.phase is Phase.TURN
    assert say(table).startswith("A swap is not possible now. Red's turn")
    assert table.journal.moves == ["d4", "a1"]


def test_a_swap_is_taken_back_like_any_move(refereed):
    table = refereed("d4", "swap")
    table.press("back")
    assert table.journal.moves == ["d4"]
    assert say(table) == f"The move is taken back. {take('blue marble', 'd4')}"
    table.take("d4")
    table.put("red", "d4")
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "blue")

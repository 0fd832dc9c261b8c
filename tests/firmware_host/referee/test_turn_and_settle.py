"""Tests of firmware_host/referee/progress.py and view.py: set-up, turns and settling."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.said import put, take
from tiltboard.firmware_host.table.referee_protocol import AGAIN
from tiltboard.firmware_host.table.status import Phase, Role, Sound
from tiltboard.games.base import Shift


def test_a_new_game_with_an_empty_board_starts_at_once(new_desk):
    table = new_desk()
    status = table.scan()
    assert (status.phase, status.to_move) == (Phase.TURN, "red")
    assert table.heard() == [Sound.START]
    assert table.lights(Role.LEGAL) == set(table.game.board)
    assert str(status.say) == "Red's turn. Drop a marble on any lit space."


def test_setup_removes_what_stands_there_and_takes_nothing_for_a_move(new_desk):
    table = new_desk()
    table.cells = {"a1": "blue", "d4": "red", "h8": "red"}
    table.scan()
    assert table.status.phase is Phase.SETUP
    assert dict(table.status.roles) == dict.fromkeys(["a1", "d4", "h8"], Role.REMOVE)
    assert str(table.status.say) == take("blue marble", "a1")
    table.take("a1")
    table.take("h8")
    # One red marble is left: as a board that is red's opening, but it was never dropped.
    assert table.status.phase is Phase.SETUP
    assert table.lights(Role.REMOVE) == {"d4"}
    assert table.heard() == []
    table.take("d4")
    assert table.status.phase is Phase.TURN
    assert table.heard() == [Sound.START]
    assert table.journal.calls == []


def test_a_drop_without_neighbours_is_final_at_once(refereed):
    table = refereed()
    status = table.put("red", "d4")
    assert (status.phase, status.to_move, status.moves) == (Phase.TURN, "blue", ("d4",))
    assert table.journal.calls == [("append", 7, 1, "d4")]
    assert table.heard() == [Sound.MOVE]
    assert table.lights(Role.LAST) == {"d4"}
    assert table.lights(Role.LEGAL) == set(table.game.board) - {"d4"}


def test_the_rules_example_lights_every_consequence_together(example_desk):
    table = example_desk()
    status = table.put("red", "d5")
    assert (status.phase, status.to_move) == (Phase.SETTLE, "red")
    assert dict(status.roles) == {
        "e5": Role.LIFT,
        "f5": Role.PUT,
        "e4": Role.LIFT,
        "f3": Role.PUT,
        "a2": Role.REMOVE,
    }
    assert dict(status.piece_for) == {"f5": "red", "f3": "blue"}
    assert set(status.shifts) == {
        Shift("red", "e5", "f5"),
        Shift("blue", "e4", "f3"),
        Shift("blue", "a2", None),
    }
    assert table.heard() == [Sound.MOVE]
    assert table.journal.moves[-1] != "d5"  # not before the board is right


STEPS = [
    ("take", "e5"),
    ("put", "red", "f5"),
    ("take", "e4"),
    ("put", "blue", "f3"),
    ("take", "a2"),
]


@pytest.mark.parametrize("order", list(permutations(range(len(STEPS))))[::7])
def test_consequences_in_any_order_never_leave_settle(example_desk, order):
    table = example_desk()
    table.put("red", "d5")
    confirmed = list(table.journal.moves)
    for count, index in enumerate(order, start=1):
        verb, *what = STEPS[index]
        getattr(table, verb)(*what)
        if count < len(order):
            assert (table.status.phase, table.status.to_move) == (Phase.SETTLE, "red")
            assert table.journal.moves == confirmed
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "blue")
    assert table.journal.moves == [*confirmed, "d5"]
    assert table.sounds.count(Sound.WRONG) == 0
    assert table.sounds[-1] is Sound.SETTLED


def test_a_lifted_source_goes_dark_and_its_target_is_said(example_desk):
    table = example_desk()
    table.put("red", "d5")
    status = table.take("e4")
    assert "e4" not in status.roles
    assert status.roles["f3"] is Role.PUT
    assert str(status.say) == put("blue marble", "f3")
    table.put("blue", "f3")
    assert Shift("blue", "e4", "f3") not in table.status.shifts
    assert set(table.status.roles) == {"e5", "f5", "a2"}


def test_consequences_that_were_done_while_nobody_could_see_are_understood(example_desk):
    table = example_desk()
    table.cells |= {"d5": "red", "f5": "red"}
    del table.cells["e5"]
    status = table.scan()
    assert status.phase is Phase.SETTLE
    assert set(status.roles) == {"e4", "f3", "a2"}


def test_two_moves_with_the_same_end_are_told_apart_by_how_they_began(refereed):
    # Red e5; a drop on d4 pushes it to f6, a drop on f6 pushes it to d4: the same board.
    for dropped, other in (("d4", "f6"), ("f6", "d4")):
        table = refereed("e5", "a7", pie=False)
        table.put("red", dropped)
        assert table.status.phase is Phase.SETTLE
        table.put("red", other)
        table.take("e5")
        assert table.status.moves == ("e5", "a7", dropped)


def test_last_marble_is_announced_once_by_sound_and_stays_in_the_sentence(refereed):
    table = refereed("a1", "g7", "c1", "g5", marbles=3, pie=False)
    table.heard()
    status = table.status
    assert dict(status.position.reserve) == {"red": 1, "blue": 1}
    assert "Last marble: Red and Blue have one left each." in str(status.say)
    table = refereed("a1", "g7", marbles=3, pie=False)
    table.put("red", "c1")
    assert table.heard() == [Sound.MOVE, Sound.LAST_MARBLE]
    table.wait(1.0)
    assert table.heard() == []


def test_the_winner_is_shown_and_sounded_once(refereed):
    table = refereed("a1", "g7", "c1", "g5", marbles=3, pie=False)
    status = table.put("red", "e1")
    assert (status.phase, status.to_move) == (Phase.OVER, None)
    assert status.outcome.as_json() == {"winner": "red", "reason": "complete"}
    assert table.lights(Role.WIN) == {"a1", "c1", "e1"}
    assert table.heard() == [Sound.MOVE, Sound.WIN]
    assert table.journal.results == [{"winner": "red", "reason": "complete"}]
    assert "Red wins" in str(status.say)
    table.cells.clear()
    table.wait(5.0)
    assert (table.status.phase, table.heard()) == (Phase.OVER, [])
    assert table.journal.moves[-1] == "e1"


def test_a_draw_sounds_as_one(refereed):
    table = refereed("a1", "g7", "c1", marbles=4, pie=False, round_limit=2)
    status = table.put("blue", "g5")
    assert status.outcome.winner is None
    assert table.heard() == [Sound.MOVE, Sound.DRAW]
    assert table.lights(Role.WIN) == set()
    assert (
        str(status.say) == "A draw – nobody has more than half of the marbles after the last round."
    )


def test_a_short_confirm_at_the_end_wants_a_new_game(refereed):
    table = refereed("a1", "g7", "c1", "g5", "e1", marbles=3, pie=False)
    assert table.referee.menu_choice is None
    table.press("confirm", 2.0)
    assert table.referee.menu_choice is None
    table.press("confirm")
    assert table.referee.menu_choice == AGAIN
    table.begin(game_id=8)
    assert table.referee.menu_choice is None
    table.scan()
    assert table.status.phase is Phase.SETUP
    assert table.lights(Role.REMOVE) == {"a1", "g7", "c1", "g5", "e1"}


def test_confirm_during_play_changes_nothing(refereed):
    table = refereed("a1")
    before = table.scan()
    table.press("confirm")
    assert table.status == before
    assert table.referee.menu_choice is None


def test_a_hole_takes_the_marble_off_the_board(refereed):
    table = refereed("d4", "a1", holes=["f4"], marbles=8, pie=False)
    table.put("red", "d3")  # pushes d4 north: not the hole
    table.move("d4", "d5")
    table.put("blue", "a3")
    table.put("red", "e4")  # neighbour d5 north-west, d3 south-west
    assert table.status.phase is Phase.SETTLE
    assert table.lights(Role.LIFT) == {"d5", "d3"}


@pytest.mark.parametrize("players", [3, 4])
def test_more_players_take_turns(refereed, players):
    table = refereed("a1", "c1", "e1", players=players, marbles=5)
    order = ["red", "blue", "white", "green"][:players]
    assert table.status.to_move == order[3 % players]


def test_hexagonal_places_work_too(refereed):
    table = refereed("0,0", hex=4, marbles=6, pie=False)
    table.put("blue", "1,0")
    assert table.lights(Role.LIFT) == {"0,0"}
    assert dict(table.status.piece_for) == {"-1,0": "red"}

"""Tests of firmware_host/referee/guidance.py and move_matching.py: wrong boards and the way back
(``fix``).
"""

from __future__ import annotations

import pytest

from tests.said import move, put_a, take, turn_over
from tiltboard.firmware_host.table.sight import UNKNOWN_PIECE, Happening
from tiltboard.firmware_host.table.status import Phase, Role, Sound


def roles(table):
    return dict(table.status.roles)


def say(table):
    return str(table.status.say)


def test_a_wrong_colour_is_refused_by_the_rule_and_sounded_once(refereed):
    table = refereed("d4", pie=False)
    table.put("red", "g7")
    assert (table.status.phase, table.status.to_move) == (Phase.FIX, "blue")
    assert roles(table) == {"g7": Role.WRONG}
    assert say(table) == (
        f"Blue's turn. {take('red marble', 'g7')} Or turn it over if it's really Blue's."
    )
    assert table.heard() == [Sound.WRONG]
    table.wait(10.0)
    assert table.heard() == []
    table.take("g7")
    assert table.status.phase is Phase.TURN
    assert table.journal.moves == ["d4"]


def test_a_drop_on_a_hole_or_a_cushion_says_so(refereed):
    table = refereed(holes=["e5"], cushions=["c3"], marbles=8)
    table.put("red", "e5")
    assert (
        say(table) == f"e5 is a hole. Drop your marble on an open space. {take('red marble', 'e5')}"
    )
    table.take("e5")
    table.put("red", "c3")
    assert (
        say(table)
        == f"c3 is a cushion. Drop your marble on an open space. {take('red marble', 'c3')}"
    )


def test_a_drop_that_must_block_forbids_says_so(refereed):
    table = refereed("a1", "c1", "e1", "g1", "a7", players=3, marbles=3)
    table.put("white", "c7")
    assert say(table) == (
        f"c7 lets Red win immediately. White has to block that. {take('white marble', 'c7')}"
    )


def test_two_drops_at_once_are_one_too_many(refereed):
    table = refereed()
    table.cells = {"a1": "red", "g7": "red"}
    table.scan()
    assert roles(table) == {"a1": Role.WRONG, "g7": Role.WRONG}
    assert say(table) == f"One piece a turn. {take('red marble', 'a1')}"
    table.take("a1")
    assert table.status.moves == ("g7",)


def test_a_legal_drop_beside_a_refused_one_counts_when_that_is_gone(refereed):
    table = refereed("d4", pie=False)
    table.put("red", "g7")
    table.put("blue", "a1")
    assert roles(table) == {"g7": Role.WRONG}
    table.take("g7")
    assert table.status.moves == ("d4", "a1")


def test_a_lifted_marble_is_asked_back(refereed):
    table = refereed("d4", "a1", pie=False)
    table.take("d4")
    assert (table.status.phase, roles(table)) == (Phase.FIX, {"d4": Role.PUT})
    assert dict(table.status.piece_for) == {"d4": "red"}
    assert say(table) == f"Pieces already on the board don't move. {put_a('red marble', 'd4')}"


def test_a_marble_carried_elsewhere_is_sent_home(refereed):
    table = refereed("d4", "a1", pie=False)
    table.move("d4", "f6")
    assert roles(table) == {"d4": Role.PUT, "f6": Role.WRONG}
    assert say(table) == f"Pieces already on the board don't move. {move('red marble', 'f6', 'd4')}"


@pytest.mark.parametrize(("source", "target"), [("f6", "e5"), ("g4", "f4"), ("g4", "f3")])
def test_an_own_marble_pushed_to_the_next_place_is_no_drop(refereed, source, target):
    """A drop beside it would push it away, at the rim even off: the same board, but no move."""
    table = refereed(source, "a1", pie=False)
    del table.cells[source]
    table.cells[target] = "red"
    table.event(Happening.SLID, source, target)
    assert table.status.phase is Phase.FIX
    assert say(table) == f"A piece was pushed along. {move('red marble', target, source)}"
    table.move(target, source)
    assert table.status.phase is Phase.TURN
    assert table.journal.moves == [source, "a1"]


def test_several_knocked_marbles_go_home_by_the_shortest_way(refereed):
    table = refereed("b2", "b6", "f2", "f6", pie=False)
    table.cells = {"b3": "red", "b7": "blue", "g2": "red", "e6": "blue"}
    table.event(Happening.KNOCKED, "b2", "b3", "b6", "b7", "f2", "g2", "f6", "e6")
    assert table.lights(Role.WRONG) == {"b3", "b7", "g2", "e6"}
    assert table.lights(Role.PUT) == {"b2", "b6", "f2", "f6"}
    assert say(table) == f"Something got knocked. {move('red marble', 'b3', 'b2')}"
    for source, target in (("b3", "b2"), ("b7", "b6"), ("e6", "f6"), ("g2", "f2")):
        assert f"from {source} to {target}" in say(table)
        table.move(source, target)
    assert table.status.phase is Phase.TURN


def test_exchanged_marbles_are_not_upside_down_but_a_ring(refereed):
    table = refereed("d4", "g7", pie=False)
    table.cells = {"d4": "blue", "g7": "red"}
    table.scan()
    assert say(table).endswith("Take the blue marble off d4 for a moment.")
    table.take("d4")
    assert say(table).endswith(move("red marble", "g7", "d4"))
    table.move("g7", "d4")
    assert say(table).startswith(put_a("blue marble", "g7"))


def test_upside_down_is_recognised_where_that_is_what_happened(refereed):
    table = refereed("d4", "a1", pie=False)
    table.take("d4")
    table.put("blue", "d4")
    assert roles(table) == {"d4": Role.WRONG}
    assert say(table) == turn_over("red marble", "d4")
    table.cells["d4"] = "red"
    table.scan()
    assert table.status.phase is Phase.TURN


def test_a_weak_magnet_without_a_partner_reads_unknown_upside_down(refereed):
    table = refereed("a1", "c1", "e1", "g1", players=3, marbles=5)
    table.cells["e1"] = UNKNOWN_PIECE
    table.scan()
    assert say(table) == turn_over("white marble", "e1")


def test_an_unknown_piece_is_taken_off(refereed):
    table = refereed("d4", pie=False)
    table.put(UNKNOWN_PIECE, "b2")
    assert roles(table) == {"b2": Role.WRONG}
    assert say(table) == take("strange piece", "b2")


def test_a_piece_beside_the_board_is_wrong(refereed):
    table = refereed("g7", pie=False)
    table.put("blue", "h8")
    assert roles(table) == {"h8": Role.WRONG}
    assert say(table) == f"That space isn't part of this board. {take('blue marble', 'h8')}"
    table.take("h8")
    table.move("g7", "h7")
    assert say(table) == f"That space isn't part of this board. {move('red marble', 'h7', 'g7')}"


def test_in_settle_only_the_stray_is_wrong_and_the_rest_stays_lit(example_desk):
    table = example_desk()
    table.put("red", "d5")
    table.heard()
    table.put("blue", "g7")
    assert (table.status.phase, table.status.to_move) == (Phase.FIX, "red")
    assert roles(table) == {
        "g7": Role.WRONG,
        "e5": Role.LIFT,
        "f5": Role.PUT,
        "e4": Role.LIFT,
        "f3": Role.PUT,
        "a2": Role.REMOVE,
    }
    assert dict(table.status.piece_for) == {"f5": "red", "f3": "blue"}
    assert "Finish Red's move first." in say(table)
    assert table.heard() == [Sound.WRONG]
    table.take("g7")
    assert table.status.phase is Phase.SETTLE
    assert table.heard() == []


def test_a_consequence_put_on_the_wrong_place_is_led_to_the_right_one(example_desk):
    table = example_desk()
    table.put("red", "d5")
    table.move("e4", "g2")
    assert roles(table)["g2"] is Role.WRONG
    assert say(table) == move("blue marble", "g2", "f3")
    table.move("g2", "f3")
    assert table.status.phase is Phase.SETTLE


def test_in_settle_a_target_with_the_wrong_pole_is_turned_over(example_desk):
    table = example_desk()
    table.put("red", "d5")
    table.take("e4")
    table.put("red", "f3")
    assert roles(table)["f3"] is Role.WRONG
    assert say(table) == turn_over("blue marble", "f3")


def test_in_settle_an_uninvolved_marble_must_come_back(example_desk):
    table = example_desk()
    table.put("red", "d5")
    table.take("b3")
    assert roles(table)["b3"] is Role.PUT
    assert say(table) == put_a("blue marble", "b3")
    assert table.status.piece_for["b3"] == "blue"


def test_each_new_fault_sounds_again_and_a_mended_one_does_not(refereed):
    table = refereed("d4", "a1", pie=False)
    table.put("blue", "g7")
    assert table.heard() == [Sound.WRONG]
    table.put("blue", "g5")
    assert table.heard() == [Sound.WRONG]
    table.take("g7")
    table.take("g5")
    assert table.heard() == []


def test_a_bump_explains_what_came_with_it_but_not_what_comes_later(refereed):
    table = refereed("d4", "a1", pie=False)
    del table.cells["d4"]
    table.event(Happening.BUMPED)
    assert say(table).startswith("The table was bumped.")
    table.put("red", "d4")
    table.wait(2.0)
    table.take("d4")
    assert say(table).startswith("Pieces already on the board")


def test_of_two_pieces_that_came_at_once_the_one_that_may_stand_stays(refereed):
    table = refereed("c3", size=5, marbles=5, pie=False)
    table.cells |= {"a1": "red", "e5": "blue"}
    table.scan()
    assert table.lights(Role.WRONG) == {"a1"}
    assert str(table.status.say).startswith("Blue's turn")
    table.take("a1")
    assert (table.status.phase, table.status.moves) == (Phase.TURN, ("c3", "e5"))


def test_of_two_pieces_that_might_each_stand_one_goes(refereed):
    table = refereed("c3", size=5, marbles=5, pie=False)
    table.cells |= {"a1": "blue", "e5": "blue"}
    table.scan()
    assert table.lights(Role.WRONG) == {"a1", "e5"}
    table.take("a1")
    assert table.status.moves == ("c3", "e5")


def test_a_pod_that_cannot_be_reached_goes_back_and_the_ship_stays_in_the_hand(refereed):
    board = {"tracks": [[1, 2, 3, 4, 5], [6, 3, 7], [1, 6]]}
    table = refereed("1", "5", game="gravity-trap", board=board)
    table.take("1")
    table.take("7")
    assert table.status.phase is Phase.FIX
    assert table.status.roles == {"7": Role.PUT}
    assert str(table.status.say) == (
        f"No track joins bases 1 and 7. Stay on one track. {put_a('pod', '7')}"
    )
    table.put("pod", "7")
    assert table.lights(Role.LEGAL) == {"2", "3", "4", "6"}

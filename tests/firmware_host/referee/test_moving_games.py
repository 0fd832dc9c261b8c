"""Tests of firmware_host/referee/move_matching.py and progress.py: Gravity Trap at the table:
set-up, lifting, landing, captures, in any order of hands.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.said import move, put, turn_over
from tiltboard.firmware_host.table.commands import TakeBack
from tiltboard.firmware_host.table.status import Phase, Role, Sound

# Two tracks that cross in base 3; red starts on 1, blue on 5.
#   1 2 3 4 5  and  6 3 7
BOARD = {"tracks": [[1, 2, 3, 4, 5], [6, 3, 7]]}


@pytest.fixture
def trap(refereed):
    def start(*moves, **options):
        return refereed("1", "5", *moves, game="gravity-trap", board=BOARD, **options)

    return start


def test_the_set_up_is_two_moves_and_then_pods_are_put_everywhere(refereed):
    table = refereed(game="gravity-trap", board=BOARD)
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")
    assert table.lights(Role.LEGAL) == set("1234567")
    assert str(table.status.say) == "Red's turn. Put your ship on any lit base."
    table.put("red", "1")
    assert (table.status.moves, table.status.to_move) == (("1",), "blue")
    assert table.lights(Role.LEGAL) == set("234567")
    table.put("blue", "5")
    # Blue's placement is a move (rule T2), and the pods are its consequences: settle.
    assert (table.status.phase, table.status.to_move) == (Phase.SETTLE, "blue")
    assert table.lights(Role.PUT) == set("23467")
    assert set(table.status.piece_for.values()) == {"pod"}
    assert str(table.status.say) == put("pod", "2")
    for base in "7423":
        table.put("pod", base)
        assert (table.status.phase, table.status.moves) == (Phase.SETTLE, ("1",))
    table.put("pod", "6")
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")
    assert table.journal.moves == ["1", "5"]
    assert Sound.WRONG not in table.sounds


def test_pods_that_stand_before_the_second_ship_are_known_when_it_comes(new_desk):
    table = new_desk("1", game="gravity-trap", board=BOARD, begin={"resumed": True})
    table.cells = {"1": "red", "5": "blue", "2": "pod", "7": "pod"}
    table.scan()
    assert table.status.phase is Phase.SETTLE
    assert table.lights(Role.PUT) == {"3", "4", "6"}


def test_the_ships_that_may_move_are_marked_and_then_their_landings(trap):
    table = trap()
    assert table.lights(Role.LEGAL) == {"1"}
    assert str(table.status.say) == "Red's turn. Pick up your ship."
    table.take("1")
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")
    assert table.lights(Role.LEGAL) == {"2", "3", "4"}
    assert str(table.status.say) == "Put the red ship on any lit space, or back on 1."
    table.put("red", "1")
    assert table.lights(Role.LEGAL) == {"1"}
    assert table.status.moves == ("1", "5")
    assert table.heard() == []


# What a hand does for red's move 1 to 4: the ship must be lifted before it lands, and the pod gone.
HANDS = [("take", "1"), ("take", "4"), ("put", "red", "4")]


@pytest.mark.parametrize("order", [o for o in permutations(range(3)) if o[2] == 2])
def test_a_landing_in_both_orders_of_lifting(trap, order):
    table = trap()
    phases = []
    for index in order:
        verb, *what = HANDS[index]
        getattr(table, verb)(*what)
        phases.append(table.status.phase)
        assert Sound.WRONG not in table.sounds
    first = Phase.TURN if order[0] == 0 else Phase.FIX  # lifting anything else is fix
    assert phases == [first, Phase.SETTLE, Phase.TURN]
    assert table.status.moves == ("1", "5", "4")
    assert table.status.to_move == "blue"
    assert table.lights(Role.LAST) == {"4"}
    assert table.lights(Role.LEGAL) == {"5"}


def test_a_pod_taken_first_can_go_back_or_be_followed_by_the_ship(trap):
    table = trap()
    table.take("4")
    assert dict(table.status.roles) == {"4": Role.PUT}
    assert dict(table.status.piece_for) == {"4": "pod"}
    assert str(table.status.say) == "Move the red ship to 4, or put the pod back."
    table.put("pod", "4")
    assert table.status.phase is Phase.TURN
    assert table.status.moves == ("1", "5")


def test_a_pod_in_the_hand_says_where_the_ship_lands_until_it_is_put_back(trap):
    table = trap()
    table.take("1")
    table.take("3")
    assert (table.status.phase, table.status.to_move) == (Phase.SETTLE, "red")
    assert dict(table.status.roles) == {"3": Role.PUT}
    assert dict(table.status.piece_for) == {"3": "red"}
    assert str(table.status.say) == "The pod drops into the hole: put the red ship on 3."
    table.put("pod", "3")
    assert table.status.phase is Phase.TURN
    assert table.lights(Role.LEGAL) == {"2", "3", "4"}
    table.take("2")
    table.put("red", "2")
    assert table.status.moves[-1] == "2"


@pytest.mark.parametrize("elsewhere", ["1", "k9"])
def test_a_landing_whose_pod_has_not_gone_asks_for_it(trap, elsewhere):
    table = trap()
    table.take("1")
    table.move("3", elsewhere)
    assert table.status.phase is Phase.SETTLE
    assert dict(table.status.roles) == {elsewhere: Role.REMOVE, "3": Role.PUT}
    assert f"Take the pod off {elsewhere}" in str(table.status.say)
    table.put("red", "3")
    assert (table.status.phase, table.status.to_move) == (Phase.SETTLE, "red")
    assert dict(table.status.roles) == {elsewhere: Role.REMOVE}
    assert table.status.moves == ("1", "5")
    table.take(elsewhere)
    assert table.status.moves == ("1", "5", "3")
    assert table.status.phase is Phase.TURN


def test_two_pods_in_the_hands_is_wrong(trap):
    table = trap()
    table.take("1")
    table.take("2")
    table.take("3")
    assert table.status.phase is Phase.FIX
    assert table.lights(Role.PUT) == {"2", "3"}  # the ship may stay in the hand
    assert table.heard() == [Sound.WRONG]


WRONG = {
    "the other ship": ([("take", "5")], "Only Red's ship can move"),
    "a pod out of reach": ([("take", "6")], "Pods stay put"),
    "another track": (
        [("take", "1"), ("take", "6"), ("put", "red", "6")],
        "No track joins bases 1 and 6",
    ),
    "the other colour": ([("take", "1"), ("put", "blue", "1")], "turn it over"),
    "two ships": ([("put", "red", "k1")], "isn't part of this board"),
}


@pytest.mark.parametrize("hands, said", WRONG.values(), ids=WRONG)
def test_anything_else_is_fix_and_says_why(trap, hands, said):
    table = trap()
    for verb, *what in hands:
        getattr(table, verb)(*what)
    assert (table.status.phase, table.status.to_move) == (Phase.FIX, "red")
    assert said in str(table.status.say)
    assert table.heard()[-1] is Sound.WRONG


def test_a_base_without_a_pod_is_no_landing(trap):
    table = trap("2", "4")  # the ships left 1 and 5, and took the pods of 2 and 4
    table.move("2", "1")
    assert table.status.phase is Phase.FIX
    assert dict(table.status.roles) == {"1": Role.WRONG, "2": Role.PUT}
    assert "Base 1 has no pod" in str(table.status.say)
    table.move("1", "2")
    assert table.status.phase is Phase.TURN


def test_a_pod_upside_down_is_to_be_turned_over(trap):
    table = trap()
    table.cells["6"] = "unknown"  # a weak magnet with its other pole: no piece of this game
    table.scan()
    assert (table.status.phase, dict(table.status.roles)) == (Phase.FIX, {"6": Role.WRONG})
    assert str(table.status.say) == turn_over("pod", "6")


def test_a_move_is_taken_back_by_hand_with_its_pod(trap):
    table = trap("4")
    table.take("4")
    assert table.status.phase is Phase.FIX
    table.put("red", "1")
    table.put("pod", "4")
    assert (table.status.phase, table.status.to_move) == (Phase.FIX, "blue")
    table.wait(3.2)
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "red")
    assert table.status.moves == ("1", "5")


def test_a_move_is_taken_back_by_button_with_its_pod(trap):
    table = trap("4")
    table.press("back")
    assert (table.status.phase, table.status.to_move) == (Phase.FIX, "red")
    assert dict(table.status.roles) == {"4": Role.WRONG, "1": Role.PUT}
    assert str(table.status.say) == f"The move is taken back. {move('red ship', '4', '1')}"
    table.move("4", "1")
    assert dict(table.status.roles) == {"4": Role.PUT}
    table.put("pod", "4")
    assert table.status.phase is Phase.TURN


def test_the_whole_set_up_can_be_taken_back(trap):
    table = trap()
    table.scan(requests=[TakeBack()])
    assert table.status.phase is Phase.FIX
    assert table.lights(Role.WRONG) == set("234567") - {"1"} | {"5"}
    for base in "234567":
        if base in table.cells:
            table.take(base)
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "blue")


def test_the_end_shows_the_winners_ship_and_what_it_can_still_reach(trap):
    table = trap("2", "4", "3")  # 1 2 . . 5: red on 3, blue on 4
    status = table.status
    while status.phase is not Phase.OVER:
        status = table.play(status.position.legal()[0])
    assert status.outcome.reason == "stuck"
    winner = status.outcome.winner
    ship = next(place for place, piece in table.cells.items() if piece == winner)
    margin = status.outcome.extra["margin"]
    assert ship in table.lights(Role.WIN)
    assert len(table.lights(Role.WIN)) == 1 + margin
    assert f"{winner.capitalize()}'s still reaches {margin} pod" in str(status.say)

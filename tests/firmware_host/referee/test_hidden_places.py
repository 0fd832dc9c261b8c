"""Tests of firmware_host/referee/move_matching.py and offers.py: places that no sensor sees: what
is asked, and nothing is taken for granted.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tests.said import DONE, move, put, take
from tiltboard.firmware_host.table.sight import Happening
from tiltboard.firmware_host.table.status import Phase, Role, Sound

TRACKS = {"tracks": [[1, 2, 3, 4, 5], [6, 3, 7], [1, 7, 8, 6]]}
GAMES = [
    {"size": 4, "marbles": 5},
    {"size": 4, "marbles": 5, "pie": False},
    {"players": 3, "size": 5, "marbles": 4, "must_block": False},
    {"game": "attraktion", "size": 5},
    {"game": "gravity-connect", "size": 4, "line": 4},
    {"game": "gravity-trap", "board": TRACKS},
]


def say(table):
    return str(table.status.say)


def values(table):
    return [choice.value for choice in table.status.question.choices]


# --- drops


def test_a_drop_that_nobody_sees_is_offered_and_one_press_makes_it(refereed):
    table = refereed("d4", pie=False)
    table.hide("a1")
    assert table.status.question.offer
    assert values(table) == ["a1"]
    assert "Blue's turn" in say(table)
    assert say(table).endswith("The table cannot see a1: press confirm if you put it there.")
    assert len(table.lights(Role.LEGAL)) == 48  # all that is empty, and nothing else
    table.heard()
    table.put("blue", "a1")
    assert table.status.moves == ("d4",)
    table.press("confirm")
    assert (table.status.moves, table.status.to_move) == (("d4", "a1"), "red")
    assert table.unobserved == {"a1": "blue"}
    assert table.heard() == [Sound.MOVE]  # no question sounded
    assert table.scan().question is None


def test_as_perception_believes_it_nothing_flickers(refereed):
    table = refereed("d4", pie=False)
    table.hide("a1")
    table.put("blue", "a1")
    table.press("confirm")
    table.log.clear()
    table.wait(3)
    assert {status.phase for status in table.log} == {Phase.TURN}
    assert table.status.moves == ("d4", "a1")


def test_of_several_one_is_chosen_with_confirm_or_named(refereed):
    for by_button in (True, False):
        table = refereed("d4", pie=False)
        table.hide("a1", "g7", "b5")
        assert values(table) == ["a1", "b5", "g7"]
        assert "a1, b5, g7: press confirm if you put it on one of them" in say(table)
        if by_button:
            table.press("confirm")
            assert table.lights(Role.LEGAL) == {"a1", "b5", "g7"}
            assert "Chosen now: blue marble on a1. Hold confirm for yes" in say(table)
            table.press("confirm")
            assert table.status.path == ("b5",)
            table.press("confirm", 2.0)
        else:
            table.answer("b5")
        assert table.status.moves == ("d4", "b5")


def test_back_leaves_the_choices_and_takes_nothing_back(refereed):
    table = refereed("d4", pie=False)
    table.hide("a1", "g7")
    table.press("confirm")
    assert not table.status.question.offer
    table.press("back")
    assert (table.status.question.offer, table.status.moves) == (True, ("d4",))
    table.press("back")
    assert table.status.moves == ()


def test_a_piece_that_is_seen_to_be_put_needs_no_answer(refereed):
    table = refereed("d4", pie=False)
    table.hide("a1", "g7")
    table.press("confirm")
    table.put("blue", "f1")
    assert table.status.moves == ("d4", "f1")


def test_swap_keeps_its_long_press(refereed):
    table = refereed("d4")
    table.hide("a1")
    table.press("confirm", 2.0)
    assert dict(table.status.roles) == {"d4": Role.REMOVE}


def test_a_swap_that_nobody_sees_is_one_of_the_answers(refereed):
    table = refereed("d4")
    table.hide("d4")
    assert values(table) == ["swap"]
    table.cells["d4"] = "blue"
    table.press("confirm")
    assert table.status.moves == ("d4", "swap")


# --- moves whose traces are seen


def test_a_consequence_that_was_carried_out_makes_no_move_that_nobody_saw(refereed):
    # Red on b2; blue drops on a1, which nobody sees, and carries b2 to c3.
    table = refereed("b2", pie=False)
    table.hide("a1")
    table.put("blue", "a1")
    table.take("b2")
    assert table.status.phase is Phase.FIX  # a marble in the hand may be anything
    assert values(table) == ["a1"]
    table.put("red", "c3")
    assert (values(table), table.status.moves) == (["a1"], ("b2",))
    assert say(table).endswith("The table cannot see a1: press confirm if you put it there.")
    table.press("confirm")
    assert (table.status.moves, table.status.to_move) == (("b2", "a1"), "red")
    assert "Red's turn" in say(table)


def test_what_was_wrong_while_the_place_was_still_seen_tells_nothing_of_it(refereed):
    """Found by the soak: a marble that was pushed along was taken for the work of a later drop."""
    table = refereed("b2", pie=False)
    table.move("b2", "c3")
    assert table.status.phase is Phase.FIX
    table.hide("a1")
    assert table.status.moves == ("b2",)
    assert values(table) == ["a1"]
    table.press("confirm")
    assert table.status.moves == ("b2", "a1")


def test_a_marble_taken_up_again_was_not_pushed_off_by_what_nobody_sees(refereed):
    """Found by the soak: blue on b6 would push a7 off the board; red may also take it back."""
    table = refereed("a7", pie=False)
    table.hide("b6")
    table.take("a7")
    table.wait(1.0)
    assert table.status.moves == ("a7",)
    assert values(table) == ["b6"]
    table.press("confirm")
    assert table.status.moves == ("a7", "b6")


def test_the_next_move_waits_until_it_is_said_that_the_last_one_is_done(refereed):
    # Blue on b2 pushes c3 to d4, which nobody sees.
    table = refereed("c3", pie=False)
    table.hide("d4")
    table.put("blue", "b2")
    table.take("c3")
    assert (table.status.phase, table.status.moves) == (Phase.SETTLE, ("c3",))
    table.put("red", "g7")
    table.wait(1.0)
    assert (table.status.phase, table.status.moves) == (Phase.FIX, ("c3",))
    assert table.lights(Role.WRONG) == {"g7"}
    table.take("g7")
    assert say(table).endswith("The table cannot see d4: press confirm when it is done.")
    table.press("confirm")
    assert table.status.moves == ("c3", "b2")
    table.put("red", "g7")
    assert (table.status.phase, table.status.moves) == (Phase.TURN, ("c3", "b2", "g7"))
    assert table.unobserved == {"d4": "red"}


def test_the_next_move_tells_nothing_of_one_whose_seen_part_is_not_done(refereed):
    """Found by the soak: a knocked marble looked like the next move and what it pushes off."""
    game = {"players": 4, "width": 4, "height": 4, "marbles": 3, "must_block": False}
    moves = ["d1", "a2", "a1", "b4", "b2", "c1", "a1", "c2", "d1", "a4"]
    table = refereed(*moves, pie=False, round_limit=3, **game)
    table.hide("c1", "d1")
    table.put("white", "b2")
    assert table.status.phase is Phase.SETTLE
    table.take("a1")
    table.take("a2")
    table.move("c4", "c3")
    table.take("c2")  # to be put on d2
    table.wait(1.0)
    assert table.status.moves == tuple(moves)
    assert table.status.phase is Phase.FIX


@pytest.mark.parametrize("what", [Happening.SLID, Happening.KNOCKED, Happening.BUMPED])
def test_what_may_have_been_knocked_is_asked_about(refereed, what):
    table = refereed("b2", pie=False)
    table.hide("a1")
    del table.cells["b2"]
    table.cells["c3"] = "red"
    table.event(what, "b2", "c3")
    assert (table.status.phase, table.status.moves) == (Phase.FIX, ("b2",))
    assert move("red marble", "c3", "b2") in say(table)
    assert values(table) == ["a1"]
    table.press("confirm")
    assert table.status.moves == ("b2", "a1")


def test_a_piece_that_lands_where_another_of_its_kind_is_to_go_was_not_pushed_there(refereed):
    # Blue on e3 pushes d3 to c3, which nobody sees; on c3 it would push d3 to e3.
    table = refereed("a1", "d3", "a5", size=5, marbles=6, pie=False)
    table.hide("c3")
    table.put("blue", "e3")
    assert dict(table.status.roles) == {"d3": Role.LIFT, "c3": Role.PUT}
    assert table.status.phase is Phase.SETTLE
    table.take("d3")
    table.answer("done")
    assert table.status.moves[-1] == "e3"
    assert table.unobserved == {"c3": "blue"}


def test_a_piece_in_the_hand_does_not_tell_what_was_dropped_where_nobody_sees(refereed):
    # Red on b2 pushes a3 off the board; on a2 it pushes a3 to a4.
    table = refereed("e5", "a3", size=5, marbles=6, pie=False)
    table.hide("a2", "b2")
    table.take("a3")
    table.wait(1.0)
    assert (table.status.phase, values(table)) == (Phase.FIX, ["a2", "b2"])
    table.put("blue", "a4")
    assert (table.status.moves, values(table)) == (("e5", "a3"), ["a2"])
    table.press("confirm")
    assert table.status.moves == ("e5", "a3", "a2")


def test_after_a_restart_a_piece_elsewhere_may_have_been_dropped_or_pushed_there(new_desk):
    # Blue on d5 pushes c4 to b3, which nobody sees; on b3 it pushes c4 to d5.
    table = new_desk("a1", "c4", "e1", begin={"resumed": True}, size=5, marbles=6, pie=False)
    table.cells = {"a1": "red", "e1": "red", "d5": "blue"}
    table.hide("b3")
    assert sorted(values(table)) == ["b3", "d5"]
    assert not table.status.question.offer
    assert table.status.moves == ("a1", "c4", "e1")
    table.answer("d5")
    table.answer("done")
    assert table.status.moves[-1] == "d5"


def test_a_confirmed_move_tells_what_stands_where_nobody_sees(refereed):
    table = refereed("d4", pie=False)
    table.hide("a1")
    table.told.clear()
    table.put("blue", "g7")
    assert table.told == [("a1", None)]


def test_of_two_hidden_places_the_one_that_pushes_so_is_offered(refereed):
    table = refereed("c3", pie=False)
    table.hide("b2", "d2")  # blue on b2 pushes c3 to d4; on d2 it pushes c3 to b4
    table.take("c3")
    assert sorted(values(table)) == ["b2", "d2"]
    table.put("red", "d4")
    assert values(table) == ["b2"]
    table.press("confirm")
    assert table.status.moves == ("c3", "b2")


def test_where_two_drops_explain_it_the_table_asks_which(refereed):
    table = refereed("a4", "g7", pie=False, size=7)
    table.hide("b4", "b5")  # a4's east and north-east neighbours: both push it off the board
    table.put("red", "b5")
    table.take("a4")
    table.wait(0.1)
    assert sorted(values(table)) == ["b4", "b5"]
    assert "The table cannot see b4, b5: press confirm if you put it on one of them" in say(table)
    table.press("confirm")
    assert "The table cannot see b4, b5. Is the piece on one of them?" in say(table)
    table.answer("b5")
    assert table.status.moves[-1] == "b5"
    assert table.status.phase is Phase.TURN


def test_a_source_that_nobody_sees_is_asked_about(refereed):
    table = refereed("d4", pie=False)
    table.hide("d4")
    table.put("blue", "d5")
    assert dict(table.status.roles) == {"d4": Role.LIFT, "d3": Role.PUT}
    table.move("d4", "d3")
    assert (table.status.moves, values(table)) == (("d4",), ["done"])
    assert say(table).endswith("The table cannot see d4: press confirm when it is done.")
    table.press("confirm")
    assert table.status.moves == ("d4", "d5")
    assert table.unobserved == {"d4": None}


def test_a_target_that_nobody_sees_is_asked_about(refereed):
    table = refereed("d4", pie=False)
    table.hide("d3")
    table.put("blue", "d5")
    assert table.status.question is None
    table.take("d4")
    assert values(table) == ["done"]
    assert say(table).endswith("The table cannot see d3: press confirm when it is done.")
    assert dict(table.status.roles) == {"d3": Role.PUT}
    table.put("red", "d3")
    table.answer("done")
    assert table.status.moves == ("d4", "d5")
    assert table.unobserved == {"d3": "red"}


def test_a_marble_of_the_mover_s_is_no_sign_that_he_has_finished(refereed):
    table = refereed("d4", pie=False)
    table.hide("d3")
    table.put("blue", "d5")
    table.take("d4")
    table.put("blue", "g1")
    assert (table.status.phase, table.status.moves) == (Phase.FIX, ("d4",))


def test_a_piece_that_leaves_the_board_from_a_hidden_place(refereed):
    table = refereed("a4", pie=False)
    table.hide("a4")
    table.put("blue", "b4")
    assert dict(table.status.roles) == {"a4": Role.REMOVE}
    del table.cells["a4"]
    table.press("confirm")
    assert (table.status.moves, table.unobserved) == (("a4", "b4"), {"a4": None})


# --- takeback, fix, set-up


def test_a_takeback_by_button_asks_for_what_nobody_sees(refereed):
    table = refereed("d4", "a1", pie=False)
    table.hide("a1")
    table.press("back")
    assert dict(table.status.roles) == {"a1": Role.WRONG}
    assert values(table) == ["done"]
    table.take("a1") if "a1" in table.seen() else table.cells.pop("a1")
    table.press("confirm")
    assert (table.status.phase, table.status.to_move) == (Phase.TURN, "blue")
    assert table.unobserved == {"a1": None}


def test_a_takeback_of_what_nobody_sees_is_by_button(refereed):
    # Red on b2; blue drops on c3 and pushes it to a1, which nobody sees.
    table = refereed("b2", pie=False)
    table.hide("a1")
    table.put("blue", "c3")
    table.move("b2", "a1")
    table.answer("done")
    assert table.unobserved == {"a1": "red"}
    table.take("c3")
    table.move("a1", "b2")
    table.wait(3.1)
    assert table.status.moves == ("b2", "c3")
    table.press("back")
    assert dict(table.status.roles) == {"a1": Role.WRONG}
    table.press("confirm")
    assert (table.status.moves, table.status.phase) == (("b2",), Phase.TURN)
    assert table.unobserved == {"a1": None}


def test_what_may_be_a_move_that_nobody_saw_is_not_taken_back_by_standing(refereed):
    # Black on a1 draws the white piece from c1 to b1; neither place is seen.
    table = refereed("c1", game="attraktion", size=5)
    table.hide("a1", "b1")
    table.put("black", "a1")
    table.take("c1")
    table.put("white", "b1")
    table.wait(5)
    assert (table.status.phase, table.status.moves) == (Phase.FIX, ("c1",))
    assert "taken back" not in say(table)
    assert "a1" in values(table)
    table.answer("a1")
    assert dict(table.status.roles) == {"b1": Role.PUT}
    table.answer("done")
    assert table.status.moves == ("c1", "a1")
    assert table.unobserved == {"a1": "black", "b1": "white"}


def test_a_hidden_move_is_not_taken_back_by_standing(refereed):
    table = refereed("b2", pie=False)
    table.hide("a1")
    table.put("blue", "a1")
    table.press("confirm")
    assert table.status.phase is Phase.SETTLE  # b2 is to go to c3
    table.wait(10)
    assert table.lights(Role.LIFT) == {"b2"}
    table.move("b2", "c3")
    assert table.status.moves == ("b2", "a1")


def test_a_wrong_answer_has_a_way_back(refereed):
    table = refereed("d4", pie=False)
    table.hide("a1", "g7")
    table.answer("g7")
    table.press("back")
    assert dict(table.status.roles) == {"g7": Role.WRONG}
    table.press("confirm")
    table.answer("a1")
    assert table.status.moves == ("d4", "a1")


def test_set_up_asks_for_what_it_cannot_see(new_desk):
    table = new_desk()
    table.cells = {"a1": "red", "g7": "red"}
    table.hide("a1")
    assert table.status.phase is Phase.SETUP
    table.take("g7")
    assert values(table) == ["done"]
    table.cells.clear()
    table.press("confirm")
    assert (table.status.phase, table.unobserved) == (Phase.TURN, {"a1": None})


def test_what_is_not_seen_for_long_may_be_confirmed_of_any_place(refereed):
    table = refereed("d4", pie=False)
    table.put("blue", "d5")
    table.take("d4")
    table.wait(4.9)
    assert table.status.question is None
    table.wait(0.2)
    assert values(table) == ["done"]
    assert table.status.question.offer
    assert dict(table.status.roles) == {"d3": Role.PUT}
    assert say(table) == f"{put('red marble', 'd3')} {DONE}"


def test_what_is_not_seen_may_be_confirmed_together_with_what_nobody_sees(refereed):
    table = refereed("d4", pie=False)
    table.hide("d4")
    table.put("blue", "d5")
    del table.cells["d4"]
    table.wait(4.9)  # d3 too has a broken sensor, of which nobody knows
    assert table.status.question is None
    table.wait(0.2)
    assert say(table).endswith(DONE)
    table.press("confirm")
    assert table.status.moves == ("d4", "d5")
    assert table.unobserved == {"d4": None, "d3": "red"}


def test_a_piece_that_cannot_be_read_is_confirmed_to_stand_there(refereed):
    table = refereed("d4", pie=False)
    table.unsure = frozenset({"d4"})
    table.wait(6.1)
    assert say(table).endswith(f"to the middle of its space. {DONE}")
    table.press("confirm")
    table.unsure = frozenset()
    table.scan()
    assert (table.status.phase, table.unobserved) == (Phase.TURN, {"d4": "red"})


# --- the other games


def test_attraktion_a_piece_that_is_drawn_to_a_hidden_place(refereed):
    table = refereed("c3", game="attraktion", size=6)
    table.hide("c4")
    table.put("black", "c5")
    table.take("c3")
    assert values(table) == ["done"]
    table.put("white", "c4")
    table.answer("done")
    assert table.status.moves == ("c3", "c5")


def test_gravity_connect_asks_for_the_slot_of_a_tile_that_nobody_sees(refereed):
    table = refereed(game="gravity-connect")
    table.hide("I3")
    # The entry of 12, and where a tile of 3 comes to lie.
    assert sorted(values(table)) == ["left", "right"]
    table.put("red", "I3")
    table.answer("12")
    assert dict(table.status.roles) == {"I3": Role.LIFT, "A3": Role.PUT}
    table.move("I3", "A3")
    table.answer("done")  # that it has left I3
    assert table.status.moves == ("12",)


def test_gravity_connect_slots_of_one_side_go_by_their_own_names(refereed):
    table = refereed(game="gravity-connect")
    table.hide("I3", "I5")
    assert "12" in values(table)
    assert "14" in values(table)
    assert len(values(table)) == len(set(values(table)))
    table.press("confirm")
    table.tilt(0, -5)  # the way a tile from the right falls: from which slot, it does not tell
    table.wait(2)
    assert table.status.moves == ()


def test_gravity_connect_a_landing_that_nobody_sees(refereed):
    table = refereed(game="gravity-connect")
    table.hide("A3")
    table.put("red", "I3")
    table.answer("right")
    table.move("I3", "A3")
    assert values(table) == ["done"]
    table.answer("done")
    assert table.status.moves == ("12",)


@pytest.fixture
def trap(refereed):
    def start():
        return refereed("3", "8", game="gravity-trap", board=TRACKS)

    return start


def fly(table, source, target):
    """Ship and pod, in the order in which hands do it."""
    ship = table.cells.pop(source)
    table.scan()
    del table.cells[target]
    table.scan()
    table.cells[target] = ship
    return table.scan()


def test_gravity_trap_a_ship_that_lands_where_nobody_sees(trap):
    table = trap()
    table.hide("6")
    assert table.status.question is None  # the ship stands where it is seen to stand
    ship = table.cells.pop("3")
    table.scan()
    assert "6" in table.lights(Role.LEGAL)
    assert values(table) == ["6"]
    table.cells["6"] = ship
    table.press("confirm")
    assert table.status.moves == ("3", "8", "6")
    assert table.unobserved == {"6": "red"}


def test_gravity_trap_a_ship_that_starts_where_nobody_sees(trap):
    table = trap()
    table.hide("3")
    reached = {"1", "2", "4", "5", "6", "7"}
    assert table.lights(Role.LEGAL) == {"3"} | reached  # it may be in the hand already
    fly(table, "3", "6")
    assert values(table) == ["6"]
    assert say(table).endswith("The table cannot see 3: press confirm if this is your move.")
    table.press("confirm")
    assert table.status.moves == ("3", "8", "6")
    assert table.unobserved == {"3": None}


def test_gravity_trap_the_pod_of_a_hidden_place_in_the_set_up(refereed):
    table = refereed("3", game="gravity-trap", board=TRACKS)
    table.hide("5")
    table.put("blue", "8")
    for place in sorted(table.lights(Role.PUT) - {"5"}):
        table.put("pod", place)
    assert values(table) == ["done"]
    table.cells["5"] = "pod"
    table.press("confirm")
    assert table.status.moves == ("3", "8")


# --- no dead end


def legal_move(table, rng):
    """Make a legal move with the hands only; what stands on hidden places changes unseen."""
    position = table.status.position
    move = rng.choice(position.legal())
    turn = position.play(move)
    for shift in turn.act:
        table.cells.pop(shift.source or "", None)
    table.cells |= {shift.target: shift.piece for shift in turn.act if shift.target}
    table.scan()
    return turn


def carry_out(table, turn, rng, count):
    """Do and answer what is asked until it is somebody's turn. ``turn``: what the hands meant."""
    for _ in range(60):
        status = table.status
        if len(table.journal.moves) == count:
            return
        question = status.question
        if question is not None:
            named = question.choice_named(turn.move)
            if question.choices[0].value == "done":
                table.cells.update(
                    {p: status.piece_for[p] for p in status.piece_for if p in table.unobserved}
                )
                for place, role in status.roles.items():
                    if role is not Role.PUT and place in table.unobserved:
                        table.cells.pop(place, None)
                table.answer("done")
                continue
            if named is not None:
                table.answer(named.value)
                continue
        asked = sorted(
            (place, role)
            for place, role in status.roles.items()
            if role in (Role.LIFT, Role.REMOVE, Role.PUT) and place not in table.unobserved
        )
        assert status.phase is Phase.SETTLE, (status.phase, str(status.say))
        assert asked, str(status.say)
        place, role = rng.choice(asked)
        if role is Role.PUT:
            table.put(status.piece_for[place], place)
        else:
            table.take(place)
    raise AssertionError(f"a dead end: {status.phase} {status.say}")


@pytest.mark.parametrize("options", GAMES, ids=str)
@few(8)
@given(seed=st.integers(0, 2**32))
def test_a_whole_game_with_places_that_nobody_sees(refereed, options, seed):
    """The journal has what the hands meant, and what is believed is what stands there."""
    rng = Random(seed)
    table = refereed(**options)
    table.hide(*rng.sample(sorted(table.game.board), rng.choice([1, 1, 2, 3])))
    meant = []
    for _ in range(12):
        if table.status.phase is Phase.OVER:
            break
        assert table.status.phase is Phase.TURN
        turn = legal_move(table, rng)
        meant.append(turn.move)
        carry_out(table, turn, rng, len(meant))
        table.wait(0.2)
        assert table.journal.moves == meant
        assert table.cells == dict(table.status.position.cells)
        assert table.seen() == table.cells


def test_of_several_sensors_that_fail_at_once_every_one_is_named(refereed):
    table = refereed("d4", pie=False)
    table.unobserved |= {"a1": None, "g7": None}
    table.scan()
    assert say(table).startswith("The sensors of a1, g7 have failed. ")
    table.wait(3.1)
    assert "failed" not in say(table)


def test_what_was_asked_for_just_now_is_not_asked_to_be_confirmed(refereed):
    table = refereed("d4", "a1", pie=False)
    table.wait(10.0)
    table.press("back")
    assert say(table) == f"The move is taken back. {take('blue marble', 'a1')}"
    table.wait(4.9)
    assert table.status.question is None
    table.wait(0.2)
    assert say(table).endswith(DONE)

"""Tests of firmware_host/referee/move_matching.py: boards on the way: every mixture of done and not
yet done, compared with enumeration.
"""

from __future__ import annotations

from itertools import product

import pytest

from tiltboard.firmware_host.referee.move_matching import Plan, carried_out
from tiltboard.firmware_host.table.status import Role
from tiltboard.games.base import Shift

CASES = {
    "apart": ({"a": "red", "c": "blue"}, [("red", "a", "b"), ("blue", "c", None)]),
    "from the reserve": ({"a": "red"}, [("blue", None, "b")]),
    "one takes the other's place": (
        {"a": "red", "b": "blue"},
        [("red", "a", "b"), ("blue", "b", "c")],
    ),
    "same colour in a row": ({"a": "red", "b": "red"}, [("red", "a", "b"), ("red", "b", "c")]),
    "exchange": ({"a": "red"}, [("red", "a", None), ("blue", None, "a")]),
}


@pytest.mark.parametrize("before, shifts", CASES.values(), ids=CASES)
def test_every_mixture_is_right_and_only_the_end_is_done(before, shifts):
    """Enumerate: each source lifted or not, each target filled or not (once it is empty)."""
    moves = [Shift(*shift) for shift in shifts]
    after = carried_out(before, moves)
    plan = Plan(before, after, tuple(moves))
    for lifted in product([False, True], repeat=len(moves)):
        board = dict(before)
        for shift, is_up in zip(moves, lifted, strict=True):
            if is_up and shift.source:
                del board[shift.source]
        for filled in product([False, True], repeat=len(moves)):
            there = dict(board)
            for shift, is_down in zip(moves, filled, strict=True):
                if is_down and shift.target and shift.target not in there:
                    there[shift.target] = shift.piece
            finding = plan.hold(there)
            assert finding.right
            assert plan.allows(there)
            assert finding.done == (there == after)
            for place, role in finding.todo.items():
                assert (place in there) == (role is not Role.PUT)
            assert all(finding.wanted[p] == after[p] for p in finding.wanted)
            assert bool(finding.shifts) == (there != after)


def test_anything_else_is_in_error():
    plan = Plan({"a": "red", "d": "blue"}, {"b": "red", "d": "blue"}, (Shift("red", "a", "b"),))
    finding = plan.hold({"a": "blue", "b": "red", "c": "red"})
    assert not plan.allows({"a": "blue", "b": "red", "c": "red"})
    assert finding.misplaced == {"a": "blue", "c": "red"}
    assert finding.missing == {"d": "blue"}
    assert finding.todo == {}


@pytest.mark.parametrize("before, shifts", CASES.values(), ids=CASES)
def test_what_is_wrong_is_found_sooner_the_same(before, shifts):
    """On every board of these places: nothing, red or blue on each."""
    moves = [Shift(*shift) for shift in shifts]
    plan = Plan(before, carried_out(before, moves), tuple(moves))
    for pieces in product(["", "red", "blue"], repeat=5):
        cells = {place: piece for place, piece in zip("abcde", pieces, strict=True) if piece}
        assert plan.allows(cells) == plan.hold(cells).right


def test_pieces_in_the_hand_are_counted():
    shifts = (Shift("red", "a", "b"), Shift("blue", "c", None))
    before = {"a": "red", "c": "blue"}
    plan = Plan(before, carried_out(before, shifts), shifts)
    assert not plan.in_hand(before)
    assert not plan.in_hand({"a": "red"})
    assert not plan.in_hand({"b": "red", "c": "blue"})
    assert plan.in_hand({"c": "blue"})

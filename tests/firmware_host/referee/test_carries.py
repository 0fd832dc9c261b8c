"""Tests of firmware_host/referee/repair.py: the way back over several stray pieces: near ones
first, each step possible in its turn.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import hypot, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.firmware_host.referee.move_matching import Plan, carried_out
from tiltboard.firmware_host.referee.repair import as_shifts, carries
from tiltboard.games import registry
from tiltboard.games.base import Shift

GAME = registry.game_type("momentum").create({})
PLACES = sorted(GAME.board)
boards = st.dictionaries(st.sampled_from(PLACES), st.sampled_from(["red", "blue"]), max_size=6)


def apart(a, b):
    return hypot(*(x - y for x, y in zip(GAME.board[a], GAME.board[b], strict=True)))


def left_longing(cells, wanted, carried):
    """A stray and a gap of its kind that are nearer to each other than to what either was given."""
    for kind in ("red", "blue"):
        misplaced = [p for p, k in cells.items() if k == kind and wanted.get(p) != kind]
        gaps = [p for p, k in wanted.items() if k == kind and cells.get(p) != kind]
        given = {s: apart(s, t) for s, t in carried.items()}
        given |= {t: apart(s, t) for s, t in carried.items()}
        for stray, gap in product(misplaced, gaps):
            if apart(stray, gap) < min(given.get(stray, inf), given.get(gap, inf)):
                return stray, gap
    return None


@few(150)
@given(boards, boards)
def test_following_the_list_restores_the_board_and_each_goes_where_it_is_near(cells, wanted):
    finding = Plan(wanted, wanted).hold(cells)
    plan = carries(GAME, finding)
    board, parked = dict(cells), 0
    carried = {}
    for step in plan:
        if step.turn_over:
            assert board[step.source] != step.piece
            board[step.source] = step.piece
            continue
        if step.source is not None:
            assert board.pop(step.source) == step.piece
            parked += step.parked
        if step.target is not None:
            assert step.target not in board  # each step can be done when its turn comes
            board[step.target] = step.piece
        if step.source is not None and step.target is not None:
            carried[step.source] = step.target
    assert board == wanted
    if not parked:
        assert left_longing(cells, wanted, carried) is None


def test_places_beside_the_board_have_distances_too():
    finding = Plan({"g7": "red", "a1": "red"}, {"g7": "red", "a1": "red"}).hold(
        {"h8": "red", "b2": "red"}
    )
    assert [(r.source, r.target) for r in carries(GAME, finding)] == [("b2", "a1"), ("h8", "g7")]


def run(pieces, *places):
    return [Shift(*each) for each in zip(pieces, places, (*places[1:], None), strict=False)]


PLANS = {
    "like pieces in a run": run("RRR", "a1", "a2", "a3", "a4"),
    "mixed": run("RRBRBB", "a1", "a2", "a3", "a4", "a5", "a6", "a7"),
    "off the edge": run("RRBB", "a1", "a2", "a3", "a4"),
    "two runs": [*run("RR", "a1", "a2", "a3"), *run("RB", "b1", "b2", "b3")],
    "colours that change places": run("RB", "a1", "a2", "a1"),
    "a ring": run("RBB", "a1", "a2", "a3", "a1"),
    "one instead of another": [Shift("R", "a1", None), Shift("B", None, "a1")],
}
NAMES = {"R": "red", "B": "blue"}


@pytest.mark.parametrize("shifts", PLANS.values(), ids=PLANS)
def test_from_every_mixture_the_list_ends_the_plan_and_takes_nothing_from_an_empty_hand(shifts):
    """Enumerate: each source lifted or not, each target filled or not."""
    moves = [Shift(NAMES[s.piece], s.source, s.target) for s in shifts]
    before = {s.source: s.piece for s in moves if s.source is not None}
    after = carried_out(before, moves)
    plan = Plan(before, after, tuple(moves))
    stock = Counter(before.values()) + Counter(s.piece for s in moves if s.source is None)
    for lifted, filled in product(product([False, True], repeat=len(moves)), repeat=2):
        board = {s.source: s.piece for s, up in zip(moves, lifted, strict=True) if not up}
        board.pop(None, None)
        for shift, down in zip(moves, filled, strict=True):
            if down and shift.target is not None:
                board.setdefault(shift.target, shift.piece)
        hand = Counter(stock)
        hand.subtract(Counter(board.values()))
        if min(hand.values()) < 0:
            continue
        for step in as_shifts(GAME, carries(GAME, plan.hold(board))):
            if step.source is None:
                assert hand[step.piece] > 0
                hand[step.piece] -= 1
            else:
                assert board.pop(step.source) == step.piece
                hand[step.piece] += step.target is None
            if step.target is not None:
                assert step.target not in board
                board[step.target] = step.piece
        assert board == after


def test_one_of_a_run_too_many_goes_off_and_leaves_no_gap():
    plan = Plan(
        {"a1": "red", "a2": "red"},
        {"a2": "red", "a3": "red"},
        (Shift("red", "a1", "a2"), Shift("red", "a2", "a3")),
    )
    extra = plan.hold({"a1": "red", "a2": "red", "a3": "red"})
    assert as_shifts(GAME, carries(GAME, extra)) == (Shift("red", "a1", None),)
    gone = plan.hold({"a1": "red"})
    assert as_shifts(GAME, carries(GAME, gone)) == (
        Shift("red", None, "a3"),
        Shift("red", "a1", "a2"),
    )


def test_upside_down_is_taken_off_and_put_for_whoever_cannot_turn_it():
    finding = Plan({"a1": "red"}, {"a1": "red"}).hold({"a1": "blue"})
    assert as_shifts(GAME, carries(GAME, finding)) == (
        Shift("blue", "a1", None),
        Shift("red", None, "a1"),
    )

"""The way back over several stray pieces: shortest, and each step possible when it is due."""

from __future__ import annotations

from itertools import permutations
from math import hypot

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.referee.plan import Plan
from firmware_host.referee.repair import repairs
from games import registry

GAME = registry.game_type("momentum").create({})
PLACES = sorted(GAME.board)
boards = st.dictionaries(st.sampled_from(PLACES), st.sampled_from(["red", "blue"]), max_size=6)


def apart(a, b):
    return hypot(*(x - y for x, y in zip(GAME.board[a], GAME.board[b], strict=True)))


def least_carrying(cells, wanted):
    """The least total distance by class, over every pairing."""
    total = 0.0
    for kind in ("red", "blue"):
        strays = [p for p, k in cells.items() if k == kind and wanted.get(p) != kind]
        gaps = [p for p, k in wanted.items() if k == kind and cells.get(p) != kind]
        few, many = sorted((strays, gaps), key=len)
        total += min(
            sum(apart(a, b) for a, b in zip(few, way, strict=True))
            for way in permutations(many, len(few))
        )
    return total


@settings(max_examples=150, deadline=None)
@given(boards, boards)
def test_following_the_list_restores_the_board_with_the_least_carrying(cells, wanted):
    finding = Plan(wanted, wanted).hold(cells)
    plan = repairs(GAME, finding)
    board = dict(cells)
    in_hand: list[str] = []
    carried = 0.0
    for step in plan:
        if step.turn_over:
            assert board[step.source] != step.piece
            board[step.source] = step.piece
            continue
        if step.source is not None:
            assert board.pop(step.source) == step.piece
            if step.parked:
                in_hand.append(step.piece)
        if step.target is not None:
            assert step.target not in board  # each step can be done when its turn comes
            board[step.target] = step.piece
        if step.source is not None and step.target is not None:
            carried += apart(step.source, step.target)
    parked_back = {p: k for p, k in wanted.items() if p not in board}
    assert sorted(parked_back.values()) == sorted(in_hand)
    assert {**board, **parked_back} == wanted
    if not in_hand:
        assert carried == pytest.approx(least_carrying(cells, wanted))


def test_places_beside_the_board_have_distances_too():
    finding = Plan({"g7": "red", "a1": "red"}, {"g7": "red", "a1": "red"}).hold(
        {"h8": "red", "b2": "red"}
    )
    assert [(r.source, r.target) for r in repairs(GAME, finding)] == [("b2", "a1"), ("h8", "g7")]

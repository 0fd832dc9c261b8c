"""Tests of tiltboard_lab/studies/boards.py: boards of Gravity Trap: exact values against
plain search, and what a search keeps to.
"""

import random

import pytest

from tiltboard.games.gravity_trap.board import TrapBoard, shipped_board
from tiltboard.games.gravity_trap.rules import GravityTrapRules
from tiltboard_lab.studies.boards import (
    fits,
    judged,
    mutate_tracks,
    parity,
    rates,
)

SMALL = TrapBoard.from_json(
    {
        "tracks": [[1, 2, 3], [3, 4, 5], [5, 6, 1], [2, 4, 6]],
        "opposite": {"1": 4, "2": 5, "3": 6},
    }
)


def first_wins(rules, state):
    """Plain minimax by the rules alone."""
    for move in rules.moves(state):
        after = rules.apply(state, move)
        if after.winner is not None:
            if after.winner == state.turn % 2:
                return True
        elif not first_wins(rules, after):
            return True
    return False


def test_a_judged_board_is_what_minimax_says():
    rules = GravityTrapRules(SMALL, no_copy=False)
    lost = []
    for red in range(6):
        placed = rules.apply(rules.start(), red)
        states = [rules.apply(placed, blue) for blue in rules.moves(placed)]
        won = [s.winner == 0 if s.winner is not None else first_wins(rules, s) for s in states]
        lost.append(won.count(False))
    found = judged(SMALL, 20, random.Random(1))
    assert found.replies == lost
    assert found.share == 1 - sum(lost) / 30


def test_parity_is_the_step_between_neighbours():
    assert parity({10: 0.5, 11: 0.9, 12: 0.4}) == pytest.approx(0.45)
    assert parity({10: 0.7, 11: 0.7}) == 0
    rules = GravityTrapRules(SMALL, no_copy=False)
    found = rates(rules, range(1, 5), 30, random.Random(1))
    assert found.keys() <= {1, 2, 3, 4}
    assert all(0 <= rate <= 1 for rate in found.values())


def test_changed_boards_keep_to_the_rules_of_boards():
    board = shipped_board("whirl")
    half = board.tracks[::2]
    assert fits(half, board.opposite)
    rng = random.Random(1)
    seen = set()
    for _ in range(30):
        half = mutate_tracks(half, board.opposite, rng)
        seen.add(half)
        assert fits(half, board.opposite)
    assert len(seen) > 20
    whole = [*half, *([board.opposite[b] for b in track] for track in half)]
    made = TrapBoard.from_json(
        {"tracks": whole, "opposite": {str(k): v for k, v in board.opposite.items()}}
    )
    assert len(made.bases) == 22
    assert not fits([*half[:-1], half[-1][:4]], board.opposite)
    assert not fits([*half[:-1], half[0]], board.opposite)  # two tracks that are one

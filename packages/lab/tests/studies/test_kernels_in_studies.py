"""Tests of tiltboard_lab/studies/match.py, boards.py and
tiltboard_lab/bench/playouts.py: what studies do with compiled kernels.
"""

import random
from contextlib import ExitStack

import pytest

pytest.importorskip("numba", reason="numba is not installed")

from tiltboard.games.gravity_trap.board import shipped_board
from tiltboard.games.registry import game_type
from tiltboard_lab.studies.boards import climbed, fits
from tiltboard_lab.studies.match import BotMatch, player


def test_parts_of_the_kernels_search_can_be_left_out():
    small = {"size": 4, "line": 3}  # the first player wins
    assert looked("plain@100000", small)[0][1] == 1  # a bit for each winner
    assert looked("plain+unproven@100000", small)[0] == (100_000, -1)
    begun, kept = looked("plain@3000", {})
    assert begun[0] == 3000 < kept[0]  # what was looked at before counts
    assert [visits for visits, _ in looked("plain+forgetful@3000", {})] == [3000, 3000]


def looked(name, options):
    """Of the root, after a player's first move and after his next: visits, and what is proven."""
    asked = BotMatch(a=name, b="1", game="gravity-connect", options=options, kernels=True)
    made = game_type(asked.game).create(options)
    rules, state, found = made.rules, made.rules.start(), []
    with ExitStack() as stack:
        searcher = player(asked, name, made, 1, stack)
    for _ in range(2):
        move = searcher.move([], state)
        root = searcher._tree.tree.nodes[0]
        found.append((int(root["visits"]), int(root["proven"])))
        state = rules.apply(state, move)
        state = rules.apply(state, rules.moves(state)[0])
    return found


def test_a_climb_is_pure_and_ends_with_a_board():
    board = shipped_board("whirl")
    one, again = (climbed(board, 1, random.Random(1), 2) for _ in range(2))
    assert one == again
    assert fits(one, board.opposite)

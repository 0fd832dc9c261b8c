"""The part of `test_kernels` that runs if this package is installed. The kernels must play like the
rules, move for move, and find moves that win or block a win.
"""

import random
import time

import numpy as np
from connect_four import CONNECT_FOUR

from tiltboard.firmware_host.engines.search.limits import WIN, Limits, ThinkingBudget
from tiltboard_kernels import board as kernels
from tiltboard_kernels.jit import RESULT
from tiltboard_kernels.search import fast_tree

game = CONNECT_FOUR.create({})
rules, board = game.rules, kernels.board_of(game)
assert board is not None, "its kernels are not found"
rng, lengths = random.Random(1), []
for _ in range(40):
    state = rules.start()
    row = board.encoded(state)
    moves, spare = np.zeros(7, np.int64), np.zeros((2, len(row)), np.int64)
    while rules.result(state) is None:
        assert (row == board.encoded(state)).all(), row
        count = kernels.legal(board.tables, row, moves, spare)
        assert list(moves[:count]) == rules.moves(state), moves
        move = rng.choice(rules.moves(state))
        state = rules.apply(state, move)
        kernels.play(board.tables, row, move)
    assert row[RESULT] == sum(1 << winner for winner in rules.result(state)), row
    lengths.append(state.turn)
assert max(lengths) - min(lengths) > 10, lengths
for columns, wanted, sure in (([3, 0, 3, 0, 3, 1], 3, True), ([0, 3, 1, 3, 6, 3], 3, False)):
    state = rules.start()
    for column in columns:
        state = rules.apply(state, column)
    limit = ThinkingBudget(Limits(nodes=3000), time.monotonic)
    found = fast_tree(game, random.Random(1)).search(state, limit)
    assert found.move == wanted, found
    assert (found.value == WIN - 1) == sure, found

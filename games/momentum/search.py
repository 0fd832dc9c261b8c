"""What a search is told of Momentum: an evaluation for two players."""

from __future__ import annotations

from collections import deque
from typing import Any

from games.momentum.rules import MomentumRules
from games.search import Evaluate, Weights

RINGS = 4  # a marble three steps from the edge is as safe as one further in


def rings(rules: MomentumRules) -> dict[int, int]:
    """Cell -> steps from where a marble would fall off, at most ``RINGS - 1``."""
    start = rules.start().cells
    edge = [at for at in rules.names if any(start[at + step] is None for step in rules.steps)]
    found = dict.fromkeys(edge, 0)
    queue = deque(edge)
    while queue:
        at = queue.popleft()
        for step in rules.steps:
            if at + step in rules.names and at + step not in found:
                found[at + step] = min(found[at] + 1, RINGS - 1)
                queue.append(at + step)
    return {at: found.get(at, RINGS - 1) for at in rules.names}


def evaluation(rules: MomentumRules, weights: Weights) -> Evaluate:
    """Marbles on the board by their distance from the edge, the more the nearer the end is."""
    ring = rings(rules)
    # of a marble of nobody, of red, of blue; so that a cell's content is an index
    worth = [
        (at, (0, weights["rings"][near], -weights["rings"][near])) for at, near in ring.items()
    ]
    (tempo,) = weights["tempo"]
    near_end = weights["near_end"]
    marbles, most = rules.marbles, len(near_end) - 1

    def evaluate(state: Any) -> int:
        cells = state.cells
        value = 0
        for at, each in worth:
            value += each[cells[at]]
        red, blue = state.held
        value += near_end[min(marbles - red, most)] - near_end[min(marbles - blue, most)]
        signed: int = value if state.turn % 2 == 0 else -value
        return tempo + signed

    return evaluate

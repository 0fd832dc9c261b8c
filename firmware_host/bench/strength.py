"""``tiltboard bench strength``: the kernels' best search against plain UCT with a solver, in the
same kernels and with the same CPU time a move.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from drivers.clock import cpu_s
from firmware_host.engines.search.limits import Budget, Limits
from firmware_host.engines.search.warmth import warm
from firmware_host.studies.match import opening, play, score
from games.registry import game_type

if TYPE_CHECKING:
    from firmware_host.engines.search.fast import FastTree

GAMES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "momentum 7x7": ("momentum", {}),
    "gravity-connect 9x9": ("gravity-connect", {}),
    "attraktion 10x10": ("attraktion", {}),
    "attraktion 8x8": ("attraktion", {"size": 8}),
}
_OPENING = 4
PLAIN_EXPLORATION = 0.7


class _Searcher:
    def __init__(self, tree: FastTree, time_s: float) -> None:
        self._tree = tree
        self._limits = Limits(time_s=time_s)
        self.moves = self.simulations = 0

    def move(self, names: Sequence[str], state: Any) -> int:
        """As ``Player.move``."""
        found = self._tree.search(state, Budget(self._limits, cpu_s))
        self.moves += 1
        self.simulations += found.nodes
        return found.move


def run(
    echo: Callable[[str], None], games: int, move_ms: int, only: Sequence[str], *, seed: int = 1
) -> None:
    """One line a game, of ``only`` those that begin so, if any. ``games``: in pairs."""
    if not warm():
        echo("The kernels are not compiled: tiltboard warm.")
        return
    from firmware_host.engines.search.fast import FastTree, fast_tree
    from firmware_host.engines.search.kernels.board import board_of
    from firmware_host.engines.search.kernels.tree import PLAYOUTS

    for title, (name, options) in GAMES.items():
        if only and not title.startswith(tuple(only)):
            continue
        game = game_type(name).create(options)
        board, best = board_of(game), fast_tree(game, random.Random(seed))
        if board is None or best is None:
            raise TypeError(game)  # each of GAMES has kernels
        plain = FastTree(board, random.Random(seed + 1), PLAYOUTS, explore=PLAIN_EXPLORATION)
        ours, other = (_Searcher(tree, move_ms / 1000) for tree in (best, plain))
        pairs = []
        for pair in range((games + 1) // 2):
            begun = opening(game.rules, _OPENING, random.Random(f"{seed} opening {pair}"))
            first = play(game.rules, begun, (ours, other))
            second = play(game.rules, begun, (other, ours))
            pairs.append((first, msgspec.structs.replace(second, share=1 - second.share)))
        result = score(pairs)
        low, high = result.interval
        echo(
            f"{title}, {move_ms} ms: +{result.won} ={result.drawn} -{result.lost}, "
            f"{100 * result.share:.0f} % [{100 * low:.0f}, {100 * high:.0f}]; simulations a move: "
            f"{ours.simulations / ours.moves:,.0f} against {other.simulations / other.moves:,.0f}"
        )

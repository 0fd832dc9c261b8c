"""``tiltboard bench engines``: random playouts and simulations per second of CPU time, in plain
Python and with compiled kernels.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from tiltboard.firmware_host.engines.search.compiled import is_warm
from tiltboard.firmware_host.engines.search.limits import Limits, ThinkingBudget
from tiltboard.firmware_host.engines.search.tree import random_choices
from tiltboard.games.base import Game
from tiltboard.games.registry import game_type
from tiltboard.games.rules import Rules
from tiltboard.ground.clock import cpu_s
from tiltboard_lab.bench.timing import timed

SIMULATIONS = 10_000  # Number of simulations in one search.
_SECONDS = 3.0  # CPU time of each measurement, in seconds.
_BATCH = 500  # Number of playouts between two readings of the clock.

MEASURED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "momentum 7x7, 2 players": ("momentum", {"pie": False}),
    "attraktion 10x10": ("attraktion", {}),
    "gravity-connect 9x9": ("gravity-connect", {}),
    "gravity-trap 22 bases": ("gravity-trap", {}),
}
"""The game and its options for each line of the report, by the line's title."""


def run(
    echo: Callable[[str], None],
    against: str | None,
    games: int,
    move_ms: int,
    seconds: float = _SECONDS,
) -> None:
    """Print one line for each game, or the comparison with another search that ``against`` names.

    ``seconds``: CPU time of each measurement in seconds. ``games`` and ``move_ms``: number of games
    in the comparison's match, and time for a move in milliseconds.
    """
    if against is not None:
        from tiltboard_lab.bench import against as other

        other.run(echo, seconds, games, move_ms)
        return
    for title, (name, options) in MEASURED.items():
        game = game_type(name).create(options)
        echo(f"{title}: {measured(game.rules, seconds, random.Random(1))}")
        if is_warm():
            kernels(echo, title, game, seconds / 3)


def kernels(echo: Callable[[str], None], title: str, game: Game, seconds: float) -> None:
    """Print the playouts per second with the kernels, and the simulations per second of the two
    searches that use the kernels. Prints nothing if the game has no kernels.
    """
    from tiltboard_kernels.board import board_of
    from tiltboard_kernels.search import FastTree, fast_tree
    from tiltboard_kernels.tree import PLAYOUTS
    from tiltboard_lab.bench.playouts import playouts

    board, best = board_of(game), fast_tree(game, random.Random(1))
    if board is None or best is None:
        return
    plain = FastTree(board, random.Random(1), PLAYOUTS)
    start = board.encoded(game.rules.start())
    # The first call compiles the kernel, so it runs before the measurement.
    playouts(board.tables, start, best.seed, 1)
    batches, moves, used_s = timed(
        lambda: playouts(board.tables, start, best.seed, _BATCH), seconds
    )
    told = f"{batches * _BATCH / used_s:,.0f} random playouts, {moves / used_s:,.0f} moves/s"
    for label, tree in (("simulations of plain UCT", plain), ("of the best search", best)):

        def search(tree: FastTree = tree) -> int:
            tree.forget()
            return tree.search(
                game.rules.start(), ThinkingBudget(Limits(nodes=SIMULATIONS), cpu_s)
            ).nodes

        _, looked, used_s = timed(search, seconds)
        told += f", {looked / used_s:,.0f} {label}"
    echo(f"{title}, kernels: {told}")


def measured(rules: Rules, seconds: float, rng: random.Random) -> str:
    """Return a text that states how many random games per second the rules can play. All legal
    moves are equally likely.
    """
    start, advance = rules.start(), rules.advance
    stream = random_choices(rules.every_move, rng)
    batches, moves, used_s = timed(
        lambda: sum(advance(start, stream).turn for _ in range(_BATCH)), seconds
    )
    playouts = batches * _BATCH
    return (
        f"{playouts / used_s:,.0f} random playouts per CPU-second, "
        f"{moves / used_s:,.0f} moves/s ({moves / playouts:.2f} moves a playout)"
    )

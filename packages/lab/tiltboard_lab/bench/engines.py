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
from tiltboard.ground.measured import Measured
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
        echo(
            Measured(
                "{game}: {rates}",
                game=title,
                rates=playouts_text(game.rules, seconds, random.Random(1)),
            )
        )
        if is_warm():
            kernels(echo, title, game, seconds / 3)


def kernels(echo: Callable[[str], None], title: str, game: Game, seconds: float) -> None:
    """Print the playouts per second with the kernels (compiled functions), and the simulations per
    second of the two searches that use the kernels. Print nothing if the game has no kernels.
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
    told = Measured(
        "{playouts_per_cpu_s:,.0f} random playouts, {moves_per_cpu_s:,.0f} moves/s",
        playouts_per_cpu_s=batches * _BATCH / used_s,
        moves_per_cpu_s=moves / used_s,
    )
    for form, name, tree in (
        (
            "{told}, {plain_uct_per_cpu_s:,.0f} simulations of plain UCT",
            "plain_uct_per_cpu_s",
            plain,
        ),
        ("{told}, {best_per_cpu_s:,.0f} of the best search", "best_per_cpu_s", best),
    ):

        def search(tree: FastTree = tree) -> int:
            tree.forget()
            return tree.search(
                game.rules.start(), ThinkingBudget(Limits(nodes=SIMULATIONS), cpu_s)
            ).nodes

        _, looked, used_s = timed(search, seconds)
        told = Measured(form, told=told, **{name: looked / used_s})
    echo(Measured("{game}, kernels: {told}", game=title, told=told))


def playouts_text(rules: Rules, seconds: float, rng: random.Random) -> Measured:
    """Return how many random games per second the rules can play. All legal
    moves are equally likely.
    """
    start, advance = rules.start(), rules.advance
    stream = random_choices(rules.every_move, rng)
    batches, moves, used_s = timed(
        lambda: sum(advance(start, stream).turn for _ in range(_BATCH)), seconds
    )
    playouts = batches * _BATCH
    return Measured(
        "{playouts_per_cpu_s:,.0f} random playouts per CPU-second, "
        "{moves_per_cpu_s:,.0f} moves/s ({moves_per_playout:.2f} moves a playout)",
        playouts_per_cpu_s=playouts / used_s,
        moves_per_cpu_s=moves / used_s,
        moves_per_playout=moves / playouts,
    )

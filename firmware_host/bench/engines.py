"""``tiltboard bench engines``: random playouts per CPU-second, by the engines themselves."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import chain

from drivers.clock import cpu_s
from games.momentum import MOMENTUM, MomentumGame

_BATCH = 500  # playouts between two looks at the clock
_BYTES = 1 << 14


def run(echo: Callable[[str], None], seconds: float = 3.0, *, seed: int = 1) -> None:
    """Print one line a game. ``seconds``: CPU time for each."""
    echo(momentum(seconds, random.Random(seed)))


def momentum(seconds: float, rng: random.Random) -> str:
    """Momentum on 7x7 with two players, no pie, no round limit: uniform over the empty cells,
    until the engine's own check finds a result.
    """
    game = MOMENTUM.create({"pie": False})
    drops = random_drops(game, rng)
    start, playout = game.core.start(), game.core.playout
    playouts = moves = 0
    begun_s = cpu_s()
    while (used_s := cpu_s() - begun_s) < seconds:
        for _ in range(_BATCH):
            turns, _, _ = playout(start, drops)
            moves += turns
        playouts += _BATCH
    return (
        f"momentum 7x7, 2 players: {playouts / used_s:,.0f} random playouts per CPU-second, "
        f"{moves / used_s:,.0f} moves/s ({moves / playouts:.2f} moves a playout)"
    )


def random_drops(game: MomentumGame, rng: random.Random) -> Iterator[int]:
    """An endless stream of cells, each equally likely, for ``Core.playout``.

    Made from whole runs of random bytes: those that would favour some cells are left out. For
    boards whose bordered list has at most 256 cells.
    """
    cells = list(game.core.names)
    fair = 256 // len(cells) * len(cells)
    table = bytes(cells[byte % len(cells)] for byte in range(256))
    surplus = bytes(range(fair, 256))
    runs = iter(lambda: rng.randbytes(_BYTES).translate(table, surplus), None)
    return chain.from_iterable(runs)

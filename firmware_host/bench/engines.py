"""``tiltboard bench engines``: random playouts per CPU-second, by the engines themselves."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from drivers.clock import cpu_s
from firmware_host.engines.search.playouts import random_choices
from games.registry import game_type
from games.rules import Rules

_BATCH = 500  # playouts between two looks at the clock

MEASURED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "momentum 7x7, 2 players": ("momentum", {"pie": False}),
    "attraktion 10x10": ("attraktion", {}),
    "gravity-connect 9x9": ("gravity-connect", {}),
    "gravity-trap 22 bases": ("gravity-trap", {}),
}
"""Title -> game and options."""


def run(echo: Callable[[str], None], seconds: float = 3.0, *, seed: int = 1) -> None:
    """Print one line a game. ``seconds``: CPU time for each."""
    for title, (name, options) in MEASURED.items():
        rules = game_type(name).create(options).rules
        echo(f"{title}: {measured(rules, seconds, random.Random(seed))}")


def measured(rules: Rules, seconds: float, rng: random.Random) -> str:
    """Random games, uniform over the legal moves, until the rules find a result."""
    playouts = moves = 0
    start, advance = rules.start(), rules.advance
    stream = random_choices(rules.every_move, rng)
    begun_s = cpu_s()
    while (used_s := cpu_s() - begun_s) < seconds:
        for _ in range(_BATCH):
            moves += advance(start, stream).turn
        playouts += _BATCH
    return (
        f"{playouts / used_s:,.0f} random playouts per CPU-second, "
        f"{moves / used_s:,.0f} moves/s ({moves / playouts:.2f} moves a playout)"
    )

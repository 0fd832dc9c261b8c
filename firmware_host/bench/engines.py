"""``tiltboard bench engines``: random playouts per CPU-second, by the engines themselves."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from drivers.clock import cpu_s
from games.attraktion import ATTRAKTION, AttraktionGame
from games.gravity_connect import GRAVITY_CONNECT
from games.gravity_trap import GRAVITY_TRAP
from games.momentum import MOMENTUM, MomentumGame

_BATCH = 500  # playouts between two looks at the clock
_BYTES = 1 << 14


def run(echo: Callable[[str], None], seconds: float = 3.0, *, seed: int = 1) -> None:
    """Print one line a game. ``seconds``: CPU time for each."""
    for measure in (momentum, attraktion, gravity_connect, gravity_trap):
        echo(measure(seconds, random.Random(seed)))


def momentum(seconds: float, rng: random.Random) -> str:
    """Momentum on 7x7 with two players, no pie, no round limit: uniform over the empty cells,
    until the engine's own check finds a result.
    """
    game = MOMENTUM.create({"pie": False})
    drops = random_drops(game, rng)
    start, playout = game.core.start(), game.core.playout
    return _measured("momentum 7x7, 2 players", seconds, lambda: playout(start, drops)[0])


def attraktion(seconds: float, rng: random.Random) -> str:
    """Attraktion on 10x10: uniform over the empty spaces, until the engine finds a result."""
    game = ATTRAKTION.create({})
    drops = random_drops(game, rng)
    start, advance = game.core.start(), game.core.advance
    return _measured("attraktion 10x10", seconds, lambda: advance(start, drops).turn)


def gravity_connect(seconds: float, rng: random.Random) -> str:
    """Gravity Connect on 9x9: uniform over the legal slots, until the engine finds a result."""
    game = GRAVITY_CONNECT.create({})
    slots = random_choices(range(len(game.slots)), rng)
    start, advance = game.core.start(), game.core.advance
    return _measured(
        "gravity-connect 9x9", seconds, lambda: start.left - advance(start, slots).left
    )


def gravity_trap(seconds: float, rng: random.Random) -> str:
    """Gravity Trap on the usual board, set-up and mimic rule included: uniform over the legal
    bases, until the engine finds a result.
    """
    game = GRAVITY_TRAP.create({})
    bases = random_choices(range(len(game.board)), rng)
    start, advance = game.core.start(), game.core.advance
    title = f"gravity-trap {len(game.board)} bases"
    return _measured(title, seconds, lambda: advance(start, bases).turn)


def _measured(title: str, seconds: float, playout: Callable[[], int]) -> str:
    """``playout`` plays a random game and says how many turns it took."""
    playouts = moves = 0
    begun_s = cpu_s()
    while (used_s := cpu_s() - begun_s) < seconds:
        for _ in range(_BATCH):
            moves += playout()
        playouts += _BATCH
    return (
        f"{title}: {playouts / used_s:,.0f} random playouts per CPU-second, "
        f"{moves / used_s:,.0f} moves/s ({moves / playouts:.2f} moves a playout)"
    )


def random_drops(game: MomentumGame | AttraktionGame, rng: random.Random) -> Iterator[int]:
    """An endless stream of cells, each equally likely, as the game's core numbers them.

    For boards whose core numbers its cells up to 255.
    """
    return random_choices(list(game.core.names), rng)


def random_choices(choices: Sequence[int], rng: random.Random) -> Iterator[int]:
    """An endless stream of ``choices``, each equally likely; all from 0 to 255.

    Made from whole runs of random bytes: those that would favour some choices are left out.
    """
    fair = 256 // len(choices) * len(choices)
    table = bytes(choices[byte % len(choices)] for byte in range(256))
    surplus = bytes(range(fair, 256))
    runs = iter(lambda: rng.randbytes(_BYTES).translate(table, surplus), None)
    return chain.from_iterable(runs)

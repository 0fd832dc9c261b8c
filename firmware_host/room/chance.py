"""Chance in a game of seats: dice and cards, the same after a restart as before."""

from __future__ import annotations

import random

from firmware_host.config.errors import NotPossibleError
from firmware_host.table.line import Line
from games.seated import SeatedGame

CHANCE = "chance"


def dealt(line: Line, game: SeatedGame) -> str:
    """Its next move, which follows from the game's secret seed and the number of the move. Raises
    NotPossibleError where it has none.
    """
    legal = [move for move in line.position.legal() if move.startswith(CHANCE)]
    if not legal:
        raise NotPossibleError("Chance decides nothing now.", remedy="Go on playing.")
    seed = ":".join(str(game.options[name]) for name in game.secret_options)
    dice = random.Random(f"{seed}/{len(line.moves)}")
    return game.completed(line.position, dice.choice(legal), dice)

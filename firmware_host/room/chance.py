"""Chance in a game of seats: dice and cards, the same after a restart as before."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import Any

from firmware_host.config.errors import NotPossibleError
from firmware_host.table.line import Line
from games.seated import SeatedGame

CHANCE = "chance"
SEED_BYTES = 16


class Draws:
    """What chance decides at one move: each draw is an HMAC-SHA256, with the game's secret seed (16
    bytes, the highest first) as key, of "MOVE/DRAW", both counted from 0, as a number, modulo how
    many there are to choose from.

    So nothing that was drawn tells what will be, and who is told the seed afterwards can do it all
    again (docs/threat-model.md).
    """

    def __init__(self, seed: int, move: int) -> None:
        self._key = seed.to_bytes(SEED_BYTES, "big")
        self._move = move
        self._drawn = 0

    def choice(self, options: Sequence[Any]) -> Any:
        """One of them, each as likely."""
        message = f"{self._move}/{self._drawn}"
        self._drawn += 1
        digest = hmac.digest(self._key, message.encode(), "sha256")
        return options[int.from_bytes(digest, "big") % len(options)]


def dealt(line: Line, game: SeatedGame) -> str:
    """Its next move, which follows from the game's secret seed and the number of the move. Raises
    NotPossibleError where it has none.
    """
    legal = [move for move in line.position.legal() if move.startswith(CHANCE)]
    if not legal:
        raise NotPossibleError("Chance decides nothing now.", remedy="Go on playing.")
    seed = next((game.options[name] for name in game.secret_options), 0)
    draws = Draws(seed, len(line.moves))
    return game.completed(line.position, draws.choice(legal), draws)

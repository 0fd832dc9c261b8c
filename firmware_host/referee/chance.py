"""What chance decides in a game of seats: it follows from the game's secret seed."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from tiltboard.games.base import Game

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


def with_seed(game: Game) -> Mapping[str, Any]:
    """The options of a new game: with a seed of its own where none was chosen."""
    options = dict(game.options)
    for name in game.secret_options:
        options[name] = options[name] or 1 + secrets.randbelow((1 << 8 * SEED_BYTES) - 1)
    return options

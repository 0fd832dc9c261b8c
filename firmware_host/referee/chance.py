"""Random draws of a game with private seats (cards, dice), all derived from the game's secret
seed.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from tiltboard.games.base import Game

CHANCE = "chance"
SEED_BYTES = 16


class Draws:
    """The random draws of one move. Each draw is the HMAC-SHA256 of the text "MOVE/DRAW" (two
    numbers, counted from 0) modulo the number of options. The key is the game's secret seed (16
    bytes, big-endian).

    Past draws therefore do not reveal later draws. A person who learns the seed afterwards can
    repeat all draws (docs/threat-model.md).
    """

    def __init__(self, seed: int, move: int) -> None:
        self._key = seed.to_bytes(SEED_BYTES, "big")
        self._move = move
        self._drawn = 0

    def choice(self, options: Sequence[Any]) -> Any:
        """Return one of ``options``, each with the same probability."""
        message = f"{self._move}/{self._drawn}"
        self._drawn += 1
        digest = hmac.digest(self._key, message.encode(), "sha256")
        return options[int.from_bytes(digest, "big") % len(options)]


def with_seed(game: Game) -> Mapping[str, Any]:
    """Return the options of a new game. Each secret option that has no value gets a random seed."""
    options = dict(game.options)
    for name in game.secret_options:
        options[name] = options[name] or 1 + secrets.randbelow((1 << 8 * SEED_BYTES) - 1)
    return options

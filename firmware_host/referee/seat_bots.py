"""Bots at the seats of a game, each thinking for a short time per scan, and the hints of bots."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from tiltboard.firmware_host.messages import Message
from tiltboard.games.base import Position
from tiltboard.games.seated import Computer, SeatedGame

# Duration of each decision, in seconds; a constant duration reveals nothing about the hand.
THINK_S = 2.0
ROLL_S = 1.0


class Thinking(NamedTuple):
    """The decision of a bot at one seat: number of the referee's step, start time in seconds, and
    the bot. ``computer`` is None if the seat has no move.
    """

    step: int
    since_s: float
    computer: Computer | None


class Computers:
    """Decides for the seats of bots. In each scan, the bots think for a short time."""

    def __init__(self) -> None:
        self._thinking: dict[str, Thinking] = {}

    def decided(
        self,
        game: SeatedGame,
        position: Position,
        levels: Mapping[str, str],
        step: int,
        now_s: float,
    ) -> tuple[str, Computer] | None:
        """Return a player whose thinking time is over and the bot with their decision, or None if
        no decision is ready.

        ``levels``: player -> bot level, for the seats of bots. ``step``: the referee's step; a new
        step restarts the thinking.
        """
        before, self._thinking = self._thinking, {}
        for player in position.awaiting:
            if player in levels:
                thinking = before.get(player)
                if thinking is None or thinking.step != step:
                    dice = random.Random(f"{player}/{step}/{len(position.legal())}")
                    view = position.view(player)
                    computer = game.computer(view, player, levels[player], dice)
                    thinking = Thinking(step, now_s, computer)
                self._thinking[player] = thinking
        for player, (_, since_s, computer) in self._thinking.items():
            if computer is not None and now_s >= since_s + THINK_S:
                del self._thinking[player]
                return player, computer
        for thinking in self._thinking.values():
            if thinking.computer is not None and thinking.computer.think():
                break
        return None


class Hinted(Struct, frozen=True):
    """A bot's suggestion for a seat, with the reason, which is valid only in the referee's step
    ``step``.
    """

    step: int
    move: str
    why: Message

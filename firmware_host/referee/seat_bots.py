"""Bots that play at seats, thinking for a short time in each scan, and bots that give hints."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from tiltboard.firmware_host.messages import Message
from tiltboard.games.base import Position
from tiltboard.games.seated import Bot, SeatedGame

# Duration of each decision, in seconds. The duration is always the same, so that it reveals nothing
# about the bot's hidden cards.
THINK_S = 2.0
ROLL_S = 1.0


class Thinking(NamedTuple):
    """A bot's decision in progress for one seat. The fields are the number of the referee's step,
    the start time in seconds, and the bot. ``bot`` is None if the seat has no move.
    """

    step: int
    since_s: float
    bot: Bot | None


class Computers:
    """Makes the decisions of bots that play at seats. In each scan, the bots think for a short
    time.
    """

    def __init__(self) -> None:
        self._thinking: dict[str, Thinking] = {}

    def decided(
        self,
        game: SeatedGame,
        position: Position,
        levels: Mapping[str, str],
        step: int,
        now_s: float,
    ) -> tuple[str, Bot] | None:
        """Return a player whose bot has finished thinking, together with that bot, or None if no
        decision is ready.

        ``levels``: player -> level of the bot at that player's seat. ``step``: number of the
        referee's step; a new step restarts the thinking.
        """
        before, self._thinking = self._thinking, {}
        for player in position.awaiting:
            if player in levels:
                thinking = before.get(player)
                if thinking is None or thinking.step != step:
                    dice = random.Random(f"{player}/{step}/{len(position.legal())}")
                    view = position.view(player)
                    bot = game.bot(view, player, levels[player], dice)
                    thinking = Thinking(step, now_s, bot)
                self._thinking[player] = thinking
        for player, (_, since_s, bot) in self._thinking.items():
            if bot is not None and now_s >= since_s + THINK_S:
                del self._thinking[player]
                return player, bot
        for thinking in self._thinking.values():
            if thinking.bot is not None and thinking.bot.think():
                break
        return None


class Hinted(Struct, frozen=True):
    """A move that a bot suggests to a seat, with the reason. The suggestion is valid only in the
    referee's step ``step``.
    """

    step: int
    move: str
    why: Message

"""Bots at the seats of a game, which think a slice at each scan, and their hints."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from tiltboard.firmware_host.messages import Message
from tiltboard.games.base import Position
from tiltboard.games.seated import Computer, SeatedGame

THINK_S = 2.0  # each decision takes just as long, so that its time tells nothing of the hand
ROLL_S = 1.0


class Thinking(NamedTuple):
    """One seat's decision on one position; ``computer`` is None if it can do nothing."""

    step: int
    since_s: float
    computer: Computer | None


class Computers:
    """Decides for computer seats, which think at the same time: a slice of thought in each scan."""

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
        """Return a player whose thinking time is over, with their decision, or None. ``levels``:
        player -> level of the seats of bots. ``step``: the referee's; a new one starts the thinking
        again.
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
    """A bot's choice for a seat, and why; valid while the referee's step is ``step``."""

    step: int
    move: str
    why: Message

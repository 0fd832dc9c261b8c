"""The seats that the computer plays: when each moves, and what it may see."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from games.base import Position
from games.seated import Computer, SeatedGame

THINK_S = 2.0  # each decision takes just as long, so that its time tells nothing of the hand
ROLL_S = 1.0


@dataclass
class Thinking:
    """One seat's decision on one position."""

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
    ) -> tuple[str, str] | None:
        """A player whose time has come, and his move. ``step``: of the room; a new one is thought
        about anew. ``levels``: of the computer's seats.
        """
        awaited = [player for player in position.awaiting if player in levels]
        for player in [each for each in self._thinking if each not in awaited]:
            del self._thinking[player]
        for player in awaited:
            thinking = self._thinking.get(player)
            if thinking is None or thinking.step != step:
                dice = random.Random(f"{player}/{step}/{len(position.legal())}")
                view = position.view(player)
                computer = game.computer(view, player, levels[player], dice)
                self._thinking[player] = Thinking(step, now_s, computer)
        for player, thinking in self._thinking.items():
            if thinking.computer is not None and now_s >= thinking.since_s + THINK_S:
                del self._thinking[player]
                return player, thinking.computer.best
        for thinking in self._thinking.values():
            if thinking.computer is not None and thinking.computer.think():
                break
        return None

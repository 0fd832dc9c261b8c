"""Games whose players sit at seats with hands of their own and say what they do, beside the games
whose board the table reads: cards, dice, and pieces that slide and fall.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import atan2, hypot, pi
from typing import Protocol

from tiltboard.games.base import Game, Position

MIDDLE = 0.3  # of half the plate's width

Words = tuple[str, Mapping[str, object]]
"""A template in English and what fills it: also phrases, and lists of words."""


@dataclass(frozen=True)
class Phrase:
    """A template in English within another one."""

    template: str
    params: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**self.params)


@dataclass(frozen=True)
class Several:
    """Words or phrases one after the other, at least one; ``joint``: what stands between two."""

    words: Sequence[object]
    joint: str = ", "

    def __str__(self) -> str:
        return self.joint.join(map(str, self.words))


@dataclass(frozen=True)
class Witnessed:
    """``move``: what it means; ``zones``: those whose change it explains. ``sure``: nothing else
    can be meant.
    """

    move: str
    zones: Sequence[str]
    sure: bool = True


class Computer(Protocol):
    """A player that thinks in slices. ``best``: its move so far; one that tells what hands do says
    only what it would like them to do.
    """

    best: str

    def think(self) -> bool:
        """A short slice of thought; False when there is nothing more to think of."""

    @property
    def why(self) -> Words:
        """Why ``best`` is to be done, for whoever asks for a hint."""


class SeatedGame(Game):
    """A game with its options fixed, whose pieces lie anywhere in zones. ``board``: zone -> column
    and row on a grid of three by three: in which direction from the middle it lies. ``time_up``:
    the move that the table makes when a count of five has ended, where it is legal.
    """

    seated = True
    time_up: str = ""

    def zone_at(self, east: float, north: float) -> str | None:
        """The zone of a point of the plate, whose rim is at -1 and 1 each way; None: in no zone.

        Here zones are wedges, but for the middle; a game may cut the plate otherwise.
        """
        if hypot(east, north) < MIDDLE:
            return None
        angle = atan2(north, east)

        def turned(zone: str) -> float:
            column, row = self.board[zone]
            apart = abs(atan2(row - 1, column - 1) - angle) % (2 * pi)
            return min(apart, 2 * pi - apart)

        return min(self.board, key=turned)

    @abstractmethod
    def prompt(self, position: Position) -> Words:
        """What is to be done now, for everybody: nothing hidden. Names of players stand in it as
        they are.
        """

    @abstractmethod
    def lit(self, position: Position) -> Sequence[str]:
        """The zones in which something is to be done now."""

    def forced(self, position: Position) -> int:
        """How many things make what is to be done harder, for the colour of the lights."""
        return 0

    @abstractmethod
    def passes(self, move: str) -> bool:
        """Whether a move only says that somebody does nothing."""

    @abstractmethod
    def takes_back(self, move: str) -> bool:
        """Whether a move tells what hands have done with pieces, which may have been misread; it
        may be taken back as long as nothing but passing has followed it.
        """

    def rolls(self, position: Position) -> bool:
        """Whether chance that is awaited is a throw of the player whose turn it is."""
        return True

    @abstractmethod
    def at_once(self, position: Position) -> bool:
        """Whether chance goes on by itself now; else somebody rolls, or has the cards dealt."""

    @abstractmethod
    def witnessed(
        self,
        position: Position,
        change: Mapping[str, int],
        wish: str | None,
        turned: bool | None = None,
    ) -> Witnessed | None:
        """What hands seem to have done, where one move fits. ``change``: zone -> how many more
        places there are occupied than before; ``wish``: what they were to do, where it is known;
        ``turned``: whether the plate was spun meanwhile, where that is known.
        """

    @abstractmethod
    def standing(self, position: Position) -> Mapping[str, int]:
        """Zone -> how many places there are occupied now, for zones with any."""

    @abstractmethod
    def failure(self, position: Position, move: str) -> str | None:
        """The move for what ``move`` was to do, and did not; None where it cannot fail."""

    def spins(self, position: Position) -> bool:
        """Whether the plate is to be spun while the next piece is put on it."""
        return False

    def attempted(self, position: Position, move: str, dice: random.Random) -> str:
        """What hands make of ``move`` in a model of them: that, or how it failed. For tables on
        which nothing falls by itself.
        """
        return move

    @abstractmethod
    def computer(
        self, view: Position, player: str, level: str, dice: random.Random
    ) -> Computer | None:
        """One that plays for ``player``, who is awaited; it sees his ``view`` and no more. None
        where there is nothing that he can do.
        """

    @property
    @abstractmethod
    def glossary(self) -> Mapping[str, tuple[str, str]]:
        """``zone:3``, ``card:limit-it`` and the like -> title and explanation, in English."""

    @property
    @abstractmethod
    def texts(self) -> Sequence[str]:
        """Words and phrases in English that stand in its sentences, glossaries and reasons."""

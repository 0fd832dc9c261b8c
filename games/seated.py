"""Games whose players sit at seats with hands of their own and report their moves: cards, dice, and
pieces that slide and fall. The table does not read their boards.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import atan2, hypot, pi
from typing import Protocol

from tiltboard.games.base import Game, Position

MIDDLE = 0.3  # Radius of the middle, as a share of half the plate's width.

Words = tuple[str, Mapping[str, object]]
"""A template in English and the values that fill it, also phrases and lists of words."""


@dataclass(frozen=True)
class Phrase:
    """A template in English that stands within another one."""

    template: str
    params: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**self.params)


@dataclass(frozen=True)
class Several:
    """A list of words or phrases, at least one."""

    words: Sequence[object]
    joint: str = ", "
    """The text between two."""

    def __str__(self) -> str:
        return self.joint.join(map(str, self.words))


@dataclass(frozen=True)
class Witnessed:
    """A guess from a change of the sensors."""

    move: str
    """The move that it means."""
    zones: Sequence[str]
    """The zones whose change it explains."""
    sure: bool = True
    """True if no other move fits."""


class Computer(Protocol):
    """A bot that thinks in slices."""

    best: str
    """Its best move so far; one made by hand is a proposal to the people at the table."""

    def think(self) -> bool:
        """Think for a short time; return False if there is nothing more to think about."""

    @property
    def why(self) -> Words:
        """The reason for ``best``, for people who ask for a hint."""


class SeatedGame(Game):
    """A game with its options fixed, whose pieces lie anywhere in zones. ``board``: zone -> column
    and row on a grid of three by three, its direction from the middle.
    """

    seated = True
    time_up: str = ""
    """The move that the table makes at the end of a count of five, if it is legal."""

    def zone_at(self, east: float, north: float) -> str | None:
        """Return the zone of a point of the plate, whose rim is at -1 and 1 each way, or None.

        The default zones are wedges around a middle without a zone; a game may override this.
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
        """Return the instruction for everybody now, without secrets. It contains players' names as
        they are in the contract.
        """

    @abstractmethod
    def lit(self, position: Position) -> Sequence[str]:
        """Return the zones in which something is to be done now."""

    def forced(self, position: Position) -> int:
        """Return the number of things that make the move harder, for the colour of the lights."""
        return 0

    @abstractmethod
    def passes(self, move: str) -> bool:
        """Return whether a move only says that a player does nothing."""

    @abstractmethod
    def takes_back(self, move: str) -> bool:
        """Return whether a move tells what hands did with pieces, which may have been misread. It
        can be taken back until something other than a pass follows it.
        """

    def rolls(self, position: Position) -> bool:
        """Return whether the awaited chance is a throw by the player whose turn it is."""
        return True

    @abstractmethod
    def at_once(self, position: Position) -> bool:
        """Return whether the table makes the awaited chance move itself; else a person does."""

    @abstractmethod
    def witnessed(
        self,
        position: Position,
        change: Mapping[str, int],
        wish: str | None,
        turned: bool | None = None,
    ) -> Witnessed | None:
        """Return the move that a change of the sensors fits, or None.

        ``change``: zone -> increase in the number of occupied places; ``wish``: the intended move,
        if known; ``turned``: whether the plate was spun since then, if known.
        """

    @abstractmethod
    def standing(self, position: Position) -> Mapping[str, int]:
        """Return the number of occupied places in each zone that has any."""

    @abstractmethod
    def failure(self, position: Position, move: str) -> str | None:
        """Return the move for a failure of ``move``, or None if it cannot fail."""

    def spins(self, position: Position) -> bool:
        """Return whether the plate must spin while the next piece is put on it."""
        return False

    def attempted(self, position: Position, move: str, dice: random.Random) -> str:
        """Return ``move``, or its failure, from a model of hands. For tables on which nothing
        falls.
        """
        return move

    @abstractmethod
    def computer(
        self, view: Position, player: str, level: str, dice: random.Random
    ) -> Computer | None:
        """Return a bot that plays for the awaited ``player`` and sees only ``view``, or None if the
        player has no move.
        """

    @property
    @abstractmethod
    def glossary(self) -> Mapping[str, tuple[str, str]]:
        """``zone:3``, ``card:limit-it`` and the like -> title and explanation, in English."""

    @property
    @abstractmethod
    def texts(self) -> Sequence[str]:
        """English words and phrases that its sentences, glossaries and reasons use."""

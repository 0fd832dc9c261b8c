"""Games in which each player has a private view (a seat) and players report their own moves.

Such games use cards, dice, and pieces that slide and fall. The sensors alone cannot detect
everything that belongs to the position.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import atan2, hypot, pi
from typing import Protocol

from tiltboard.games.base import Game, Position

# Radius of the middle area, which belongs to no zone, relative to half the width of the plate.
MIDDLE = 0.3

Words = tuple[str, Mapping[str, object]]
"""A message template in English, and its parameters: texts, numbers, phrases or lists of words."""


@dataclass(frozen=True)
class Phrase:
    """A message template in English, with its parameters, that is a part of another sentence."""

    template: str
    params: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**self.params)


@dataclass(frozen=True)
class Several:
    """A list of one or more words or phrases."""

    words: Sequence[object]
    joint: str = ", "
    """The separator between two words."""

    def __str__(self) -> str:
        return self.joint.join(map(str, self.words))


@dataclass(frozen=True)
class Witnessed:
    """A move guessed from a change in the sensor readings."""

    move: str
    """The move that probably caused the change in the sensor readings."""
    zones: Sequence[str]
    """The zones whose changes the move explains."""
    sure: bool = True
    """True if no other move explains the change."""


class Bot(Protocol):
    """A bot that computes its move in short slices of time."""

    best: str
    """The best move found so far. If the move moves a piece, it is a request to the people at the
    table.
    """

    def think(self) -> bool:
        """Compute for a short time. Return False if the computation is complete."""

    @property
    def why(self) -> Words:
        """The reason for ``best``, for players who ask for a hint."""


class SeatedGame(Game):
    """A game with fixed options in which each player has a private view (a seat). Pieces lie
    anywhere in zones of the plate.

    ``board`` maps each zone to (column, row) on a 3 x 3 grid. The grid gives the direction of the
    zone from the middle of the plate.
    """

    seated = True
    time_up: str = ""
    """The move that the host makes at the end of a countdown, if the move is legal."""

    def zone_at(self, east: float, north: float) -> str | None:
        """Return the zone that contains a point of the plate, or None if the point is in no zone.
        ``east`` and ``north`` are the coordinates of the point, from -1 to 1, with 0 in the middle
        of the plate.

        By default, the zones are sectors around a middle area that belongs to no zone. A game can
        override this method.
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
        """Return the current instruction for all players, without secrets, as a template and its
        parameters. Players are named as in ``players``.
        """

    @abstractmethod
    def lit(self, position: Position) -> Sequence[str]:
        """Return the zones in which a player must act now."""

    def forced(self, position: Position) -> int:
        """Return how many conditions make the move harder. The host chooses the colour of the
        lights by this number.
        """
        return 0

    @abstractmethod
    def passes(self, move: str) -> bool:
        """Return whether ``move`` only states that a player does nothing."""

    @abstractmethod
    def takes_back(self, move: str) -> bool:
        """Return whether a move reports what people did with pieces. Such a report can be wrong, so
        the players can undo the move until a move other than a pass follows.
        """

    def rolls(self, position: Position) -> bool:
        """Return whether the next random result is a dice roll by the player whose turn it is."""
        return True

    @abstractmethod
    def at_once(self, position: Position) -> bool:
        """Return whether the host makes the next chance move automatically. If not, a player makes
        the move.
        """

    @abstractmethod
    def witnessed(
        self,
        position: Position,
        change: Mapping[str, int],
        wish: str | None,
        turned: bool | None = None,
    ) -> Witnessed | None:
        """Return the move that explains a change in the sensor readings, or None.

        ``change`` maps each zone to the change in its number of occupied places. ``wish`` is the
        move that the player intends, if known. ``turned`` is whether the plate was spun since the
        last move, or None if unknown.
        """

    @abstractmethod
    def standing(self, position: Position) -> Mapping[str, int]:
        """Return the number of occupied places in each zone that has occupied places."""

    @abstractmethod
    def failure(self, position: Position, move: str) -> str | None:
        """Return the move that reports the failure of ``move``, or None if ``move`` cannot fail."""

    def spins(self, position: Position) -> bool:
        """Return whether the plate must spin while the next piece is placed."""
        return False

    def attempted(self, position: Position, move: str, dice: random.Random) -> str:
        """Return ``move`` or, at random, the move that reports the failure of ``move``. Used for
        tables on which no real piece can fall.
        """
        return move

    @abstractmethod
    def bot(self, view: Position, player: str, level: str, dice: random.Random) -> Bot | None:
        """Return a bot that plays for ``player`` and sees only ``view``, or None if the player has
        no move.
        """

    @property
    @abstractmethod
    def glossary(self) -> Mapping[str, tuple[str, str]]:
        """Title and explanation, in English, of each zone, card or other item. The keys have a form
        such as ``zone:3`` or ``card:limit-it``.
        """

    @property
    @abstractmethod
    def texts(self) -> Sequence[str]:
        """All English words and phrases in the game's sentences, glossary and reasons, for
        translation.
        """

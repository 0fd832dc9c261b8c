"""The class ``Rules``: the rules of one game, in which a move is a whole number. Only this class
makes moves.

Searches, playouts and the host all use ``Rules``. Everything that people see of a game (names of
cells, consequences, explanations) is added in ``tiltboard.games.base.Game``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol


class Dice(Protocol):
    """The methods of ``random.Random`` that games need."""

    def choice(self, options: Sequence[Any], /) -> Any:
        """Return one of ``options`` at random."""


CHANCE = -1
"""The number of a player that represents chance. Dice, a shuffle or the sensors decide the result,
and the caller passes the result to the rules as a move.
"""


class Rules(ABC):
    """The complete rules of one game with fixed options: a move is legal if and only if ``moves``
    or ``allows`` accepts it.

    A state is an immutable value that compares by its contents. ``apply`` returns a new state, so
    undo only needs the old state. Every state has an attribute ``turn``, the number of moves made.
    Players are numbered from 0, in turn order. Arguments are not checked: moves must be legal, and
    states must belong to this game.
    """

    players: int
    every_move: Sequence[int] = ()
    """Every number that a move of this game can have. Empty if the numbers cannot be listed."""
    names: Mapping[int, str] = MappingProxyType({})
    """The text of each move, as a person writes the move. The mapping is empty if the number itself
    encodes the text, or if the game overrides ``name`` and ``number``.
    """

    @abstractmethod
    def start(self) -> Any:
        """Return the state before the first move."""

    @abstractmethod
    def moves(self, state: Any) -> Sequence[int]:
        """Return the legal moves of all players who can act now, without duplicates. Empty after
        the end of the game.
        """

    @abstractmethod
    def apply(self, state: Any, move: int) -> Any:
        """Return the state after a legal ``move``."""

    @abstractmethod
    def result(self, state: Any) -> tuple[int, ...] | None:
        """Return the numbers of the players who have won, empty for a draw, or None before the end
        of the game.
        """

    @abstractmethod
    def key(self, state: Any) -> int:
        """Return a positive number that is equal for two states if and only if the same moves and
        results can follow both states.
        """

    def name(self, move: int) -> str:
        """Return the text of a move, from ``names`` or decoded from the bytes of the number."""
        if self.names:
            return self.names[move]
        return move.to_bytes((move.bit_length() + 7) // 8, "big").decode()

    def number(self, name: str) -> int | None:
        """Return the number of the move with this text. Return None if no move of this game can
        have the text.
        """
        if self.names:
            return self._numbers.get(name)
        # A number has no leading zero bytes, so a text with a leading zero byte has no number.
        if name.startswith("\0"):
            return None
        try:
            return int.from_bytes(name.encode(), "big")
        except UnicodeEncodeError:
            return None

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: move for move, name in self.names.items()}

    def allows(self, state: Any, move: int) -> bool:
        """Return whether a move is legal. Games that cannot list all legal moves override this
        method.
        """
        return move in self.moves(state)

    def mover(self, state: Any) -> int:
        """Return the player to move, or ``CHANCE``. After the end of the game, return the player
        whose turn it was.
        """
        return int(state.turn % self.players)

    def awaiting(self, state: Any) -> tuple[int, ...]:
        """Return the players who can move now, or only ``CHANCE``. Empty after the end of
        the game.
        """
        return () if self.result(state) is not None else (self.mover(state),)

    def view(self, state: Any, player: int) -> Any:
        """Return the part of a state that ``player`` can see. If ``player`` is ``CHANCE``, return
        the part that all spectators can see. Two states that the player cannot distinguish have
        equal views. Games without hidden information return the whole state.
        """
        return state

    def advance(self, state: Any, moves: Iterable[int]) -> Any:
        """Return the state after playing ``moves`` until there are no more moves or the game ends.

        Illegal moves are skipped. With an endless stream of random moves, this method plays a
        random playout in which all legal moves are equally likely. A game can override both this
        method and ``apply`` if one loop over many moves is faster.
        """
        for move in moves:
            if self.result(state) is not None:
                break
            if self.allows(state, move):
                state = self.apply(state, move)
        return state


# Functions for square boards, and for sets of cells that are stored as integers.

Point = tuple[int, int]


def cell_name(column: int, row: int) -> str:
    """Return the name of a cell: a letter for the column (at most 26) and a number for the row. The
    cell ``a1`` is in the south-west corner.
    """
    return f"{chr(ord('a') + column)}{row + 1}"


def bits(cells: int) -> Iterator[int]:
    """Yield the position of each set bit in ``cells``, lowest bit first."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest

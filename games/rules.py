"""``Rules``: one game's rules on states and whole numbers, and the only code that makes moves.

A search, a playout and the table all play with it. Everything that a person sees of a game (cells
by name, consequences, refusals in words) lies on top of it, in ``tiltboard.games.base.Game``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol


class Dice(Protocol):
    """The part of ``random.Random`` that games need."""

    def choice(self, options: Sequence[Any], /) -> Any:
        """Return one of ``options`` at random."""


CHANCE = -1
"""The mover if dice, a shuffle or the sensors decide; the outcome is passed in as a move."""


class Rules(ABC):
    """The rules of one game with its options fixed: **all** of them, so that whatever is in
    ``moves`` may be played and nothing else.

    A state is an immutable value that compares by its contents; ``apply`` returns a new one, so an
    undo is the old state kept. It has an attribute ``turn``, the number of moves made. Players are
    numbers from 0, in turn order. Nothing here checks what it is given: moves must be in ``moves``,
    and states must be of this game.
    """

    players: int
    every_move: Sequence[int] = ()
    """All numbers that a move can have; empty if they cannot be listed."""
    names: Mapping[int, str] = MappingProxyType({})
    """Move -> text as a person writes it. If empty, moves are texts, or a game overrides ``name``
    and ``number``."""

    @abstractmethod
    def start(self) -> Any:
        """Return the state before the first move."""

    @abstractmethod
    def moves(self, state: Any) -> Sequence[int]:
        """Return the legal moves of all awaited players, each once; empty once the game is over."""

    @abstractmethod
    def apply(self, state: Any, move: int) -> Any:
        """Return the state after a legal ``move``."""

    @abstractmethod
    def result(self, state: Any) -> tuple[int, ...] | None:
        """Return the players who have won, empty for a draw, or None while the game goes on."""

    @abstractmethod
    def key(self, state: Any) -> int:
        """Return a positive number, equal for two states if and only if the same can follow."""

    def name(self, move: int) -> str:
        """Return the move's text: from ``names``, or as the number's bytes encode it."""
        if self.names:
            return self.names[move]
        return move.to_bytes((move.bit_length() + 7) // 8, "big").decode()

    def number(self, name: str) -> int | None:
        """Return the move with that name, or None if no move of this game can have it."""
        if self.names:
            return self._numbers.get(name)
        if name.startswith("\0"):  # numbers have no leading zeros
            return None
        try:
            return int.from_bytes(name.encode(), "big")
        except UnicodeEncodeError:
            return None

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: move for move, name in self.names.items()}

    def allows(self, state: Any, move: int) -> bool:
        """Return whether a move is legal. Games that cannot list all legal moves override this."""
        return move in self.moves(state)

    def mover(self, state: Any) -> int:
        """Return the player to move, or ``CHANCE``; after the end, the player whose turn it was."""
        return int(state.turn % self.players)

    def awaiting(self, state: Any) -> tuple[int, ...]:
        """Return the players who may move now, or ``CHANCE`` alone; empty once the game is over."""
        return () if self.result(state) is not None else (self.mover(state),)

    def view(self, state: Any, player: int) -> Any:
        """Return what ``player`` knows of a state; ``CHANCE``: what everybody knows. Two states
        that the player cannot tell apart have equal views. Games without secrets show all.
        """
        return state

    def advance(self, state: Any, moves: Iterable[int]) -> Any:
        """Play ``moves`` until they run out or the game ends.

        Those that are not legal are passed over: an endless stream of random moves is a random
        playout, uniform over the legal ones. Games override it, and ``apply`` with it, where one
        loop over many moves is faster.
        """
        for move in moves:
            if self.result(state) is not None:
                break
            if self.allows(state, move):
                state = self.apply(state, move)
        return state


# Square boards, and sets of cells as integers

Point = tuple[int, int]


def cell_name(column: int, row: int) -> str:
    """Return a cell's name: letter = column (at most 26), number = row; ``a1`` is south-west."""
    return f"{chr(ord('a') + column)}{row + 1}"


def bits(cells: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, lowest first."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest

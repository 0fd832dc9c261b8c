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
    """As much of ``random.Random`` as is needed."""

    def choice(self, options: Sequence[Any], /) -> Any:
        """One of them."""


CHANCE = -1
"""Who moves where dice, a shuffle or a witness decides; the outcome is handed in as a move."""


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
    """All the numbers that a move can have, where they can be listed; else empty."""
    names: Mapping[int, str] = MappingProxyType({})
    """Move -> as a person writes it. Where it is empty, moves are texts, or a game has its own
    ``name`` and ``number``."""

    @abstractmethod
    def start(self) -> Any:
        """The state before the first move."""

    @abstractmethod
    def moves(self, state: Any) -> Sequence[int]:
        """The legal moves, of all who are awaited, each once; none once the game is over."""

    @abstractmethod
    def apply(self, state: Any, move: int) -> Any:
        """The state after a legal ``move``."""

    @abstractmethod
    def result(self, state: Any) -> tuple[int, ...] | None:
        """The players who have won, none of them for a draw; None while the game goes on."""

    @abstractmethod
    def key(self, state: Any) -> int:
        """A positive number that two states share exactly where the same can follow from both."""

    def name(self, move: int) -> str:
        """The move as a person writes it: of ``names``, or the text that the number's bytes are."""
        if self.names:
            return self.names[move]
        return move.to_bytes((move.bit_length() + 7) // 8, "big").decode()

    def number(self, name: str) -> int | None:
        """The move with that name; None where no move of this game can have it."""
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
        """Whether a move may be played; for games that cannot list all that may."""
        return move in self.moves(state)

    def mover(self, state: Any) -> int:
        """Whose turn it is, or was as the game ended; may be ``CHANCE``."""
        return int(state.turn % self.players)

    def awaiting(self, state: Any) -> tuple[int, ...]:
        """Who may move now: players, or ``CHANCE`` alone; nobody once the game is over."""
        return () if self.result(state) is not None else (self.mover(state),)

    def view(self, state: Any, player: int) -> Any:
        """What ``player`` knows of a state, as a value that equals that of every state which he
        cannot tell from it; ``CHANCE``: what everybody knows. Games without secrets show all.
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
    """``a1`` is the south-west corner: letter = column (at most 26), number = row."""
    return f"{chr(ord('a') + column)}{row + 1}"


def bits(cells: int) -> Iterator[int]:
    """The numbers of the bits that are set, lowest first."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest

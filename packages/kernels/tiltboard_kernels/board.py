"""The rules and evaluation of one game in the form that kernels (compiled functions) use:
precomputed tables, and a state that is an array of integers.

The module with a game's kernels has a function ``tables(game)``. This function returns a named
tuple whose first field is ``facts``, or None if the board is too large. The module also defines the
functions below, under the same names. Kernels that call these functions are compiled for each game.

The functions ``free``, ``play``, ``playout`` and ``encoded`` are required. All other functions and
constants are optional. The constants ``DECISIVE``, ``EXPLORATION`` and ``STEADY`` set the fields of
``KernelBoard``. The constant ``TO_WARM`` lists the options of games that together use all compiled
code. A function ``exact_search(game)`` can return a ``tiltboard.games.search.Solver``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from numba.extending import overload

from tiltboard.games.base import Game
from tiltboard_kernels import kernels_of
from tiltboard_kernels.jit import (
    MOVES,
    OPEN,
    OPTIONS,
    PLAYERS,
    RESULT,
    SURE,
    TURN,
    Ints,
    copied,
    kernel,
)


@dataclass(frozen=True, slots=True)
class KernelBoard:
    """A game and its precomputed tables. Moves are indices into ``rules.every_move``."""

    game: Game
    tables: Any
    """The tables of the game, which are the first argument of every kernel."""
    evaluated: bool = False
    """True if the game has two players and an evaluation function."""
    decisive: bool = False
    """True if playouts (random games) can always play a move that wins immediately."""
    exploration: float = 0.7
    """The exploration constant of the best search for this game."""
    steady: bool = False
    """True if the search visits a chosen move several times before it compares the moves again."""

    def encoded(self, state: Any) -> Ints:
        """Return a state of ``game.rules`` as an array of integers."""
        found: Ints = _module(self.tables).encoded(self.game, self.tables, state)
        return found


def board_of(game: Game) -> KernelBoard | None:
    """Return the tables and settings that the kernels need for ``game``. Return None if the game
    has no kernels or its board is too large for them.
    """
    made = kernels_of(game.name)
    tables = None if made is None else made.tables(game)
    if tables is None:
        return None
    told = vars(_module(tables))
    return KernelBoard(
        game,
        tables,
        evaluated="value" in told and game.rules.players == 2,
        decisive=told.get("DECISIVE", False),
        exploration=told.get("EXPLORATION", 0.7),
        steady=told.get("STEADY", False),
    )


def _module(tables: Any) -> ModuleType:
    return sys.modules[type(tables).__module__]


def free(g: Any, s: Ints, move: int) -> bool:
    """Return whether a move is legal, without the rule that forces a player to block. The game must
    not be over.
    """
    return bool(_module(g).free(g, s, move))


def play(g: Any, s: Ints, move: int) -> None:
    """Make a legal move in the state ``s``."""
    _module(g).play(g, s, move)


def playout(g: Any, s: Ints, seed: Ints, decisive: bool) -> None:
    """Play random moves to the end of the game. ``seed`` is the state of the random numbers.

    ``decisive``: True to play a move that wins immediately, if the game's kernels find such a move.
    """
    _module(g).playout(g, s, seed, decisive)


def value(g: Any, s: Ints) -> int:
    """Return the evaluation of a state of a two-player game: the log-odds, times 100, that the
    player to move wins.
    """
    return int(_module(g).value(g, s))


@kernel
def _all_free(g: Any, s: Ints, moves: Ints, _: Ints) -> int:
    count = 0
    for move in range(g.facts[MOVES]):
        if free(g, s, move):
            moves[count] = move
            count += 1
    return count


@kernel
def _nothing(_: Any, __: Ints) -> int:
    return 0


def legal(g: Any, s: Ints, moves: Ints, spare: Ints) -> int:
    """Write the legal moves into ``moves``, and return the number of legal moves. The game must not
    be over.

    ``spare``: scratch space that is large enough for two states.
    """
    return int(getattr(_module(g), "legal", _all_free)(g, s, moves, spare))


@kernel
def _judge_all(g: Any, s: Ints, moves: Ints, spare: Ints) -> int:
    count = legal(g, s, moves[0], spare)
    mover = s[TURN] % g.facts[PLAYERS]
    after = spare[0]
    for at in range(count):
        copied(after, s)
        play(g, after, moves[0, at])
        if after[RESULT] == OPEN:
            worth = min(max(-value(g, after), 1 - SURE), SURE - 1)
        elif after[RESULT] == 0:
            worth = 0
        else:
            worth = SURE if after[RESULT] >> mover & 1 else -SURE
        moves[1, at] = worth
    return count


def judged(g: Any, s: Ints, moves: Ints, spare: Ints) -> int:
    """Write the legal moves into the first row of ``moves`` and the value of each move into the
    second row. Return the number of legal moves.

    A value is ``SURE`` if the move wins. The value is ``-SURE`` if the kernels find that the
    opponent can win with the next move. Otherwise, the value is the evaluation for the player to
    move. ``spare``: scratch space that is large enough for two states.
    """
    return int(getattr(_module(g), "judged", _judge_all)(g, s, moves, spare))


@kernel
def _unseen(_: Any, __: Ints, ___: Ints, ____: int) -> int:
    return 0


def forced(g: Any, s: Ints, rows: Ints, most: int) -> int:
    """Return the number of plies in which the player to move can force a win, or 0 if no forced win
    is found.

    A forced win is a series of threats that the opponent must answer. The game must not be over.
    ``rows``: scratch space, in which each row is as long as a state. ``most``: the maximum number
    of positions to visit.
    """
    return int(getattr(_module(g), "forced", _unseen)(g, s, rows, most))


def _compile_for_each_game(stub: Any, otherwise: Any = None) -> None:
    """Make each kernel that calls ``stub`` call the function of the same name in the game's module
    instead.

    ``otherwise``: the function to call if the game's module has no such function.
    """

    def chosen(g: Any, *_: Any) -> Any:
        there = sys.modules[g.instance_class.__module__]
        made = getattr(there, stub.__name__, otherwise)

        def called(g: Any, *others: Any) -> Any:
            return made(g, *others)

        return called

    overload(stub, jit_options=OPTIONS, strict=False)(chosen)


for _stub in (free, play, playout):
    _compile_for_each_game(_stub)
_compile_for_each_game(value, _nothing)
_compile_for_each_game(legal, _all_free)
_compile_for_each_game(judged, _judge_all)
_compile_for_each_game(forced, _unseen)

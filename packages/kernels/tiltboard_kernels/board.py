"""One game's rules and evaluation as kernels see them: tables, and a state that is a row.

The module of a game's kernels has ``tables(game)``, a named tuple that begins with ``facts`` (or
None where its board is too large), and beside that class the functions for kernels of which those
here are the outlines, under the same names: whoever calls them is compiled for each game. Besides
``free``, ``play``, ``playout`` and ``encoded`` each may be left out; so may ``DECISIVE``,
``EXPLORATION`` and ``STEADY`` (as in ``Board``), ``TO_WARM`` (options of games that between them
use all that is to be compiled) and ``exact_search(game)`` (a ``tiltboard.games.search.Solver``).
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
class Board:
    """``tables``: what every kernel is handed first. Moves are places in ``rules.every_move``.
    ``evaluated``: whether ``value`` tells anything. ``decisive``: whether playouts can be told not
    to miss what wins at once. ``exploration``: of its best search. ``steady``: whether that goes on
    with a move that it has chosen for some visits.
    """

    game: Game
    tables: Any
    evaluated: bool = False
    decisive: bool = False
    exploration: float = 0.7
    steady: bool = False

    def encoded(self, state: Any) -> Ints:
        """A state of ``game.rules`` as a row."""
        found: Ints = _module(self.tables).encoded(self.game, self.tables, state)
        return found


def board_of(game: Game) -> Board | None:
    """None where no kernel plays ``game``: it has none, or its board is too large."""
    made = kernels_of(game.name)
    tables = None if made is None else made.tables(game)
    if tables is None:
        return None
    told = vars(_module(tables))
    return Board(
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
    """Whether a move is legal but for a forced block; the game is not over."""
    return bool(_module(g).free(g, s, move))


def play(g: Any, s: Ints, move: int) -> None:
    """Make a legal move."""
    _module(g).play(g, s, move)


def playout(g: Any, s: Ints, seed: Ints, decisive: bool) -> None:
    """Random moves to the end. ``decisive``: what wins at once is not missed, as far as the game
    sees that.
    """
    _module(g).playout(g, s, seed, decisive)


def value(g: Any, s: Ints) -> int:
    """The evaluation, for the player to move of two."""
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
    """Put the legal moves of a game that is not over into ``moves``; how many. ``spare``: two rows
    for states.
    """
    return int(getattr(_module(g), "legal", _all_free)(g, s, moves, spare))


@kernel
def _all_judged(g: Any, s: Ints, moves: Ints, spare: Ints) -> int:
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
    """The same, and in a second row what each is worth to the mover by the evaluation, ``SURE``
    where it wins, ``-SURE`` where the other wins at once after it, as far as the game sees that.
    """
    return int(getattr(_module(g), "judged", _all_judged)(g, s, moves, spare))


@kernel
def _unseen(_: Any, __: Ints, ___: Ints, ____: int) -> int:
    return 0


def forced(g: Any, s: Ints, rows: Ints, most: int) -> int:
    """In how many plies the mover wins a game that is not over by moves each of which the other
    must answer; 0: not seen, as far as the game looks, at ``most`` positions. ``rows``: scratch,
    each as long as a state.
    """
    return int(getattr(_module(g), "forced", _unseen)(g, s, rows, most))


def _compile_for_each_game(stub: Any, otherwise: Any = None) -> None:
    """Kernels that call ``stub`` call what stands under its name beside the class of the tables."""

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
_compile_for_each_game(judged, _all_judged)
_compile_for_each_game(forced, _unseen)

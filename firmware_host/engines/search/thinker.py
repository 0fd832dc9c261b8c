"""A bot. It uses a search that works for the game, and plays a move that suits the bot's level."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec

from tiltboard.firmware_host.engines.errors import CannotPlayError
from tiltboard.firmware_host.engines.search.alphabeta import AlphaBeta, Attention
from tiltboard.firmware_host.engines.search.compiled import Search, compiled_search, is_warm
from tiltboard.firmware_host.engines.search.limits import (
    STRONGEST,
    SURE,
    WIN,
    Found,
    Level,
    Limits,
    SearchStoppedError,
    ThinkingBudget,
    levels_of,
)
from tiltboard.firmware_host.engines.search.tree import TreeSearch
from tiltboard.games.base import Game
from tiltboard.games.registry import file_of
from tiltboard.games.rules import CHANCE
from tiltboard.games.search import Solver

# Depth, in plies, of a first search. The result of this search is used if the exact search does not
# finish before the time limit.
_SKETCH_DEPTH = 4


class Thinker:
    """A bot for one game, which keeps its search results between moves.

    ``now`` returns monotonic seconds. Raises CannotPlayError for a game with secrets or chance.
    """

    def __init__(
        self,
        game: Game,
        rng: random.Random,
        now: Callable[[], float],
        *,
        kernels: bool | None = None,
    ) -> None:
        """Prepare the searches.

        ``kernels`` is True to use compiled searches, False to avoid them, and None to use them if
        they are already compiled.
        """
        rules = game.rules
        if not rules.every_move or CHANCE in rules.awaiting(rules.start()):
            raise CannotPlayError(
                "The engine cannot play {game}: its moves cannot all be listed.", game=game.name
            )
        self.game = game
        self._rules = rules
        self._rng = rng
        self._now = now
        self._evaluate = game.evaluation(game.weights)
        self._levels = levels_of(game)
        self._table: dict[int, tuple[int, int, int, int]] = {}
        self._solver = game.exact_search()
        self._playouts = game.playout_rules
        self._book = opening_moves(game)
        self._fast: Search | None = None
        self._fast_solver: Solver | None = None
        # Compiled searches use a separate random generator. So ``rng`` gives the same numbers
        # whether or not compiled searches are used.
        own = random.Random(rng.getrandbits(62))
        compiled = compiled_search() if kernels or (kernels is None and is_warm()) else None
        if compiled is not None:
            self._fast = compiled.tree(game, own)
            self._fast_solver = compiled.solver(game)

    def level(self, number: int) -> Level:
        """Return the settings of level ``number`` (from 1) of this game."""
        return self._levels[number - 1]

    @property
    def sees_depth(self) -> bool:
        """True if the search has a depth that can be limited. A search by playouts has no such
        depth.
        """
        return self._evaluate is not None

    def think(
        self,
        state: Any,
        number: int,
        limits: Limits,
        *,
        book: bool = False,
        stopped: Callable[[], bool] = lambda: False,
        report: Callable[[Found], None] = lambda _: None,
    ) -> Found:
        """Return the search result of level ``number`` in ``state``; the first move is the one to
        play.

        The game must not be over in ``state``. ``book`` allows moves of the game's opening book
        without a search.
        """
        level = self.level(number)
        if book and not (level.slips or level.own or level.answers):
            known = self._book.get(self._rules.key(state))
            if known:
                move = self._rng.choice(known)
                return Found(((move, 0),), (move,), 0, 0, 0.0)
        if self._fast is not None and limits.depth is None and number == STRONGEST:
            return self._fast.search(
                state, ThinkingBudget(limits, self._now, stopped), report=report
            )
        limits = Limits(
            _least(limits.depth, level.depth), _least(limits.nodes, level.nodes), limits.time_s
        )
        solver = self._solver
        # Weaker levels search a fixed number of positions and must play the same moves on every
        # machine, so they use plain Python.
        if number == STRONGEST:
            solver = self._fast_solver or solver
        exact = solver is not None and level.depth is None and state.turn > 0
        if solver is not None and (exact or not state.turn):
            limits = replace(limits, depth=_SKETCH_DEPTH)
        budget = ThinkingBudget(limits, self._now, stopped)
        attention = None
        if level.own or level.answers:
            attention = Attention(level.own, level.answers, self._rng)
        if self._evaluate is None and limits.depth is None:
            tree = TreeSearch(
                self._rules,
                budget,
                self._rng,
                attention=attention,
                playouts=self._playouts,
                report=report,
            )
            return tree.search(state)
        search = AlphaBeta(
            self._rules,
            # Without an evaluation function, a weak bot recognises only won and lost positions.
            self._evaluate or (lambda _: 0),
            budget,
            attention=attention,
            table=self._table if attention is None else None,
            report=report,
        )
        if level.slips and self._rng.random() < level.slips:
            found = search.search(state, 2 * WIN)
            return replace(found, ranked=found.ranked[::-1], line=(found.ranked[-1][0],))
        found = self._chosen(search.search(state, level.margin))
        if exact and solver is not None and abs(found.value) < SURE:
            moves = self._rules.moves(state)
            moves = moves if attention is None else attention.noticed_moves(moves, 0)
            rest_s = None
            if limits.time_s is not None:
                rest_s = max(limits.time_s - budget.used_s, 0.0)
            left = ThinkingBudget(Limits(nodes=level.nodes, time_s=rest_s), self._now, stopped)
            found = self._proven_result(solver, state, found, moves, left)
            report(found)
        return found

    def _chosen(self, found: Found) -> Found:
        """Return the result with one of the equally good moves, chosen at random, in first
        place.
        """
        if found.value >= SURE:
            return found
        move, value = self._rng.choice(found.ranked)
        if move == found.move:
            return found
        return replace(found, ranked=((move, value), *found.ranked), line=(move,))

    def _proven_result(
        self,
        solver: Solver,
        state: Any,
        sketch: Found,
        moves: Sequence[int],
        budget: ThinkingBudget,
    ) -> Found:
        """Return a result with the proven value of the best of ``moves``, or ``sketch`` if the
        budget is too small.
        """
        first = [move for move, _ in sketch.ranked]
        others = [move for move in moves if move not in first]
        try:
            move = solver.winning(state, first + others, budget)
        except SearchStoppedError:
            return sketch
        plies = len(self._rules.every_move) - state.turn
        value = plies - WIN if move is None else WIN - plies
        chosen = sketch.move if move is None else move
        nodes = sketch.nodes + budget.nodes
        return Found(((chosen, value),), (chosen,), plies, nodes, sketch.time_s + budget.used_s)


def _least(one: int | None, other: int | None) -> int | None:
    given = [each for each in (one, other) if each is not None]
    return min(given) if given else None


class OpeningBook(msgspec.Struct, frozen=True):
    """The opening book of a game for one set of options, read from one line of ``book.jsonl`` in
    the game's package.

    ``lines`` are sequences of moves from the start, separated by spaces, that lead to even
    positions. The command ``tiltboard study book`` computes these sequences. The strongest levels
    choose among these moves at random without a search. So games differ, and a slow Pi does not
    need to search.
    """

    options: dict[str, object]
    lines: list[str]


@cache
def books(game: str) -> tuple[OpeningBook, ...]:
    """Return all opening books of a game. The result can be empty."""
    decoder = msgspec.json.Decoder(OpeningBook)
    return tuple(decoder.decode(line) for line in file_of(game, "book.jsonl").splitlines())


def opening_moves(game: Game) -> Mapping[int, Sequence[int]]:
    """Return the moves of the opening book in each position. The mapping's keys are the position
    keys that ``Rules.key`` returns.
    """
    rules, found = game.rules, dict[int, list[int]]()
    options = {name: value for name, value in game.options.items() if value is not None}
    for book in books(game.name):
        if book.options != options:
            continue
        for line in book.lines:
            state = rules.start()
            for name in line.split():
                move = rules.number(name)
                if move is None or move not in rules.moves(state):
                    break
                known = found.setdefault(rules.key(state), [])
                if move not in known:
                    known.append(move)
                state = rules.apply(state, move)
    return found

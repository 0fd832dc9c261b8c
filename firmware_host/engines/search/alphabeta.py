"""Alpha-beta search with iterative deepening, for two-player games that have an evaluation
function.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from tiltboard.firmware_host.engines.search.limits import (
    SURE,
    WIN,
    Found,
    SearchStoppedError,
    ThinkingBudget,
)
from tiltboard.games.rules import Rules
from tiltboard.games.search import Evaluate

# Maximum number of entries in the transposition table. Each entry takes about 250 bytes.
MAX_ENTRIES = 60_000
DEEPEST = 64
_EXACT, _LOWER, _UPPER = 0, 1, 2


class Attention:
    """A model of the moves that a weak player overlooks: some of the player's own moves, and above
    all the opponent's answers.

    The model decides at random once whether a move is overlooked. The decision stays the same for
    the whole turn at any depth. A player who overlooks an answer fails to block it, makes it
    possible, or captures a guarded piece, as people do. The player never makes a move that looks
    bad to the player.

    ``own`` is the fraction, from 0 to 1, of the player's own moves that are overlooked. ``answers``
    is the fraction of the opponent's answers that are overlooked. Moves more than two plies ahead
    are never overlooked.
    """

    def __init__(self, own: float, answers: float, rng: random.Random) -> None:
        self._shares = own, answers
        self._rng = rng
        self._overlooked: dict[tuple[int, int, int], bool] = {}

    def noticed_moves(self, moves: Sequence[int], ply: int, after: int = 0) -> Sequence[int]:
        """Return the moves that the weak player notices, at least one.

        ``ply`` is 0 for the player's own moves and 1 for the opponent's answers. For answers,
        ``after`` is the player's move that the opponent answers.
        """
        if ply > 1 or not self._shares[ply]:
            return moves
        seen = []
        for move in moves:
            key = ply, after, move
            if key not in self._overlooked:
                self._overlooked[key] = self._rng.random() < self._shares[ply]
            if not self._overlooked[key]:
                seen.append(move)
        return seen or moves[:1]


class AlphaBeta:
    """An alpha-beta search of one position. Its transposition table can be passed to the next
    search.
    """

    def __init__(
        self,
        rules: Rules,
        evaluate: Evaluate,
        budget: ThinkingBudget,
        *,
        attention: Attention | None = None,
        table: dict[int, tuple[int, int, int, int]] | None = None,
        report: Callable[[Found], None] = lambda _: None,
    ) -> None:
        """Prepare a search. ``table`` is the transposition table of an earlier search of the same
        game without ``attention``, or None for a new table.
        """
        self._rules = rules
        self._evaluate = evaluate
        self._budget = budget
        self._attention = attention
        self._table = {} if table is None else table
        self._report = report
        self._history: dict[tuple[int, int], int] = {}

    def search(self, state: Any, margin: int = 0) -> Found:
        """Return the best move of ``state``, in which the game is not over, and other moves in
        order of value.

        If a move's value is within ``margin`` of the best move's value, the move also gets an exact
        value.
        """
        rules = self._rules
        moves: Sequence[int] = rules.moves(state)
        if self._attention is not None:
            moves = self._attention.noticed_moves(moves, 0)
        self._root = state
        found = Found(((moves[0], 0),), (moves[0],), 0, 0, 0.0)
        last = min(self._budget.limits.depth or DEEPEST, DEEPEST)
        order = list(moves)
        for depth in range(1, last + 1):
            ranked: list[tuple[int, int]] = []
            best = -WIN
            try:
                for move in order:
                    after = rules.apply(state, move)
                    floor = max(best - margin - 1, -WIN)
                    value = self._child(state, after, depth - 1, floor, WIN, 1, move)
                    if value > floor:
                        ranked.append((move, value))
                        best = max(best, value)
            except SearchStoppedError:
                if not found.depth and ranked:
                    found = self._found(ranked, 1, margin)
                break
            found = self._found(ranked, depth, margin)
            self._report(found)
            if len(moves) == 1 or (abs(found.value) >= SURE and WIN - abs(found.value) <= depth):
                # Stop if only one move is legal, or if a deeper search cannot find a faster end of
                # the game.
                break
            seen = [move for move, _ in ranked]
            order = sorted(seen, key=dict(ranked).__getitem__, reverse=True)
            order += [move for move in moves if move not in set(seen)]
        return found

    def _found(self, ranked: list[tuple[int, int]], depth: int, margin: int) -> Found:
        best = max(value for _, value in ranked)
        kept = sorted((pair for pair in ranked if pair[1] >= best - margin), key=lambda p: -p[1])
        line = self._line(kept[0][0], depth)
        return Found(tuple(kept), line, depth, self._budget.nodes, self._budget.used_s)

    def _line(self, move: int, depth: int) -> tuple[int, ...]:
        """Return the best line of moves, up to the first position that is not in the transposition
        table.
        """
        line, state = [move], self._rules.apply(self._root, move)
        while len(line) < depth and self._rules.result(state) is None:
            entry = self._table.get(self._rules.key(state))
            if entry is None or entry[3] not in self._rules.moves(state):
                break
            line.append(entry[3])
            state = self._rules.apply(state, entry[3])
        return tuple(line)

    def _child(  # noqa: PLR0917 - keywords would cost a tenth of the speed, here and below
        self, before: Any, state: Any, depth: int, alpha: int, beta: int, ply: int, move: int
    ) -> int:
        """Return the value of ``state`` for the player who has just moved."""
        rules = self._rules
        mover = rules.mover(before)
        winners = rules.result(state)
        if winners is not None:
            self._budget.visit()
            return 0 if not winners else WIN - ply if mover in winners else ply - WIN
        if rules.mover(state) == mover:
            return self._value(state, depth, alpha, beta, ply, move)
        return -self._value(state, depth, -beta, -alpha, ply, move)

    def _value(  # noqa: PLR0917
        self, state: Any, depth: int, alpha: int, beta: int, ply: int, last: int
    ) -> int:
        """Return the value of ``state``, in which the game is not over, for the player to move."""
        self._budget.visit()
        if depth <= 0:
            return self._evaluate(state)
        rules = self._rules
        key = rules.key(state)
        entry = self._table.get(key) if self._attention is None or ply > 1 else None
        first = -1
        if entry is not None:
            known_depth, kind, value, first = entry
            if known_depth >= depth:
                if value >= SURE:
                    value -= ply
                elif value <= -SURE:
                    value += ply
                if (
                    kind == _EXACT
                    or (kind == _LOWER and value >= beta)
                    or (kind == _UPPER and value <= alpha)
                ):
                    return value
        moves = rules.moves(state)
        if self._attention is not None:
            moves = self._attention.noticed_moves(moves, ply, last)
        best, chosen, floor = -WIN - 1, -1, alpha
        mover, history = rules.mover(state), self._history
        # Try the move in the transposition table first, then the moves that have caused most
        # cut-offs.
        for move in sorted(
            moves, key=lambda move: (move == first, history.get((mover, move), 0)), reverse=True
        ):
            value = self._child(
                state, rules.apply(state, move), depth - 1, alpha, beta, ply + 1, move
            )
            if value > best:
                best, chosen = value, move
                if value > alpha:
                    alpha = value
                    if value >= beta:
                        history[mover, move] = history.get((mover, move), 0) + depth * depth
                        break
        if self._attention is None or ply > 1:
            kind = _LOWER if best >= beta else _UPPER if best <= floor else _EXACT
            if len(self._table) >= MAX_ENTRIES:
                self._table.clear()
            stored = best + ply if best >= SURE else best - ply if best <= -SURE else best
            self._table[key] = (depth, kind, stored, chosen)
        return best

"""Puzzles are mined from games that have been played: an exhaustive search of their positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from firmware_host.config.errors import NotPossibleError
from firmware_host.engines.puzzles import Answer, Exercise, Puzzle, after_move
from games.base import Game
from games.rules import CHANCE, Rules

TURNS = 2
MOST_STATES = 200_000
"""What is looked at for one position, a second of Python; what needs more is no puzzle."""


def mine(
    game: Game, moves: Sequence[str], turns: int = TURNS, most: int = MOST_STATES
) -> Iterator[Puzzle]:
    """The puzzles among the positions of a game in which ``moves`` were played, in their order.

    ``turns``: the longest that are looked for. ``most``: states looked at for a position. Raises
    NotPossibleError for a game of others than two, or with secrets or chance.
    """
    rules = game.rules
    if rules.players != 2 or not rules.every_move or CHANCE in rules.awaiting(rules.start()):
        raise NotPossibleError("Puzzles are for games of two players without secrets and chance.")
    options = {name: value for name, value in game.options.items() if value is not None}
    state = rules.start()
    for at, name in enumerate(moves):
        found = _Found(rules, most).puzzle(state, turns)
        if found is not None:
            yield Puzzle(game.name, options, list(moves[:at]), *found)
        number = rules.number(name)
        if number is None or not rules.allows(state, number):
            return
        state = rules.apply(state, number)


def exercise(game: Game, puzzle: Puzzle) -> Exercise:
    """``puzzle`` with what holds against every wrong move."""
    holds: dict[str, str] = {}
    if puzzle.kind == "win" and puzzle.turns > 1:
        holds = reply_that_holds(game, puzzle)
    return Exercise(**msgspec.structs.asdict(puzzle), holds=holds)


def reply_that_holds(game: Game, puzzle: Puzzle, most: int = MOST_STATES) -> dict[str, str]:
    """Of a ``win``: every move but the solution, unless it ends the game -> a reply after which
    there is no win in time. Raises NotPossibleError where that is too much to look at.
    """
    rules, state = game.rules, game.rules.start()
    for name in puzzle.moves:
        state = after_move(rules, state, name)
    found: dict[str, str] = {}
    for move in rules.moves(state):
        after = rules.apply(state, move)
        if rules.name(move) == puzzle.solution or rules.result(after) is not None:
            continue
        search = _Found(rules, most)
        try:
            found[rules.name(move)] = rules.name(search.holding(state, after, puzzle.turns))
        except _TooManyError:
            raise NotPossibleError("A puzzle has too many positions to look at.") from None
    return found


class _TooManyError(Exception):
    """The position has too much to look at."""


class _Found:
    """The exhaustive search of one position."""

    def __init__(self, rules: Rules, most: int) -> None:
        self._rules = rules
        self._left = most
        self._known: dict[tuple[int, int], int | None] = {}
        self._refutations: dict[int, int] = {}  # turns -> the reply that last refuted a move

    def puzzle(
        self, state: Any, most_turns: int
    ) -> tuple[Literal["win", "save"], int, str, dict[str, Answer | None]] | None:
        """What ``Puzzle`` has of it, or None."""
        rules = self._rules
        moves = rules.moves(state)
        if len(moves) < 3:
            return None
        name = rules.name
        try:
            for turns in range(1, most_turns + 1):
                winning = [move for move in moves if self._forces(state, move, turns)]
                if winning:
                    move = winning[0]
                    if len(winning) > 1:
                        return None
                    return "win", turns, name(move), {name(move): self._answer(state, move, turns)}
            for turns in range(1, most_turns + 1):
                safe = [move for move in moves if not self._loses(state, move, turns)]
                if not safe:
                    return None
                if len(safe) == 1:
                    proof = {name(m): self._refuted(state, m, turns) for m in moves if m != safe[0]}
                    return "save", turns, name(safe[0]), proof
        except _TooManyError:
            pass
        return None

    def _apply(self, state: Any, move: int) -> Any:
        self._left -= 1
        if self._left < 0:
            raise _TooManyError
        return self._rules.apply(state, move)

    def _forces(self, state: Any, move: int, turns: int) -> bool:
        """Whether ``move`` wins for its mover within that many of his turns."""
        rules = self._rules
        winner = rules.mover(state)
        after = self._apply(state, move)
        over = rules.result(after)
        if over is not None:
            return over == (winner,)
        if turns == 1:
            return False
        replies = list(rules.moves(after))
        hint = self._refutations.get(turns)
        if hint in replies:
            replies.remove(hint)
            replies.insert(0, hint)
        for reply in replies:
            position = self._apply(after, reply)
            over = rules.result(position)
            if over == (winner,):
                continue
            if over is not None or self._first(position, turns - 1) is None:
                self._refutations[turns] = reply
                return False
        return True

    def holding(self, state: Any, after: Any, turns: int) -> int:
        """A reply to the move from ``state`` to ``after`` that prevents a win in time; there is
        one.
        """
        rules = self._rules
        winner = rules.mover(state)
        for reply in rules.moves(after):
            position = self._apply(after, reply)
            over = rules.result(position)
            if over == (winner,):
                continue
            if over is not None or self._first(position, turns - 1) is None:
                return reply
        raise ValueError("every reply loses: it is a solution too")

    def _first(self, state: Any, turns: int) -> int | None:
        """A move that wins within that many turns, the fastest there is."""
        key = self._rules.key(state), turns
        if key not in self._known:
            found = None if turns == 1 else self._first(state, turns - 1)
            if found is None:
                moves = self._rules.moves(state)
                found = next((move for move in moves if self._forces(state, move, turns)), None)
            self._known[key] = found
        return self._known[key]

    def _loses(self, state: Any, move: int, turns: int) -> bool:
        """Whether the other wins after ``move`` within that many of his turns."""
        after = self._apply(state, move)
        over = self._rules.result(after)
        if over is not None:
            return over == (1 - self._rules.mover(state),)
        return self._first(after, turns) is not None

    def _answer(self, state: Any, move: int, turns: int) -> Answer:
        """The proof that ``move`` forces a win."""
        rules = self._rules
        after = rules.apply(state, move)
        replies: dict[str, Answer] = {}
        for reply in rules.moves(after):
            position = rules.apply(after, reply)
            best = self._first(position, turns - 1) if rules.result(position) is None else None
            if best is not None:
                replies[rules.name(reply)] = self._answer(position, best, turns - 1)
        return Answer(rules.name(move), replies)

    def _refuted(self, state: Any, move: int, turns: int) -> Answer | None:
        after = self._rules.apply(state, move)
        if self._rules.result(after) is not None:
            return None
        best = self._first(after, turns)
        return None if best is None else self._answer(after, best, turns)

"""Puzzles from games that have been played: a proof search of their positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from firmware_host.config.errors import NotPossibleError
from firmware_host.engines.proof import ProofSearch, TooManyError
from firmware_host.engines.puzzles import Answer, Exercise, Puzzle, after_move
from games.base import Game
from games.rules import CHANCE, Rules

TURNS = 2
LINE_FROM = 2  # turns: a puzzle of more has a line, each move of which alone wins in time
MOST_STATES = 200_000
"""What is looked at for one position, a second of Python; what needs more is no puzzle."""


def mine(
    game: Game,
    moves: Sequence[str],
    turns: int = TURNS,
    most: int = MOST_STATES,
    *,
    last: bool = False,
) -> Iterator[Puzzle]:
    """The puzzles among the positions of a game in which ``moves`` were played, in their order.

    ``turns``: the longest that are looked for. ``most``: states looked at for a position. ``last``:
    only what stands on the board after all of them is looked at. Raises
    NotPossibleError for a game of others than two, or with secrets or chance.
    """
    rules = game.rules
    if rules.players != 2 or not rules.every_move or CHANCE in rules.awaiting(rules.start()):
        raise NotPossibleError("Puzzles are for games of two players without secrets or chance.")
    options = {name: value for name, value in game.options.items() if value is not None}
    state = rules.start()
    for at, name in enumerate((*moves, "")):
        seen = at == len(moves) if last else at < len(moves)
        if (
            seen
            and rules.result(state) is None
            and (found := _Found(rules, most).puzzle(state, turns)) is not None
        ):
            yield Puzzle(game.name, options, list(moves[:at]), *found)
        number = rules.number(name)
        if number is None or not rules.allows(state, number):
            return
        state = rules.apply(state, number)


def made_of(
    game: Game, moves: Sequence[str], turns: int = TURNS, most: int = MOST_STATES
) -> Exercise | None:
    """What stood on the board after ``moves`` as a puzzle; None where it is none, or too much to
    look at. Raises as ``mine``.
    """
    found = next(mine(game, moves, turns, most, last=True), None)
    return None if found is None else exercise(game, found)


def exercise(game: Game, puzzle: Puzzle) -> Exercise:
    """``puzzle`` with what holds against every wrong move, and the line of a long one. Raises
    NotPossibleError where that is too much to look at, or where a long one has several lines.
    """
    made = Exercise(**msgspec.structs.asdict(puzzle))
    if puzzle.kind == "save" or puzzle.turns == 1:
        return made
    found = _Found(game.rules, MOST_STATES)
    try:
        holds = found.holds(puzzle)
        line = found.line(puzzle) if puzzle.turns > LINE_FROM else []
    except TooManyError:
        raise NotPossibleError("A puzzle has too many positions to look at.") from None
    return msgspec.structs.replace(made, holds=holds, line=line)


class _Found:
    """The proof search of one position, and the proofs that a puzzle has."""

    def __init__(self, rules: Rules, most: int) -> None:
        self._rules = rules
        self._search = ProofSearch(rules, most)

    def puzzle(
        self, state: Any, most_turns: int
    ) -> tuple[Literal["win", "save"], int, str, dict[str, Answer | None]] | None:
        """What ``Puzzle`` has of it, or None."""
        rules, search = self._rules, self._search
        moves, name = rules.moves(state), rules.name
        if len(moves) < 3:
            return None
        try:
            for turns in range(1, most_turns + 1):
                winning = self._winning(state, turns)
                if winning:
                    move = winning[0]
                    if len(winning) > 1:
                        return None
                    return "win", turns, name(move), {name(move): self._answer(state, move, turns)}
            for turns in range(1, most_turns + 1):
                safe = [move for move in moves if not search.loses(state, move, 2 * turns)]
                if not safe:
                    return None
                if len(safe) == 1:
                    proof = {name(m): self._refuted(state, m, turns) for m in moves if m != safe[0]}
                    return "save", turns, name(safe[0]), proof
        except TooManyError:
            pass
        return None

    def _winning(self, state: Any, turns: int) -> list[int]:
        """The moves that win within so many turns."""
        moves = self._rules.moves(state)
        return [move for move in moves if self._search.forces(state, move, 2 * turns - 1)]

    def holds(self, puzzle: Puzzle) -> dict[str, str]:
        """Of a ``win``: every move but the solution, unless it ends the game -> a reply after which
        there is no win in time.
        """
        rules, found = self._rules, {}
        state = self._begun(puzzle)
        for move in rules.moves(state):
            after = rules.apply(state, move)
            if rules.name(move) == puzzle.solution or rules.result(after) is not None:
                continue
            plies = 2 * puzzle.turns - 2
            replies = rules.moves(after)
            reply = next(r for r in replies if not self._search.loses(after, r, plies))
            found[rules.name(move)] = rules.name(reply)
        return found

    def line(self, puzzle: Puzzle) -> list[str]:
        """Of a ``win``: the replies that hold out, and between them the only moves that win in
        time; up to the last reply. Raises NotPossibleError where no reply leaves only one.
        """
        rules, line = self._rules, list[str]()
        state = self._begun(puzzle)
        [move] = [each for each in rules.moves(state) if rules.name(each) == puzzle.solution]
        for turns in range(puzzle.turns - 1, 0, -1):
            state = rules.apply(state, move)
            for reply in rules.moves(state):
                after = rules.apply(state, reply)
                if rules.result(after) is not None:
                    continue
                winning = self._winning(after, turns)
                slower = turns == 1 or not self._winning(after, turns - 1)
                if slower and (len(winning) == 1 or (winning and turns == 1)):
                    break
            else:
                raise NotPossibleError("A puzzle has several lines.")
            line.append(rules.name(reply))
            state, move = after, winning[0]
            if turns > 1:
                line.append(rules.name(move))
        return line

    def _begun(self, puzzle: Puzzle) -> Any:
        state = self._rules.start()
        for name in puzzle.moves:
            state = after_move(self._rules, state, name)
        return state

    def _first(self, state: Any, turns: int) -> int | None:
        """A move that wins within that many turns, the fastest there is."""
        found = self._search.soonest(state, turns)
        return None if found is None else found[1]

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

"""Puzzles from played games: functions that find puzzles, complete them for people who solve them,
and check their proofs. This module can also prove which player wins from the start position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.engines.proof import ProofSearch, TooManyError
from tiltboard.firmware_host.engines.puzzles import (
    MAX_STATES,
    TURNS,
    Puzzle,
    PuzzleAnswer,
    made_of,
    state_after,
    with_holds,
)
from tiltboard.games.base import Game
from tiltboard.games.rules import Rules


def won(search: ProofSearch, rules: Rules, most_plies: int) -> tuple[int, int, str | None] | None:
    """Return the player who can force a win from the start position. Return None if neither player
    can force a win within ``most_plies`` plies.

    The result has the number of the winner (0 or 1), the minimum number of plies, and the name of
    the first move if the winner moves first.
    """
    start = rules.start()
    for plies in range(1, most_plies + 1):
        if plies % 2:
            move = search.winning(start, plies)
            if move is not None:
                return rules.mover(start), plies, rules.name(move)
        elif all(search.loses(start, move, plies) for move in rules.moves(start)):
            return 1 - rules.mover(start), plies, None
    return None


# A ``win`` puzzle of more than this number of turns also stores its solution as a line of moves.
# Each of the solver's moves in the line is the only move that wins within the puzzle's number of
# turns.
LINE_FROM = 2


def mine(game: Game, moves: Sequence[str], turns: int = TURNS) -> Iterator[Puzzle]:
    """Yield the puzzles among the positions of a game, in the order of the positions.

    ``moves``: the moves of the game. ``turns``: the maximum number of turns of a puzzle. Raises
    NotPossibleError if the game is not for two players, or has hidden information or chance.
    """
    for at in range(len(moves)):
        found = made_of(game, moves[:at], turns)
        if found is not None:
            yield found


def exercise(game: Game, puzzle: Puzzle) -> Puzzle:
    """Return ``puzzle`` with a refutation of each wrong move. A ``win`` puzzle of more than
    ``LINE_FROM`` turns also gets its solution as a line of moves.

    Raises NotPossibleError if the search visits too many positions, or if the line is not unique.
    """
    made = with_holds(game, puzzle)
    if puzzle.kind == "save" or puzzle.turns <= LINE_FROM:
        return made
    try:
        return msgspec.structs.replace(made, line=_line(game.rules, puzzle))
    except TooManyError:
        raise NotPossibleError("A puzzle has too many positions to search.") from None


def _line(rules: Rules, puzzle: Puzzle) -> list[str]:
    """Return the solution of a ``win`` puzzle as a line of moves. The last move is the opponent's.

    The line alternates between a reply that delays the win longest and the only move that still
    wins within the remaining turns. Raises NotPossibleError if, after every such reply, several
    moves win. Raises TooManyError if the search visits too many positions.
    """
    search = ProofSearch(rules, MAX_STATES)

    def winners(state: Any, turns: int) -> list[int]:
        return [move for move in rules.moves(state) if search.forces(state, move, 2 * turns - 1)]

    state, line = state_after(rules, puzzle.moves), list[str]()
    [move] = [each for each in rules.moves(state) if rules.name(each) == puzzle.solution]
    for turns in range(puzzle.turns - 1, 0, -1):
        state = rules.apply(state, move)
        for reply in rules.moves(state):
            after = rules.apply(state, reply)
            if rules.result(after) is not None:
                continue
            winning = winners(after, turns)
            slower = turns == 1 or not winners(after, turns - 1)
            if slower and (len(winning) == 1 or (winning and turns == 1)):
                break
        else:
            raise NotPossibleError("A puzzle has several lines.")
        line.append(rules.name(reply))
        state, move = after, winning[0]
        if turns > 1:
            line.append(rules.name(move))
    return line


def proven(game: Game, puzzle: Puzzle) -> bool:
    """Return whether the proof of a puzzle is valid by the rules alone. In a valid proof, each
    reply has an answer, and each line of moves ends with a win within the puzzle's number of turns.
    The proof does not exclude a faster win or another win.
    """
    rules = game.rules
    state = rules.start()
    for name in puzzle.moves:
        state = _after_move(rules, state, name)
        if state is None:
            return False
    if puzzle.kind == "win":
        answer = puzzle.proof.get(puzzle.solution)
        return list(puzzle.proof) == [puzzle.solution] and _wins(rules, state, answer, puzzle.turns)
    wrong = {rules.name(move) for move in rules.moves(state)} - {puzzle.solution}
    other = 1 - rules.mover(state)
    if puzzle.proof.keys() != wrong:
        return False
    for name, answer in puzzle.proof.items():
        after = _after_move(rules, state, name)
        over = rules.result(after)
        lost = _wins(rules, after, answer, puzzle.turns) if over is None else over == (other,)
        if not lost:
            return False
    return True


def _after_move(rules: Rules, state: Any, name: str) -> Any:
    """Return the position after the move ``name``, or None if the move is not legal."""
    number = rules.number(name)
    legal = number is not None and number in rules.moves(state)
    return rules.apply(state, number) if legal and number is not None else None


def _wins(rules: Rules, state: Any, answer: PuzzleAnswer | None, turns: int) -> bool:
    after = None if answer is None else _after_move(rules, state, answer.move)
    if answer is None or after is None or turns < 1:
        return False
    winner = rules.mover(state)
    over = rules.result(after)
    if over is not None:
        return over == (winner,)
    replies = {rules.name(move) for move in rules.moves(after)}
    if answer.replies.keys() - replies:
        return False
    for name in replies:
        position = _after_move(rules, after, name)
        over = rules.result(position)
        if over == (winner,):
            continue
        if over is not None or not _wins(rules, position, answer.replies.get(name), turns - 1):
            return False
    return True

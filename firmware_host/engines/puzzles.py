"""Puzzles whose solution a program can prove. They are part of a game's package, or are found in
recorded games.

There are two kinds of puzzles. ``win``: exactly one move forces a win within a given number of the
solver's turns, and no move wins faster. ``save``: the solver has no such win, and after every move
except one the opponent can force a win within that number of turns. The search is exhaustive and
uses only the rules. There are puzzles only for two-player games in which the players take turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import msgspec

from tiltboard.firmware_host.config.errors import NoSuchPuzzleError, NotPossibleError
from tiltboard.firmware_host.engines.proof import ProofSearch, TooManyError
from tiltboard.games.base import Game
from tiltboard.games.lesson_game import PuzzleGame
from tiltboard.games.registry import file_of, game_type
from tiltboard.games.rules import CHANCE, Rules

TURNS = 2
"""Maximum length, in turns of the winner, of the puzzles that the program searches for."""
MAX_STATES = 200_000
"""Maximum number of positions that are searched for one puzzle. A search of this size takes about
one second in Python.
"""


class PuzzleAnswer(msgspec.Struct, frozen=True):
    """A winning move, and the next winning move for each reply to it. If there are no replies, the
    move ends the game.
    """

    move: str
    replies: dict[str, PuzzleAnswer] = msgspec.field(default_factory=dict)


class Puzzle(msgspec.Struct, frozen=True):
    """A position, given by ``moves``. The player to move solves the puzzle with the move
    ``solution``.

    ``turns`` is the number of turns that the winner needs. For a ``win``, ``proof`` contains only
    the solution. For a ``save``, ``proof`` maps every other legal move to the answer that wins
    against this move, or to None if the move ends the game. For a ``win`` in more than one turn,
    ``holds`` maps each wrong move to a reply that prevents a win within ``turns``. For a ``win`` in
    more than two turns, ``line`` contains the moves after the solution, up to the opponent's last
    reply. Each of the solver's moves in ``line`` is the only move that wins within ``turns``.
    """

    game: str
    options: dict[str, Any]
    moves: list[str]
    kind: Literal["win", "save"]
    turns: int
    solution: str
    proof: dict[str, PuzzleAnswer | None]
    holds: dict[str, str] = msgspec.field(default_factory=dict)
    line: list[str] = msgspec.field(default_factory=list)

    @property
    def following(self) -> list[str]:
        """The moves after the solution, up to the opponent's last reply; empty if the solution ends
        the game.
        """
        answer = self.proof.get(self.solution)
        return self.line or ([min(answer.replies)] if answer is not None and answer.replies else [])

    def answer_to(self, move: str) -> str | None:
        """Return the reply that refutes a wrong move, or None if no reply is known or no reply is
        needed.
        """
        if self.kind == "win":
            return self.holds.get(move)
        answer = self.proof.get(move)
        return None if answer is None else answer.move


class ExerciseGame(PuzzleGame):
    """A puzzle that can be played like a game. ``number`` is the puzzle's number from 1, or 0 for a
    puzzle found in a recorded game. ``taught`` is True if the lesson in tactics shows the puzzle.
    """

    def __init__(self, exercise: Puzzle, number: int, *, taught: bool = False) -> None:
        self.exercise, self.number, self.taught = exercise, number, taught
        game = game_type(exercise.game).create(exercise.options)
        line = [exercise.solution, *exercise.following]
        super().__init__(game, exercise.moves, line)


@cache
def exercises(game: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of a game (``puzzles.jsonl`` in its package), easy puzzles first. The
    result can be empty.
    """
    decoder = msgspec.json.Decoder(Puzzle)
    return tuple(decoder.decode(line) for line in file_of(game, "puzzles.jsonl").splitlines())


def exercise_game(game: str, number: int, *, taught: bool = False) -> ExerciseGame:
    """Return puzzle ``number`` of the game, counted from 1, as a game. ``taught``: True if the
    lesson in tactics shows the puzzle.

    Raises UnknownGameError and NoSuchPuzzleError.
    """
    game_type(game)
    found = exercises(game)
    if not 1 <= number <= len(found):
        raise NoSuchPuzzleError(
            "There is no puzzle {number} of {game}; there are {most}.",
            number=number,
            game=game,
            most=len(found),
        )
    return ExerciseGame(found[number - 1], number, taught=taught)


def daily(game: str, day: int) -> int:
    """Return the number of the puzzle of a day, or 0 if the game has no puzzles.

    ``day`` is the number of days since any fixed date.
    """
    count = len(exercises(game))
    step = 7  # The step of 7 keeps the puzzles of two successive days from being similar.
    return 1 + day * step % count if count else 0


def made_of(
    game: Game, moves: Sequence[str], turns: int = TURNS, most: int = MAX_STATES
) -> Puzzle | None:
    """Return the position after the legal ``moves`` as a puzzle of at most ``turns`` turns, or
    None.

    The result is None if the position is not a puzzle, or if the search needs more than ``most``
    positions to decide. ``holds`` and ``line`` of the puzzle are empty. Raises NotPossibleError
    unless the game is for two players, without secrets or chance.
    """
    rules = game.rules
    if rules.players != 2 or not rules.every_move or CHANCE in rules.awaiting(rules.start()):
        raise NotPossibleError("Puzzles are for games of two players without secrets or chance.")
    state = state_after(rules, moves)
    if rules.result(state) is not None or len(rules.moves(state)) < 3:
        return None
    try:
        found = _as_puzzle(ProofSearch(rules, most), state, turns)
    except TooManyError:
        return None
    if found is None:
        return None
    options = {name: value for name, value in game.options.items() if value is not None}
    return Puzzle(game.name, options, list(moves), *found)


def with_holds(game: Game, puzzle: Puzzle) -> Puzzle:
    """Return ``puzzle`` with a reply in ``holds`` for every wrong move.

    Raises NotPossibleError if the search needs too many positions.
    """
    if puzzle.kind == "save" or puzzle.turns == 1:
        return puzzle
    rules, holds = game.rules, {}
    search, state = ProofSearch(rules, MAX_STATES), state_after(rules, puzzle.moves)
    for move in rules.moves(state):
        after = rules.apply(state, move)
        if rules.name(move) == puzzle.solution or rules.result(after) is not None:
            continue
        plies, replies = 2 * puzzle.turns - 2, rules.moves(after)
        try:
            reply = next(reply for reply in replies if not search.loses(after, reply, plies))
        except TooManyError:
            raise NotPossibleError("A puzzle has too many positions to look at.") from None
        holds[rules.name(move)] = rules.name(reply)
    return msgspec.structs.replace(puzzle, holds=holds)


def state_after(rules: Rules, moves: Sequence[str]) -> Any:
    """Return the state after the legal ``moves``, which are given by name."""
    state = rules.start()
    for name in moves:
        state = rules.apply(state, rules.number(name) or 0)
    return state


# Functions that prove puzzles. All of them raise TooManyError.


def _as_puzzle(
    search: ProofSearch, state: Any, most_turns: int
) -> tuple[Literal["win", "save"], int, str, dict[str, PuzzleAnswer | None]] | None:
    """Return the fields ``kind``, ``turns``, ``solution`` and ``proof`` of a Puzzle for ``state``,
    or None if ``state`` is not a puzzle.
    """
    name, moves = search.rules.name, search.rules.moves(state)
    for turns in range(1, most_turns + 1):
        winning = [move for move in moves if search.forces(state, move, 2 * turns - 1)]
        if len(winning) > 1:
            return None
        for move in winning:
            return "win", turns, name(move), {name(move): _answer(search, state, move, turns)}
    for turns in range(1, most_turns + 1):
        safe = [move for move in moves if not search.loses(state, move, 2 * turns)]
        if not safe:
            return None
        if len(safe) == 1:
            wrong = (move for move in moves if move != safe[0])
            proof = {name(move): _refutation(search, state, move, turns) for move in wrong}
            return "save", turns, name(safe[0]), proof
    return None


def _answer(search: ProofSearch, state: Any, move: int, turns: int) -> PuzzleAnswer:
    """Return the proof that ``move`` forces a win within ``turns``."""
    rules, replies = search.rules, dict[str, PuzzleAnswer]()
    after = rules.apply(state, move)
    for reply in rules.moves(after):
        answer = _refutation(search, after, reply, turns - 1)
        if answer is not None:
            replies[rules.name(reply)] = answer
    return PuzzleAnswer(rules.name(move), replies)


def _refutation(search: ProofSearch, state: Any, move: int, turns: int) -> PuzzleAnswer | None:
    """Return the opponent's fastest forced win within ``turns`` after the wrong ``move``, or None.

    The result is None if there is no such win, or if ``move`` ends the game.
    """
    after = search.rules.apply(state, move)
    if search.rules.result(after) is not None:
        return None
    best = search.soonest(after, turns)
    return None if best is None else _answer(search, after, best[1], turns)

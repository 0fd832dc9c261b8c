"""Puzzles, each with a proof that a program can check: those that come with games, and those that
are found in games that have been played.

There are two kinds. ``win``: one move, and no other, wins by force within so many turns of the
mover, and none wins faster. ``save``: the mover has no such win, and after every move but one the
other wins by force within so many turns of his. The search is exhaustive and needs no evaluation,
so a puzzle is right or a rule is wrong. For games of two players who take turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import msgspec

from tiltboard.firmware_host.config.errors import NoSuchPuzzleError, NotPossibleError
from tiltboard.firmware_host.engines.proof import ProofSearch, TooManyError
from tiltboard.games.base import Game
from tiltboard.games.guided import PuzzleGame
from tiltboard.games.registry import file_of, game_type
from tiltboard.games.rules import CHANCE, Rules

TURNS = 2
"""The longest that are looked for."""
MOST_STATES = 200_000
"""What is looked at for one position, a second of Python; what needs more is no puzzle."""


class Answer(msgspec.Struct, frozen=True):
    """A winning move, and what wins after each reply to it; no replies: it ends the game."""

    move: str
    replies: dict[str, Answer] = msgspec.field(default_factory=dict)


class Puzzle(msgspec.Struct, frozen=True):
    """After ``moves`` the player to move solves it by ``solution``.

    ``turns``: within how many of the winner's turns. ``proof``: for a ``win`` the solution alone;
    for a ``save`` every other legal move, with what wins against it, None where it ends the game.
    ``holds``: of a ``win`` in more than one turn, every wrong move -> a reply to it after which
    there is no win in time. ``line``: of one in more than two, what follows the solution up to the
    other side's last reply; each of the solver's moves in it alone wins in time.
    """

    game: str
    options: dict[str, Any]
    moves: list[str]
    kind: Literal["win", "save"]
    turns: int
    solution: str
    proof: dict[str, Answer | None]
    holds: dict[str, str] = msgspec.field(default_factory=dict)
    line: list[str] = msgspec.field(default_factory=list)

    @property
    def following(self) -> list[str]:
        """What follows the solution up to the other side's last reply, where it goes on."""
        answer = self.proof.get(self.solution)
        return self.line or ([min(answer.replies)] if answer is not None and answer.replies else [])

    def answer_to(self, move: str) -> str | None:
        """Why a wrong move is wrong: the reply to it; None where it needs none."""
        if self.kind == "win":
            return self.holds.get(move)
        answer = self.proof.get(move)
        return None if answer is None else answer.move


class ExerciseGame(PuzzleGame):
    """``exercise`` as a game; ``number``: of its game's, from 1; 0: made from a game."""

    def __init__(self, exercise: Puzzle, number: int) -> None:
        self.exercise, self.number = exercise, number
        game = game_type(exercise.game).create(exercise.options)
        line = [exercise.solution, *exercise.following]
        super().__init__(game, exercise.moves, line)


@cache
def exercises(game: str) -> tuple[Puzzle, ...]:
    """All of a game (``puzzles.jsonl`` in its package), the easy ones first; there may be none."""
    decoder = msgspec.json.Decoder(Puzzle)
    return tuple(decoder.decode(line) for line in file_of(game, "puzzles.jsonl").splitlines())


def exercise_game(game: str, number: int) -> ExerciseGame:
    """``number``: from 1. Raises UnknownGameError, NoSuchPuzzleError."""
    game_type(game)
    found = exercises(game)
    if not 1 <= number <= len(found):
        raise NoSuchPuzzleError(
            "There is no puzzle {number} of {game}; there are {most}.",
            number=number,
            game=game,
            most=len(found),
        )
    return ExerciseGame(found[number - 1], number)


def daily(game: str, day: int) -> int:
    """The number of the day's puzzle; ``day``: counted from any day. 0: there is none."""
    count = len(exercises(game))
    step = 7  # so that two days that follow each other are not alike
    return 1 + day * step % count if count else 0


def made_of(
    game: Game, moves: Sequence[str], turns: int = TURNS, most: int = MOST_STATES
) -> Puzzle | None:
    """What stands on the board after ``moves``, which are legal, as a puzzle of at most ``turns``;
    None where it is none, or ``most`` states are too few to know. Its ``holds`` and ``line`` are
    empty.

    Raises NotPossibleError for a game of others than two, or with secrets or chance.
    """
    rules = game.rules
    if rules.players != 2 or not rules.every_move or CHANCE in rules.awaiting(rules.start()):
        raise NotPossibleError("Puzzles are for games of two players without secrets or chance.")
    state = reached(rules, moves)
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
    """``puzzle`` with what holds against every wrong move. Raises NotPossibleError where that is
    too much to look at.
    """
    if puzzle.kind == "save" or puzzle.turns == 1:
        return puzzle
    rules, holds = game.rules, {}
    search, state = ProofSearch(rules, MOST_STATES), reached(rules, puzzle.moves)
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


def reached(rules: Rules, moves: Sequence[str]) -> Any:
    """The state after legal moves by name."""
    state = rules.start()
    for name in moves:
        state = rules.apply(state, rules.number(name) or 0)
    return state


# Proofs; all of it raises TooManyError


def _as_puzzle(
    search: ProofSearch, state: Any, most_turns: int
) -> tuple[Literal["win", "save"], int, str, dict[str, Answer | None]] | None:
    """What ``Puzzle`` has of ``state``, from ``kind`` to ``proof``; None where it is none."""
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
            proof = {name(move): _refuted(search, state, move, turns) for move in wrong}
            return "save", turns, name(safe[0]), proof
    return None


def _answer(search: ProofSearch, state: Any, move: int, turns: int) -> Answer:
    """The proof that ``move`` forces a win."""
    rules, replies = search.rules, dict[str, Answer]()
    after = rules.apply(state, move)
    for reply in rules.moves(after):
        answer = _refuted(search, after, reply, turns - 1)
        if answer is not None:
            replies[rules.name(reply)] = answer
    return Answer(rules.name(move), replies)


def _refuted(search: ProofSearch, state: Any, move: int, turns: int) -> Answer | None:
    """The fastest win within so many turns after ``move``; None where there is none, or it ends
    the game.
    """
    after = search.rules.apply(state, move)
    if search.rules.result(after) is not None:
        return None
    best = search.soonest(after, turns)
    return None if best is None else _answer(search, after, best[1], turns)

"""The puzzles that come with games, each with a proof that a program can check.

There are two kinds. ``win``: one move, and no other, wins by force within so many turns of the
mover, and none wins faster. ``save``: the mover has no such win, and after every move but one the
other wins by force within so many turns of his. The search is exhaustive and needs no evaluation,
so a puzzle is right or a rule is wrong. For games of two players who take turns.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from firmware_host.config.errors import NoSuchPuzzleError
from games.base import Game
from games.puzzle import PuzzleGame
from games.registry import EVERY_GAME, game_type
from games.rules import Rules


class Answer(msgspec.Struct, frozen=True):
    """A winning move, and what wins after each reply to it; no replies: it ends the game."""

    move: str
    replies: dict[str, Answer] = msgspec.field(default_factory=dict)


class Puzzle(msgspec.Struct, frozen=True):
    """After ``moves`` the player to move solves it by ``solution``.

    ``turns``: within how many of the winner's turns. ``proof``: for a ``win`` the solution alone;
    for a ``save`` every other legal move, with what wins against it, None where it ends the game.
    """

    game: str
    options: dict[str, Any]
    moves: list[str]
    kind: Literal["win", "save"]
    turns: int
    solution: str
    proof: dict[str, Answer | None]


class Exercise(Puzzle, frozen=True):
    """``holds``: of a ``win`` in more than one turn, every wrong move -> a reply to it after which
    there is no win in time. ``line``: of one in more than two, what follows the solution up to the
    other side's last reply; each of the solver's moves in it alone wins in time.
    """

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

    def __init__(self, exercise: Exercise, number: int) -> None:
        self.exercise, self.number = exercise, number
        game = game_type(exercise.game).create(exercise.options)
        line = [exercise.solution, *exercise.following]
        super().__init__(game, exercise.moves, line)


@cache
def exercises(game: str) -> tuple[Exercise, ...]:
    """All of a game (``puzzles.jsonl`` in its package), the easy ones first; there may be none."""
    kind = EVERY_GAME.get(game)
    package = sys.modules[type(kind).__module__].__package__
    data = files(package).joinpath("puzzles.jsonl") if kind is not None and package else None
    if data is None or not data.is_file():
        return ()
    decoder = msgspec.json.Decoder(Exercise)
    return tuple(decoder.decode(line) for line in data.read_bytes().splitlines())


def exercise_game(game: str, number: int) -> ExerciseGame:
    """``number``: from 1. Raises NoSuchPuzzleError."""
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


def proven(game: Game, puzzle: Puzzle) -> bool:
    """Whether the puzzle's proof is one, by the rules alone: each reply has its answer, each line
    ends with a win in time. That no faster and no other win is there the proof does not hold.
    """
    rules = game.rules
    state = rules.start()
    for name in puzzle.moves:
        state = after_move(rules, state, name)
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
        after = after_move(rules, state, name)
        over = rules.result(after)
        lost = _wins(rules, after, answer, puzzle.turns) if over is None else over == (other,)
        if not lost:
            return False
    return True


def after_move(rules: Rules, state: Any, name: str) -> Any:
    """The state after a move by name; None where it is not legal."""
    number = rules.number(name)
    legal = number is not None and number in rules.moves(state)
    return rules.apply(state, number) if legal and number is not None else None


def _wins(rules: Rules, state: Any, answer: Answer | None, turns: int) -> bool:
    after = None if answer is None else after_move(rules, state, answer.move)
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
        position = after_move(rules, after, name)
        over = rules.result(position)
        if over == (winner,):
            continue
        if over is not None or not _wins(rules, position, answer.replies.get(name), turns - 1):
            return False
    return True

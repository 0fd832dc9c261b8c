"""The puzzles that come with the table: ``shipped/GAME.jsonl``, one ``Exercise`` a line."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from firmware_host.config.errors import NoSuchPuzzleError
from firmware_host.studies.puzzles import Puzzle, reply_that_holds
from games.base import Game
from games.puzzle import PuzzleGame
from games.registry import game_type


class Exercise(Puzzle, frozen=True):
    """``holds``: of a ``win`` in more than one turn, every wrong move -> a reply to it after which
    there is no win in time.
    """

    holds: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def reply(self) -> str | None:
        """What the other side answers to the solution, where it goes on."""
        answer = self.proof.get(self.solution)
        return None if answer is None else min(answer.replies, default=None)

    def answer_to(self, move: str) -> str | None:
        """Why a wrong move is wrong: the reply to it; None where it needs none."""
        if self.kind == "win":
            return self.holds.get(move)
        answer = self.proof.get(move)
        return None if answer is None else answer.move


class ExerciseGame(PuzzleGame):
    """``exercise`` as a game; ``number``: of its game's, from 1."""

    def __init__(self, exercise: Exercise, number: int) -> None:
        self.exercise, self.number = exercise, number
        game = game_type(exercise.game).create(exercise.options)
        super().__init__(game, exercise.moves, exercise.solution, exercise.reply)


def exercise(game: Game, puzzle: Puzzle) -> Exercise:
    """``puzzle`` with what holds against every wrong move."""
    holds: dict[str, str] = {}
    if puzzle.kind == "win" and puzzle.turns > 1:
        holds = reply_that_holds(game, puzzle)
    return Exercise(**msgspec.structs.asdict(puzzle), holds=holds)


@cache
def exercises(game: str) -> tuple[Exercise, ...]:
    """All of a game, the easy ones first; none where it has none."""
    data = files("firmware_host.studies").joinpath("shipped", f"{game}.jsonl")
    if not data.is_file():
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

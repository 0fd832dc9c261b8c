"""A lesson or a puzzle at the table: what it says and asks for, over what the referee does.

It is no stored game. Its referee writes to no journal, so the game that was being played stays as
it is on disk, and is there again when the lesson ends, or when the table starts anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from firmware_host.engines.puzzles import ExerciseGame
from firmware_host.guidance import puzzles as say
from firmware_host.messages import Message
from firmware_host.table.pending import PendingMove
from firmware_host.table.standing import Phase, Standing
from games.guided import GuidedGame


class Unwritten:
    """The journal of a lesson: nothing is kept (``referee.port.JournalPort``)."""

    def append(self, game_id: int, ply: int, move: str) -> None:
        """Nothing."""

    def hold(self, game_id: int, pending: PendingMove | None) -> None:
        """Nothing."""

    def take_back(self, game_id: int, ply: int, to: int) -> None:
        """Nothing."""

    def finish(self, game_id: int, result: Mapping[str, Any]) -> None:
        """Nothing."""


Lesson = GuidedGame | ExerciseGame
"""What is played without a journal: a lesson, or a puzzle."""


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``steps`` have been made. ``by_hand``: the next one is not the learner's, so the
    table's own hand makes it where there is one. ``wrong``: the last move was, and is to be taken
    back. ``puzzle``: its number; None: it is a lesson.
    """

    done: int
    steps: int
    by_hand: bool
    wrong: bool = False
    puzzle: int | None = None


def progress(game: Lesson, standing: Standing) -> Progress:
    """How far a lesson has come."""
    done = 0 if standing.position is None else game.step_at(standing.position)
    if isinstance(game, GuidedGame):
        steps = len(game.lesson.steps)
        return Progress(done, steps, done % len(game.players) != 0 and done < steps)
    steps = 1 if game.reply is None else 3
    wrong = _is_wrong(game, standing)
    return Progress(done, steps, done == 1 < steps and not wrong, wrong, game.number)


def told(game: Lesson, standing: Standing) -> Standing:
    """``standing`` with the lesson's words where it is somebody's turn, and the move that the
    table's hand may make as what is to be carried out.
    """
    position = standing.position
    if position is None or standing.phase not in (Phase.TURN, Phase.OVER):
        return standing
    if isinstance(game, GuidedGame):
        step = game.next_step(position)
        if step is None:
            return replace(standing, say=Message(game.lesson.end))
        said, move = Message(step.say), step.move
    else:
        said, move = _puzzle_says(game, standing), game.reply or ""
    act = position.play(move).act if progress(game, standing).by_hand else ()
    taken_first = tuple(sorted(act, key=lambda shift: shift.target is not None))
    return replace(standing, say=said, shifts=taken_first)


def _is_wrong(game: ExerciseGame, standing: Standing) -> bool:
    """Whether the last move was not what the puzzle asks for."""
    moves, asked = standing.moves, game.exercise
    if not moves:
        return False
    if len(moves) < 3 and asked.kind == "save":
        return moves[0] != asked.solution
    won = standing.outcome is not None and standing.outcome.winner == game.solver
    if len(moves) == 3 or asked.turns == 1:
        return not won
    return moves[0] != asked.solution


def _puzzle_says(game: ExerciseGame, standing: Standing) -> Message:
    asked, moves = game.exercise, standing.moves
    [other] = [player for player in game.players if player != game.solver]
    if not moves:
        return say.task(asked.kind, asked.turns, game.solver, other)
    labels = game.labels
    last, reply = labels.get(moves[-1], moves[-1]), asked.answer_to(moves[0])
    answer = None if reply is None or len(moves) > 1 else labels.get(reply, reply)
    if _is_wrong(game, standing):
        wrong = say.loses if asked.kind == "save" else say.does_not_win
        return wrong(last, other, answer)
    if asked.kind == "save":
        return say.solved_save(last, other)
    if standing.outcome is not None:
        return say.solved_win(standing.say)
    if len(moves) == 1 and game.reply is not None:
        return say.answered(last, other, labels.get(game.reply, game.reply))
    return say.finish()

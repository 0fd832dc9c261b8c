"""A lesson and a puzzle: how far they have come, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiltboard.firmware_host.engines.puzzles import ExerciseGame
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table import play
from tiltboard.firmware_host.table.line import PendingMove
from tiltboard.firmware_host.table.standing import Standing
from tiltboard.games.base import Position
from tiltboard.games.guided import GuidedGame

Guided = GuidedGame | ExerciseGame
"""What is played without a journal: a lesson, or a puzzle."""


class Unwritten:
    """The journal of a lesson: nothing is kept (``table.line.JournalPort``)."""

    def append(self, game_id: int, ply: int, move: str) -> None:
        """Nothing."""

    def hold(self, game_id: int, pending: PendingMove | None) -> None:
        """Nothing."""

    def take_back(self, game_id: int, ply: int, to: int) -> None:
        """Nothing."""

    def finish(self, game_id: int, result: Mapping[str, Any]) -> None:
        """Nothing."""


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


def progress(game: Guided, standing: Standing) -> Progress:
    """How far a lesson has come."""
    done = 0 if standing.position is None else game.step_at(standing.position)
    if isinstance(game, GuidedGame):
        steps = len(game.lesson.steps)
        return Progress(done, steps, done % len(game.players) != 0 and done < steps)
    moves, asked = standing.moves, game.exercise
    right = moves == game.line[: len(moves)]
    won = standing.outcome is not None and standing.outcome.winner == game.solver
    wrong = not right
    if moves and asked.kind == "win":
        wrong = not won and (not right or len(moves) == 2 * asked.turns - 1)
    steps = max(len(game.line) // 2 * 2 + 1, 1)
    return Progress(done, steps, done % 2 == 1 and done < steps and not wrong, wrong, game.number)


def right_move(game: ExerciseGame, position: Position) -> str:
    """The next move of the puzzle's line; after its end, one that wins."""
    at = game.step_at(position)
    if at < len(game.line):
        return game.line[at]
    ends = {move: position.after(move).outcome for move in position.legal()}
    return next(move for move, end in ends.items() if end and end.winner == position.mover)


def puzzle_says(game: ExerciseGame, standing: Standing) -> Message:
    """Return the task of a puzzle, or what its last move was worth."""
    asked, moves, labels = game.exercise, standing.moves, game.labels
    [other] = [play.player(player) for player in game.players if player != game.solver]
    both = {"player": play.player(game.solver).capitalised(), "other": other}
    saves, wrong = asked.kind == "save", progress(game, standing).wrong
    if not moves and saves:
        return text(
            "{player} is to move. After every move but one {other} wins: find that one.", **both
        )
    if not moves and asked.turns == 1:
        return text("{player} is to move, and wins with this move. Which one?", **both)
    if not moves and asked.turns == 2:
        return text(
            "{player} is to move, and wins in two turns, whatever {other} does. How?", **both
        )
    if not moves:
        return text(
            "{player} is to move, and wins in {turns} turns, whatever {other} does. How?",
            turns=asked.turns,
            **both,
        )
    last, reply = labels.get(moves[-1], moves[-1]), asked.answer_to(moves[0])
    answer = None if reply is None or len(moves) > 1 else labels.get(reply, reply)
    told = {"move": last, "player": other, "reply": answer}
    if wrong and saves and answer is None:
        return text("{move} loses at once. Take it back and try again.", **told)
    if wrong and saves:
        return text("After {move} {player} wins with {reply}. Take it back and try again.", **told)
    if wrong and answer is None:
        return text("{move} does not win. Take it back and try again.", **told)
    if wrong:
        return text(
            "{move} does not win in time: {player} holds with {reply}. Take it back and try again.",
            **told,
        )
    if saves:
        return text("Solved! After every other move than {move} {player} would have won.", **told)
    if standing.outcome is not None:
        return text("Solved! {result}", result=standing.say)
    if len(moves) % 2 and len(moves) < len(game.line):
        reply = game.line[len(moves)]
        return text(
            "{move} is right! {player} answers {reply}.",
            move=last,
            player=other.capitalised(),
            reply=labels.get(reply, reply),
        )
    left = asked.turns - len(moves) // 2
    if left > 1:
        return text("Go on: {turns} turns are left to win in.", turns=left)
    return text("Now win!")

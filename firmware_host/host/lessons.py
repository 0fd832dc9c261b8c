"""Progress of lessons and puzzles, and the sentences shown to people who take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from tiltboard.firmware_host.config.players import Assists, ClockLeft, EngineSeats
from tiltboard.firmware_host.engines.puzzles import ExerciseGame
from tiltboard.firmware_host.host.hints import with_hint
from tiltboard.firmware_host.journal.records import EventKind
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.move_line import PendingMove
from tiltboard.firmware_host.table.status import GameStatus, Phase, Role
from tiltboard.games.base import Game, Position
from tiltboard.games.lesson import Tactic
from tiltboard.games.lesson_game import GuidedGame
from tiltboard.games.registry import game_type

Guided = GuidedGame | ExerciseGame
"""A lesson or a puzzle, which the journal does not store."""


class Unwritten:
    """The journal of a lesson or puzzle: a JournalPort that stores nothing."""

    def append(self, game_id: int, ply: int, move: str) -> None:
        """Do nothing, because lessons and puzzles are not stored."""

    def hold(self, game_id: int, pending: PendingMove | None) -> None:
        """Do nothing, because lessons and puzzles are not stored."""

    def take_back(self, game_id: int, ply: int, to: int) -> None:
        """Do nothing, because lessons and puzzles are not stored."""

    def finish(self, game_id: int, result: Mapping[str, Any]) -> None:
        """Do nothing, because lessons and puzzles are not stored."""

    def note(self, game_id: int, noted: EngineSeats | ClockLeft | Assists, kind: EventKind) -> bool:
        """Store nothing and return True, so that the caller does not try again."""
        return True


@dataclass(frozen=True, slots=True)
class LessonProgress:
    """The progress of a lesson or puzzle, for a page."""

    done: int
    """Number of moves made so far."""
    steps: int
    """Total number of moves to make."""
    by_hand: bool
    """True if the next move belongs to the other side. If the table has a simulated hand, that hand
    makes the move.
    """
    wrong: bool = False
    """True if the last move must be taken back."""
    puzzle: int | None = None
    """Number of the puzzle, or None for a lesson."""
    tactic: int = 0
    """Number of the tactic that the puzzle teaches, from 1, or 0 if it teaches no tactic."""


class LessonSession:
    """A lesson or puzzle that a person is taking."""

    game: Guided
    """The lesson with its steps, or the puzzle with its line of moves."""

    def __init__(self, game: Guided) -> None:
        self.game = game
        self._shows_after: tuple[str, ...] | None = None

    @classmethod
    def of(cls, game: Game) -> LessonSession | None:
        """Return the session if ``game`` is a lesson or puzzle, or None for an ordinary game."""
        return cls(game) if isinstance(game, GuidedGame | ExerciseGame) else None

    @property
    def opening(self) -> Sequence[str]:
        """The moves before the first move that the person must find."""
        return self.game.opening if isinstance(self.game, ExerciseGame) else ()

    def progress(self, status: GameStatus) -> LessonProgress:
        """Return the progress of the lesson or puzzle at ``status``."""
        game = self.game
        done = 0 if status.position is None else game.step_at(status.position)
        if isinstance(game, GuidedGame):
            steps = len(game.lesson.steps)
            return LessonProgress(done, steps, done % len(game.players) != 0 and done < steps)
        moves, asked = status.moves, game.exercise
        right = moves == game.line[: len(moves)]
        won = status.outcome is not None and status.outcome.winner == game.solver
        wrong = not right
        if moves and asked.kind == "win":
            wrong = not won and (not right or len(moves) == 2 * asked.turns - 1)
        steps = max(len(game.line) // 2 * 2 + 1, 1)
        by_hand = done % 2 == 1 and done < steps and not wrong
        tactic = next(
            (at for at, each in enumerate(_tactics(game), 1) if each.puzzle == game.number), 0
        )
        return LessonProgress(done, steps, by_hand, wrong, game.number, tactic)

    def is_solved(self, status: GameStatus) -> bool:
        """Return whether this is a numbered puzzle that has been solved to the end without a wrong
        last move.
        """
        known = self.progress(status)
        return bool(known.puzzle) and known.done == known.steps and not known.wrong

    def show_right_move(self, after: tuple[str, ...]) -> None:
        """Light the right move of a puzzle until a move is made or taken back. ``after``: the moves
        played so far.
        """
        self._shows_after = after

    def shown(self, status: GameStatus) -> GameStatus:
        """Return ``status`` (the state of the game) with the sentence of the lesson or puzzle
        during a turn. If the other side moves next, the result also has the steps of that move,
        which a simulated hand can carry out.
        """
        game, position = self.game, status.position
        if position is None or status.phase not in (Phase.TURN, Phase.OVER):
            return status
        by_hand = self.progress(status).by_hand
        if isinstance(game, GuidedGame):
            step = game.next_step(position)
            if step is None:
                return replace(status, say=Message(game.lesson.end))
            said, move = Message(step.say), step.move
            if not by_hand:  # The game's sentence also names the places where lifted pieces go.
                goals = {shift.target for shift in position.play(move).act if shift.target}
                lit = dict.fromkeys(goals, Role.LEGAL)
                status = replace(status, roles={**status.roles, **lit})
        elif self._shows_after == status.moves and status.phase is Phase.TURN:
            return with_hint(status, position.play(_right_move(game, position)))
        else:
            said = _puzzle_says(game, status, wrong=self.progress(status).wrong)
            move = game.line[len(status.moves)] if by_hand else ""
        act = position.play(move).act if by_hand else ()
        taken_first = tuple(sorted(act, key=lambda shift: shift.target is not None))
        return replace(status, say=said, shifts=taken_first)


def _tactics(game: ExerciseGame) -> Sequence[Tactic]:
    """Return the tactics that the game's lesson teaches with puzzles, or an empty sequence if this
    puzzle is not part of a lesson.
    """
    lesson = game_type(game.name).lesson if game.taught else None
    return () if lesson is None else lesson.tactics


def _right_move(game: ExerciseGame, position: Position) -> str:
    """Return the next move of the puzzle's line of moves. If the line has ended, return a winning
    move.
    """
    at = game.step_at(position)
    if at < len(game.line):
        return game.line[at]
    ends = {move: position.after(move).outcome for move in position.legal()}
    return next(move for move, end in ends.items() if end and end.winner == position.mover)


def _puzzle_says(game: ExerciseGame, status: GameStatus, *, wrong: bool) -> Message:
    """Return the sentence that describes the puzzle's task, or that tells whether the last move was
    right.
    """
    asked, moves, labels = game.exercise, status.moves, game.labels
    [other] = [phrases.player(player) for player in game.players if player != game.solver]
    both = {"player": phrases.player(game.solver).capitalised(), "other": other}
    saves = asked.kind == "save"
    for tactic in () if moves else _tactics(game):
        if tactic.puzzle == game.number:
            return Message(tactic.say, both)
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
    names = {"move": last, "player": other, "reply": answer}
    if wrong and saves and answer is None:
        return text("{move} loses immediately. Take it back and try again.", **names)
    if wrong and saves:
        return text("After {move} {player} wins with {reply}. Take it back and try again.", **names)
    if wrong and answer is None:
        return text("{move} does not win. Take it back and try again.", **names)
    if wrong:
        return text(
            "{move} does not win in time: {player} holds with {reply}. Take it back and try again.",
            **names,
        )
    if saves:
        return text("Solved! After every other move than {move} {player} would have won.", **names)
    if status.outcome is not None:
        return text("Solved! {result}", result=status.say)
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
        return text("Keep going: {turns} turns left to win.", turns=left)
    return text("Now win!")

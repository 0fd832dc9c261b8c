"""What people see and hear of a game of seats: the room's standing."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.config.errors import JournalError
from firmware_host.guidance import troubles
from firmware_host.messages import Message
from firmware_host.room import words
from firmware_host.room.asked import kept_moves
from firmware_host.room.lights import lights
from firmware_host.room.zones import ZoneOverlay
from firmware_host.table.line import Line
from firmware_host.table.standing import Phase, Question, Sound, Standing
from games.base import Position
from games.seated import SeatedGame


@dataclass(frozen=True, slots=True)
class Aspect:
    """What is shown beside the game itself. ``counting``: seconds left of a count; ``notice``: said
    instead of what to do.
    """

    overlay: ZoneOverlay | None
    counting: int | None
    trouble: JournalError | None
    question: Question | None
    notice: Message | None
    step: int

    def standing(self, line: Line, game: SeatedGame, sounds: tuple[Sound, ...]) -> Standing:
        """All of it."""
        position = line.position
        phase = Phase.OVER if position.over else Phase.TURN
        roles, tint = (
            lights(game, position, self.overlay, self.counting) if self.overlay else ({}, {})
        )
        return Standing(
            phase=phase if self.trouble is None else Phase.PAUSED,
            to_move=position.to_move,
            game=game,
            game_id=line.game_id,
            position=position,
            moves=line.moves,
            roles=roles,
            piece_for={},
            shifts=(),
            say=self._say(game, position),
            outcome=position.outcome,
            tint=tint,
            question=self.question,
            can_take_back=kept_moves(line, game) is not None,
            sounds=sounds,
            step=self.step,
        )

    def _say(self, game: SeatedGame, position: Position) -> Message:
        if self.trouble is not None:
            return troubles.part_missing([self.trouble])
        if self.question is not None:
            return self.question.ask
        if self.notice is not None:
            return self.notice
        if position.outcome is not None:
            return words.over(position.outcome)
        prompt = words.said(game.prompt(position))
        return prompt if self.counting is None else words.counting(self.counting, prompt)


def heard(game: SeatedGame, before: Position, after: Position, move: str) -> list[Sound]:
    """Of a move; passing is silent."""
    if after.over:
        return [Sound.WIN]
    failed = game.failure(before, move)
    if failed is not None:
        return [Sound.WRONG if move.startswith(failed) else Sound.SETTLED]
    return [] if game.passes(move) else [Sound.MOVE]

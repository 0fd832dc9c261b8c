"""A lesson at the table: what it says and asks for, over what the referee does.

It is no stored game. Its referee writes to no journal, so the game that was being played stays as
it is on disk, and is there again when the lesson ends, or when the table starts anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``steps`` have been made. ``by_hand``: the next one is not the learner's, so the
    table's own hand makes it where there is one.
    """

    done: int
    steps: int
    by_hand: bool


def progress(game: GuidedGame, standing: Standing) -> Progress:
    """How far a lesson has come."""
    done = 0 if standing.position is None else game.step_at(standing.position)
    steps = len(game.lesson.steps)
    return Progress(done, steps, done % len(game.players) != 0 and done < steps)


def told(game: GuidedGame, standing: Standing) -> Standing:
    """``standing`` with the lesson's words where it is somebody's turn, and the move that the
    table's hand may make as what is to be carried out.
    """
    position = standing.position
    if position is None or standing.phase not in (Phase.TURN, Phase.OVER):
        return standing
    step = game.next_step(position)
    if step is None:
        return replace(standing, say=Message(game.lesson.end))
    by_hand = progress(game, standing).by_hand
    act = position.play(step.move).act if by_hand else ()
    taken_first = tuple(sorted(act, key=lambda shift: shift.target is not None))
    return replace(standing, say=Message(step.say), shifts=taken_first)

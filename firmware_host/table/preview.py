"""The effects of a move, as plain values for a page."""

from __future__ import annotations

from dataclasses import dataclass

from tiltboard.firmware_host.messages import Message
from tiltboard.games.base import Position, Shift, Turn

MAX_REASONS = 3


@dataclass(frozen=True, slots=True)
class Preview:
    """The effects of one move. The fields ``act`` (the player's own part) and ``consequences`` are
    those of ``tiltboard.games.base.Turn``.
    """

    move: str
    act: tuple[Shift, ...]
    consequences: tuple[Shift, ...]
    reasons: tuple[Message, ...]
    """Reasons for the first few consequences."""
    ends: bool = False
    """True if the game is over after the move."""
    winner: str | None = None
    """The winner if the move ends the game, or None."""


def preview(position: Position, move: str) -> Preview:
    """Return the effects of ``move`` without making the move. The call takes as long as playing one
    move.

    Raises IllegalMoveError, which names the rule that forbids the move.
    """
    turn = position.play(move)
    outcome = turn.position.outcome
    return Preview(
        move,
        turn.act,
        turn.consequences,
        reasons(turn),
        outcome is not None,
        None if outcome is None else outcome.winner,
    )


def reasons(turn: Turn) -> tuple[Message, ...]:
    """Return the reasons for the first few consequences of ``turn``."""
    why = (turn.position.game.why(turn, shift) for shift in turn.consequences[:MAX_REASONS])
    return tuple(Message(template, params) for template, params in why if template)

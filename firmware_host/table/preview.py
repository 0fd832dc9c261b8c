"""Plain values for a page: what a move would do, and what lies on a simulated plate."""

from __future__ import annotations

from dataclasses import dataclass

from tiltboard.firmware_host.messages import Message
from tiltboard.games.base import Position, Shift, Turn

MAX_REASONS = 3


@dataclass(frozen=True, slots=True)
class Preview:
    """``act`` and ``consequences``: as in ``tiltboard.games.base.Turn``. ``reasons``: why the first
    few consequences come about. ``ends``: the game is over then; ``winner``: whoever has won it.
    """

    move: str
    act: tuple[Shift, ...]
    consequences: tuple[Shift, ...]
    reasons: tuple[Message, ...]
    ends: bool = False
    winner: str | None = None


def preview(position: Position, move: str) -> Preview:
    """Carry ``move`` out in thought: one move, in the time that a move takes.

    Raises IllegalMoveError, naming the rule.
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
    """Why the first few consequences of ``turn`` come about."""
    why = (turn.position.game.why(turn, shift) for shift in turn.consequences[:MAX_REASONS])
    return tuple(Message(template, params) for template, params in why if template)

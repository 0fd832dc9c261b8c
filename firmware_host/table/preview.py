"""What a move would do, for whoever points at it before playing it."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.messages import Message
from games.base import Position, Shift

MOST_REASONS = 3


@dataclass(frozen=True, slots=True)
class Preview:
    """``act`` and ``consequences``: as in ``games.base.Turn``. ``reasons``: why the first few
    consequences come about. ``ends``: the game is over then; ``winner``: whoever has won it.
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
    why = (position.game.why(turn, shift) for shift in turn.consequences[:MOST_REASONS])
    reasons = tuple(Message(template, params) for template, params in why if template)
    outcome = turn.position.outcome
    return Preview(
        move,
        turn.act,
        turn.consequences,
        reasons,
        outcome is not None,
        None if outcome is None else outcome.winner,
    )

"""Sentences about engines that play."""

from __future__ import annotations

from firmware_host.guidance.words import player
from firmware_host.messages import Message, text
from firmware_host.table.engine_seats import OURS


def thinks(mover: str, engine: str, level: int) -> Message:
    """It has been asked for a move."""
    if engine == OURS:
        return text(
            "The computer, level {level}, is thinking for {player}.",
            level=level,
            player=player(mover),
        )
    return text("{engine} is thinking for {player}.", engine=engine, player=player(mover))


def plays(mover: str, todo: Message) -> Message:
    """Its move is to be carried out; ``todo``: the next thing to do."""
    return text("The computer has chosen for {player}. {todo}", player=player(mover), todo=todo)


def hint(mover: str, move: str) -> Message:
    """What the strongest engine would play."""
    return text("A hint for {player}: {move}.", player=player(mover), move=move)

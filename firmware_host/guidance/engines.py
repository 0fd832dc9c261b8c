"""Sentences about engines that play."""

from __future__ import annotations

from firmware_host.config.engine_seats import OURS
from firmware_host.guidance.words import player
from firmware_host.messages import Message, text


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


def turning_point(
    mover: str, move: str, better: str | None, before: float, after: float
) -> Message:
    """A move after which its player had less to expect; shares from 0 to 1."""
    who = player(mover).capitalised()
    fall = {"before": round(100 * before), "after": round(100 * after)}
    if better is None:
        return text(
            "{player} {move}: from {before} % to {after} %, further than could be seen.",
            player=who,
            move=move,
            **fall,
        )
    return text(
        "{player} {move}: from {before} % to {after} %. {better} was better.",
        player=who,
        move=move,
        better=better,
        **fall,
    )

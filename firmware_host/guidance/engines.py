"""Sentences about engines that play."""

from __future__ import annotations

from collections.abc import Sequence

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


def declines(mover: str, todo: Message) -> Message:
    """It does not agree to a draw."""
    return text(
        "A draw? The computer plays on for {player}. {todo}", player=player(mover), todo=todo
    )


def no_assist(why: Message) -> Message:
    """Moves cannot be shaded."""
    return text("There is no assist: {why}", why=why)


def assisted(result: Message, used: Sequence[tuple[str, int, int]]) -> Message:
    """``result``, and for each player who had assist, for how many of his moves."""
    said = result
    for who, moves, count in used:
        said = text(
            "{said} {player} had assist for {moves} of {all} moves.",
            said=said,
            player=player(who).capitalised(),
            moves=moves,
            all=count,
        )
    return said


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

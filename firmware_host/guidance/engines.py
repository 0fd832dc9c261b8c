"""Sentences about engines that play."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.config.engine_seats import OURS
from firmware_host.engines.analysis import TurningPoint
from firmware_host.guidance.words import player
from firmware_host.messages import Message, text
from games.base import Game, GameType
from games.registry import GAMES


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


def turning_point(point: TurningPoint, game: Game) -> Message:
    """A move that cost its player much: what it let happen, or what was missed."""
    labels = game.labels
    who, move = player(point.player).capitalised(), labels.get(point.move, point.move)
    better = labels.get(point.better[0], point.better[0]) if point.better else None
    made = {"player": who, "move": move}
    if point.proven == "missed" and better is not None:
        if point.turns <= 1:
            return text("{player} {move}: {better} wins at once.", better=better, **made)
        return text(
            "{player} {move}: {better} wins in {count} turns.",
            better=better,
            count=point.turns,
            **made,
        )
    if point.proven == "lets":
        [other] = [each for each in game.players if each != point.player]
        known = GAMES.get(game.name)
        lets = GameType.lets if known is None else known.lets
        said = Message(lets, {**made, "winner": player(other)})
        if better is None:
            return text("{said}.", said=said)
        return text("{said}; {better} held.", said=said, better=better)
    fall = {"before": round(100 * point.before), "after": round(100 * point.after)}
    if better is None:
        return text(
            "{player} {move}: from {before} % to {after} %, further than could be seen.",
            **made,
            **fall,
        )
    return text(
        "{player} {move}: from {before} % to {after} %. {better} was better.",
        better=better,
        **made,
        **fall,
    )

"""Sentences of a puzzle: what is asked, why a move is wrong, and that it is solved."""

from __future__ import annotations

from firmware_host.guidance.words import player
from firmware_host.messages import Message, text


def task(kind: str, turns: int, solver: str, other: str) -> Message:
    """What to find. ``kind``: as in ``studies.puzzles.Puzzle``."""
    who = player(solver).capitalised()
    if kind == "save":
        return text(
            "{player} is to move. After every move but one {other} wins: find that one.",
            player=who,
            other=player(other),
        )
    if turns == 1:
        return text("{player} is to move, and wins with this move. Which one?", player=who)
    return text(
        "{player} is to move, and wins in two turns, whatever {other} does. How?",
        player=who,
        other=player(other),
    )


def answered(move: str, other: str, reply: str) -> Message:
    """The solution was found; the other side still answers."""
    return text(
        "{move} is right! {player} answers {reply}.",
        move=move,
        player=player(other).capitalised(),
        reply=reply,
    )


def finish() -> Message:
    """After the answer."""
    return text("Now win!")


def solved_win(result: Message) -> Message:
    """The game is won; ``result`` says how."""
    return text("Solved! {result}", result=result)


def solved_save(move: str, other: str) -> Message:
    """The only move that does not lose."""
    return text(
        "Solved! After every other move than {move} {player} would have won.",
        move=move,
        player=player(other),
    )


def loses(move: str, other: str, reply: str | None) -> Message:
    """A wrong move, and what wins against it; None: the game is lost with the move itself."""
    if reply is None:
        return text("{move} loses at once. Take it back and try again.", move=move)
    return text(
        "After {move} {player} wins with {reply}. Take it back and try again.",
        move=move,
        player=player(other),
        reply=reply,
    )


def does_not_win(move: str, other: str, reply: str | None) -> Message:
    """A move that does not win in time; ``reply``: what holds against it, if it needs anything."""
    if reply is None:
        return text("{move} does not win. Take it back and try again.", move=move)
    return text(
        "{move} does not win in time: {player} holds with {reply}. Take it back and try again.",
        move=move,
        player=player(other),
        reply=reply,
    )

"""Sentences while the game goes its way: set-up, turn, settle, over."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.guidance.words import piece, player, players
from firmware_host.messages import Message, text
from firmware_host.table.agreement import AGREED, RESIGNED, TIME_UP
from games.base import Outcome, Shift
from games.registry import GAMES


def no_game() -> Message:
    """Nothing has been begun."""
    return text("Choose a game to begin.")


def turn(game: str, to_move: str, *, drops: bool, swap: Shift | None) -> Message:
    """The player to move may choose. ``swap``: the piece that ``swap`` would put, and where."""
    who = player(to_move)
    mine = piece(game, to_move)
    if not drops:
        return text("It is {player}'s turn: lift the {piece}.", player=who, piece=mine)
    if swap is None:
        return text("It is {player}'s turn: put a {piece} on a lit place.", player=who, piece=mine)
    return text(
        "It is {player}'s turn: put a {piece} on a lit place, or swap: put a {swap} on {place} "
        "instead of the one there.",
        player=who,
        piece=mine,
        swap=piece(game, swap.piece),
        place=swap.target,
    )


def turn_by_sides(game: str, to_move: str) -> Message:
    """The player to move may choose, and every lit place has the colour of its side."""
    return text(
        "It is {player}'s turn: put a {piece} on a lit place. Its colour tells the side.",
        player=player(to_move),
        piece=piece(game, to_move),
    )


def carried(game: str, kind: str, back: str) -> Message:
    """The mover's piece is in the hand; ``back``: where it stood."""
    return text(
        "Put the {piece} on a lit place, or back on {place}.", piece=piece(game, kind), place=back
    )


def land(game: str, kind: str, place: str, captured: str, *, extra: str | None) -> Message:
    """The mover's piece is in the hand, and what it captures too, or it stands on ``extra``."""
    if extra is None:
        return text(
            "The {captured} drops into the hole: put the {piece} on {place}.",
            captured=piece(game, captured),
            piece=piece(game, kind),
            place=place,
        )
    return text(
        "Take the {captured} off {extra} and put the {piece} on {place}.",
        captured=piece(game, captured),
        extra=extra,
        piece=piece(game, kind),
        place=place,
    )


def lifted(game: str, put: Shift, back: str) -> Message:
    """The piece that a swap would replace is in the hand; ``back`` is its kind."""
    return text(
        "Put a {piece} on {place} to swap, or the {other} back.",
        piece=piece(game, put.piece),
        place=put.target,
        other=piece(game, back),
    )


def last_piece(game: str, said: Message, owners: Sequence[str]) -> Message:
    """``said``, and that ``owners`` have one piece left each (Momentum M9)."""
    if not owners:
        return said
    known, who = GAMES.get(game), players(owners)
    last = Message("Last piece" if known is None else known.last_piece)
    if len(owners) == 1:
        return text("{said} {last}: {player} has only one left.", said=said, last=last, player=who)
    return text("{said} {last}: {players} have only one left.", said=said, last=last, players=who)


def settle(game: str, shift: Shift, *, lifted_already: bool) -> Message:
    """The next consequence to carry out."""
    what = piece(game, shift.piece)
    if shift.target is None:
        return text("Take the {piece} off {place}.", piece=what, place=shift.source)
    if shift.source is None or lifted_already:
        return text("Put the {piece} on {place}.", piece=what, place=shift.target)
    return text(
        "Move the {piece} from {source} to {target}.",
        piece=what,
        source=shift.source,
        target=shift.target,
    )


def _why_over(game: str, outcome: Outcome) -> Message | None:
    if outcome.reason == RESIGNED:
        return text("{player} has resigned", player=player(str(outcome.extra["by"])))
    if outcome.reason == TIME_UP:
        return text("the time of {player} is up", player=player(str(outcome.extra["by"])))
    if outcome.reason == AGREED:
        return text("everybody has agreed")
    known = GAMES.get(game)
    template, params = ("", {}) if known is None else known.result_said(outcome)
    winner = None if outcome.winner is None else player(outcome.winner)
    return Message(template, {"winner": winner, **params}) if template else None


def over(game: str, outcome: Outcome) -> Message:
    """Who has won, and why in the game's own words where it has any."""
    why = _why_over(game, outcome)
    winners = outcome.team or (() if outcome.winner is None else (outcome.winner,))
    if not winners:
        return text("A draw.") if why is None else text("A draw: {why}.", why=why)
    who = players(winners).capitalised()
    if len(winners) == 1:
        return (
            text("{player} wins: {why}!", player=who, why=why)
            if why
            else text("{player} wins!", player=who)
        )
    return (
        text("{players} win: {why}!", players=who, why=why)
        if why
        else text("{players} win!", players=who)
    )

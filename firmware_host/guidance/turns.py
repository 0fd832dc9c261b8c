"""Sentences while the game goes its way: set-up, turn, settle, over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.guidance.words import piece, player, players
from firmware_host.messages import Message, text
from games.base import Outcome, Shift


def no_game() -> Message:
    """Nothing has been begun."""
    return text("Choose a game to begin.")


def turn(game: str, to_move: str, *, drops: bool, exchange: Shift | None) -> Message:
    """The player to move may choose. ``exchange``: the piece that ``swap`` would put, and where."""
    who = player(to_move)
    mine = piece(game, to_move)
    if not drops:
        return text("It is {player}'s turn: lift the {piece}.", player=who, piece=mine)
    if exchange is None:
        return text("It is {player}'s turn: put a {piece} on a lit place.", player=who, piece=mine)
    return text(
        "It is {player}'s turn: put a {piece} on a lit place, or swap: put a {swap} on {place} "
        "instead of the one there.",
        player=who,
        piece=mine,
        swap=piece(game, exchange.piece),
        place=exchange.target,
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
        return text("Put the {piece} on {place}.", piece=piece(game, kind), place=place)
    return text(
        "Take the {captured} off {extra} and put the {piece} on {place}.",
        captured=piece(game, captured),
        extra=extra,
        piece=piece(game, kind),
        place=place,
    )


def lifted(game: str, put: Shift, back: str) -> Message:
    """The piece that an exchange would replace is in the hand; ``back`` is its kind."""
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
    who = players(owners)
    if game == "momentum":
        if len(owners) == 1:
            return text("{said} Last marble: {player} has only one left.", said=said, player=who)
        return text("{said} Last marble: {players} have only one left.", said=said, players=who)
    if len(owners) == 1:
        return text("{said} Last piece: {player} has only one left.", said=said, player=who)
    return text("{said} Last piece: {players} have only one left.", said=said, players=who)


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


def over(game: str, outcome: Outcome) -> Message:
    """The result, and what now."""
    return text(
        "{result} Press confirm for a new game, or hold the back button for another one.",
        result=_result(game, outcome),
    )


def _result(game: str, outcome: Outcome) -> Message:
    positions = outcome.extra.get("positions")
    if positions:
        return _counted(_won(game, outcome), {who: len(at) for who, at in positions.items()})
    return _won(game, outcome)


def _counted(said: Message, counts: Mapping[str, int]) -> Message:
    """``said``, and both sides' winning positions (Attraktion)."""
    (first, one), (second, other) = counts.items()
    return text(
        "{result} Winning positions: {first} {one}, {second} {other}.",
        result=said,
        first=player(first),
        one=one,
        second=player(second),
        other=other,
    )


def _won(game: str, outcome: Outcome) -> Message:
    if outcome.winner is None:
        return text("The game is over: a draw.")
    winners = outcome.team or (outcome.winner,)
    who = players(winners)
    margin = outcome.extra.get("margin")
    if margin == 1:
        return text("The game is over: {players} won by 1 pod.", players=who)
    if margin:
        return text("The game is over: {players} won by {margin} pods.", players=who, margin=margin)
    if game == "momentum" and outcome.reason == "complete":
        return text(
            "The game is over: {players} won, with every {piece} on the board.",
            players=who,
            piece=piece(game, outcome.winner),
        )
    return text("The game is over: {players} won.", players=who)

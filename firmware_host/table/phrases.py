"""The words and sentences of normal play: names of players and pieces, results, hints and
reasons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table.move_line import AGREED, RESIGNED, TIME_UP
from tiltboard.firmware_host.table.sight import UNKNOWN_PIECE
from tiltboard.games.base import GameType, Outcome, PieceLook, Turn
from tiltboard.games.registry import GAMES

_COLOURS: Mapping[str, Message] = {
    "red": text("red"),
    "blue": text("blue"),
    "white": text("white"),
    "black": text("black"),
    "green": text("green"),
    "orange": text("orange"),
    "gray": text("gray"),
    "purple": text("purple"),
}

BOTS = (
    text("mouse"),
    text("hedgehog"),
    text("rabbit"),
    text("squirrel"),
    text("cat"),
    text("fox"),
    text("owl"),
    text("wolf"),
    text("eagle"),
    text("dragon"),
)
"""Names of the bot's levels, from weakest to strongest."""


def colour(name: str) -> Message:
    """Return a colour's name in lower case, such as "red"."""
    return _COLOURS.get(name, Message(name))


def player(name: str) -> Message:
    """Return a player's name, which is a colour, such as "Red". ``Message.with_names`` replaces
    that colour by the person's name.
    """
    return colour(name).capitalised()


def players(names: Sequence[str]) -> Message:
    """Return the names of one or more players as a list, such as "Red and White"."""
    first, *rest = names
    if not rest:
        return player(first)
    return text("{one} and {others}", one=player(first), others=players(rest))


def piece(game: str, kind: str) -> Message:
    """Return a piece's name without an article, such as "red marble"."""
    if kind == UNKNOWN_PIECE:
        return text("strange piece")
    known = GAMES.get(game)  # The package of an old game may no longer be installed.
    if known is None and kind not in _COLOURS:
        return Message(kind)
    look = PieceLook() if known is None else known.look_of(kind)
    return Message(look.noun, {"colour": colour(kind)})


def _why_over(game: str, outcome: Outcome) -> Message | None:
    if outcome.reason == RESIGNED:
        return text("{player} resigned", player=player(str(outcome.extra["by"])))
    if outcome.reason == TIME_UP:
        return text("{player} ran out of time", player=player(str(outcome.extra["by"])))
    if outcome.reason == AGREED:
        return text("everyone agreed")
    known = GAMES.get(game)
    template, params = ("", {}) if known is None else known.result_said(outcome)
    winner = None if outcome.winner is None else player(outcome.winner)
    return Message(template, {"winner": winner, **params}) if template else None


def over(game: str, outcome: Outcome) -> Message:
    """Return the sentence that names the winners, or a draw, with the reason if there is one."""
    why = _why_over(game, outcome)
    winners = outcome.team or (() if outcome.winner is None else (outcome.winner,))
    if not winners:
        return text("A draw.") if why is None else text("A draw – {why}.", why=why)
    who = players(winners).capitalised()
    if len(winners) == 1:
        return (
            text("{player} wins – {why}!", player=who, why=why)
            if why
            else text("{player} wins!", player=who)
        )
    return (
        text("{players} win – {why}!", players=who, why=why)
        if why
        else text("{players} win!", players=who)
    )


def to_find(kind: str, number: int) -> Message:
    """Return the sentence about a recommended puzzle's task. ``kind``: "save" if the player must
    find the only safe move; otherwise the player must find the winning move.
    """
    if kind == "save":
        return text("Find the only safe move: puzzle {number}.", number=number)
    return text("Find the move that wins: puzzle {number}.", number=number)


def hint(mover: str, move: str, why: Message | None = None) -> Message:
    """Return the sentence that suggests the strongest bot's move to the player ``mover``, with the
    reason ``why`` if there is one.
    """
    said = text("Try {move}.", player=player(mover), move=move)
    return said if why is None else Message("{said} {why}", {"said": said, "why": why})


def why(turn: Turn, reason: tuple[str, int, str]) -> Message:
    """Return the reason for a move, worded for the move's game. ``reason``: the kind of the reason,
    a number and a move, as in ``proof.Reason``.
    """
    game = turn.position.game
    kind, number, move = reason
    known = GAMES.get(game.name)
    template = (GameType.reasons if known is None else known.reasons)[kind]
    after = game.players[(game.players.index(turn.player) + 1) % len(game.players)]
    return Message(
        template,
        {
            "player": player(turn.player),
            "other": player(after),
            "turns": number,
            "share": number,
            "move": game.labels.get(move, move),
        },
        capital=True,
    )

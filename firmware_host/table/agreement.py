"""Ends of a game that its players make themselves: one side resigns or uses up its time, or all
agree on a draw.

The result is an ``Outcome`` like one of the rules, so journal, export and page show it the same
way; its reason tells that the rules did not give it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware_host.config.errors import NotPossibleError
from games.base import Game, Outcome

RESIGNED = "resigned"
AGREED = "agreed"
TIME_UP = "time"


def sides(game: Game) -> tuple[tuple[str, ...], ...]:
    """Who wins together: the teams, else each player alone."""
    return game.teams or tuple((player,) for player in game.players)


def side_of(game: Game, player: str) -> tuple[str, ...]:
    """The side that ``player`` is of. Raises NotPossibleError, naming the players."""
    for side in sides(game):
        if player in side:
            return side
    raise NotPossibleError(
        "There is no player {player}; the players are: {known}.",
        player=player,
        known=", ".join(game.players),
    )


def resignation(game: Game, player: str, reason: str = RESIGNED) -> Outcome:
    """``player`` resigns, or his time is up, for the whole side: the other one wins.

    Raises NotPossibleError where there is no such player, or where more than two sides play.
    """
    mine = side_of(game, player)
    others = [side for side in sides(game) if side != mine]
    if len(others) != 1:
        raise NotPossibleError(
            "With more than two sides nobody can resign: who would have won?",
            remedy="Begin a new game; this one is kept.",
        )
    [winners] = others
    return Outcome(
        winners[0] if len(winners) == 1 else None,
        reason,
        winners if game.teams else None,
        extra={"by": player},
    )


def agreed_draw() -> Outcome:
    """All sides have offered a draw."""
    return Outcome(None, AGREED)


def agreed_end(game: Game, result: Mapping[str, Any] | None) -> Outcome | None:
    """The outcome that a stored result tells, if it is one of these for ``game``; else None."""
    if result is None:
        return None
    try:
        ends = [agreed_draw()]
        if result.get("reason") in (RESIGNED, TIME_UP):
            ends.append(resignation(game, str(result.get("by")), str(result["reason"])))
    except NotPossibleError:
        return None
    return next((end for end in ends if end.as_json() == dict(result)), None)

"""The menu of games, for a table without a page: the same question mechanism as in play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware_host.guidance import questions
from firmware_host.messages import Message, text
from firmware_host.profile import Profile
from firmware_host.standing import Choice, Question
from games.base import GameType
from games.momentum import MOMENTUM
from games.registry import GAMES

PAIRING = "pairing"


def game_menu(games: Mapping[str, GameType] = GAMES, *, pairing: bool = False) -> Question:
    """Which of ``games`` to begin; each answer is a game's name. ``pairing``: or, last, whether a
    device is to be paired.
    """
    choices = [Choice(name, Message(kind.credit.title)) for name, kind in games.items()]
    if pairing:
        choices.append(Choice(PAIRING, text("Pair a device")))
    return Question(questions.which_game(), tuple(choices))


def options_for(kind: GameType, profile: Profile) -> Mapping[str, Any]:
    """The default options, but no larger than the plate; whether that fits is *not* checked."""
    most = min(profile.columns, profile.rows)
    if not any(s.name == "size" and (s.default or 0) > most for s in kind.option_specs):
        return {}
    return profile.first_options if kind.name == MOMENTUM.name else {"size": most}

"""The menu of games, for a table without a page: the same question mechanism as in play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware_host.guidance import questions
from firmware_host.messages import Message
from firmware_host.profile import Profile
from firmware_host.standing import Choice, Question
from games.base import GameType
from games.momentum import MOMENTUM
from games.registry import GAMES


def game_menu(games: Mapping[str, GameType] = GAMES) -> Question:
    """Which of ``games`` to begin; each answer is a game's name."""
    return Question(
        questions.which_game(),
        tuple(Choice(name, Message(kind.credit.title)) for name, kind in games.items()),
    )


def options_for(kind: GameType, profile: Profile) -> Mapping[str, Any]:
    """The default options, but no larger than the plate; whether that fits is *not* checked."""
    most = min(profile.columns, profile.rows)
    if not any(s.name == "size" and (s.default or 0) > most for s in kind.option_specs):
        return {}
    return profile.first_options if kind.name == MOMENTUM.name else {"size": most}

"""The menu of games, for a table without a page: the same question mechanism as in play."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_host.guidance import questions
from firmware_host.messages import Message
from firmware_host.standing import Choice, Question
from games.base import GameType
from games.registry import GAMES


def game_menu(games: Mapping[str, GameType] = GAMES) -> Question:
    """Which of ``games`` to begin, with its default options; each answer is a game's name."""
    return Question(
        questions.which_game(),
        tuple(Choice(name, Message(kind.credit.title)) for name, kind in games.items()),
    )

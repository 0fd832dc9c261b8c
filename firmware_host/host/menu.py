"""The games that a plate can carry, ready to be started: by the page, and by the menu at the table,
which is the same question mechanism as in play.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from firmware_host.config.errors import BoardDoesNotFitError
from firmware_host.config.profile import Capabilities
from firmware_host.guidance import questions
from firmware_host.messages import Message, text
from firmware_host.table.commands import NewGame
from firmware_host.table.overlay import check_fits
from firmware_host.table.standing import Choice, Question
from games.base import Game, GameType, Limit, OptionSpec, Preset
from games.registry import HOSTED
from games.seated import SeatedGame

PAIRING = "pairing"


@cache
def presets_for(kind: GameType, able: Capabilities) -> tuple[Preset, ...]:
    """The game's presets that fit such a plate, the usual one first."""
    return tuple(preset for preset, _ in _fitting(kind, able))


@cache
def _fitting(kind: GameType, able: Capabilities) -> Sequence[tuple[Preset, int]]:
    """The same, each with the number of its players."""
    games = ((preset, kind.create(preset.options)) for preset in kind.presets)
    return [(preset, len(game.players)) for preset, game in games if _fits(able, game)]


def _fits(able: Capabilities, game: Game) -> bool:
    """Zones fit every plate."""
    if isinstance(game, SeatedGame):
        return True
    try:
        check_fits(able, game)
    except BoardDoesNotFitError:
        return False
    return True


def usual_options(kind: GameType, able: Capabilities) -> Mapping[str, Any]:
    """With which the game is started where nobody has chosen; where nothing fits, its defaults."""
    fitting = presets_for(kind, able)
    return fitting[0].options if fitting else {}


def options_for(kind: GameType, able: Capabilities) -> Sequence[OptionSpec]:
    """The game's options, numbers limited to what such a plate can carry."""
    shorter = min(able.columns, able.rows)
    most = {
        Limit.SIDE: shorter,
        Limit.COLUMNS: able.columns,
        Limit.ROWS: able.rows,
        Limit.HEXAGON: (shorter + 1) // 2,
        Limit.KINDS: able.kinds,
    }
    return [
        spec
        if spec.limit is None or spec.high is None
        else replace(spec, high=min(spec.high, most[spec.limit]))
        for spec in kind.option_specs
        if not spec.secret  # those are for the command line alone
    ]


def games_to_begin(
    able: Capabilities, games: Mapping[str, GameType] = HOSTED
) -> Mapping[str, tuple[Message, NewGame]]:
    """Answer -> what it is called and what it starts: every game as it is usually played,
    then those that another number of people can play, but for games of seats, whose pages ask.
    """
    found: dict[str, tuple[Message, NewGame]] = {}
    others: dict[str, tuple[Message, NewGame]] = {}
    for name, kind in games.items():
        title = kind.credit.title
        found[name] = Message(title), NewGame(name, usual_options(kind, able))
        if kind.seated:
            continue
        by_players: dict[int, Preset] = {}
        for preset, players in _fitting(kind, able):
            by_players.setdefault(players, preset)
        for count, preset in list(by_players.items())[1:]:
            label = text("{game} for {count}", game=title, count=count)
            others[f"{name} {count}"] = label, NewGame(name, preset.options)
    return found | others


def game_menu(
    able: Capabilities, games: Mapping[str, GameType] = HOSTED, *, pairing: bool = False
) -> Question:
    """Which of ``games`` to begin; each answer is a key of ``games_to_begin``. ``pairing``: or,
    last, whether a device is to be paired.
    """
    offered = games_to_begin(able, games).items()
    choices = [Choice(value, label) for value, (label, _) in offered]
    if pairing:
        choices.append(Choice(PAIRING, text("Pair a device")))
    return Question(questions.which_game(), tuple(choices))

"""The games that can be started on this table, their options, and the menu."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace as with_changes
from functools import cache
from typing import Any

from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import BoardDoesNotFitError
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table.overlay import check_fits
from tiltboard.firmware_host.table.status import Choice, Question
from tiltboard.games.base import Game, GameType, Limit, OptionSpec, Preset
from tiltboard.games.registry import HOSTED, game_type


def with_boards_read(command: c.NewGame) -> c.NewGame:
    """Return the request with the contents of its board and deck files as options. Raises
    RulesError.
    """
    if not command.boards:
        return command
    kind = game_type(command.game)
    boards = {name: kind.board_of(text) for name, text in command.boards.items()}
    return replace(command, options={**command.options, **boards}, boards={})


def game_of(command: c.NewGame) -> Game:
    """Return the game that a request asks for. Raises RulesError."""
    options = with_boards_read(command).options
    chosen = {name: each for name, each in options.items() if each is not None}
    return game_type(command.game).create(chosen)


@cache
def presets_for(kind: GameType, profile: Profile) -> tuple[Preset, ...]:
    """Return the game's presets that fit the plate of ``profile``, the default preset first."""
    return tuple(preset for preset, _ in _fitting(kind, profile))


@cache
def _fitting(kind: GameType, profile: Profile) -> Sequence[tuple[Preset, int]]:
    """Return the game's presets that fit the plate of ``profile``, each with its number of
    players.
    """
    found = []
    for preset in kind.presets:
        game = kind.create(preset.options)
        with suppress(BoardDoesNotFitError):
            if not game.seated:  # A game with zones fits every plate.
                check_fits(profile, game)
            found.append((preset, len(game.players)))
    return found


def usual_options(kind: GameType, profile: Profile) -> Mapping[str, Any]:
    """Return the options of the game's first preset that fits the plate, or no options if no preset
    fits.
    """
    fitting = presets_for(kind, profile)
    return fitting[0].options if fitting else {}


def options_for(kind: GameType, profile: Profile) -> Sequence[OptionSpec]:
    """Return the game's options, with numbers limited to boards that fit the plate of
    ``profile``.
    """
    shorter = min(profile.columns, profile.rows)
    most = {
        Limit.SIDE: shorter,
        Limit.COLUMNS: profile.columns,
        Limit.ROWS: profile.rows,
        Limit.HEXAGON: (shorter + 1) // 2,
        Limit.KINDS: profile.kinds,
    }
    return [
        spec
        if spec.limit is None or spec.high is None
        else with_changes(spec, high=min(spec.high, most[spec.limit]))
        for spec in kind.option_specs
        if not spec.secret  # Secret options can be set on the command line only.
    ]


def games_to_begin(profile: Profile) -> Mapping[str, tuple[Message, c.NewGame]]:
    """Return the games in the menu: value of the answer -> name of the game, and request to start
    the game. The list starts with every game in its default options; presets for other numbers of
    players follow. A game with private seats is listed only once, because its pages ask for the
    players.
    """
    found: dict[str, tuple[Message, c.NewGame]] = {}
    others: dict[str, tuple[Message, c.NewGame]] = {}
    for name, kind in HOSTED.items():
        title = kind.credit.title
        found[name] = Message(title), c.NewGame(name, usual_options(kind, profile))
        if kind.seated:
            continue
        by_players: dict[int, Preset] = {}
        for preset, players in _fitting(kind, profile):
            by_players.setdefault(players, preset)
        for count, preset in list(by_players.items())[1:]:
            label = text("{game} for {count}", game=title, count=count)
            others[f"{name} {count}"] = label, c.NewGame(name, preset.options)
    return found | others


def game_menu(profile: Profile, more: Sequence[Choice] = ()) -> Question:
    """Return the question that asks which game to start; each answer is a key of
    ``games_to_begin``. ``more``: further choices, added at the end.
    """
    choices = [Choice(value, label) for value, (label, _) in games_to_begin(profile).items()]
    return Question(text("Which game?"), (*choices, *more))


class Lobby:
    """The menu that a long press of back opens: games, and choices that other parts of the program
    add.
    """

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._offered: dict[str, tuple[Choice, Callable[[], None]]] = {}

    def offer(self, choice: Choice, ask: Callable[[], None]) -> None:
        """Add ``choice`` to the menu. ``ask``: function that is called in the table's thread when a
        player selects this choice.
        """
        self._offered[choice.value] = choice, ask

    def menu(self) -> Question:
        """Return the current menu."""
        return game_menu(self._profile, [each for each, _ in self._offered.values()])

    def choose(self, value: str) -> c.NewGame | None:
        """Return the request to start the game with the answer ``value``. If the answer is another
        part's choice, call the function of that choice and return None.
        """
        if value in self._offered:
            self._offered[value][1]()
            return None
        return games_to_begin(self._profile)[value][1]

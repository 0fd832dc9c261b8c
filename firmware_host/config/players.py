"""The players at a table: people, their clocks and assist, and bots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

OURS = "tiltboard"
"""Name of the built-in engine."""

FAR = "far"
"""Name that is used in place of an engine's name for a player at another table."""

EngineName = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9._-]+$")]


class EngineSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A bot that plays for a player.

    ``engine`` is the engine's name in the settings, or ``OURS``. ``level`` is its strength, 1 to
    10. ``version`` is the name that the engine reports for itself, empty until known. ``thought_s``
    is the total time in seconds that the engine has used for its moves. If ``follows`` is True,
    each new game adapts the level to the opponents.
    """

    engine: EngineName = OURS
    level: Annotated[int, msgspec.Meta(ge=1, le=10)] = 5
    version: Annotated[str, msgspec.Meta(max_length=80)] = ""
    thought_s: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    follows: bool = False


NOTHING, WARNS, SHADES, MOST = range(4)
Amount = Annotated[int, msgspec.Meta(ge=NOTHING, le=MOST)]
"""Amount of assist for a player: 0 for none, 1 to mark bad moves, 2 to mark good moves too, 3 to
show the best move too.
"""


class AssistLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The assist that a player gets.

    ``amount`` is the present amount of assist. ``plies`` are the numbers of the moves that were
    made with assist; the game's first move has number 1. If ``sure`` is True, the player must
    confirm a move that is a blunder.
    """

    amount: Amount = NOTHING
    plies: tuple[Annotated[int, msgspec.Meta(ge=1)], ...] = ()
    sure: bool = False


Assists = Mapping[str, AssistLevel]
"""Player -> assist of that player; players without assist are not in the mapping."""
EngineSeats = Mapping[str, EngineSeat]
"""Player -> bot that plays for that player; people are not in the mapping."""
NO_ENGINES: EngineSeats = {}
NO_ASSIST: Assists = {}

# Clocks: the time that each player gets, and the remaining time.

MAX_LEFT_S = 86_400.0


class ClockTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A time control: ``minutes`` per player and game, and ``increment_s`` seconds added after each
    move.
    """

    minutes: Annotated[int, msgspec.Meta(ge=1, le=180)]
    increment_s: Annotated[int, msgspec.Meta(ge=0, le=60)] = 0


class ClockLeft(ClockTime, frozen=True, forbid_unknown_fields=True):
    """A game clock; ``left_s`` is the remaining time of each player in seconds."""

    left_s: dict[str, Annotated[float, msgspec.Meta(ge=0, le=MAX_LEFT_S)]] = {}

"""The players at a table: people with clocks and assist, and bots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

OURS = "tiltboard"
"""The name of the engine that comes with the table."""

FAR = "far"
"""The engine name of a player who sits at another table."""

EngineName = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9._-]+$")]


class EngineSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A bot that plays for a player: ``engine`` is its name in the settings or ``OURS``, ``level``
    its strength, ``version`` what the engine calls itself (empty until it has), ``thought_s`` its
    time for all moves together. If ``follows``, each game sets the level to match its opponents.
    """

    engine: EngineName = OURS
    level: Annotated[int, msgspec.Meta(ge=1, le=10)] = 5
    version: Annotated[str, msgspec.Meta(max_length=80)] = ""
    thought_s: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    follows: bool = False


NOTHING, WARNS, SHADES, MOST = range(4)
Amount = Annotated[int, msgspec.Meta(ge=NOTHING, le=MOST)]
"""Amount of assist: none, bad moves are marked, good moves too, the best move too."""


class AssistLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A player's assist: ``amount`` is what they are shown now, ``plies`` are their moves made with
    assist (the game's first is 1), and with ``sure`` they are asked to confirm a blunder.
    """

    amount: Amount = NOTHING
    plies: tuple[Annotated[int, msgspec.Meta(ge=1)], ...] = ()
    sure: bool = False


Assists = Mapping[str, AssistLevel]
"""Player -> their assist; players without any are left out."""
EngineSeats = Mapping[str, EngineSeat]
"""Player -> their bot; people are left out."""
NO_ENGINES: EngineSeats = {}
NO_ASSIST: Assists = {}

# Clocks: how much time each player has, and how much is left

MAX_LEFT_S = 86_400.0


class ClockTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time control: ``minutes`` per player and game, ``increment_s`` added after each move."""

    minutes: Annotated[int, msgspec.Meta(ge=1, le=180)]
    increment_s: Annotated[int, msgspec.Meta(ge=0, le=60)] = 0


class ClockLeft(ClockTime, frozen=True, forbid_unknown_fields=True):
    """A running clock; ``left_s`` is the remaining time of each player in seconds."""

    left_s: dict[str, Annotated[float, msgspec.Meta(ge=0, le=MAX_LEFT_S)]] = {}

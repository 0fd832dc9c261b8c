"""Who sits at the table: people with their clocks and their assist, and engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

OURS = "tiltboard"
"""The name of the engine that comes with the table."""

FAR = "far"
"""In the place of an engine's name: whoever plays sits at another table."""

EngineName = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9._-]+$")]


class EngineSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``engine``: its name in the settings, or ``OURS``. ``level``: how strong it is to play.
    ``version``: what it calls itself, once it has. ``thought_s``: for all its moves together.
    ``follows``: its level is that of the people against whom it plays, in each game anew.
    """

    engine: EngineName = OURS
    level: Annotated[int, msgspec.Meta(ge=1, le=10)] = 5
    version: Annotated[str, msgspec.Meta(max_length=80)] = ""
    thought_s: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    follows: bool = False


NOTHING, WARNS, SHADES, MOST = range(4)
Amount = Annotated[int, msgspec.Meta(ge=NOTHING, le=MOST)]
"""Of assist: none; bad moves are marked; good ones too; and the best one."""


class Assist(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``amount``: how much a player is shown now. ``plies``: his moves (the game's first is 1) that
    he made while he was. ``sure``: he wants to be asked after a blunder whether he is sure.
    """

    amount: Amount = NOTHING
    plies: tuple[Annotated[int, msgspec.Meta(ge=1)], ...] = ()
    sure: bool = False


Assists = Mapping[str, Assist]
"""Player -> his assist; those without are left out."""
EngineSeats = Mapping[str, EngineSeat]
"""Player -> his engine; people are left out."""
NO_ENGINES: EngineSeats = {}
NO_ASSIST: Assists = {}

# Clocks: how much time each player has, and how much is left

MOST_LEFT_S = 86_400.0


class ClockTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``minutes``: of each player for the whole game. ``increment_s``: added after his moves."""

    minutes: Annotated[int, msgspec.Meta(ge=1, le=180)]
    increment_s: Annotated[int, msgspec.Meta(ge=0, le=60)] = 0


class ClockLeft(ClockTime, frozen=True, forbid_unknown_fields=True):
    """``left_s``: player -> seconds that he has left."""

    left_s: dict[str, Annotated[float, msgspec.Meta(ge=0, le=MOST_LEFT_S)]] = {}

"""Who sits at the table besides people: engines, one for each player that it plays for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

OURS = "tiltboard"
"""The name of the engine that comes with the table."""

EngineName = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9._-]+$")]


class EngineSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``engine``: its name in the settings, or ``OURS``. ``level``: how strong it is to play.
    ``version``: what it calls itself, once it has.
    """

    engine: EngineName = OURS
    level: Annotated[int, msgspec.Meta(ge=1, le=10)] = 5
    version: Annotated[str, msgspec.Meta(max_length=80)] = ""


EngineSeats = Mapping[str, EngineSeat]
"""Player -> his engine; people are left out."""
NO_ENGINES: EngineSeats = {}

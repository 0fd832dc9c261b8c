"""The players' clocks: how much time each has, and how much is left."""

from __future__ import annotations

from typing import Annotated

import msgspec

MOST_LEFT_S = 86_400.0


class ClockTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``minutes``: of each player for the whole game. ``increment_s``: added after his moves."""

    minutes: Annotated[int, msgspec.Meta(ge=1, le=180)]
    increment_s: Annotated[int, msgspec.Meta(ge=0, le=60)] = 0


class ClockLeft(ClockTime, frozen=True, forbid_unknown_fields=True):
    """``left_s``: player -> seconds that he has left."""

    left_s: dict[str, Annotated[float, msgspec.Meta(ge=0, le=MOST_LEFT_S)]] = {}

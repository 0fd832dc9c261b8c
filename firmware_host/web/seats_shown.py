"""A game of seats as pages read it: everybody the same, and each seat its own (JSON, msgspec)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat. ``taken``: a device has it. ``computer``: its level, if the computer plays it."""

    player: str
    taken: bool
    computer: str | None = None


class RoomInfo(msgspec.Struct, frozen=True):
    """A game of seats as everybody may see it.

    ``step``: goes back with a move, so that it counts only where nothing has changed. ``public``:
    the object of the ``tiltboard rules`` contract, as one sees it who plays no part. ``zones``:
    zone -> its towers. ``may``: what the table itself may do: the stems of chance, the end of a
    count. ``counting``: seconds left of a count of five. ``proposal``: a move of hands that the
    table believes was made (``seen``), which counts after a while if it is ``sure``, or that a
    computer player would like to be made; ``failure``: the move if it did not hold.
    """

    step: int
    public: dict[str, Any]
    zones: dict[str, list[str]]
    may: list[str]
    seats: list[SeatInfo]
    counting: int | None = None
    proposal: str | None = None
    failure: str | None = None
    seen: bool = False
    sure: bool = False


class SeatView(msgspec.Struct, frozen=True, tag="seat", tag_field="type"):
    """What one seat alone may see: sent only to the device that has it.

    ``legal``: its moves now. ``drawn``: two cards of which to keep one. ``hero``: its own.
    """

    player: str
    step: int
    hand: list[str]
    drawn: list[str]
    hero: str | None
    legal: list[str]


@dataclass(frozen=True)
class SeatsShown:
    """``holders``: player -> digest of the device that has the seat. ``codes``: of free seats.
    ``views``: by player.
    """

    holders: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, SeatView] = field(default_factory=dict)

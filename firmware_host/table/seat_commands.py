"""What people ask of the host at the seats of a game, as plain values."""

from __future__ import annotations

from typing import Annotated

import msgspec

from firmware_host.table.verbs import GameVerb, Name, Verb


class SeatMove(GameVerb, frozen=True, tag="seat-move"):
    """A move of a seated game. ``player``: at whose seat; None: at nobody's.

    ``move``: in the game's words; ``chance`` alone: let chance decide. ``proposed``: other hands
    are to do it, and it counts when somebody says how it went.
    """

    player: Name | None = None
    move: Annotated[str, msgspec.Meta(min_length=1, max_length=400)] = ""
    proposed: bool = False


class Count(GameVerb, frozen=True, tag="count"):
    """Count to five; then nobody has anything more to say."""


class NotSo(GameVerb, frozen=True, tag="not-so"):
    """What the sensors have seen may be otherwise: it counts only when somebody says so."""


class SitDown(Verb, frozen=True, tag="sit-down"):
    """A device takes a seat; no page sends it. ``digest``: of the device's token. ``player`` None:
    the seat with that ``code``; ``code`` None: without one, at the table itself.
    """

    digest: str
    player: str | None = None
    code: str | None = None


class StandUp(Verb, frozen=True, tag="stand-up"):
    """A seat is free again, with a new code."""

    player: Name


class SeatComputer(Verb, frozen=True, tag="seat-computer"):
    """A computer player sits there. ``level`` None: no longer."""

    player: Name
    level: Name | None = None


SeatRequest = SeatMove | Count | NotSo
SeatCommand = SeatRequest | SitDown | StandUp | SeatComputer

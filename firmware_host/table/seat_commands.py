"""What people ask of the host at the seats of a game, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeatMove:
    """A move of a seated game. ``player``: at whose seat; None: at nobody's.

    ``move``: in the game's words; ``chance`` alone: let chance decide. ``step``: of the game as it
    was seen by whoever moves; None: however it stands.
    """

    player: str | None
    move: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """Count to five; then nobody has anything more to say."""


@dataclass(frozen=True, slots=True)
class SitDown:
    """A device takes a seat. ``digest``: of its token. ``player`` None: the seat with that
    ``code``; ``code`` None: without one, at the table itself.
    """

    digest: str
    player: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class StandUp:
    """A seat is free again, with a new code. ``digest``: only if that device has it."""

    player: str
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class SeatComputer:
    """A computer player sits there. ``level`` None: no longer."""

    player: str
    level: str | None


SeatCommand = SeatMove | Count | SitDown | StandUp | SeatComputer

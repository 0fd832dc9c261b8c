"""How the game stands at the table, after each step: what the lights, page and scenarios show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from firmware_host.messages import Message
from games.base import Game, Outcome, Position, Shift


class Phase(StrEnum):
    """ARCHITECTURE, scenarios."""

    SETUP = "setup"
    TURN = "turn"
    SETTLE = "settle"
    FIX = "fix"
    PAUSED = "paused"
    OVER = "over"


class Role(StrEnum):
    """What a light says about its place. One role per place, the first of this order that fits."""

    WRONG = "wrong"
    REMOVE = "remove"
    LIFT = "lift"
    PUT = "put"
    WIN = "win"
    LEGAL = "legal"
    LAST = "last"
    OFF = "off"


class Sound(StrEnum):
    """Short tunes of the buzzer and the page."""

    START = "start"
    MOVE = "move"
    SETTLED = "settled"
    WRONG = "wrong"
    LAST_MARBLE = "last-marble"
    TAKEBACK = "takeback"
    WIN = "win"
    DRAW = "draw"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Standing:
    """The referee's account.

    ``position``: the last confirmed (journalled) position, None before any game. ``to_move``: the
    mover, until his move is on disk; None once over. ``roles``: only places that are not off.
    ``piece_for``: for PUT places, which piece is wanted there. ``shifts``: in settle, what is still
    to be carried out, for arrows on the page. ``say``: the next single thing to do, and why.
    ``sounds``: new in this step.
    """

    phase: Phase
    to_move: str | None
    game: Game | None
    game_id: int | None
    position: Position | None
    moves: tuple[str, ...]
    roles: Mapping[str, Role]
    piece_for: Mapping[str, str]
    shifts: tuple[Shift, ...]
    say: Message
    outcome: Outcome | None
    swap_legal: bool = False
    can_take_back: bool = False
    sounds: tuple[Sound, ...] = field(default=())

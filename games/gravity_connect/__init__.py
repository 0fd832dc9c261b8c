"""Gravity Connect, by XNimus (RULES C1-C3)."""

from __future__ import annotations

from games.gravity_connect.board import SIDES, Side, Slot
from games.gravity_connect.game import (
    GRAVITY_CONNECT,
    Fall,
    GravityConnectGame,
)

__all__ = [
    "GRAVITY_CONNECT",
    "SIDES",
    "Fall",
    "GravityConnectGame",
    "Side",
    "Slot",
]

"""Gravity Connect, by XNimus (RULES C1-C3)."""

from __future__ import annotations

from games.gravity_connect.game import GRAVITY_CONNECT, GravityConnectGame

__all__ = ["GRAVITY_CONNECT", "GravityConnectGame"]

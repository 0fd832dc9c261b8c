"""Gravity Warfare, by Luis, Amelia and Daniel Machado, 2017: the rules (WARFARE)."""

from __future__ import annotations

from tiltboard.games.gravity_warfare.game import GRAVITY_WARFARE, WarfareGame

__all__ = ["GRAVITY_WARFARE", "WarfareGame"]

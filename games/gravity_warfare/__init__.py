"""The game Gravity Warfare, by Luis, Amelia and Daniel Machado, 2017 (docs/rules.md, rules
W1-W14).
"""

from __future__ import annotations

from tiltboard.games.gravity_warfare.game import GRAVITY_WARFARE, WarfareGame

__all__ = ["GRAVITY_WARFARE", "WarfareGame"]

"""Momentum, by Phil Leduc, 2010 (RULES M1-M10)."""

from __future__ import annotations

from games.momentum.game import MOMENTUM, MomentumGame

__all__ = ["MOMENTUM", "MomentumGame"]

"""Gravity Trap, by Mike McManaway, 2008 (RULES T1-T6)."""

from __future__ import annotations

from games.gravity_trap.game import GRAVITY_TRAP, GravityTrapGame

__all__ = ["GRAVITY_TRAP", "GravityTrapGame"]

"""Attraktion, by Jaroslaw Cichocki, 2005 (RULES A1-A5)."""

from __future__ import annotations

from games.attraktion.game import ATTRAKTION, AttraktionGame

__all__ = ["ATTRAKTION", "AttraktionGame"]

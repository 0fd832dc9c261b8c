"""Compares what stands on the board with what the rules allow, and says how the game stands."""

from __future__ import annotations

from firmware_host.referee.referee import Referee

__all__ = ["Referee"]

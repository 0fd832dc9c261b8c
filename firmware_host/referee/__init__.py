"""Compares what stands on the board with what the rules allow, and says how the game stands."""

from __future__ import annotations

from firmware_host.referee.line import Beginning, Line
from firmware_host.referee.port import JournalPort
from firmware_host.referee.referee import Referee

__all__ = ["Beginning", "JournalPort", "Line", "Referee"]

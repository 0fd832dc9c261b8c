"""Errors of engines."""

from __future__ import annotations

from tiltboard.ground.errors import TiltboardError


class EngineError(TiltboardError):
    """An engine cannot do its task. Replace it; the game remains."""


class CannotPlayError(EngineError, ValueError):
    """An engine does not know how to play a game."""


class EngineLostError(EngineError, OSError):
    """An engine's process cannot be started, has ended, or does not answer. Start it again."""


class EngineHungError(EngineLostError):
    """An engine does not answer in time. Another try would take as long."""


class EngineMoveError(EngineError, ValueError):
    """An engine's answer is not a legal move. Ask another engine."""

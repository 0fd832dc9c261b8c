"""Errors that engines raise."""

from __future__ import annotations

from tiltboard.ground.errors import TiltboardError


class EngineError(TiltboardError):
    """An engine cannot do its task. Replace the engine; the game continues."""


class CannotPlayError(EngineError, ValueError):
    """An engine does not know how to play a game."""


class EngineLostError(EngineError, OSError):
    """An engine's process cannot be started, has ended, or does not answer. Start it again."""


class EngineHungError(EngineLostError):
    """An engine does not answer in time. A second try would probably hang as well, so use another
    engine.
    """


class EngineMoveError(EngineError, ValueError):
    """An engine's answer is not a legal move. Ask another engine."""

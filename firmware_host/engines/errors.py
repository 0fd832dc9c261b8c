"""Errors that engines raise."""

from __future__ import annotations

from tiltboard.ground.errors import TiltboardError


class EngineError(TiltboardError):
    """An engine cannot carry out its task. Use another engine instead; the game continues."""


class CannotPlayError(EngineError, ValueError):
    """The engine does not support the game."""


class EngineLostError(EngineError, OSError):
    """An engine's process cannot be started, has ended, or does not answer. The remedy is to start
    the process again.
    """


class EngineHungError(EngineLostError):
    """An engine does not answer before the timeout. Use another engine, because a second try would
    probably hang as well.
    """


class EngineMoveError(EngineError, ValueError):
    """An engine's answer is not a legal move. Ask another engine."""

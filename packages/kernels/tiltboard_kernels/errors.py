"""The error for kernels that cannot be compiled."""

from __future__ import annotations

from tiltboard.ground.errors import TiltboardError


class CannotCompileError(TiltboardError, ImportError):
    """Raised if kernels cannot be compiled on this machine. Engines then search without kernels."""

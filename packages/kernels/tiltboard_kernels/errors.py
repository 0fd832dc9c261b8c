"""The errors of compiling."""

from __future__ import annotations

from tiltboard.ground.errors import TiltboardError


class CannotCompileError(TiltboardError, ImportError):
    """Kernels cannot be compiled here; engines search without them."""

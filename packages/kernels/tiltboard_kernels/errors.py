"""The error of the kernels' compilation."""

from __future__ import annotations

from tiltboard.ground.errors import TiltboardError


class CannotCompileError(TiltboardError, ImportError):
    """Kernels cannot be compiled on this machine; engines search without them."""

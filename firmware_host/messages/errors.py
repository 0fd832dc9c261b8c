"""What can be wrong with texts for people."""

from __future__ import annotations

from drivers.errors import TiltboardError


class UnknownLanguageError(TiltboardError, ValueError):
    """There is no catalogue of that language."""

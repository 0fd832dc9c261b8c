"""From roles to colours: light patterns that differ without their colours, too."""

from __future__ import annotations

from firmware_host.lighting.digits import CODE_LEVEL, CodeShown
from firmware_host.lighting.lights import (
    LEGEND,
    LOOKS_S,
    PATTERNS,
    LegendEntry,
    Lighting,
    Pattern,
)

__all__ = [
    "CODE_LEVEL",
    "LEGEND",
    "LOOKS_S",
    "PATTERNS",
    "CodeShown",
    "LegendEntry",
    "Lighting",
    "Pattern",
]

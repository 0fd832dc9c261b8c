"""From roles to colours: light patterns that differ without their colours, too."""

from __future__ import annotations

from firmware_host.lighting.digits import CODE_LEVEL, CodeShown
from firmware_host.lighting.legend import LEGEND, LegendEntry
from firmware_host.lighting.patterns import LOOKS_S, PATTERNS, Pattern
from firmware_host.lighting.render import Colour, Lighting, shade

__all__ = [
    "CODE_LEVEL",
    "LEGEND",
    "LOOKS_S",
    "PATTERNS",
    "CodeShown",
    "Colour",
    "LegendEntry",
    "Lighting",
    "Pattern",
    "shade",
]

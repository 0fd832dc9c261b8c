"""From roles to colours: light patterns that differ without their colours, too."""

from __future__ import annotations

from firmware_host.lighting.legend import LEGEND, LegendEntry
from firmware_host.lighting.patterns import LOOKS_S, PATTERNS, Pattern
from firmware_host.lighting.render import Colour, Lighting

__all__ = ["LEGEND", "LOOKS_S", "PATTERNS", "Colour", "LegendEntry", "Lighting", "Pattern"]

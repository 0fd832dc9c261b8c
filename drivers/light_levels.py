"""From colours as the eye sees them to the bytes of a light, and what the supply can feed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

Colour: TypeAlias = tuple[float, float, float]
"""Red, green, blue, 0 to 1 as the eye sees them."""
Rgb: TypeAlias = tuple[int, int, int]

# 30/s also keeps the strip's reset gap of 280 us (WS2812B datasheet): 100 lights take 3.3 ms.
WRITE_EVERY_S: Final = 1 / 30


@dataclass(frozen=True, slots=True, kw_only=True)
class LightsSettings:
    """``count`` lights; they and nothing else live on ``supply_a`` amperes.

    ``channel_ma``: one of the three channels at 255; ``idle_ma``: a dark light.
    """

    count: int
    supply_a: float
    brightness: float = 0.5
    gamma: float = 2.2
    channel_ma: float = 20.0
    idle_ma: float = 1.0

    def curve(self) -> bytes:
        """The byte for each of 256 brightnesses as the eye sees them."""
        return bytes(
            round(255 * self.brightness * (step / 255) ** self.gamma) for step in range(256)
        )

    def current_a(self, levels: bytes) -> float:
        """What these bytes draw from the supply, idle current included."""
        return (sum(levels) / 255 * self.channel_ma + self.idle_ma * self.count) / 1000

    def limited(self, levels: bytes) -> tuple[bytes, float]:
        """The bytes as far as the supply can feed them, and their share of ``levels``."""
        idle_a = self.idle_ma * self.count / 1000
        lit_a = self.current_a(levels) - idle_a
        if lit_a <= 0 or lit_a + idle_a <= self.supply_a:
            return levels, 1.0
        share = max(0.0, (self.supply_a - idle_a) / lit_a)
        return bytes(int(level * share) for level in levels), share


def rgb_of(colour: Colour) -> Rgb:
    """The same in 256 steps; what lies outside is cut off."""
    red, green, blue = colour
    return (_step(red), _step(green), _step(blue))


def _step(channel: float) -> int:
    return min(255, max(0, int(channel * 255 + 0.5)))

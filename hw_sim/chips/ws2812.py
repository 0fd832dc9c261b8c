"""A chain of WS2812B lights, from the bytes on its data line. Source: Worldsemi WS2812B datasheet.

24 bits a light, green, red, blue, most significant first; each light takes the first 24 bits that
reach it and hands the rest on, until the line rests for the reset time.
"""

from __future__ import annotations

import math

BIT_S = 1.25e-6  # TH + TL
RESET_S = 280e-6  # Treset of the current generation (50 us of the first)
BYTES_PER_LIGHT = 3


class Ws2812Chain:
    """``count`` lights. ``updates`` counts the writes that reached the chain.

    ``supply_failed``: bits are lost until it is over; ``power_on`` says what the lights then do.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.updates = 0
        self.supply_failed = False
        self._grb = bytearray(count * BYTES_PER_LIGHT)
        self._since_reset = bytearray()
        self._quiet_from_s = -math.inf

    @property
    def colours(self) -> tuple[tuple[int, int, int], ...]:
        """Red, green, blue (0 to 255) of each light as it shines now, in chain order."""
        grb = self._grb
        return tuple((grb[i + 1], grb[i], grb[i + 2]) for i in range(0, len(grb), BYTES_PER_LIGHT))

    @property
    def latched_s(self) -> float:
        """When the lights took on the colours that they show."""
        return self._quiet_from_s + RESET_S

    def receive(self, data: bytes | bytearray, start_s: float) -> float:
        """Bits that arrive from ``start_s`` on. Returns the time at which the last has passed.

        Bytes beyond the chain's end fall off it; lights that none reach keep their colour; a
        light that got fewer than 24 bits does too.
        """
        if self.supply_failed:
            return start_s + len(data) * 8 * BIT_S
        if start_s - self._quiet_from_s >= RESET_S:
            self._since_reset.clear()
            self.updates += 1
        self._since_reset += data
        whole = min(len(self._since_reset), len(self._grb)) // BYTES_PER_LIGHT * BYTES_PER_LIGHT
        self._grb[:whole] = self._since_reset[:whole]
        self._quiet_from_s = start_s + len(data) * 8 * BIT_S
        return self._quiet_from_s

    def power_on(self, now_s: float) -> None:
        """The supply comes back (or a brown-out ends): all lights are dark and wait for bits."""
        self._grb = bytearray(len(self._grb))
        self._quiet_from_s = now_s - RESET_S

"""MCP3008: eight-channel 10-bit converter on SPI (Microchip DS21295).

Framing is that of figure 6-1, three bytes: the start bit ends the first, so that the ten data bits
end the last.
"""

from __future__ import annotations

from typing import Final

from tiltboard.drivers.buses import SpiDevice
from tiltboard.drivers.errors import PartReadingError

CHANNELS: Final = 8
STEPS: Final = 1024  # section 4.2: code = 1024 * Vin / Vref, at most 1023
SPI_MODE: Final = 0  # modes 0,0 and 1,1 both serve (section 6.1)
MAX_HZ: Final = 1_350_000  # at 2.7 V; 3.6 MHz at 5 V (electrical characteristics)

START: Final = 0x01  # last bit of the first byte
SINGLE_ENDED: Final = 0x80  # first bit of the second byte; then D2, D1, D0
CHANNEL_SHIFT: Final = 4
NULL_BIT: Final = 0x04  # always low, before B9 and B8 in the second byte that comes back
HIGH_BITS: Final = 0x03

# Sampling begins on the fourth rising edge after the start bit, which is the eighth clock here
# (section 5.0): this many whole clock periods pass from the first edge to the begin of sampling.
CLOCKS_BEFORE_SAMPLE: Final = 11


class Mcp3008:
    """One converter, opened. Sets mode and speed of ``device``."""

    def __init__(self, device: SpiDevice, speed_hz: int) -> None:
        device.mode = SPI_MODE
        device.max_speed_hz = speed_hz
        self._device = device
        self._xfer2 = device.xfer2
        self._commands = tuple(
            SINGLE_ENDED | channel << CHANNEL_SHIFT for channel in range(CHANNELS)
        )

    def read(self, channel: int) -> int:
        """Convert one channel, single-ended, and return its code, 0 to 1023. Raises
        PartReadingError if the null bit is not low, OSError from the bus.
        """
        # A new list each time: spidev overwrites the one that it is given.
        _, high, low = self._xfer2([START, self._commands[channel], 0])
        if high & NULL_BIT:
            raise PartReadingError(
                "hall",
                "The sensors' converter does not answer: its data line stays high.",
                remedy=("Check the MCP3008's supply and the wires of MISO, clock and chip select."),
            )
        return (high & HIGH_BITS) << 8 | low

    def close(self) -> None:
        """Give the bus back."""
        self._device.close()

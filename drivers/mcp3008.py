"""MCP3008: eight-channel 10-bit converter on SPI (Microchip DS21295).

A conversion takes three bytes (figure 6-1). The start bit is the last bit of the first byte, so
that the ten data bits end the last byte.
"""

from __future__ import annotations

from typing import Final

from tiltboard.drivers.buses import SpiDevice
from tiltboard.drivers.errors import PartReadingError

CHANNELS: Final = 8
# Number of different codes. The code is 1024 * Vin / Vref, at most 1023 (section 4.2).
STEPS: Final = 1024
# SPI mode that the driver sets. The chip supports the modes 0,0 and 1,1 (section 6.1).
SPI_MODE: Final = 0
# Maximum clock at 2.7 V, in Hz; at 5 V the maximum is 3.6 MHz (electrical characteristics).
MAX_HZ: Final = 1_350_000

START: Final = 0x01  # Start bit, the last bit of the first byte sent.
# First bit of the second byte sent, which selects a single-ended reading. The channel bits D2, D1,
# D0 follow.
SINGLE_ENDED: Final = 0x80
CHANNEL_SHIFT: Final = 4
# Bit of the second byte received that is always low. The data bits B9 and B8 follow.
NULL_BIT: Final = 0x04
HIGH_BITS: Final = 0x03

# Number of whole clock periods from the first edge to the start of sampling. Sampling starts on the
# fourth rising edge after the start bit. Counted from the first edge, this is the eighth clock
# (section 5.0).
CLOCKS_BEFORE_SAMPLE: Final = 11


class Mcp3008:
    """An open MCP3008. The constructor sets the mode and speed of ``device``."""

    def __init__(self, device: SpiDevice, speed_hz: int) -> None:
        device.mode = SPI_MODE
        device.max_speed_hz = speed_hz
        self._device = device
        self._xfer2 = device.xfer2
        self._commands = tuple(
            SINGLE_ENDED | channel << CHANNEL_SHIFT for channel in range(CHANNELS)
        )

    def read(self, channel: int) -> int:
        """Convert the voltage at ``channel`` (single-ended) and return the code, 0 to 1023.

        Raises PartReadingError if the null bit is not low. Raises OSError if the bus fails.
        """
        # Create a new list each time, because spidev overwrites its argument.
        _, high, low = self._xfer2([START, self._commands[channel], 0])
        if high & NULL_BIT:
            raise PartReadingError(
                "hall",
                "The sensors' converter does not answer: its data line stays high.",
                remedy=("Check the MCP3008's supply and the wires of MISO, clock and chip select."),
            )
        return (high & HIGH_BITS) << 8 | low

    def close(self) -> None:
        """Release the bus."""
        self._device.close()

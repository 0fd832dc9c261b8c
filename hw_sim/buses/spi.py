"""Simulated SPI with the interface of the extension ``spidev``.

Results and errors follow spidev 3.8. For example, ``xfer2`` overwrites the list of its argument.
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Mapping, Sequence
from typing import Protocol

from tiltboard.hw_sim.buses.timing import SPI_CALL_S, SPI_DMA_BYTES, SPI_LEAD_S
from tiltboard.hw_sim.chips.mcp3008 import CLOCKS_PER_BYTE
from tiltboard.hw_sim.clock import VirtualClock

MAX_BYTES = 4096
# Default clock rate in Hz, from spi-max-frequency in the Pi's spidev overlays.
DEFAULT_HZ = 125_000_000


class SpiChip(Protocol):
    """A chip behind a chip select. This model returns the bytes that it receives:

    >>> class Echo:
    ...     def transfer(self, sent, clock_hz, mode, start_s): return sent
    ...     def power_on(self, now_s): pass
    >>> from tiltboard.testing import SimBuses
    >>> with SimBuses() as buses:
    ...     buses.add_spi(0, 1, Echo())
    ...     buses.spi(0, 1).xfer2([1, 2])
    [1, 2]
    """

    def transfer(self, sent: bytes, clock_hz: int, mode: int, start_s: float, /) -> Sequence[int]:
        """Exchange bytes while chip select is low, starting at ``start_s``. Return the bytes on
        MISO.
        """

    def power_on(self, now_s: float, /) -> None:
        """Restore the chip's power supply. The chip then has its reset state."""


class SpiPort:
    """One chip select and the chip connected to it.

    ``core_hz``: core clock in Hz. The bus clock is the core clock divided by an even number. None
    means that any bus clock is possible.
    """

    def __init__(self, clock: VirtualClock, chip: SpiChip, core_hz: float | None = None) -> None:
        self.clock = clock
        self.chip = chip
        self._core_hz = core_hz
        self._costs: dict[tuple[int, int], tuple[int, float]] = {}
        self.silent: int | None = None
        """The byte that MISO always reads while the chip is disconnected: 0x00 if the line rests
        low, 0xFF if the line rests high. None while the chip is connected.
        """
        self.error: int | None = None
        """Error number with which every transfer fails, for example after the driver was unbound.
        None if transfers work.
        """

    def transfer(self, sent: bytes, clock_hz: int, mode: int) -> Sequence[int]:
        """Transfer one message in virtual time, and return the bytes on MISO. Raises OSError."""
        if self.error is not None:
            raise OSError(self.error, os.strerror(self.error))
        asked = clock_hz, len(sent)
        try:
            clock_hz, takes_s = self._costs[asked]
        except KeyError:
            clock_hz, takes_s = self._costs[asked] = self._cost(*asked)
        if self.silent is None:
            start_s = self.clock.now() + SPI_LEAD_S
            answer = self.chip.transfer(sent, clock_hz, mode, start_s)
        else:
            answer = [self.silent] * len(sent)
        self.clock.advance(takes_s)
        return answer

    def _cost(self, clock_hz: int, size: int) -> tuple[int, float]:
        """Return the nearest possible clock in Hz, and the duration of a transfer of ``size`` bytes
        in s.
        """
        if self._core_hz is not None:
            clock_hz = round(self._core_hz / (2 * math.ceil(self._core_hz / clock_hz / 2)))
        clocks = CLOCKS_PER_BYTE if size < SPI_DMA_BYTES else 8
        return clock_hz, SPI_CALL_S + size * clocks / clock_hz


class SpiDev:
    """A simulated SPI device with the methods of ``spidev.SpiDev`` that drivers use
    (``tiltboard.drivers.buses.SpiDevice``).
    """

    def __init__(self, ports: Mapping[tuple[int, int], SpiPort], bus: int, device: int) -> None:
        """Open ``/dev/spidev<bus>.<device>``. Raises FileNotFoundError if no chip is connected."""
        self.mode = 0
        """Clock polarity and phase, 0 to 3."""
        self.max_speed_hz = DEFAULT_HZ
        """Clock rate of the following transfers, in Hz."""
        self.bits_per_word = 8
        """Number of bits per word: 8, the only value that a Pi's controllers accept."""
        self._port = ports.get((bus, device))
        if self._port is None:
            raise FileNotFoundError(
                errno.ENOENT, os.strerror(errno.ENOENT), f"/dev/spidev{bus}.{device}"
            )

    def close(self) -> None:
        """Release the device. A second call does nothing."""
        self._port = None

    def xfer2(self, values: list[int], /) -> list[int]:
        """Send ``values`` and return the same list, overwritten with the received bytes.

        Chip select stays low throughout. Raises OverflowError for more than ``MAX_BYTES``.
        """
        if len(values) > MAX_BYTES:
            raise OverflowError(f"Argument list size exceeds {MAX_BYTES} bytes.")
        values[:] = self._transfer(bytes(values))
        return values

    def writebytes2(self, values: bytes, /) -> None:
        """Send ``values`` in messages of at most ``MAX_BYTES``."""
        for first in range(0, len(values), MAX_BYTES):
            self._transfer(values[first : first + MAX_BYTES])

    def _transfer(self, sent: bytes) -> Sequence[int]:
        if self._port is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._port.transfer(sent, self.max_speed_hz, self.mode)

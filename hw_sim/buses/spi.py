"""SPI as the ``spidev`` extension shows it: a stand-in for the class ``spidev.SpiDev``.

Results and errors follow spidev 3.8, including that ``xfer2`` overwrites the list that it is given.
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
DEFAULT_HZ = 125_000_000  # spi-max-frequency of the Pi's spidev overlays


class SpiChip(Protocol):
    """A chip behind a chip select; a model of one that answers what it is sent:

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
        """Exchange bytes in one low phase of chip select from ``start_s`` on."""

    def power_on(self, now_s: float, /) -> None:
        """Restore the supply."""


class SpiPort:
    """One chip select and what hangs on it.

    ``core_hz``: what the bus clock is divided from, by an even number; None: by any.
    """

    def __init__(self, clock: VirtualClock, chip: SpiChip, core_hz: float | None = None) -> None:
        self.clock = clock
        self.chip = chip
        self._core_hz = core_hz
        self._costs: dict[tuple[int, int], tuple[int, float]] = {}
        self.silent: int | None = None
        """None, or the byte that MISO reads all the time while the chip is cut off (0x00: the line
        rests low, 0xFF: high).
        """
        self.error: int | None = None
        """The error with which every transfer fails, as after an unbind."""

    def transfer(self, sent: bytes, clock_hz: int, mode: int) -> Sequence[int]:
        """Transfer one message in virtual time, and return MISO's bytes. Raises OSError."""
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
        """Return the nearest possible clock in Hz and how long a transfer of ``size`` bytes takes
        in s.
        """
        if self._core_hz is not None:
            clock_hz = round(self._core_hz / (2 * math.ceil(self._core_hz / clock_hz / 2)))
        clocks = CLOCKS_PER_BYTE if size < SPI_DMA_BYTES else 8
        return clock_hz, SPI_CALL_S + size * clocks / clock_hz


class SpiDev:
    """The drivers' part of ``spidev.SpiDev`` (``tiltboard.drivers.buses.SpiDevice``)."""

    def __init__(self, ports: Mapping[tuple[int, int], SpiPort], bus: int, device: int) -> None:
        """Open ``/dev/spidev<bus>.<device>``. Raises FileNotFoundError."""
        self.mode = 0
        """Clock polarity and phase, 0 to 3."""
        self.max_speed_hz = DEFAULT_HZ
        """The clock of the following transfers."""
        self.bits_per_word = 8
        """8, the only value that a Pi's controllers accept."""
        self._port = ports.get((bus, device))
        if self._port is None:
            raise FileNotFoundError(
                errno.ENOENT, os.strerror(errno.ENOENT), f"/dev/spidev{bus}.{device}"
            )

    def close(self) -> None:
        """Give the device back; closing twice does nothing."""
        self._port = None

    def xfer2(self, values: list[int], /) -> list[int]:
        """Clock a list through, chip select low throughout; it is overwritten with the answer, and
        returned. Raises OverflowError for more than ``MAX_BYTES``.
        """
        if len(values) > MAX_BYTES:
            raise OverflowError(f"Argument list size exceeds {MAX_BYTES} bytes.")
        values[:] = self._transfer(bytes(values))
        return values

    def writebytes2(self, values: bytes, /) -> None:
        """Clock bytes out, in messages of at most ``MAX_BYTES``."""
        for first in range(0, len(values), MAX_BYTES):
            self._transfer(values[first : first + MAX_BYTES])

    def _transfer(self, sent: bytes) -> Sequence[int]:
        if self._port is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._port.transfer(sent, self.max_speed_hz, self.mode)

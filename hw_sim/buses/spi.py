"""SPI as the ``spidev`` extension shows it: a stand-in for the class ``spidev.SpiDev``.

Arguments, results and errors follow spidev 3.8, including that ``xfer2`` overwrites the list that
it is given.
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from hw_sim.buses.timing import SPI_CALL_S, SPI_DMA_BYTES, SPI_LEAD_S
from hw_sim.chips.mcp3008 import CLOCKS_PER_BYTE
from hw_sim.clock import VirtualClock

MAX_BYTES = 4096
DEFAULT_HZ = 125_000_000  # spi-max-frequency of the Pi's spidev overlays


class SpiChip(Protocol):
    """A chip behind a chip select."""

    def transfer(self, sent: bytes, clock_hz: int, mode: int, start_s: float, /) -> Sequence[int]:
        """One low phase of chip select, beginning at ``start_s``: as many bytes back."""

    def power_on(self, now_s: float, /) -> None:
        """The supply comes back."""


class SpiPort:
    """One chip select and what hangs on it.

    ``silent``: None, or the byte that MISO reads all the time while the chip is cut off (0x00:
    the line rests low, 0xFF: high). ``core_hz``: what the bus clock is divided from, by an even
    number; None: by any. ``error``: what every transfer fails with, as after an unbind.
    """

    def __init__(self, clock: VirtualClock, chip: SpiChip, core_hz: float | None = None) -> None:
        self.clock = clock
        self.chip = chip
        self._core_hz = core_hz
        self._costs: dict[tuple[int, int], tuple[int, float]] = {}
        self.silent: int | None = None
        self.error: int | None = None

    def transfer(self, sent: bytes, clock_hz: int, mode: int) -> Sequence[int]:
        """One message: takes its time, returns MISO's bytes. Raises OSError."""
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
        """The clock that is possible, and how long a transfer of so many bytes takes."""
        if self._core_hz is not None:
            clock_hz = round(self._core_hz / (2 * math.ceil(self._core_hz / clock_hz / 2)))
        clocks = CLOCKS_PER_BYTE if size < SPI_DMA_BYTES else 8
        return clock_hz, SPI_CALL_S + size * clocks / clock_hz


class SpiDev:
    """Of ``spidev.SpiDev`` what the drivers use of it (``drivers.buses.SpiDevice``)."""

    def __init__(self, ports: Mapping[tuple[int, int], SpiPort]) -> None:
        self._ports = ports
        self._port: SpiPort | None = None
        self._mode = 0
        self._hz = DEFAULT_HZ

    def open(self, bus: int, device: int) -> None:
        """Open ``/dev/spidev<bus>.<device>``. Raises FileNotFoundError."""
        self.close()
        port = self._ports.get((bus, device))
        if port is None:
            raise FileNotFoundError(
                errno.ENOENT, os.strerror(errno.ENOENT), f"/dev/spidev{bus}.{device}"
            )
        self._port = port

    def close(self) -> None:
        """Give the device back; closing twice does nothing."""
        self._port = None
        self._mode = 0
        self._hz = DEFAULT_HZ

    @property
    def mode(self) -> int:
        """Clock polarity and phase, 0 to 3."""
        return self._mode

    @mode.setter
    def mode(self, value: int) -> None:
        if not isinstance(value, int) or not 0 <= value <= 3:
            raise TypeError("mode: an integer from 0 to 3")
        self._opened()
        self._mode = value

    @property
    def max_speed_hz(self) -> int:
        """Clock of the following transfers."""
        return self._hz

    @max_speed_hz.setter
    def max_speed_hz(self, value: int) -> None:
        if not isinstance(value, int):
            raise TypeError("max_speed_hz: an integer")
        self._opened()
        if value <= 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._hz = value

    @property
    def bits_per_word(self) -> int:
        """8: a Pi's controllers take no other from here."""
        return 8

    @bits_per_word.setter
    def bits_per_word(self, value: int) -> None:
        if not isinstance(value, int) or not 8 <= value <= 32:
            raise TypeError("bits_per_word: an integer from 8 to 32")
        self._opened()
        if value != 8:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    def xfer2(
        self, values: Any, speed_hz: int = 0, _delay_usecs: int = 0, bits_per_word: int = 0, /
    ) -> Any:
        """Clock a sequence through, chip select low throughout.

        A list is overwritten with the answer and returned; a tuple gives a new tuple.
        """
        port = self._opened()
        if bits_per_word not in (0, 8):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        answer = port.transfer(_as_bytes(values), speed_hz or self._hz, self._mode)
        if isinstance(values, list):
            values[:] = answer
            return values
        return tuple(answer) if isinstance(values, tuple) else list(answer)

    def writebytes2(self, values: Any, /) -> None:
        """Clock any buffer or sequence out, in messages of at most ``MAX_BYTES``."""
        sent = bytes(values)
        for first in range(0, len(sent), MAX_BYTES):
            self._opened().transfer(sent[first : first + MAX_BYTES], self._hz, self._mode)

    def _opened(self) -> SpiPort:
        if self._port is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._port


def _as_bytes(values: Any) -> bytes:
    """Checked as spidev does: a non-empty sequence of integers, cut to eight bits."""
    try:
        # not list | tuple, which makes a new union each time
        sent = bytes(values) if isinstance(values, (list, tuple)) else bytes(list(values))
    except ValueError:
        sent = bytes(value & 0xFF for value in values)
    if not sent:
        raise TypeError("Empty argument list.")
    if len(sent) > MAX_BYTES:
        raise OverflowError(f"Argument list size exceeds {MAX_BYTES} bytes.")
    return sent

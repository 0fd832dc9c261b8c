"""A Raspberry Pi's own buses.

This module, drivers.pi_libraries and drivers.light_links are the ones that import spidev, the GPIO
libraries and the lights' writers, each where it is first needed.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Final, cast

from smbus2 import SMBus

from drivers.buses import PinFactory, PixelStrip, SerialPort, SpiDevice, Writer
from drivers.clock import Clock, SystemClock
from drivers.frame_sender import FrameLink, SendBy, ThreadSender
from drivers.light_links import (
    BUFFER_SIZE,
    MOSI_PIN,
    PioLink,
    SpiLink,
    Ws281xLink,
    strip_of,
)
from drivers.pi_libraries import open_pins

SPI_BUFFER: Final = "/sys/module/spidev/parameters/bufsiz"


class PiBuses:
    """The buses of the Pi that this runs on. ``send_by``: who sends the lights' frames."""

    def __init__(self, clock: Clock | None = None, send_by: SendBy = ThreadSender) -> None:
        self._clock = clock or SystemClock()
        self._send_by = send_by
        self._factory: PinFactory | None = None

    @property
    def clock(self) -> Clock:
        """Real time."""
        return self._clock

    @property
    def pin_factory(self) -> PinFactory:
        """The factory over lgpio (every Pi), else over RPi.GPIO (not on a Pi 5)."""
        if self._factory is None:
            self._factory = open_pins()
        return self._factory

    def spi(self, bus: int, device: int) -> SpiDevice:
        """``/dev/spidevBUS.DEVICE``."""
        opened = importlib.import_module("spidev").SpiDev()
        try:
            opened.open(bus, device)
        except OSError as error:
            raise OSError(error.errno, error.strerror, f"/dev/spidev{bus}.{device}") from error
        return cast(SpiDevice, opened)

    def i2c(self, bus: int) -> SMBus:
        """``/dev/i2c-BUS``."""
        return SMBus(bus)

    def pixels(self, pin: int, count: int, writer: Writer = "spi") -> PixelStrip:
        """A NeoPixel strip; its bytes go out as they are set, green first."""
        return strip_of(count, self._light_link(pin, count, writer), self._send_by)

    def _light_link(self, pin: int, count: int, writer: Writer) -> FrameLink:
        if writer == "pio":
            return PioLink(pin, count)
        if pin != MOSI_PIN:
            raise ValueError(f"GPIO{pin} is not SPI0's MOSI, GPIO{MOSI_PIN}")
        if writer == "rpi_ws281x":
            return Ws281xLink(pin, count)
        return SpiLink(self.spi(0, 0), count, _spi_buffer())

    def serial(self, port: str, baud: int) -> SerialPort:
        """``port``, raw, eight bits, no parity."""
        opened = importlib.import_module("serial").Serial(
            port, baud, timeout=0, write_timeout=0, exclusive=True
        )
        return cast(SerialPort, opened)

    def close(self) -> None:
        """Give all GPIO lines back."""
        if self._factory is not None:
            self._factory.close()
            self._factory = None


def _spi_buffer() -> int:
    """Bytes of one message of spidev; as spidev itself reads it, default and all."""
    try:
        return int(Path(SPI_BUFFER).read_text())
    except (OSError, ValueError):
        return BUFFER_SIZE

"""The buses that drivers are handed: what they offer (``Buses``), and a Raspberry Pi's own.

Opening anything raises OSError or ImportError; the drivers turn both into PartAbsentError with
drivers.absence, so that a missing bus is a fault of the part on it. This module,
drivers.pi_libraries and drivers.light_links are the ones that import spidev, the GPIO libraries
and the lights' writers, each where it is first needed.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Final, Protocol, cast

from smbus2 import SMBus

from drivers.clock import Clock, SystemClock
from drivers.frame_sender import FrameLink, SendBy, ThreadSender
from drivers.light_links import (
    BUFFER_SIZE,
    MOSI_PIN,
    PioLink,
    SpiLink,
    Writer,
    Ws281xLink,
    strip_of,
)
from drivers.pi_libraries import open_pins

SPI_BUFFER: Final = "/sys/module/spidev/parameters/bufsiz"


class SpiDevice(Protocol):
    """One chip select of an SPI bus: the part of ``spidev.SpiDev`` that drivers use."""

    max_speed_hz: int
    mode: int
    bits_per_word: int

    def xfer2(self, values: list[int], /) -> list[int]:
        """Clock ``values`` out and return as many bytes, chip select held low throughout."""

    def writebytes2(self, values: bytes, /) -> None:
        """Clock ``values`` out, in messages of at most the kernel module's ``bufsiz``."""

    def close(self) -> None:
        """Give the device back."""


class Pin(Protocol):
    """One GPIO line: the part of ``gpiozero.Pin`` that drivers use. Starts no thread."""

    state: float
    """Level (0 or 1), or the duty cycle from 0 to 1 while ``frequency`` is set."""
    frequency: float | None
    """Hz of the PWM on an output; None: no PWM."""

    def input_with_pull(self, pull: str, /) -> None:
        """Become an input with pull "up", "down" or "floating"."""

    def output_with_state(self, state: int, /) -> None:
        """Become an output at that level, without a glitch."""

    def close(self) -> None:
        """Become a floating input."""


class PinFactory(Protocol):
    """The part of ``gpiozero.Factory`` that drivers use; always handed on, never the global one."""

    def pin(self, name: int, /) -> Pin:
        """The line with that GPIO number."""

    def close(self) -> None:
        """Give all lines back."""


class PixelStrip(Protocol):
    """The part of drivers.neopixel_strip.SentStrip, a ``neopixel.NeoPixel``, that drivers use.

    What cannot be sent raises OSError, at that call or at a later one (drivers.frame_sender).
    """

    def __setitem__(self, index: int, colour: tuple[int, int, int], /) -> None:
        """Set red, green and blue, 0 to 255, of one light in the buffer."""

    def show(self) -> object:
        """Send the buffer."""

    def show_all(self, colours: bytes, /) -> None:
        """Set red, green, blue of every light, and send them."""

    def check(self) -> None:
        """Raise what became of frames that were still under way."""

    def close(self) -> None:
        """Give the device back; the lights stay as they are."""

    def deinit(self) -> None:
        """Turn all lights off, and close."""


class SerialPort(Protocol):
    """The part of ``serial.Serial`` that drivers use; neither reading nor writing waits. A port
    whose device is gone raises OSError.
    """

    @property
    def in_waiting(self) -> int:
        """Bytes that have come."""

    @property
    def out_waiting(self) -> int:
        """Bytes that have not left."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` of the bytes that have come."""

    def write(self, data: bytes, /) -> int | None:
        """How many of them were taken."""

    def close(self) -> None:
        """Give the port back."""


class Buses(Protocol):
    """Everything between the drivers and the copper. Each call opens; the driver closes."""

    @property
    def clock(self) -> Clock:
        """The clock that the hardware lives by."""

    @property
    def pin_factory(self) -> PinFactory:
        """The one gpiozero factory. Opened at the first use."""

    def spi(self, bus: int, device: int) -> SpiDevice:
        """Open chip select ``device`` of SPI ``bus``."""

    def i2c(self, bus: int) -> SMBus:
        """Open I2C ``bus``."""

    def pixels(self, pin: int, count: int, writer: Writer = "spi") -> PixelStrip:
        """Open the strip of ``count`` WS2812B whose data line is GPIO ``pin``.

        Raises ValueError for a pin that is not SPI0's MOSI, except with "pio".
        """

    def serial(self, port: str, baud: int) -> SerialPort:
        """Open a serial port, for this program alone."""


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

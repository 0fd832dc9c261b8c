"""The buses that drivers are handed: what they offer (``Buses``), and a Raspberry Pi's own.

Opening anything raises OSError or ImportError; the drivers turn both into PartAbsentError with
drivers.absence, so that a missing bus is a fault of the part on it. This module and
drivers.pi_libraries are the ones that import spidev, the GPIO libraries and neopixel, each where
it is first needed.
"""

from __future__ import annotations

import importlib
import os
from typing import Protocol, cast

from smbus2 import SMBus

from drivers.clock import Clock, SystemClock
from drivers.pi_libraries import PiStrip, open_pins


class SpiDevice(Protocol):
    """One chip select of an SPI bus: the part of ``spidev.SpiDev`` that drivers use."""

    max_speed_hz: int
    mode: int

    def xfer2(self, values: list[int], /) -> list[int]:
        """Clock ``values`` out and return as many bytes, chip select held low throughout."""

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
    """The part of ``neopixel.NeoPixel`` that drivers use; nothing is sent before ``show``."""

    def __setitem__(self, index: int, colour: tuple[int, int, int], /) -> None:
        """Set red, green and blue, 0 to 255, of one light in the buffer."""

    def show(self) -> object:
        """Send the buffer."""

    def deinit(self) -> None:
        """Turn all lights off and give the pin back."""


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

    def pixels(self, pin: int, count: int) -> PixelStrip:
        """Open the strip of ``count`` WS2812B whose data line is GPIO ``pin``."""

    def serial(self, port: str, baud: int) -> SerialPort:
        """Open a serial port, for this program alone."""


class PiBuses:
    """The buses of the Pi that this runs on."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
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

    def pixels(self, pin: int, count: int) -> PixelStrip:
        """A NeoPixel strip; its bytes go out as they are set (brightness 1, green first)."""
        # Blinka looks for missing packages and, on a terminal, offers to install them.
        os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")
        try:
            board = importlib.import_module("board")
            neopixel = importlib.import_module("neopixel")
            strip = neopixel.NeoPixel(
                getattr(board, f"D{pin}"),
                count,
                brightness=1.0,
                auto_write=False,
                pixel_order="GRB",
            )
        except (NotImplementedError, RuntimeError, ValueError, AttributeError) as error:
            raise OSError(None, str(error), f"GPIO{pin}") from error
        return PiStrip(strip)

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

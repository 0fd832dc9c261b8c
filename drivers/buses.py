"""The buses that drivers are handed: what they offer (``Buses``), and a Raspberry Pi's own.

Opening anything here raises OSError (with ``filename``) or ImportError (with ``name``); the drivers
turn both into PartAbsentError with ``absent``, so that a missing bus is a fault of the part on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smbus2 import SMBus

    from drivers.clock import Clock


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

"""The buses that drivers are handed: what they offer. A Raspberry Pi's own:
tiltboard.drivers.pi_buses.

Opening anything raises OSError or ImportError; the drivers turn both into PartAbsentError with
tiltboard.drivers.errors, so that a missing bus is a fault of the part on it.
"""

from __future__ import annotations

from typing import Protocol

from smbus2 import SMBus

from tiltboard.ground.clock import Clock


class SpiDevice(Protocol):
    """One chip select of an SPI bus: the part of ``spidev.SpiDev`` that drivers use.

    >>> def read_two(device: SpiDevice) -> list[int]:
    ...     device.mode, device.max_speed_hz = 0, 1_000_000
    ...     return device.xfer2([0x80, 0x00])
    """

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
    """One GPIO line: the part of ``gpiozero.Pin`` that drivers use. Starts no thread.

    >>> from gpiozero.pins.mock import MockFactory
    >>> button: Pin = MockFactory().pin(5)
    >>> button.input_with_pull("up")
    >>> bool(button.state)
    True
    """

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
    """The part of ``gpiozero.Factory`` that drivers use; always handed on, never the global one.

    >>> from gpiozero.pins.mock import MockFactory
    >>> pins: PinFactory = MockFactory()
    >>> pins.pin(5).output_with_state(1)
    >>> bool(pins.pin(5).state)
    True
    """

    def pin(self, name: int, /) -> Pin:
        """Claim and return the line with that GPIO number."""

    def close(self) -> None:
        """Give all lines back."""


class SerialPort(Protocol):
    """The part of ``serial.Serial`` that drivers use; reading and writing never wait. Raises
    OSError if the device is gone.

        >>> def read_all(opened: SerialPort) -> bytes:
        ...     return opened.read(opened.in_waiting)
    """

    @property
    def in_waiting(self) -> int:
        """Number of bytes received and not yet read."""

    @property
    def out_waiting(self) -> int:
        """Number of bytes written that have not left yet."""

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` of the bytes that have arrived."""

    def write(self, data: bytes, /) -> int | None:
        """Write bytes and return how many were taken."""

    def close(self) -> None:
        """Give the port back."""


class Sender(Protocol):
    """Sends frames to the lights over a device that it has opened, and gives it back."""

    def send(self, frame: bytes, /) -> None:
        """Take green, red, blue of every light. Raises OSError for this frame or for one before."""

    def check(self) -> None:
        """Raise OSError if a frame could not be sent."""

    def close(self) -> None:
        """Send what was taken, and give the device back; closing twice does nothing."""


class Strip(Protocol):
    """A strip of lights: the part of ``tiltboard.drivers.neopixel_strip`` that drivers use."""

    def show_all(self, colours: bytes, /) -> None:
        """Set red, green, blue of every light, and send them."""

    def check(self) -> None:
        """Raise OSError if a frame could not be sent."""

    def deinit(self) -> None:
        """Turn all lights off, and give the device back."""

    def close(self) -> None:
        """Give the device back; the lights stay as they are."""


class Buses(Protocol):
    """The buses of a table. Each call opens a device, which the driver closes.

    A Pi's own are ``PiBuses``, simulated ones ``tiltboard.testing.SimBuses``; a driver takes any:

        >>> class Thermometer:
        ...     def __init__(self, buses: Buses) -> None:
        ...         self._buses = buses
        ...     def read(self) -> int:
        ...         return self._buses.i2c(1).read_byte_data(0x48, 0)
    """

    @property
    def clock(self) -> Clock:
        """The clock on which the hardware runs."""

    @property
    def pin_factory(self) -> PinFactory:
        """The only gpiozero factory, opened at the first use."""

    def spi(self, bus: int, device: int) -> SpiDevice:
        """Open chip select ``device`` of SPI ``bus``."""

    def i2c(self, bus: int) -> SMBus:
        """Open I2C ``bus``."""

    def pixels(self, count: int) -> Strip:
        """Open the strip of ``count`` WS2812B whose data line is SPI0's MOSI. A frame that cannot
        be sent raises OSError, at that call or at a later one (tiltboard.drivers.light_links).
        """

    def serial(self, port: str, baud: int) -> SerialPort:
        """Open a serial port, for this program alone."""

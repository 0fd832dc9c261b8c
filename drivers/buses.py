"""Interfaces of the buses that drivers use. tiltboard.drivers.pi_buses implements them for a
Raspberry Pi.

Opening a device raises OSError or ImportError. The drivers turn both into PartAbsentError with
tiltboard.drivers.errors, so that a missing bus is a fault of the part on that bus.
"""

from __future__ import annotations

from typing import Protocol

from smbus2 import SMBus

from tiltboard.ground.clock import Clock


class SpiDevice(Protocol):
    """One chip select of an SPI bus, with the methods of ``spidev.SpiDev`` that drivers use.

    >>> def read_two(device: SpiDevice) -> list[int]:
    ...     device.mode, device.max_speed_hz = 0, 1_000_000
    ...     return device.xfer2([0x80, 0x00])
    """

    max_speed_hz: int
    mode: int
    bits_per_word: int

    def xfer2(self, values: list[int], /) -> list[int]:
        """Send ``values`` and return the bytes received at the same time. Chip select stays low
        throughout.
        """

    def writebytes2(self, values: bytes, /) -> None:
        """Send ``values``, split into messages of at most ``bufsiz`` bytes. ``bufsiz`` is a
        parameter of the kernel module.
        """

    def close(self) -> None:
        """Release the device."""


class Pin(Protocol):
    """One GPIO line, with the methods of ``gpiozero.Pin`` that drivers use. Starts no thread.

    >>> from gpiozero.pins.mock import MockFactory
    >>> button: Pin = MockFactory().pin(5)
    >>> button.input_with_pull("up")
    >>> bool(button.state)
    True
    """

    state: float
    """The level of the line, 0 or 1. While ``frequency`` is set, the duty cycle from 0 to 1."""
    frequency: float | None
    """Frequency of the PWM on an output, in Hz, or None without PWM."""

    def input_with_pull(self, pull: str, /) -> None:
        """Make the line an input with the pull resistor "up", "down" or "floating" (none)."""

    def output_with_state(self, state: int, /) -> None:
        """Make the line an output at level ``state``, 0 or 1, without a glitch."""

    def close(self) -> None:
        """Make the line a floating input and release it."""


class PinFactory(Protocol):
    """The methods of ``gpiozero.Factory`` that drivers use.

    Drivers get the factory as an argument and never use gpiozero's global factory.

    >>> from gpiozero.pins.mock import MockFactory
    >>> pins: PinFactory = MockFactory()
    >>> pins.pin(5).output_with_state(1)
    >>> bool(pins.pin(5).state)
    True
    """

    def pin(self, name: int, /) -> Pin:
        """Claim and return the line with GPIO number ``name``."""

    def close(self) -> None:
        """Release all lines."""


class SerialPort(Protocol):
    """The methods of ``serial.Serial`` that drivers use. Reading and writing never wait.

    Every method raises OSError if the device is gone.

        >>> def read_all(opened: SerialPort) -> bytes:
        ...     return opened.read(opened.in_waiting)
    """

    @property
    def in_waiting(self) -> int:
        """Number of bytes received and not yet read."""

    @property
    def out_waiting(self) -> int:
        """Number of bytes written but not transmitted yet."""

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` received bytes without waiting."""

    def write(self, data: bytes, /) -> int | None:
        """Write ``data`` without waiting and return the number of bytes accepted."""

    def close(self) -> None:
        """Close the port."""


class Sender(Protocol):
    """Sends frames to the lights over a device. The sender opens the device and releases it."""

    def send(self, frame: bytes, /) -> None:
        """Accept a frame: the green, red and blue byte of every light. Raises OSError if this frame
        or an earlier frame cannot be sent.
        """

    def check(self) -> None:
        """Raise OSError if a frame could not be sent."""

    def close(self) -> None:
        """Send the last accepted frame and release the device. A second call does nothing."""


class Strip(Protocol):
    """A strip of lights, with the methods of the class ``SentStrip`` that drivers use."""

    def show_all(self, colours: bytes, /) -> None:
        """Set the red, green and blue value of every light, and send the frame."""

    def check(self) -> None:
        """Raise OSError if a frame could not be sent."""

    def deinit(self) -> None:
        """Turn all lights off and release the device."""

    def close(self) -> None:
        """Release the device. The lights keep their colours."""


class Buses(Protocol):
    """The buses of a table. Each call opens a device, which the driver closes.

    ``PiBuses`` are the buses of a Raspberry Pi, and ``tiltboard.testing.SimBuses`` are simulated
    buses. A driver accepts both kinds:

        >>> class Thermometer:
        ...     def __init__(self, buses: Buses) -> None:
        ...         self._buses = buses
        ...     def read(self) -> int:
        ...         return self._buses.i2c(1).read_byte_data(0x48, 0)
    """

    @property
    def clock(self) -> Clock:
        """The clock from which the drivers take the time."""

    @property
    def pin_factory(self) -> PinFactory:
        """The gpiozero factory that all drivers share, opened at the first use."""

    def spi(self, bus: int, device: int) -> SpiDevice:
        """Open the device with chip select ``device`` on SPI bus ``bus``."""

    def i2c(self, bus: int) -> SMBus:
        """Open the I2C bus with number ``bus``."""

    def pixels(self, count: int) -> Strip:
        """Open the strip of ``count`` WS2812B lights whose data line is SPI0's MOSI.

        If a frame cannot be sent, ``show_all`` or a later call raises OSError
        (tiltboard.drivers.light_links).
        """

    def serial(self, port: str, baud: int) -> SerialPort:
        """Open the serial port for exclusive use."""

"""The buses of a Raspberry Pi. Every error of the Pi's libraries becomes an OSError."""

from __future__ import annotations

import atexit
import errno
import importlib
import os
import termios
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final, Self, cast

from smbus2 import SMBus

from tiltboard.drivers import light_links as links
from tiltboard.drivers.buses import PinFactory, Sender, SerialPort, SpiDevice, Strip
from tiltboard.ground.clock import Clock, SystemClock

# gpiozero's factory for lgpio works on every Pi. The factory for RPi.GPIO is used if lgpio is not
# installed, or if gpiozero's own setting selects it. RPi.GPIO itself works on a Pi 4 and earlier.
# The package rpi-lgpio provides a module of the same name that works on every Pi.

GPIO_DEVICE: Final = "/dev/gpiochip0"


def open_pins() -> PiPins:
    """Return a pin factory that uses lgpio, or RPi.GPIO if lgpio is not installed.

    The environment variable GPIOZERO_PIN_FACTORY can select ``rpigpio`` or ``mock`` instead. Raises
    OSError if the lines cannot be used. Raises ImportError if neither library is installed.
    """
    if "LG_WD" not in os.environ:
        # lgpio creates a pipe in this folder when it is imported. Its default is the current
        # folder, which may not be writable.
        folder = os.environ.get("XDG_RUNTIME_DIR")
        if not folder:
            folder = mkdtemp(prefix="lgpio-")
            atexit.register(rmtree, folder, ignore_errors=True)
        os.environ["LG_WD"] = folder
    over_rpi_gpio = ("gpiozero.pins.rpigpio", "RPiGPIOFactory", "RPi.GPIO")
    match os.environ.get("GPIOZERO_PIN_FACTORY"):
        case "rpigpio":
            return PiPins.over(*over_rpi_gpio)
        case "mock":
            mock = importlib.import_module("gpiozero.pins.mock")
            return PiPins(mock.MockFactory(pin_class=mock.MockPWMPin))
    try:
        return PiPins.over("gpiozero.pins.lgpio", "LGPIOFactory", "lgpio")
    except ModuleNotFoundError as missing:
        if missing.name != "lgpio":
            raise
        try:
            return PiPins.over(*over_rpi_gpio)
        except ImportError:
            raise missing from None


class PiPins:
    """A gpiozero pin factory that turns every error into OSError (implements
    tiltboard.drivers.buses.PinFactory).

    ``errors``: exceptions of the factory that become OSError, in addition to RuntimeError and
    gpiozero's own exceptions.
    """

    def __init__(self, factory: Any, *errors: type[Exception]) -> None:
        zero = importlib.import_module("gpiozero.exc")
        self._factory = factory
        self._errors = (*errors, RuntimeError, zero.GPIOZeroError)

    @classmethod
    def over(cls, module: str, factory: str, library: str) -> Self:
        """Create a factory of gpiozero's class ``factory`` in ``module``.

        Raises ImportError if the package ``library`` is missing. Raises OSError if the lines cannot
        be used.
        """
        try:
            loaded = importlib.import_module(library)
        # RPi.GPIO raises this error on machines other than a Pi, and on a Pi 5.
        except RuntimeError as error:
            raise ImportError(
                f"{error}; a Pi 5 needs lgpio instead", name=library.partition(".")[0]
            ) from error
        # lgpio has its own exception class; RPi.GPIO raises RuntimeError.
        pins = cls(None, getattr(loaded, "error", RuntimeError))
        try:
            pins._factory = getattr(importlib.import_module(module), factory)()
        except pins._errors as error:
            raise _gpio_error(error, GPIO_DEVICE) from error
        return pins

    def pin(self, name: int, /) -> PiPin:
        """Claim and return the line with GPIO number ``name``. Raises OSError if that fails."""
        try:
            return PiPin(self._factory.pin(name), f"GPIO{name}", self._errors)
        except self._errors as error:
            raise _gpio_error(error, f"GPIO{name}") from error

    def close(self) -> None:
        """Release all lines."""
        self._factory.close()


def _passed_on(name: str) -> property:
    """Return a property that reads and writes the attribute ``name`` of gpiozero's pin.

    The property does not use ``_call``, because a scan reads many pins and must be fast.
    """

    def read(self: PiPin) -> Any:
        try:
            return getattr(self._pin, name)
        except self._errors as error:
            raise _gpio_error(error, self._name) from error

    def write(self: PiPin, value: Any) -> None:
        try:
            setattr(self._pin, name, value)
        except self._errors as error:
            raise _gpio_error(error, self._name) from error

    return property(
        read, write, doc=f"The {name} of gpiozero's pin. Raises OSError if the line cannot be used."
    )


class PiPin:
    """A gpiozero pin that turns every error into OSError (a tiltboard.drivers.buses.Pin)."""

    def __init__(self, pin: Any, name: str, errors: tuple[type[Exception], ...]) -> None:
        self._pin, self._name, self._errors = pin, name, errors

    state: Any = _passed_on("state")
    frequency: Any = _passed_on("frequency")

    def input_with_pull(self, pull: str, /) -> None:
        """Make the line an input with the pull resistor "up", "down" or "floating" (none)."""
        self._call("input_with_pull", pull)

    def output_with_state(self, state: int, /) -> None:
        """Make the line an output at level ``state``, 0 or 1."""
        self._call("output_with_state", state)

    def close(self) -> None:
        """Release the line. Errors are ignored, because the line may already be lost."""
        with suppress(*self._errors):
            self._pin.close()

    def _call(self, method: str, value: object) -> None:
        try:
            getattr(self._pin, method)(value)
        except self._errors as error:
            raise _gpio_error(error, self._name) from error


def _gpio_error(error: Exception, device: str) -> OSError:
    if not Path(GPIO_DEVICE).exists():
        return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), GPIO_DEVICE)
    if not os.access(GPIO_DEVICE, os.R_OK | os.W_OK):
        return PermissionError(errno.EACCES, os.strerror(errno.EACCES), GPIO_DEVICE)
    number = errno.EBUSY if "busy" in str(error) else errno.EIO
    return OSError(number, str(error), device)


# The buses of a Raspberry Pi.
#
# Only this module, tiltboard.drivers.neopixel_strip and tiltboard.drivers.light_links import
# spidev, the GPIO libraries and neopixel, each at its first use.

SPI_BUFFER: Final = "/sys/module/spidev/parameters/bufsiz"


class Port:
    """A pyserial port whose calls never wait (implements tiltboard.drivers.buses.SerialPort)."""

    def __init__(self, port: str, baud: int) -> None:
        """Open ``port`` in raw mode with eight bits and no parity, for exclusive use."""
        self._serial: Any = importlib.import_module("serial").Serial(
            port, baud, timeout=0, write_timeout=0, exclusive=True
        )

    @property
    def in_waiting(self) -> int:
        """Number of bytes received and not yet read."""
        return int(self._serial.in_waiting)

    @property
    def out_waiting(self) -> int:
        """Number of bytes written but not transmitted yet."""
        return int(self._serial.out_waiting)

    @property
    def is_open(self) -> bool:
        """True while the port is open."""
        return bool(self._serial.is_open)

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` received bytes without waiting."""
        return bytes(self._serial.read(size))

    def write(self, data: bytes, /) -> int:
        """Write as many bytes as the kernel accepts now, and return their number, which can be 0.
        pyserial's own ``write`` repeats forever while the kernel accepts nothing.
        """
        try:
            return os.write(self._serial.fileno(), data)
        except BlockingIOError:
            return 0

    def close(self) -> None:
        """Close the port. Unsent bytes are discarded, because Linux would wait for them."""
        if self._serial.is_open:
            # Ignore errors, because an unplugged device has nothing left to discard.
            with suppress(OSError, termios.error):
                self._serial.reset_output_buffer()
            self._serial.close()


class PiBuses:
    """The buses of the Pi on which this program runs.

    ``send_by``: function that wraps the sender of the lights' frames. ``pins``: a factory of
    gpiozero to use instead of this Pi's own, such as ``MockFactory``.

        >>> from gpiozero.pins.mock import MockFactory
        >>> buses = PiBuses(pins=MockFactory())
        >>> buses.pin_factory.pin(5).input_with_pull("up")
        >>> buses.close()
    """

    def __init__(
        self,
        clock: Clock | None = None,
        send_by: links.SendBy = links.ThreadSender,
        *,
        pins: PinFactory | None = None,
    ) -> None:
        self.clock = clock or SystemClock()
        self._send_by = send_by
        self._pins = pins
        self._factory: PinFactory | None = None

    @property
    def pin_factory(self) -> PinFactory:
        """The factory passed to the constructor. Without such a factory, a factory for lgpio (every
        Pi) or RPi.GPIO (up to a Pi 4).
        """
        if self._factory is None:
            self._factory = open_pins() if self._pins is None else PiPins(self._pins)
        return self._factory

    def spi(self, bus: int, device: int) -> SpiDevice:
        """Open ``/dev/spidevBUS.DEVICE``. Raises OSError if the device cannot be opened."""
        opened = importlib.import_module("spidev").SpiDev()
        try:
            opened.open(bus, device)
        except OSError as error:
            raise OSError(error.errno, error.strerror, f"/dev/spidev{bus}.{device}") from error
        return cast(SpiDevice, opened)

    def i2c(self, bus: int) -> SMBus:
        """Open ``/dev/i2c-BUS``. Raises OSError if the device cannot be opened."""
        return SMBus(bus)

    def pixels(self, count: int) -> Strip:
        """Open a strip of ``count`` NeoPixels. The strip sends its bytes unchanged, green first."""

        def opened() -> Sender:
            spi = self.spi(0, 0)
            try:
                most_bytes = int(Path(SPI_BUFFER).read_text())
            except (OSError, ValueError):  # Use the kernel's default size, as spidev itself does.
                most_bytes = links.BUFFER_SIZE
            return self._send_by(links.SpiSender(spi, count, most_bytes))

        return links.strip_of(count, opened)

    def serial(self, port: str, baud: int) -> SerialPort:
        """Open ``port`` in raw mode with eight bits and no parity, for exclusive use."""
        return Port(port, baud)

    def close(self) -> None:
        """Release all GPIO lines."""
        if self._factory is not None:
            self._factory.close()
            self._factory = None

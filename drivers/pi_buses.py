"""A Raspberry Pi's own buses, and its libraries with whatever they raise as OSError."""

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

# gpiozero's factory over lgpio serves every Pi. The one over RPi.GPIO serves where lgpio is not
# installed, or gpiozero's own setting asks for it. RPi.GPIO itself serves a Pi 4 and earlier,
# rpi-lgpio's module of that name every Pi.

GPIO_DEVICE: Final = "/dev/gpiochip0"


def open_pins() -> PiPins:
    """Return the factory over lgpio, else over RPi.GPIO; or the one that GPIOZERO_PIN_FACTORY
    names, ``rpigpio`` or ``mock``. Raises OSError, or ImportError without either.
    """
    if "LG_WD" not in os.environ:
        # As lgpio is imported it makes a pipe: in this folder, else where the command was started,
        # which may not be writable.
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
    """A factory of gpiozero's whose errors are OSError (tiltboard.drivers.buses.PinFactory).
    ``errors``: what it raises besides gpiozero's own.
    """

    def __init__(self, factory: Any, *errors: type[Exception]) -> None:
        zero = importlib.import_module("gpiozero.exc")
        self._factory = factory
        self._errors = (*errors, RuntimeError, zero.GPIOZeroError)

    @classmethod
    def over(cls, module: str, factory: str, library: str) -> Self:
        """Return ``factory`` of gpiozero's ``module``. Raises ImportError without ``library``, and
        OSError where its lines cannot be used.
        """
        try:
            loaded = importlib.import_module(library)
        except RuntimeError as error:  # RPi.GPIO, off a Pi and on a Pi 5
            raise ImportError(
                f"{error}; a Pi 5 needs lgpio instead", name=library.partition(".")[0]
            ) from error
        # lgpio has an error of its own; RPi.GPIO raises RuntimeError.
        pins = cls(None, getattr(loaded, "error", RuntimeError))
        try:
            pins._factory = getattr(importlib.import_module(module), factory)()
        except pins._errors as error:
            raise _gpio_error(error, GPIO_DEVICE) from error
        return pins

    def pin(self, name: int, /) -> PiPin:
        """Claim a line."""
        try:
            return PiPin(self._factory.pin(name), f"GPIO{name}", self._errors)
        except self._errors as error:
            raise _gpio_error(error, f"GPIO{name}") from error

    def close(self) -> None:
        """Give all lines back."""
        self._factory.close()


def _passed_on(name: str) -> property:
    """A property of gpiozero's pin; not through ``_call``, as a scan has many of them."""

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

    return property(read, write, doc="As gpiozero's.")


class PiPin:
    """gpiozero's pin (tiltboard.drivers.buses.Pin)."""

    def __init__(self, pin: Any, name: str, errors: tuple[type[Exception], ...]) -> None:
        self._pin, self._name, self._errors = pin, name, errors

    state: Any = _passed_on("state")
    frequency: Any = _passed_on("frequency")

    def input_with_pull(self, pull: str, /) -> None:
        """Make the line an input with a pull resistor, as gpiozero's pin does."""
        self._call("input_with_pull", pull)

    def output_with_state(self, state: int, /) -> None:
        """Make the line an output at ``state``, as gpiozero's pin does."""
        self._call("output_with_state", state)

    def close(self) -> None:
        """Release the line; errors are ignored, since it may already be lost."""
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


# A Raspberry Pi's own buses.
#
# This module, tiltboard.drivers.neopixel_strip and tiltboard.drivers.light_links are the ones that
# import spidev, the GPIO libraries and neopixel, each where it is first needed.

SPI_BUFFER: Final = "/sys/module/spidev/parameters/bufsiz"


class Port:
    """pyserial's port (drivers.buses.SerialPort), none of whose calls ever waits."""

    def __init__(self, port: str, baud: int) -> None:
        """Open ``port``, raw, eight bits, no parity, for this program alone."""
        self._serial: Any = importlib.import_module("serial").Serial(
            port, baud, timeout=0, write_timeout=0, exclusive=True
        )

    @property
    def in_waiting(self) -> int:
        """Number of bytes received and not yet read."""
        return int(self._serial.in_waiting)

    @property
    def out_waiting(self) -> int:
        """Number of bytes written that have not left yet."""
        return int(self._serial.out_waiting)

    @property
    def is_open(self) -> bool:
        """True until the port is closed."""
        return bool(self._serial.is_open)

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` received bytes without waiting."""
        return bytes(self._serial.read(size))

    def write(self, data: bytes, /) -> int:
        """Write as much as the kernel takes now, which may be nothing. pyserial's own ``write``
        tries for ever while the kernel takes nothing.
        """
        try:
            return os.write(self._serial.fileno(), data)
        except BlockingIOError:
            return 0

    def close(self) -> None:
        """Give the port back. What has not left is discarded, as Linux would wait for it."""
        if self._serial.is_open:
            # A device that was unplugged has nothing left to discard.
            with suppress(OSError, termios.error):
                self._serial.reset_output_buffer()
            self._serial.close()


class PiBuses:
    """The buses of the Pi that this runs on. ``send_by``: wraps the sender of the lights' frames.
    ``pins``: a factory of gpiozero's to use instead of this Pi's own, such as ``MockFactory``.

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
        """The factory that was given, else the one over lgpio (every Pi) or RPi.GPIO (not on a Pi
        5).
        """
        if self._factory is None:
            self._factory = open_pins() if self._pins is None else PiPins(self._pins)
        return self._factory

    def spi(self, bus: int, device: int) -> SpiDevice:
        """Open ``/dev/spidevBUS.DEVICE``."""
        opened = importlib.import_module("spidev").SpiDev()
        try:
            opened.open(bus, device)
        except OSError as error:
            raise OSError(error.errno, error.strerror, f"/dev/spidev{bus}.{device}") from error
        return cast(SpiDevice, opened)

    def i2c(self, bus: int) -> SMBus:
        """Open ``/dev/i2c-BUS``."""
        return SMBus(bus)

    def pixels(self, count: int) -> Strip:
        """Open a NeoPixel strip whose bytes are sent as they are set, green first."""

        def opened() -> Sender:
            spi = self.spi(0, 0)
            try:
                most_bytes = int(Path(SPI_BUFFER).read_text())
            except (OSError, ValueError):  # as spidev itself does
                most_bytes = links.BUFFER_SIZE
            return self._send_by(links.SpiSender(spi, count, most_bytes))

        return links.strip_of(count, opened)

    def serial(self, port: str, baud: int) -> SerialPort:
        """Open ``port``, raw, eight bits, no parity."""
        return Port(port, baud)

    def close(self) -> None:
        """Give all GPIO lines back."""
        if self._factory is not None:
            self._factory.close()
            self._factory = None

"""A Pi's GPIO libraries, with whatever they raise as OSError.

gpiozero's factory over lgpio serves every Pi. The one over RPi.GPIO serves where lgpio is not
installed, on a Pi 4 and earlier; on a Pi 5 RPi.GPIO cannot be imported.
"""

from __future__ import annotations

import atexit
import errno
import importlib
import os
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import ModuleType
from typing import Any, Final, TypeVar

T = TypeVar("T")

GPIO_DEVICE: Final = "/dev/gpiochip0"


def open_pins() -> PiPins:
    """The factory over lgpio, else over RPi.GPIO. Raises OSError, or ImportError without either."""
    if "LG_WD" not in os.environ:
        # As lgpio is imported it makes a pipe: in this folder, else where the command was started,
        # which may not be writable.
        os.environ["LG_WD"] = os.environ.get("XDG_RUNTIME_DIR") or _folder_until_the_end()
    try:
        return PiPins("gpiozero.pins.lgpio", "LGPIOFactory", "lgpio")
    except ModuleNotFoundError as missing:
        if missing.name != "lgpio":
            raise
        try:
            return PiPins("gpiozero.pins.rpigpio", "RPiGPIOFactory", "RPi.GPIO")
        except ImportError:
            raise missing from None


def _folder_until_the_end() -> str:
    folder = mkdtemp(prefix="lgpio-")
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder


class PiPins:
    """gpiozero's factory (drivers.buses.PinFactory)."""

    def __init__(self, module: str, factory: str, library: str) -> None:
        zero = importlib.import_module("gpiozero.exc")
        try:
            loaded = importlib.import_module(library)
        except RuntimeError as error:  # RPi.GPIO, off a Pi and on a Pi 5
            raise ImportError(
                f"{error}; a Pi 5 needs lgpio instead", name=library.partition(".")[0]
            ) from error
        self._errors = (*_errors_of(loaded), zero.GPIOZeroError)
        try:
            self._factory: Any = getattr(importlib.import_module(module), factory)()
        except self._errors as error:
            raise _gpio_error(error, GPIO_DEVICE) from error

    def pin(self, name: int, /) -> PiPin:
        """Claim a line."""
        try:
            return PiPin(self._factory.pin(name), name, self._errors)
        except self._errors as error:
            raise _gpio_error(error, f"GPIO{name}") from error

    def close(self) -> None:
        """Give all lines back."""
        self._factory.close()


class PiPin:
    """gpiozero's pin (drivers.buses.Pin)."""

    def __init__(self, pin: Any, number: int, errors: tuple[type[Exception], ...]) -> None:
        self._pin = pin
        self._number = number
        self._errors = errors

    @property
    def state(self) -> float:
        """As gpiozero's."""
        try:
            level: float = self._pin.state
        except self._errors as error:
            raise self._failure(error) from error
        return level

    @state.setter
    def state(self, level: float) -> None:
        try:
            self._pin.state = level
        except self._errors as error:
            raise self._failure(error) from error

    @property
    def frequency(self) -> float | None:
        """As gpiozero's."""
        hz: float | None = self._call(lambda: self._pin.frequency)
        return hz

    @frequency.setter
    def frequency(self, hz: float | None) -> None:
        try:
            self._pin.frequency = hz
        except self._errors as error:
            raise self._failure(error) from error

    def input_with_pull(self, pull: str, /) -> None:
        """As gpiozero's."""
        self._call(lambda: self._pin.input_with_pull(pull))

    def output_with_state(self, state: int, /) -> None:
        """As gpiozero's."""
        self._call(lambda: self._pin.output_with_state(state))

    def close(self) -> None:
        """As gpiozero's; a line that is lost already is let go quietly."""
        try:
            self._pin.close()
        except self._errors:
            return

    def _call(self, use: Callable[[], T]) -> T:
        try:
            return use()
        except self._errors as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> OSError:
        return _gpio_error(error, f"GPIO{self._number}")


def _errors_of(library: ModuleType) -> tuple[type[Exception], ...]:
    """What it raises: lgpio its own ``error``, RPi.GPIO RuntimeError."""
    own = getattr(library, "error", None)
    return (own, RuntimeError) if isinstance(own, type) else (RuntimeError,)


def _gpio_error(error: Exception, device: str) -> OSError:
    missing = unusable(GPIO_DEVICE)
    if missing is not None:
        return missing
    if "busy" in str(error):
        return OSError(errno.EBUSY, str(error), device)
    return OSError(errno.EIO, str(error), device)


def unusable(device: str) -> OSError | None:
    """Why a device file cannot be used; None if it can."""
    if not Path(device).exists():
        return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), device)
    if not os.access(device, os.R_OK | os.W_OK):
        return PermissionError(errno.EACCES, os.strerror(errno.EACCES), device)
    return None

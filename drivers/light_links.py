"""The ways to a strip's data line: SPI, the same on every Pi, and Blinka's two writers.

Blinka's writers are the modules that ``neopixel_write`` would choose by the board; here the profile
chooses. Their traps, and what is done about each:

- Both hold the interpreter while they send, so a thread of their own frees the scan loop only of
  the 4 ms that Blinka sleeps after each frame of rpi_ws281x.
- Both set the pin's function once. Whoever takes the pin as GPIO and gives it back leaves the
  lights dark; nobody here does (drivers.neopixel_strip), and after a failure all is set up anew.
- rpi_ws281x opens /dev/spidev0.0 itself and maps /dev/gpiomem, even for SPI. It reserves four
  colours a light, and sends them: told of 76 lights of four colours, a hundred of three take 930
  bytes and not 1,224. It sets all up anew for a buffer that it has not seen: there is one. What a
  failed start leaves half made is forgotten: taking it down follows pointers that were never set.
- The Pi 5's PIO is under the GPL, version 2, and in release candidates only.
"""

from __future__ import annotations

import importlib
import os
from types import SimpleNamespace
from typing import Any, Final

from drivers.buses import PixelStrip, SpiDevice
from drivers.errors import PartAbsentError
from drivers.frame_sender import FrameLink, SendBy
from drivers.pi_libraries import unusable
from drivers.ws2812_bits import SPI_HZ, encode, frame_size

MOSI_PIN: Final = 10
SPI_DEVICE: Final = "/dev/spidev0.0"
PIO_DEVICE: Final = "/dev/pio0"
MAPPED_GPIO: Final = "/dev/gpiomem"
BUFFER_SIZE: Final = 4096
"""Bytes of one SPI message where nobody says otherwise (Linux, drivers/spi/spidev.c, bufsiz)."""

# Blinka then looks neither for a board nor for packages, and offers nobody to install any.
_NO_BOARD: Final = {"BLINKA_OS_AGNOSTIC": "1", "BLINKA_SKIP_DEPENDENCY_CHECK": "1"}


class SpiLink:
    """Frames over SPI0. ``most_bytes``: what fits into one message of spidev.

    Raises PartAbsentError for a frame that does not: the pause between two messages would be taken
    for the end of the frame.
    """

    def __init__(self, spi: SpiDevice, count: int, most_bytes: int) -> None:
        size = frame_size(3 * count)
        if size > most_bytes:
            spi.close()
            raise PartAbsentError(
                "lights",
                "{count} lights need {size} bytes at once, and SPI sends {most}.",
                remedy="Add spidev.bufsiz=65536 to the line in /boot/firmware/cmdline.txt, and"
                " restart the Pi.",
                count=count,
                size=size,
                most=most_bytes,
            )
        self._spi = spi
        try:
            # The kernel keeps what the last program asked for.
            spi.mode = 0
            spi.bits_per_word = 8
            spi.max_speed_hz = SPI_HZ
        except OSError:
            spi.close()
            raise

    def write(self, frame: bytes, /) -> None:
        """As FrameLink's. writebytes2 waits without the interpreter's lock."""
        try:
            self._spi.writebytes2(encode(frame))
        except OSError as error:
            raise OSError(error.errno, error.strerror, SPI_DEVICE) from None

    def close(self) -> None:
        """As FrameLink's."""
        self._spi.close()


class _BlinkaLink:
    """Frames through one of Blinka's writers. Raises ImportError without its package."""

    def __init__(self, module: str, pin: int, size: int, *devices: str) -> None:
        self._module = _load(module)
        self._devices = devices
        self._gpio = SimpleNamespace(_pin=SimpleNamespace(id=pin))
        self._buffer = bytearray(size)
        self._half_made = False

    def write(self, frame: bytes, /) -> None:
        """As FrameLink's."""
        self._buffer[: len(frame)] = frame
        try:
            self._module.neopixel_write(self._gpio, self._buffer)
        except RuntimeError as error:
            self._half_made = "render" not in str(error)
            missing = next(filter(None, map(unusable, self._devices)), None)
            raise missing or OSError(None, str(error), self._devices[0]) from None


class Ws281xLink(_BlinkaLink):
    """Blinka's writer of a Pi 4 and earlier, over rpi_ws281x."""

    def __init__(self, pin: int, count: int) -> None:
        # For Blinka, lights are of four colours where three do not go into the buffer.
        size = 3 * count + -3 * count % 4
        module = "adafruit_blinka.microcontroller.bcm283x.neopixel"
        super().__init__(module, pin, size if size % 3 else size + 4, SPI_DEVICE, MAPPED_GPIO)

    def close(self) -> None:
        """As FrameLink's: the next one sets everything up anew, the pin's function too."""
        if self._half_made:
            vars(self._module)["_led_strip"] = None
        else:
            self._module.neopixel_cleanup()


class PioLink(_BlinkaLink):
    """Blinka's writer of a Pi 5."""

    def __init__(self, pin: int, count: int) -> None:
        super().__init__("adafruit_raspberry_pi5_neopixel_write", pin, 3 * count, PIO_DEVICE)

    def close(self) -> None:
        """As FrameLink's: the next one sets everything up anew, the pin's function too."""
        self._module.free_pio()


def strip_of(count: int, link: FrameLink, send_by: SendBy) -> PixelStrip:
    """A dark strip, nothing sent. Raises ImportError without neopixel; ``link`` is closed then."""
    try:
        strip_class = _load("drivers.neopixel_strip").SentStrip
    except ImportError:
        link.close()
        raise
    strip: PixelStrip = strip_class(count, send_by(link))
    return strip


def _load(name: str) -> Any:
    """Import a module of Blinka's, or one that needs it."""
    before = {key: os.environ.get(key) for key in _NO_BOARD}
    os.environ.update(_NO_BOARD)
    try:
        return importlib.import_module(name)
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value

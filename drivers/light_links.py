"""From a frame of lights to the wire: bits over SPI, Blinka's writers, the thread that sends."""

from __future__ import annotations

import errno
import importlib
import os
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, Protocol, TypeAlias

from drivers.buses import PixelStrip, SpiDevice
from drivers.errors import PartAbsentError, unusable

# WS2812B data as SPI sends it: three SPI bits a light bit, 100 for a 0 and 110 for a 1.
#
# At 2.4 MHz a 0 is high for 417 ns and a 1 for 833 ns (Worldsemi, WS2812B: 400 and 800 ns, each
# +-150 ns). What a Pi's divider makes of 2.4 MHz is in docs/wiring-plate-10.md; all of it is
# within.
#
# Every frame begins and ends low for longer than the reset time. Where MOSI rests high between
# transfers, the fall at the start would else be the first light's first bit, and the lights would
# not take the colours on. The 180 bytes also make every frame one that Linux sends by DMA: from 96
# bytes on (spi-bcm2835), more than 64 (spi-dw, a Pi 5). Shorter ones have gaps between their bytes,
# some of them in the high part of a light's bit.


SPI_HZ: Final = 2_400_000
RESET_S: Final = 300e-6
"""Low before and after the data. WS2812B: at least 280 us (50 us in the first generation)."""

_RESET: Final = bytes(round(RESET_S * SPI_HZ / 8))
_PATTERNS: Final = tuple(
    int("".join("110" if bit == "1" else "100" for bit in f"{value:08b}"), 2).to_bytes(3)
    for value in range(256)
)
# The first, second and third byte of each pattern: bytes.translate is the fastest way through.
_THIRDS: Final = tuple(bytes(pattern[third] for pattern in _PATTERNS) for third in range(3))


def frame_size(data_size: int) -> int:
    """Bytes on SPI for that many bytes of colours."""
    return 3 * data_size + 2 * len(_RESET)


def encode(data: bytes) -> bytes:
    """Green, red, blue of each light, as the bytes to send, reset and all."""
    sent = bytearray(3 * len(data))
    for third, table in enumerate(_THIRDS):
        sent[third::3] = data.translate(table)
    return b"".join((_RESET, sent, _RESET))


# Who sends the frames of the lights: the caller, or a thread that the caller never waits for.
#
# The service hands its buses ``ThreadSender``: a frame is on the wire for 3.6 ms, in which the scan
# loop goes on. The latest frame wins: one that has not begun when the next comes is not sent.


JOIN_S: Final = 1.0
"""For a frame under way; the kernel gives a transfer up after 0.2 s and eight times its length."""


class FrameLink(Protocol):
    """The way to the lights, opened. Used by one thread at a time."""

    def write(self, frame: bytes, /) -> None:
        """Send green, red, blue of every light. Raises OSError."""

    def close(self) -> None:
        """Give the device back; closing twice does nothing."""


class Sender(Protocol):
    """Sends frames over a link, and closes it."""

    def send(self, frame: bytes, /) -> None:
        """Take a frame. Raises OSError for this one or for one before."""

    def check(self) -> None:
        """Raise OSError if a frame could not be sent."""

    def close(self) -> None:
        """Send what was taken, and close the link."""


SendBy: TypeAlias = Callable[[FrameLink], Sender]


class DirectSender:
    """Sends in the caller's thread; ``send`` returns when the frame has left."""

    def __init__(self, link: FrameLink) -> None:
        self._link = link

    def send(self, frame: bytes, /) -> None:
        """As Sender's: errors are this frame's own."""
        self._link.write(frame)

    def check(self) -> None:
        """Nothing to check: ``send`` has raised what failed."""

    def close(self) -> None:
        """As Sender's."""
        self._link.close()


class ThreadSender:
    """Sends in a thread of its own, which ends at the first failure and gives the link back."""

    def __init__(self, link: FrameLink) -> None:
        self._link = link
        self._changed = threading.Condition()
        self._frame: bytes | None = None
        self._closing = False
        # What failed, as numbers and words: an exception would keep its frames, and so the link.
        self._failure: tuple[int | None, str, str | None] | None = None
        self._thread = threading.Thread(target=self._run, name="lights", daemon=True)
        self._thread.start()

    def send(self, frame: bytes, /) -> None:
        """As Sender's; returns at once."""
        with self._changed:
            self.check()
            self._frame = frame
            self._changed.notify()

    def check(self) -> None:
        """As Sender's."""
        if self._failure is not None:
            number, why, device = self._failure
            raise OSError(number, why, device)

    def close(self) -> None:
        """As Sender's. A frame that does not end within ``JOIN_S`` is left to the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(JOIN_S)

    def _run(self) -> None:
        failure: tuple[int | None, str, str | None] = (errno.EIO, os.strerror(errno.EIO), None)
        try:
            while (frame := self._next()) is not None:
                self._link.write(frame)
        except OSError as error:
            failure = (error.errno, error.strerror or str(error), error.filename)
        finally:
            # In this order: who reads the failure may open the device again at once.
            self._link.close()
            self._failure = failure

    def _next(self) -> bytes | None:
        """The latest frame, as soon as there is one; None once there is none left to send."""
        with self._changed:
            self._changed.wait_for(lambda: self._frame is not None or self._closing)
            frame, self._frame = self._frame, None
            return frame


# The ways to a strip's data line: SPI, the same on every Pi, and Blinka's two writers.
#
# Blinka's writers are the modules that ``neopixel_write`` would choose by the board; here the
# profile chooses. Their traps, and what is done about each:
#
# - Both hold the interpreter while they send, so a thread of their own frees the scan loop only of
#   the 4 ms that Blinka sleeps after each frame of rpi_ws281x.
# - Both set the pin's function once. Whoever takes the pin as GPIO and gives it back leaves the
#   lights dark; nobody here does (drivers.neopixel_strip), and after a failure all is set up anew.
# - rpi_ws281x opens /dev/spidev0.0 itself and maps /dev/gpiomem, even for SPI. It reserves four
#   colours a light, and sends them: told of 76 lights of four colours, a hundred of three take 930
#   bytes and not 1,224. It sets all up anew for a buffer that it has not seen: there is one. What a
#   failed start leaves half made is forgotten: taking it down follows pointers that were never set.
# - The Pi 5's PIO is under the GPL, version 2, and in release candidates only.


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

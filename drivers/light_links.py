"""The link to the lights: encodes a frame as SPI bits, and sends it in a thread."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from tiltboard.drivers.buses import Sender, SpiDevice
from tiltboard.drivers.errors import PartAbsentError

if TYPE_CHECKING:
    from tiltboard.drivers.neopixel_strip import SentStrip

# WS2812B data as SPI sends it: three SPI bits a light bit, 100 for a 0 and 110 for a 1.
#
# At 2.4 MHz a 0 is high for 417 ns and a 1 for 833 ns (Worldsemi, WS2812B: 400 and 800 ns, each
# +-150 ns). What a Pi's divider makes of 2.4 MHz is in docs/wiring.md; all of it is
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


def encode(data: bytes) -> bytes:
    """Return the bytes to send for green, red, blue of each light, with the reset at the end."""
    sent = bytearray(3 * len(data))
    for third, table in enumerate(_THIRDS):
        sent[third::3] = data.translate(table)
    return b"".join((_RESET, sent, _RESET))


# What sends the frames of the lights: SPI itself, or a thread that the caller never waits for.

SPI_DEVICE: Final = "/dev/spidev0.0"
BUFFER_SIZE: Final = 4096
"""Bytes of one SPI message where nobody says otherwise (Linux, drivers/spi/spidev.c, bufsiz)."""


SendBy: TypeAlias = Callable[[Sender], Sender]


class SpiSender:
    """Sends over SPI0, in the caller's thread. ``most_bytes``: what fits into one message of
    spidev.

    Raises PartAbsentError for a frame that does not: the pause between two messages would be taken
    for the end of the frame.
    """

    def __init__(self, spi: SpiDevice, count: int, most_bytes: int) -> None:
        size = len(encode(bytes(3 * count)))
        if size > most_bytes:
            spi.close()
            raise PartAbsentError(
                "lights",
                "{count} lights need {size} bytes in one message, and SPI sends {most}.",
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

    def send(self, frame: bytes, /) -> None:
        """Send the frame (see Sender) and wait until it has left, with the interpreter's lock
        released.
        """
        try:
            self._spi.writebytes2(encode(frame))
        except OSError as error:
            raise OSError(error.errno, error.strerror, SPI_DEVICE) from None

    def check(self) -> None:
        """Nothing to check: ``send`` has raised what failed."""

    def close(self) -> None:
        """Give the SPI device back."""
        self._spi.close()


JOIN_S: Final = 1.0
"""For a frame under way; the kernel gives a transfer up after 0.2 s and eight times its length."""


class ThreadSender:
    """Has another sender send in a thread of its own, which ends at the first failure and closes
    it. A frame is on the wire for 3.6 ms, in which the scan loop goes on; the latest frame wins:
    one that has not begun when the next comes is not sent.
    """

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._changed = threading.Condition()
        self._frame: bytes | None = None
        self._closing = False
        # What failed, as numbers and words: an exception would keep its frames, and so the link.
        self._failure: tuple[int | None, str, str | None] | None = None
        self._thread = threading.Thread(target=self._run, name="lights", daemon=True)
        self._thread.start()

    def send(self, frame: bytes, /) -> None:
        """Hand the frame (see Sender) to the thread and return at once."""
        with self._changed:
            self.check()
            self._frame = frame
            self._changed.notify()

    def check(self) -> None:
        """Raise OSError if the thread could not send a frame."""
        if self._failure is not None:
            number, why, device = self._failure
            raise OSError(number, why, device)

    def close(self) -> None:
        """Have the thread send the last frame and end. Waits ``JOIN_S`` at most; the thread then
        finishes alone.
        """
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(JOIN_S)

    def _run(self) -> None:
        failure: tuple[int | None, str, str | None] = (errno.EIO, os.strerror(errno.EIO), None)
        try:
            while (frame := self._next()) is not None:
                self._sender.send(frame)
        except OSError as error:
            failure = (error.errno, error.strerror or str(error), error.filename)
        finally:
            # In this order: who reads the failure may open the device again at once.
            self._sender.close()
            self._failure = failure

    def _next(self) -> bytes | None:
        """Wait for a frame and return the latest one, or None once the sender is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._frame is not None or self._closing)
            frame, self._frame = self._frame, None
            return frame


# Blinka then looks neither for a board nor for packages, and offers nobody to install any.
_NO_BOARD: Final = {"BLINKA_OS_AGNOSTIC": "1", "BLINKA_SKIP_DEPENDENCY_CHECK": "1"}


def strip_of(count: int, opened: Callable[[], Sender]) -> SentStrip:
    """Return a dark strip; nothing is sent yet. Raises ImportError without neopixel, before
    ``opened`` is called.
    """
    before = {key: os.environ.get(key) for key in _NO_BOARD}
    os.environ.update(_NO_BOARD)
    try:
        from tiltboard.drivers.neopixel_strip import SentStrip
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value
    return SentStrip(count, opened())

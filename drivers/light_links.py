"""The link to the lights, which encodes a frame as SPI bits and sends the bits in a thread."""

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

# The data of WS2812B lights as SPI bits. A data bit is three SPI bits: 100 for a 0, 110 for a 1.
#
# At 2.4 MHz, a 0 is high for 417 ns and a 1 for 833 ns (Worldsemi, WS2812B: 400 and 800 ns, each
# +-150 ns). docs/wiring.md lists the real rates of each Pi for 2.4 MHz. All these rates are within
# the tolerance.
#
# The line is low for longer than the reset time at the beginning and at the end of every frame.
# Otherwise, if MOSI rests high between transfers, the first light would take the falling edge at
# the start for its first bit, and the lights would ignore the colours. The 180 bytes of low level
# also make every frame long enough for Linux to use DMA: 96 bytes or more (spi-bcm2835), more than
# 64 (spi-dw, a Pi 5). Without DMA, there are gaps between the bytes, and some gaps fall into the
# high part of a data bit.

SPI_HZ: Final = 2_400_000
RESET_S: Final = 300e-6
"""Time in s for which the line is low before and after the data. WS2812B: at least 280 us (50 us in
the first generation).
"""

_RESET: Final = bytes(round(RESET_S * SPI_HZ / 8))
_PATTERNS: Final = tuple(
    int("".join("110" if bit == "1" else "100" for bit in f"{value:08b}"), 2).to_bytes(3)
    for value in range(256)
)
# Tables for bytes.translate, the fastest way to encode a frame. The three tables give the first,
# second and third SPI byte for each data byte.
_THIRDS: Final = tuple(bytes(pattern[third] for pattern in _PATTERNS) for third in range(3))


def encode(data: bytes) -> bytes:
    """Return the SPI bytes for ``data`` (green, red and blue of each light), with a reset time
    before and after the data.
    """
    sent = bytearray(3 * len(data))
    for third, table in enumerate(_THIRDS):
        sent[third::3] = data.translate(table)
    return b"".join((_RESET, sent, _RESET))


# The following classes send the frames of the lights, either in the caller's thread or in a thread
# of their own, so that the caller never waits.

SPI_DEVICE: Final = "/dev/spidev0.0"
BUFFER_SIZE: Final = 4096
"""Linux's default for the maximum size of an SPI message, in bytes (the parameter bufsiz in
drivers/spi/spidev.c).
"""


SendBy: TypeAlias = Callable[[Sender], Sender]


class SpiSender:
    """Sends the frames of the lights over SPI0 in the caller's thread.

    ``most_bytes``: maximum number of bytes in one message of spidev. Raises PartAbsentError if a
    frame is longer, because the lights would take the pause between two messages for the end of the
    frame.
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
            # The kernel keeps the mode and speed that another program has set, so set both here.
            spi.mode = 0
            spi.bits_per_word = 8
            spi.max_speed_hz = SPI_HZ
        except OSError:
            spi.close()
            raise

    def send(self, frame: bytes, /) -> None:
        """Send ``frame`` (green, red and blue of every light) and wait until the transfer is
        complete. Other threads run during the wait.
        """
        try:
            self._spi.writebytes2(encode(frame))
        except OSError as error:
            raise OSError(error.errno, error.strerror, SPI_DEVICE) from None

    def check(self) -> None:
        """Do nothing, because ``send`` raises every error itself."""

    def close(self) -> None:
        """Release the SPI device."""
        self._spi.close()


JOIN_S: Final = 1.0
"""Maximum time in s to wait for a frame that is being sent. The kernel gives up a transfer after
0.2 s plus eight times the duration of the transfer.
"""


class ThreadSender:
    """Sends frames through another sender in a thread, so that the scan loop never waits.

    The transfer of a frame takes 3.6 ms. If a newer frame arrives before the thread has begun to
    send an older frame, only the newer frame is sent. The thread ends at the first failure and
    closes the other sender.
    """

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._changed = threading.Condition()
        self._frame: bytes | None = None
        self._closing = False
        # The error number, text and device of the failure. The exception itself is not stored,
        # because its stack frames would keep this link alive.
        self._failure: tuple[int | None, str, str | None] | None = None
        self._thread = threading.Thread(target=self._run, name="lights", daemon=True)
        self._thread.start()

    def send(self, frame: bytes, /) -> None:
        """Give ``frame`` (green, red and blue of every light) to the thread without waiting. Raises
        OSError if the thread has failed.
        """
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
        """Let the thread send the last frame and end. The method waits at most ``JOIN_S`` seconds
        for the thread; a slower thread ends later.
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
            # Close the sender before the failure is visible, because the caller may then open the
            # device again immediately.
            self._sender.close()
            self._failure = failure

    def _next(self) -> bytes | None:
        """Wait for a frame and return the latest frame, or None once the sender is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._frame is not None or self._closing)
            frame, self._frame = self._frame, None
            return frame


# These settings keep Blinka from detecting a board and from offering to install packages.
_NO_BOARD: Final = {"BLINKA_OS_AGNOSTIC": "1", "BLINKA_SKIP_DEPENDENCY_CHECK": "1"}


def strip_of(count: int, opened: Callable[[], Sender]) -> SentStrip:
    """Create a strip of ``count`` lights. Nothing is sent to the lights yet.

    ``opened``: function that opens the sender. If the package neopixel is missing, raises
    ImportError before ``opened`` is called.
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

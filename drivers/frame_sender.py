"""Who sends the frames of the lights: the caller, or a thread that the caller never waits for.

The service hands its buses ``ThreadSender``: a frame is on the wire for 3.6 ms, in which the scan
loop goes on. The latest frame wins: one that has not begun when the next comes is not sent.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

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
        """Nothing is under way."""

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

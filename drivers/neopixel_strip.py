"""A neopixel.NeoPixel that sends its frames through a Sender. Import this module only through
``tiltboard.drivers.light_links.strip_of``.
"""

from __future__ import annotations

from adafruit_pixelbuf import PixelBuf
from neopixel import GRB, NeoPixel

from tiltboard.drivers.buses import Sender


class SentStrip(NeoPixel):  # type: ignore[misc]
    """A NeoPixel that never claims its pin and passes its bytes to ``sender`` unchanged.

    NeoPixel's own constructor makes the pin a GPIO output, which takes the pin away from SPI.
    """

    def __init__(self, count: int, sender: Sender) -> None:
        PixelBuf.__init__(self, count, byteorder=GRB, brightness=1.0, auto_write=False)
        self._sender = sender

    def show_all(self, colours: bytes, /) -> None:
        """Set the red, green and blue value of every light, and send the frame."""
        buffer = self._post_brightness_buffer  # At full brightness, PixelBuf uses only this buffer.
        buffer[0::3] = colours[1::3]
        buffer[1::3] = colours[0::3]
        buffer[2::3] = colours[2::3]
        self.show()

    def check(self) -> None:
        """Raise OSError if a frame could not be sent."""
        self._sender.check()

    def close(self) -> None:
        """Release the device. The lights keep their colours."""
        self._sender.close()

    def deinit(self) -> None:
        """Turn all lights off and release the device."""
        try:
            self.fill(0)
            self.show()
        finally:
            self.close()

    def _transmit(self, buffer: bytearray) -> None:
        self._sender.send(bytes(buffer))

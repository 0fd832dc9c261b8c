"""The Pico's two serial lines to the host: a UART, and the USB plug of the Pico itself."""

import select
import sys

import machine
import micropython

_NO_KEY = -1
_MOST = 256  # bytes at a time: the scan does not wait for a host that never stops


class UartLine:
    """Two pins, through an adapter or a slip ring."""

    def __init__(self, baud: int, tx: int, rx: int) -> None:
        self._uart = machine.UART(
            0, baud, tx=machine.Pin(tx), rx=machine.Pin(rx), txbuf=1024, rxbuf=1024
        )

    def received(self) -> bytes:
        """What the UART's buffer holds."""
        waiting = self._uart.any()
        data = self._uart.read(waiting) if waiting else None  # type: bytes | None
        return data or b""

    def send(self, data: bytes) -> None:
        """Into the UART's buffer."""
        self._uart.write(data)


class UsbLine:
    """The terminal that MicroPython shows over USB, with every byte meaning only itself.

    A byte of 3 would otherwise stop the program, as Ctrl-C does. While nobody has the port open
    what is sent is dropped; a host that has it open and does not read holds a write up for half a
    second.
    """

    def __init__(self) -> None:
        micropython.kbd_intr(_NO_KEY)
        self._in, self._out = sys.stdin.buffer, sys.stdout.buffer
        self._ready = select.poll()
        self._ready.register(sys.stdin, select.POLLIN)

    def received(self) -> bytes:
        """Byte by byte: a longer read would wait until it is complete."""
        data = bytearray()
        while len(data) < _MOST and self._ready.poll(0):
            data += self._in.read(1)
        return bytes(data)

    def send(self, data: bytes) -> None:
        """To the host."""
        self._out.write(data)

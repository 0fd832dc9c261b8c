"""Serial lines: the real pyserial with a real pty (pseudo-terminal), and the speed of the line in
virtual time.

A pty has no line speed and delivers bytes whenever the kernel is ready. So the simulated line
computes the time of each byte itself, and waits until the kernel has delivered the bytes. Virtual
time does not depend on this wait.
"""

from __future__ import annotations

import array
import errno
import fcntl
import os
import select
import termios
import tty
from collections import deque
from collections.abc import Callable
from typing import Protocol

from tiltboard.drivers.pi_buses import Port
from tiltboard.hw_sim.buses.timing import SERIAL_CALL_S
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.errors import SimulationError

# Number of bits on the line per byte: a start bit, eight data bits and a stop bit.
BITS_PER_BYTE = 10
# Size of a packet in bytes: at full speed, a USB adapter collects bytes until a packet has this
# size.
USB_PACKET = 64
# Number of bytes in a microcontroller's receive buffer at which the microcontroller reads the
# buffer.
FIFO_HALF = 4
# Number of bytes that a pty holds reliably. Linux keeps 4096 bytes for a reader of a terminal
# (N_TTY_BUF_SIZE), but can hold back the last 128 of these bytes.
PTY_HOLDS = 4096 - 256
KERNEL_TRIES = 20_000
KERNEL_WAIT_MS = 1


# Byte sent -> garbled byte that a receiver with another baud rate reads.
_NOISE = bytes((5 * byte + 0x5A) & 0xFF for byte in range(256))


class LineEnd(Protocol):
    """The device at the other end of a serial line."""

    def run(self, until_s: float, /) -> None:
        """Simulate the device until ``until_s``."""


class SimLine:
    """One serial line between the Pi and ``end``."""

    def __init__(self, clock: VirtualClock, baud: int) -> None:
        self.clock = clock
        self.baud = baud
        self.end: LineEnd | None = None
        self.bytes_up = 0
        self.bytes_down = 0
        self.overrun = 0
        self.noise: Callable[[bytes], bytes] = bytes
        """Function that changes the bytes in both directions, used by faults."""
        self.handed_s = 0.0
        """Time at which the Pi received its last byte."""
        self.path = ""
        """Path of the device while it is plugged in."""
        self._byte_s = BITS_PER_BYTE / baud
        self._master: int | None = None
        self._slave = -1
        # Bytes that are on the way to the Pi, each with the time at which its last bit arrives.
        self._up: deque[tuple[float, bytes]] = deque()
        self._down: deque[tuple[float, bytes]] = deque()
        self._up_free_s = self._down_free_s = 0.0

    @property
    def plugged(self) -> bool:
        """True while the device is plugged in."""
        return self._master is not None

    def plug(self) -> None:
        """Plug the device in, so that its ``path`` exists."""
        if self._master is None:
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            self.path = os.ttyname(self._slave)

    def unplug(self) -> None:
        """Unplug the device. Bytes on the line are lost."""
        if self._master is not None:
            os.close(self._master)
            os.close(self._slave)
            self._master = None
        self._up.clear()
        self._down.clear()

    # The following methods belong to the Pi's end of the line.

    def pump(self) -> None:
        """Simulate the other device up to now, and deliver the bytes that have arrived."""
        if self.end is not None:
            self.end.run(self.clock.now())
        ready = b""
        while self._up and self._up[0][0] <= self.clock.now():
            self.handed_s, piece = self._up.popleft()
            ready += piece
        if ready and self._master is not None:
            self._hand_over(self._master, self._as_heard(ready))

    def receive(self, count: int) -> None:
        """Take ``count`` bytes that the Pi has written. Raises SimulationError if the kernel does
        not deliver these bytes.
        """
        if self._master is None:
            return
        data = b""
        for _ in range(KERNEL_TRIES):
            if len(data) == count:
                break
            if select.select([self._master], [], [], KERNEL_WAIT_MS / 1000)[0]:
                data += os.read(self._master, count - len(data))
        else:
            raise SimulationError("The kernel did not pass on the bytes written to a pty.")
        data = self.noise(self._as_heard(data))
        self.bytes_down += count
        now_s = self.clock.now()
        self._down_free_s = self._send(self._down, data, FIFO_HALF, max(self._down_free_s, now_s))

    # The following methods belong to the device's end of the line.

    def send(self, data: bytes, now_s: float) -> None:
        """Send bytes to the Pi, starting at ``now_s``."""
        if self._master is None:
            return
        self.bytes_up += len(data)
        start_s = max(self._up_free_s, now_s)
        self._up_free_s = self._send(self._up, self.noise(data), USB_PACKET, start_s)

    def received(self, now_s: float) -> bytes:
        """Return and remove the bytes from the Pi that have arrived by ``now_s``."""
        data = bytearray()
        while self._down and self._down[0][0] <= now_s:
            data += self._down.popleft()[1]
        return bytes(data)

    @property
    def next_byte_s(self) -> float | None:
        """Time at which the next byte from the Pi arrives, or None if no byte is on the line."""
        return self._down[0][0] if self._down else None

    def _send(
        self, line: deque[tuple[float, bytes]], data: bytes, together: int, at_s: float
    ) -> float:
        """Send ``data`` in packets of ``together`` bytes, starting at ``at_s``. Return the time at
        which the last packet arrives.
        """
        for start in range(0, len(data), together):
            piece = data[start : start + together]
            at_s += len(piece) * self._byte_s
            line.append((at_s, piece))
        return at_s

    def _hand_over(self, master: int, data: bytes) -> None:
        before = self._waiting()
        fits = data[: max(0, PTY_HOLDS - before)]
        self.overrun += len(data) - len(fits)
        os.write(master, fits)
        for _ in range(KERNEL_TRIES):
            waiting = self._waiting()
            if waiting >= before + len(fits):
                return
            # Waiting bytes make the file readable immediately, so select cannot wait for more
            # bytes.
            select.select([] if waiting else [self._slave], [], [], KERNEL_WAIT_MS / 1000)
        raise SimulationError("The kernel did not pass on the bytes written to a pty.")

    def _waiting(self) -> int:
        count = array.array("i", [0])
        fcntl.ioctl(self._slave, termios.FIONREAD, count)
        return count[0]

    def _as_heard(self, data: bytes) -> bytes:
        """Return the bytes that the receiver decodes. If the two baud rates differ, these bytes are
        wrong.
        """
        speed = termios.tcgetattr(self._slave)[5]
        return data if speed == getattr(termios, f"B{self.baud}") else data.translate(_NOISE)


class SimSerial:
    """The Pi's port on the pty of a line. Each call first simulates the line up to the present
    time.
    """

    def __init__(self, line: SimLine, baud: int) -> None:
        if not line.plugged:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), line.path)
        self._line = line
        self._port = Port(line.path, baud)
        # Discard earlier bytes: this port only gets bytes that arrive after it was opened.
        line.pump()

    @property
    def in_waiting(self) -> int:
        """Number of bytes received and not yet read."""
        self._line.pump()
        return self._port.in_waiting

    @property
    def out_waiting(self) -> int:
        """Number of bytes written but not transmitted yet."""
        return self._port.out_waiting

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` received bytes without waiting."""
        self._line.pump()
        self._line.clock.advance(SERIAL_CALL_S)
        return self._port.read(size)

    def write(self, data: bytes, /) -> int:
        """Write bytes without waiting and return the number of bytes accepted."""
        self._line.pump()
        self._line.clock.advance(SERIAL_CALL_S)
        written = self._port.write(data)
        self._line.receive(written)
        return written

    @property
    def is_open(self) -> bool:
        """True while the port is open."""
        return self._port.is_open

    def close(self) -> None:
        """Close the port."""
        self._port.close()

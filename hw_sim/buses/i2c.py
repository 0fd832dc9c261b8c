"""Simulated I2C for the real ``smbus2.SMBus``. The simulation replaces ``os`` and ``ioctl`` inside
smbus2.

The behaviour follows linux/Documentation/i2c/dev-interface and the Pi's BCM2835 adapter, which uses
plain I2C messages and emulates SMBus.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import smbus2.smbus2

from tiltboard.hw_sim.buses.timing import I2C_CALL_S, I2C_HZ, I2C_TIMEOUT_S
from tiltboard.hw_sim.clock import VirtualClock

I2C_SLAVE = 0x0703
I2C_FUNCS = 0x0705
I2C_SLAVE_FORCE = 0x0706
I2C_RDWR = 0x0707
I2C_SMBUS = 0x0720
I2C_M_RD = 0x0001
SMBUS_READ = 1
BYTE, BYTE_DATA, WORD_DATA, I2C_BLOCK = 1, 2, 3, 8
BLOCK_MAX = 32
FUNCTIONS = 0x0EFF0009  # The adapter's supported functions: I2C_FUNC_I2C and I2C_FUNC_SMBUS_EMUL.

BITS_PER_BYTE = 9  # Number of bits on the bus per byte: eight data bits and the acknowledge bit.
# File number of the first simulated file, higher than any real file number of a process.
FIRST_FILE = 1_000_000


class I2cChip(Protocol):
    """A chip with an address on the bus. This model holds a single byte:

    >>> class Register:
    ...     value = 0
    ...     def write(self, data, now_s):
    ...         self.value = data[-1]
    ...         return True
    ...     def read(self, count, now_s): return bytes([self.value] * count)
    ...     def power_on(self, now_s): self.value = 0
    >>> from tiltboard.testing import SimBuses
    >>> with SimBuses() as buses:
    ...     buses.add_i2c(1, 0x48, Register())
    ...     buses.i2c(1).write_byte(0x48, 7)
    ...     buses.i2c(1).read_byte(0x48)
    7
    """

    def write(self, data: bytes, now_s: float, /) -> bool:
        """Receive a write message and return whether the chip acknowledged."""

    def read(self, count: int, now_s: float, /) -> bytes | None:
        """Return ``count`` bytes for a read message, or None if the chip did not acknowledge the
        message.
        """

    def power_on(self, now_s: float, /) -> None:
        """Restore the chip's power supply. The chip then has its reset state."""


class I2cMessage(NamedTuple):
    """One message of a transfer. ``data`` contains the bytes to write. If ``data`` is None, the
    message reads ``size`` bytes.
    """

    address: int
    data: bytes | None
    size: int = 0


class I2cBus:
    """One I2C bus, with its chips by address."""

    def __init__(
        self,
        number: int,
        clock: VirtualClock,
        clock_hz: int = I2C_HZ,
        timeout_s: float = I2C_TIMEOUT_S,
    ) -> None:
        self.number = number
        self.clock = clock
        self.clock_hz = clock_hz
        self.timeout_s = timeout_s
        self.chips: dict[int, I2cChip] = {}
        self.nacking: set[int] = set()
        """Addresses that do not answer although a chip is connected."""
        self.stuck = False
        """True if a line is held low, so that every transfer times out."""

    def transfer(self, messages: Sequence[I2cMessage]) -> bytes:
        """Transfer messages with repeated starts between them, and return the data of the last
        read.

        Raises OSError with EREMOTEIO if an address is not acknowledged, and with ETIMEDOUT on a
        stuck bus. Raises OSError with EOPNOTSUPP if a message before the last message reads,
        because the adapter cannot do this.
        """
        if any(message.data is None for message in messages[:-1]):
            raise _error(errno.EOPNOTSUPP)
        clock = self.clock
        if self.stuck:
            clock.advance(self.timeout_s)
            raise _error(errno.ETIMEDOUT)
        answer = b""
        bit_s = 1.0 / self.clock_hz
        clock.advance(I2C_CALL_S + bit_s)  # The additional bit is the stop condition.
        for message in messages:
            # Duration of the start condition and the address.
            clock.advance((1 + BITS_PER_BYTE) * bit_s)
            chip = self.chips.get(message.address)
            if chip is None or message.address in self.nacking:
                raise _error(errno.EREMOTEIO)
            if message.data is None:
                read = chip.read(message.size, clock.now())
                if read is None:
                    raise _error(errno.EREMOTEIO)
                answer = read
                clock.advance(message.size * BITS_PER_BYTE * bit_s)
            else:
                clock.advance(len(message.data) * BITS_PER_BYTE * bit_s)
                if not chip.write(message.data, clock.now()):
                    raise _error(errno.EREMOTEIO)
        return answer


@dataclass(slots=True)
class _File:
    """An open device file of a simulated bus, with the selected chip address."""

    bus: I2cBus
    address: int = 0


class I2cSeam:
    """Replaces ``os`` and ``ioctl`` inside smbus2, for all simulated tables of this process.

    Each bus has its own path, so that tables do not disturb each other. Calls for other paths and
    files reach the real operating system. There is only one instance, which is stored inside smbus2
    and counts its users.
    """

    def __init__(self) -> None:
        self.users = 0
        self._real_ioctl: Any = getattr(smbus2.smbus2, _IOCTL)
        self._paths: dict[str, I2cBus] = {}
        self._files: dict[int, _File] = {}
        self._claimed: list[Mapping[int, I2cBus]] = []
        self._next = FIRST_FILE

    @classmethod
    def enter(cls) -> I2cSeam:
        """Install the replacement inside smbus2, or count one more user if it is already installed.
        Return the replacement.
        """
        seam = getattr(smbus2.smbus2, _OS)
        if not isinstance(seam, cls):
            seam = cls()
            setattr(smbus2.smbus2, _OS, seam)
            setattr(smbus2.smbus2, _IOCTL, seam.ioctl)
        seam.users += 1
        return seam

    def leave(self, buses: Mapping[int, I2cBus]) -> None:
        """Remove these buses and count one user less. When no user is left, restore the real
        functions.
        """
        gone = [*buses.values()]
        self._claimed = [each for each in self._claimed if each is not buses]
        self._paths = {path: bus for path, bus in self._paths.items() if bus not in gone}
        self._files = {number: file for number, file in self._files.items() if file.bus not in gone}
        self.users -= 1
        if self.users == 0:
            setattr(smbus2.smbus2, _OS, os)
            setattr(smbus2.smbus2, _IOCTL, self._real_ioctl)

    def path_of(self, bus: I2cBus) -> str:
        """Return the path that opens ``bus``. No real device has such a path."""
        path = f"/dev/i2c-{bus.number}#{id(bus):x}"
        self._paths[path] = bus
        return path

    def claim(self, buses: Mapping[int, I2cBus]) -> None:
        """Let ``/dev/i2c-N`` open the bus with number N in ``buses``, if there is such a bus."""
        self._claimed.append(buses)

    def _bus_at(self, path: str) -> I2cBus | None:
        for buses in reversed(self._claimed):
            for number, bus in buses.items():
                if path == f"/dev/i2c-{number}":
                    return bus
        return self._paths.get(path)

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def open(self, path: str, flags: int) -> int:
        """Open a simulated bus, or any other path with ``os.open``."""
        bus = self._bus_at(path)
        if bus is None:
            return os.open(path, flags)
        self._next += 1
        self._files[self._next] = _File(bus)
        return self._next

    def close(self, number: int) -> None:
        """Close a simulated bus, or any other file with ``os.close``."""
        if self._files.pop(number, None) is None:
            os.close(number)

    def ioctl(self, number: int, request: int, argument: Any = 0) -> int:
        """Handle the same requests as ``fcntl.ioctl`` on a device file of the I2C driver. Raises
        OSError.
        """
        file = self._files.get(number)
        if file is None:
            return int(self._real_ioctl(number, request, argument))
        if request == I2C_SMBUS:
            _smbus(file, argument)
        elif request == I2C_RDWR:
            _read_write(file.bus, argument)
        elif request in (I2C_SLAVE, I2C_SLAVE_FORCE):
            if not 0 <= argument <= 0x7F:
                raise _error(errno.EINVAL)
            file.address = argument
        elif request == I2C_FUNCS:
            argument.value = FUNCTIONS
        else:
            raise _error(errno.ENOTTY)
        return 0


_OS = "os"
_IOCTL = "ioctl"


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _smbus(file: _File, argument: Any) -> None:
    """Run one SMBus transaction as plain I2C messages, as the kernel's emulation does."""
    bus, address, size = file.bus, file.address, argument.size
    reading = argument.read_write == SMBUS_READ
    counts = {BYTE: int(reading), BYTE_DATA: 1, WORD_DATA: 2}
    if size == I2C_BLOCK:
        counts[size] = argument.data.contents.block[0]
        if not 0 < counts[size] <= BLOCK_MAX:
            raise _error(errno.EINVAL)
    elif size not in counts:
        raise _error(errno.EOPNOTSUPP)  # No driver here uses other transactions.
    count, command = counts[size], bytes([argument.command])
    before = 1 if size == I2C_BLOCK else 0  # The data of a block begins with its length.
    if reading:
        first = [] if size == BYTE else [I2cMessage(address, command)]
        answer = bus.transfer([*first, I2cMessage(address, None, count)])
        ctypes.memmove(argument.data, bytes([count])[:before] + answer, before + count)
    else:
        written = ctypes.string_at(argument.data, before + count) if count else b""
        bus.transfer([I2cMessage(address, command + written[before:])])


def _read_write(bus: I2cBus, argument: Any) -> None:
    """Transfer the messages of an I2C_RDWR request."""
    parts = [argument.msgs[i] for i in range(argument.nmsgs)]
    answer = bus.transfer(
        [
            I2cMessage(part.addr, None, part.len)
            if part.flags & I2C_M_RD
            else I2cMessage(part.addr, ctypes.string_at(part.buf, part.len))
            for part in parts
        ]
    )
    if parts and parts[-1].flags & I2C_M_RD:
        ctypes.memmove(parts[-1].buf, answer, len(answer))

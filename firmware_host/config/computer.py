"""What the parts of a table open on the computer, and what that takes: the one list of it. And who
has it: one program at a time, of service, tests, bring-up and calibration.

From the list come the unit's drop-in (``tiltboard unit``), the udev rules
(systemd/60-tiltboard.rules, compared by a test), the lock of the board, the doctor, and the table
in docs/dependencies.md.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tiltboard.firmware_host.config.boot import pi_of
from tiltboard.firmware_host.messages import Message, text
from tiltboard.ground.clock import Clock
from tiltboard.ground.errors import TiltboardError

if TYPE_CHECKING:
    from tiltboard.drivers.pi_buses import PiBuses


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """One kind of device file. ``allow``: what DeviceAllow= names, by the driver's name in
    /proc/devices, since a path must exist when the service starts. ``rule``: what a udev rule
    matches.
    """

    group: str
    allow: tuple[str, ...]
    rule: str


SPI = DeviceClass("spi", ("char-spi",), 'SUBSYSTEM=="spidev"')
I2C = DeviceClass("i2c", ("char-i2c",), 'SUBSYSTEM=="i2c-dev"')
GPIO = DeviceClass("gpio", ("char-gpiochip",), 'SUBSYSTEM=="gpio", KERNEL=="gpiochip*"')
# A cable that is plugged in again gets a new node: USB, and both kinds of on-board serial.
SERIAL = DeviceClass(
    "dialout", ("char-ttyACM", "char-ttyUSB", "char-ttyAMA", "char-ttyS"), 'SUBSYSTEM=="tty"'
)
SOUND = DeviceClass("audio", ("char-alsa",), 'SUBSYSTEM=="sound"')
DEVICE_CLASSES = (SPI, I2C, GPIO, SERIAL, SOUND)

GPIO_DEVICE = "/dev/gpiochip0"
SOUND_DEVICE = "/dev/snd/controlC0"
GPIO_MODULES = ("lgpio", "RPi.GPIO")  # either will do; a Pi 5 takes lgpio alone


@dataclass(frozen=True, slots=True)
class Need:
    """One device of one part. ``modules``: of each, one must be there to import. ``lines``: of
    config.txt, without which the part does not work; ``advised``: without which it works less well.
    """

    part: str
    device: str
    kind: DeviceClass
    modules: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...] = ()
    advised: tuple[str, ...] = ()


def needs_of_speaker(speaker: str | None) -> tuple[Need, ...]:
    """What a program that reads aloud plays through, if the settings have one: the first card."""
    return () if speaker is None else (Need("speaker", SOUND_DEVICE, SOUND, ()),)


def gpio_need(part: str, model: str) -> Need:
    """The pins, by one of two libraries."""
    pi = pi_of(model)
    modules = GPIO_MODULES if pi is None or pi.core_mhz else GPIO_MODULES[:1]
    return Need(part, GPIO_DEVICE, GPIO, (modules,))


def spi_line(bus: int, select: int = 0) -> str:
    """What config.txt has for that chip select of a bus."""
    return f"dtoverlay=spi{bus}-{select + 1}cs" if bus else "dtparam=spi=on"


def i2c_need(part: str, bus: int) -> Need:
    """A bus; the Pi's first one is switched on, and is better fast."""
    lines = ("dtparam=i2c_arm=on",) if bus == 1 else ()
    fast = ("dtparam=i2c_arm_baudrate=400000",) if bus == 1 else ()
    return Need(part, f"/dev/i2c-{bus}", I2C, (("smbus2",),), lines, fast)


# One program at a time

PREFIX: Final = "tiltboard:"
NAME_MOST: Final = 107  # unix(7): sun_path has 108 bytes, the first of which is zero
CREDENTIALS: Final = struct.Struct("iII")  # unix(7), SO_PEERCRED: process, user, group


class BoardInUseError(TiltboardError, BlockingIOError):
    """Another program has the board. Wait for it to end, or stop it."""


@contextmanager
def board_lock(devices: tuple[str, ...]) -> Iterator[None]:
    """Held inside its context, by names of abstract sockets (unix(7)): they need no folder, no
    permission and no cleaning up, reach into a service's private /tmp, and the kernel takes them
    back with the process.

    ``devices``: what it is held for, one name each; see ``devices_of``. Raises BoardInUseError at
    once where another holds any of it; OSError.
    """
    with ExitStack() as held:
        for device in devices:
            name = f"\0{PREFIX}{device}".encode()[: NAME_MOST + 1]
            mine = held.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            try:
                mine.bind(name)
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                raise _in_use(device, _holder(name)) from None
            mine.listen()
        yield


@contextmanager
def own_board(needs: Iterable[Need], clock: Clock | None = None) -> Iterator[PiBuses]:
    """The buses of this machine, for this program alone. Raises BoardInUseError."""
    from tiltboard.drivers.pi_buses import (
        PiBuses,  # who only reads a profile needs none of its libraries
    )

    with board_lock(devices_of(needs)):
        buses = PiBuses(clock)
        try:
            yield buses
        finally:
            buses.close()


def devices_of(needs: Iterable[Need]) -> tuple[str, ...]:
    """What they are of a computer, by one name each."""
    return tuple(dict.fromkeys(os.path.realpath(need.device) for need in needs))


def _holder(name: bytes) -> int:
    """The process that listens there; 0 if it has just gone."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(0)
        try:
            asking.connect(name)
        except OSError:
            return 0
        packed = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    process, _user, _group = CREDENTIALS.unpack(packed)
    return int(process)


def _in_use(device: str, process: int) -> BoardInUseError:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:  # gone, or not for this user's eyes
        words = []
    command: Message | str = text("another program")
    for number, word in enumerate(words):
        if Path(word).name in {"tiltboard", "pytest"}:
            command = " ".join((Path(word).name, *words[number + 1 : number + 2])).strip()
            break
    return BoardInUseError(
        "The board is in use by {command} (process {process}), which has {device}.",
        remedy="Wait until it has ended, or stop it; the service with: sudo systemctl stop"
        " tiltboard.",
        command=command,
        process=process or "?",
        device=device,
    )

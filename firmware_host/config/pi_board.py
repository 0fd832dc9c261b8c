"""Lists the devices that the table's parts open on the Pi, and locks them so that only one program
can use them.

This list is used by the service's drop-in (``tiltboard unit``), the udev rules
(systemd/60-tiltboard.rules, compared by a test), the lock on the devices, ``tiltboard doctor``, and
the table in docs/dependencies.md.
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
    """A kind of device file, with the group that can open it."""

    group: str
    allow: tuple[str, ...]
    """Values of DeviceAllow= in the service's unit. They are names of drivers in /proc/devices. A
    path is not used, because it would have to exist before the service starts.
    """
    rule: str
    """The condition of a udev rule that matches these devices."""


SPI = DeviceClass("spi", ("char-spi",), 'SUBSYSTEM=="spidev"')
I2C = DeviceClass("i2c", ("char-i2c",), 'SUBSYSTEM=="i2c-dev"')
GPIO = DeviceClass("gpio", ("char-gpiochip",), 'SUBSYSTEM=="gpio", KERNEL=="gpiochip*"')
# A device gets a new device node when its cable is plugged in again, so the drivers are allowed.
# They are the drivers of USB adapters and of both kinds of on-board serial port.
SERIAL = DeviceClass(
    "dialout", ("char-ttyACM", "char-ttyUSB", "char-ttyAMA", "char-ttyS"), 'SUBSYSTEM=="tty"'
)
SOUND = DeviceClass("audio", ("char-alsa",), 'SUBSYSTEM=="sound"')
DEVICE_CLASSES = (SPI, I2C, GPIO, SERIAL, SOUND)

GPIO_DEVICE = "/dev/gpiochip0"
SOUND_DEVICE = "/dev/snd/controlC0"
# One of these GPIO libraries is enough; a Pi 5 works only with lgpio.
GPIO_MODULES = ("lgpio", "RPi.GPIO")


@dataclass(frozen=True, slots=True)
class Need:
    """A device that a part of the table needs, together with the software and settings for the
    device.
    """

    part: str
    device: str
    kind: DeviceClass
    modules: tuple[tuple[str, ...], ...]
    """Groups of Python modules; one module of each group must be importable."""
    lines: tuple[str, ...] = ()
    """Lines of config.txt that the part needs to work."""
    advised: tuple[str, ...] = ()
    """Optional lines of config.txt with which the part works better."""


def needs_of_speaker(speaker: str | None) -> tuple[Need, ...]:
    """Return the device that a text-to-speech program needs, which is the first sound card.

    The result is empty if ``speaker`` is None.
    """
    return () if speaker is None else (Need("speaker", SOUND_DEVICE, SOUND, ()),)


def gpio_need(part: str, model: str) -> Need:
    """Return the requirements of a part that uses GPIO pins: the GPIO device and one of two GPIO
    libraries.
    """
    pi = pi_of(model)
    modules = GPIO_MODULES if pi is None or pi.core_mhz else GPIO_MODULES[:1]
    return Need(part, GPIO_DEVICE, GPIO, (modules,))


def spi_line(bus: int, select: int = 0) -> str:
    """Return the line of config.txt that enables chip select ``select`` of an SPI bus."""
    return f"dtoverlay=spi{bus}-{select + 1}cs" if bus else "dtparam=spi=on"


def i2c_need(part: str, bus: int) -> Need:
    """Return the requirements of an I2C bus: the bus's device file and its lines of config.txt.

    Bus 1 must be enabled in config.txt, and works better at 400 kHz.
    """
    lines = ("dtparam=i2c_arm=on",) if bus == 1 else ()
    fast = ("dtparam=i2c_arm_baudrate=400000",) if bus == 1 else ()
    return Need(part, f"/dev/i2c-{bus}", I2C, (("smbus2",),), lines, fast)


# Locks that let only one program at a time use the board.

PREFIX: Final = "tiltboard:"
# Maximum length of a socket's name in bytes. The field sun_path has 108 bytes, and the first byte
# must be zero (unix(7)).
MAX_NAME: Final = 107
# Fields of SO_PEERCRED (unix(7)): the ids of process, user and group.
CREDENTIALS: Final = struct.Struct("iII")


class BoardInUseError(TiltboardError, BlockingIOError):
    """Another program is using the board. Wait until that program ends, or stop it."""


@contextmanager
def board_lock(devices: tuple[str, ...]) -> Iterator[None]:
    """Lock ``devices``, a result of ``devices_of``, against other programs while the context is
    active.

    Each lock is an abstract socket (unix(7)). Such a socket needs no folder, permission or
    clean-up, and works even if a service has a private /tmp. The kernel releases the socket when
    the process ends. Raises BoardInUseError immediately if another program has locked one of the
    devices. Also raises OSError.
    """
    with ExitStack() as held:
        for device in devices:
            name = f"\0{PREFIX}{device}".encode()[: MAX_NAME + 1]
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
    """Open this Pi's buses for this program only, and close them at the end of the context.

    Raises BoardInUseError if another program uses one of the devices in ``needs``.
    """
    from tiltboard.drivers.pi_buses import (
        PiBuses,  # Import it here: a program that only reads a profile needs no bus libraries.
    )

    with board_lock(devices_of(needs)):
        buses = PiBuses(clock)
        try:
            yield buses
        finally:
            buses.close()


def devices_of(needs: Iterable[Need]) -> tuple[str, ...]:
    """Return the real paths of the devices in ``needs``, without duplicates."""
    return tuple(dict.fromkeys(os.path.realpath(need.device) for need in needs))


def _holder(name: bytes) -> int:
    """Return the id of the process that holds a lock, or 0 if the process has just ended."""
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
    except OSError:  # The process has ended, or this user is not allowed to read its command.
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

"""The devices that the table's parts open on the Pi, and a lock so that one program at a time does.

From this list come the unit's drop-in (``tiltboard unit``), the udev rules
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
    """A kind of device file."""

    group: str
    allow: tuple[str, ...]
    """Values of DeviceAllow=: names of drivers in /proc/devices, since a path must exist at the
    start.
    """
    rule: str
    """The match of a udev rule."""


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
GPIO_MODULES = ("lgpio", "RPi.GPIO")  # Either will do; a Pi 5 works with lgpio only.


@dataclass(frozen=True, slots=True)
class Need:
    """A device that a part needs."""

    part: str
    device: str
    kind: DeviceClass
    modules: tuple[tuple[str, ...], ...]
    """Python modules: of each group, one must be importable."""
    lines: tuple[str, ...] = ()
    """Lines of config.txt without which the part does not work."""
    advised: tuple[str, ...] = ()
    """Lines of config.txt without which it works less well."""


def needs_of_speaker(speaker: str | None) -> tuple[Need, ...]:
    """Return the needs of a program that reads aloud (the first sound card), none for None."""
    return () if speaker is None else (Need("speaker", SOUND_DEVICE, SOUND, ()),)


def gpio_need(part: str, model: str) -> Need:
    """Return the need of a part that uses GPIO pins, through one of two libraries."""
    pi = pi_of(model)
    modules = GPIO_MODULES if pi is None or pi.core_mhz else GPIO_MODULES[:1]
    return Need(part, GPIO_DEVICE, GPIO, (modules,))


def spi_line(bus: int, select: int = 0) -> str:
    """Return the line of config.txt that enables a chip select of an SPI bus."""
    return f"dtoverlay=spi{bus}-{select + 1}cs" if bus else "dtparam=spi=on"


def i2c_need(part: str, bus: int) -> Need:
    """Return the need of an I2C bus; bus 1 must be enabled in config.txt, and is better fast."""
    lines = ("dtparam=i2c_arm=on",) if bus == 1 else ()
    fast = ("dtparam=i2c_arm_baudrate=400000",) if bus == 1 else ()
    return Need(part, f"/dev/i2c-{bus}", I2C, (("smbus2",),), lines, fast)


# One program at a time

PREFIX: Final = "tiltboard:"
MAX_NAME: Final = 107  # unix(7): sun_path has 108 bytes, the first of which is zero
CREDENTIALS: Final = struct.Struct("iII")  # unix(7), SO_PEERCRED: process, user, group


class BoardInUseError(TiltboardError, BlockingIOError):
    """Another program uses the board. Wait for it to end, or stop it."""


@contextmanager
def board_lock(devices: tuple[str, ...]) -> Iterator[None]:
    """Lock ``devices`` (see ``devices_of``) inside the context, against other programs.

    Each lock is an abstract socket (unix(7)): it needs no folder, permission or cleaning up,
    reaches into a service's private /tmp, and the kernel releases it with the process. Raises
    BoardInUseError at once if another program has one of them; OSError.
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
    """Open this machine's buses, for this program alone. Raises BoardInUseError."""
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
    """Return the real paths of the devices needed, each once."""
    return tuple(dict.fromkeys(os.path.realpath(need.device) for need in needs))


def _holder(name: bytes) -> int:
    """Return the number of the process that holds a lock, or 0 if it has just ended."""
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

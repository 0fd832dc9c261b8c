"""Errors of the table's parts, from the chips up, and how Linux's errors become them."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Final

from tiltboard.ground.errors import TiltboardError, extra_command

if TYPE_CHECKING:
    from smbus2 import SMBus


class PartError(TiltboardError, OSError):
    """A part of the table does not work.

    The caller may continue without that part and try again later.

        >>> error = PartError("imu", "It reads {value}.", remedy="Look at its plug.", value=0)
        >>> error.part, str(error)
        ('imu', 'It reads 0. Look at its plug.')
    """

    def __init__(self, part: str, template: str, /, *, remedy: str = "", **params: object) -> None:
        self.part = part
        """Hall, imu, lights, panel."""
        TiltboardError.__init__(self, template, remedy=remedy, part=part, **params)


class PartAbsentError(PartError):
    """The part does not answer at all: not wired, no power, or no permission. Retry later.

    ``params["nobody"]`` is true if no chip of a table answers on its I2C bus, ``params["bus"]``.

    >>> lost = absent("hall", FileNotFoundError(errno.ENOENT, ""), "/dev/spidev0.0")
    >>> isinstance(lost, PartAbsentError)
    True
    """


class WrongPartError(PartError):
    """Something answers, but it is another chip than the profile names. Stop and look.

    >>> str(WrongPartError("imu", "A {chip} answers.", chip="BMP280", remedy="Exchange it."))
    'A BMP280 answers. Exchange it.'
    """


class PartReadingError(PartError, ValueError):
    """The part answers, but with values that it cannot have measured. Retry; then look.

    >>> str(PartReadingError("hall", "All read {code}.", code=1023, remedy="Check the ground."))
    'All read 1023. Check the ground.'
    """


class LastingPartError(PartReadingError):
    """More than one reading has shown it: settings that are lost, an axis that is dead. Never taken
    for a single bad sample.
    """


# What a person is told when a bus, a package or a permission is missing.

_NO_DEVICE: Final = (
    (
        "/dev/spidev0",
        "Add dtparam=spi=on to /boot/firmware/config.txt and restart the Pi."
        " Without a Raspberry Pi run: tiltboard sim.",
    ),
    (
        "/dev/spidev1",
        "Add dtoverlay=spi1-1cs to /boot/firmware/config.txt and restart the Pi."
        " Without a Raspberry Pi run: tiltboard sim.",
    ),
    (
        "/dev/i2c-",
        "Add dtparam=i2c_arm=on to /boot/firmware/config.txt, run: echo i2c-dev | sudo tee"
        " /etc/modules-load.d/i2c-dev.conf, and restart the Pi."
        " Without a Raspberry Pi run: tiltboard sim.",
    ),
    ("", "This needs a Raspberry Pi. Without one run: tiltboard sim."),
)
INSTALL: Final = {
    "lgpio": "sudo apt install python3-lgpio",
    "serial": "pip install pyserial",
    "RPi": "sudo apt install python3-lgpio",
    "spidev": "sudo apt install python3-spidev",
}
"""Module -> command that installs its package, where no extra does."""
_GROUPS: Final = (("/dev/spidev", "spi"), ("/dev/i2c-", "i2c"), ("", "gpio"))


def how_to_install(module: str) -> str:
    """Return the command that installs the package of ``module``."""
    return INSTALL.get(module.partition(".")[0]) or extra_command("pi")


def unsupplied() -> PartAbsentError:
    """Return the error for lights without their own supply."""
    return PartAbsentError(
        "lights",
        "The lights have no supply.",
        remedy="Check their 5 V, its fuse and its plug; play then continues.",
    )


def _by_start(table: tuple[tuple[str, str], ...], device: str) -> str:
    return next(value for start, value in table if device.startswith(start))


def absent(
    part: str, error: OSError | ImportError, device: str, group: str = ""
) -> PartAbsentError:
    """Return the PartAbsentError for an ``error`` in the use of ``device``, the bus of ``part``.
    ``group``: the Linux group whose members may use the device.

        >>> lost = absent("imu", PermissionError(errno.EACCES, ""), "/dev/i2c-1")
        >>> str(lost)
        'This user may not use /dev/i2c-1. Run: sudo usermod -aG i2c $USER, then log in again.'
    """
    if isinstance(error, ImportError):
        return PartAbsentError(
            part,
            "The Python package {package} is missing ({why}).",
            remedy="On a Raspberry Pi run: {command}. Elsewhere run: tiltboard sim.",
            command=how_to_install(error.name or ""),
            package=error.name or "for the hardware",
            why=str(error),
        )
    device = str(error.filename or device)
    if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return PartAbsentError(
            part,
            "There is no {device} on this machine.",
            remedy=_by_start(_NO_DEVICE, device),
            device=device,
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return PartAbsentError(
            part,
            "This user may not use {device}.",
            remedy="Run: sudo usermod -aG {group} $USER, then log in again.",
            device=device,
            group=group or _by_start(_GROUPS, device),
        )
    if error.errno in (errno.EBUSY, errno.EWOULDBLOCK):
        return PartAbsentError(
            part,
            "{device} is in use by something else.",
            remedy="Stop the other program, or the second tiltboard.",
            device=device,
        )
    return PartAbsentError(
        part,
        "{device} does not work: {why}.",
        remedy="Check the plug and the supply of this part.",
        device=device,
        why=error.strerror or (os.strerror(error.errno) if error.errno else str(error)),
    )


# What a person is told when a chip on I2C does not answer.

EXPANDERS: Final = range(0x20, 0x28)
"""The addresses that an MCP23017's pins A0 to A2 can choose (Microchip DS20001952, figure 1-2)."""
MOTION_SENSORS: Final = range(0x68, 0x6C)
"""Those of an MPU-6050 (0x68, 0x69) and of an LSM6DSOX (0x6A, 0x6B)."""
NOBODY: Final = (errno.EREMOTEIO, errno.ENXIO)
"""The errors of Linux for an address that nobody acknowledges (Documentation/i2c/fault-codes)."""


def answering(bus: SMBus | None, error: OSError | ImportError) -> tuple[int, ...] | None:
    """Return which of the addresses of a table's chips are acknowledged on an open ``bus``, after
    ``error`` came of a transfer; None if that says nothing of addresses. Takes some milliseconds.
    """
    if bus is None or not isinstance(error, OSError) or error.errno not in NOBODY:
        return None
    found = []
    for address in (*EXPANDERS, *MOTION_SENSORS):
        try:
            bus.read_byte(address)
        except OSError as other:
            if other.errno not in NOBODY:
                return None
        else:
            found.append(address)
    return tuple(found)


def lost_on_i2c(part: str, error: OSError | ImportError, bus: int, silent: PartError) -> PartError:
    """Return the error to raise when ``error`` came from I2C ``bus``, a number; ``silent`` is
    returned if the chip is not there.

        >>> silent = PartAbsentError("imu", "No compass answers.")
        >>> lost_on_i2c("imu", OSError(errno.EREMOTEIO, ""), 1, silent) is silent
        True

    Linux answers ETIMEDOUT for a bus whose lines do not rise (Documentation/i2c/fault-codes). One
    that breaks off is EIO on a Pi 4 and earlier (drivers/i2c/busses/i2c-bcm2835.c: SCL was held low
    for too long, or bytes are missing), and EAGAIN where another has pulled a line low (arbitration
    lost). None of these drivers sends a chip that holds SDA low the nine clocks that free it, and a
    program cannot while the kernel has the pins: docs/wiring.md says how a person can.
    """
    if isinstance(error, ImportError):
        return absent(part, error, "")
    # An error of opening the device file names it; one of a transfer does not.
    if error.errno in NOBODY and error.filename is None:
        return silent
    if error.errno == errno.ETIMEDOUT:
        return PartAbsentError(
            part,
            "I2C bus {bus} hangs: something holds SDA or SCL low.",
            remedy="Unplug the parts on it one by one; switching the table off frees it too.",
            bus=bus,
        )
    if error.errno in (errno.EIO, errno.EAGAIN) and error.filename is None:
        return PartAbsentError(
            part,
            "Transfers on I2C bus {bus} break off: a line is held low, or disturbed.",
            remedy="Check SDA, SCL, ground and 3.3 V of the parts on it; unplug them one by one.",
            bus=bus,
        )
    return absent(part, error, f"/dev/i2c-{bus}")

"""Errors of the table's hardware parts, and the conversion of Linux's errors into such errors."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Final

from tiltboard.ground.errors import TiltboardError, extra_command

if TYPE_CHECKING:
    from smbus2 import SMBus


class PartError(TiltboardError, OSError):
    """A hardware part of the table (sensors, tilt sensor, lights or panel) does not work.

    The caller can continue without that part and retry later.

        >>> error = PartError("imu", "It reads {value}.", remedy="Look at its plug.", value=0)
        >>> error.part, str(error)
        ('imu', 'It reads 0. Look at its plug.')
    """

    def __init__(self, part: str, template: str, /, *, remedy: str = "", **params: object) -> None:
        self.part = part
        """Name of the part: "hall", "imu", "lights" or "panel"."""
        TiltboardError.__init__(self, template, remedy=remedy, part=part, **params)


class PartAbsentError(PartError):
    """The part does not answer: it is not wired, has no power, or the user lacks permission.

    The caller retries later. ``params["nobody"]`` is true if no chip of the table answers on I2C
    bus ``params["bus"]``.

    >>> lost = absent("hall", FileNotFoundError(errno.ENOENT, ""), "/dev/spidev0.0")
    >>> isinstance(lost, PartAbsentError)
    True
    """


class WrongPartError(PartError):
    """The chip that answers is not the chip that the profile names.

    A person must exchange the chip or correct the profile.

    >>> str(WrongPartError("imu", "A {chip} answers.", chip="BMP280", remedy="Exchange it."))
    'A BMP280 answers. Exchange it.'
    """


class PartReadingError(PartError, ValueError):
    """The part answers, but sends values that it cannot have measured.

    The caller repeats the reading. If the second reading fails, too, the part is at fault.

    >>> str(PartReadingError("hall", "All read {code}.", code=1023, remedy="Check the ground."))
    'All read 1023. Check the ground.'
    """


class LastingPartError(PartReadingError):
    """A fault that several readings have confirmed, such as lost settings or a dead axis.

    Unlike a plain PartReadingError, this error is never treated as a single bad sample.
    """


# Instructions for a person when a bus, a package or a permission is missing.

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
"""Maps the name of a Python module to the command that installs the module. Modules that an extra
of tiltboard installs are not listed.
"""
_GROUPS: Final = (("/dev/spidev", "spi"), ("/dev/i2c-", "i2c"), ("", "gpio"))


def how_to_install(module: str) -> str:
    """Return the shell command that installs the package of the Python module ``module``."""
    return INSTALL.get(module.partition(".")[0]) or extra_command("pi")


def unpowered_lights() -> PartAbsentError:
    """Return the error for a strip of lights whose power supply is off."""
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
    """Return the PartAbsentError for an ``error`` that occurred when ``part`` used ``device``.

    ``device``: device file of the part's bus. ``group``: Linux group whose members can use the
    device, or "" to derive the group from ``device``.

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


# The following functions create the errors for a chip on I2C that does not answer.

EXPANDERS: Final = range(0x20, 0x28)
"""I2C addresses that the pins A0 to A2 of an MCP23017 can select (Microchip DS20001952, figure
1-2).
"""
MOTION_SENSORS: Final = range(0x68, 0x6C)
"""I2C addresses of an MPU-6050 (0x68, 0x69) and an LSM6DSOX (0x6A, 0x6B)."""
NOBODY: Final = (errno.EREMOTEIO, errno.ENXIO)
"""Linux's error numbers for an I2C address that no chip acknowledges
(Documentation/i2c/fault-codes).
"""


def answering(bus: SMBus | None, error: OSError | ImportError) -> tuple[int, ...] | None:
    """Return the I2C addresses of the table's chips that answer on an open ``bus``.

    ``error``: the error of the transfer that has just failed. Returns None if the bus is not open,
    or if a transfer fails for a reason other than a missing acknowledgement. Takes some
    milliseconds.
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
    """Return the error to raise for ``error``, which occurred on the I2C bus with number ``bus``.

    ``silent``: the error to return if the chip does not acknowledge its address.

        >>> silent = PartAbsentError("imu", "No compass answers.")
        >>> lost_on_i2c("imu", OSError(errno.EREMOTEIO, ""), 1, silent) is silent
        True

    Linux reports ETIMEDOUT for a bus whose lines do not rise (Documentation/i2c/fault-codes). If a
    transfer breaks off on a Pi 4 or earlier, Linux reports EIO (drivers/i2c/busses/i2c-bcm2835.c:
    SCL was held low for too long, or bytes are missing). The error is EAGAIN if something
    else on the bus has pulled a line low (arbitration lost).

    A chip that holds SDA low needs nine clock pulses to free the line. None of these Linux drivers
    sends the pulses, and a program cannot send them while the kernel has the pins. docs/wiring.md
    explains how a person can send the pulses.
    """
    if isinstance(error, ImportError):
        return absent(part, error, "")
    # An error from opening the device file names the file; an error from a transfer does not.
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

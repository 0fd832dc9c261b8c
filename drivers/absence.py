"""What a person is told when a bus, a package or a permission is missing."""

from __future__ import annotations

import errno
import os
from typing import Final

from drivers.errors import PartAbsentError

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
    (
        "/dev/pio0",
        "Update the Pi 5: sudo apt full-upgrade, sudo rpi-eeprom-update -a, and restart it."
        " Without a Raspberry Pi run: tiltboard sim.",
    ),
    ("", "This needs a Raspberry Pi. Without one run: tiltboard sim."),
)
INSTALL: Final = {
    "lgpio": "sudo apt install python3-lgpio",
    "RPi": "sudo apt install python3-lgpio",
    "spidev": "sudo apt install python3-spidev",
    "_rpi_ws281x": "sudo apt install python3-dev gcc && pip install rpi_ws281x",
    "adafruit_raspberry_pi5_neopixel_write": "pip install 'tiltboard[pio]'",
}
"""How a package that nothing brings along is installed, by its module."""
_USUAL: Final = "pip install 'tiltboard[pi]'"
_GROUPS: Final = (("/dev/spidev", "spi"), ("/dev/i2c-", "i2c"), ("", "gpio"))


def how_to_install(module: str) -> str:
    """The command that brings the package of a module."""
    return INSTALL.get(module.partition(".")[0], _USUAL)


def unsupplied() -> PartAbsentError:
    """The lights' own supply is gone, whoever sees that."""
    return PartAbsentError(
        "lights",
        "The lights have no supply.",
        remedy="Check their 5 V, its fuse and its plug; play goes on by itself.",
    )


def _by_start(table: tuple[tuple[str, str], ...], device: str) -> str:
    return next(value for start, value in table if device.startswith(start))


def absent(part: str, error: OSError | ImportError, device: str) -> PartAbsentError:
    """The error to raise when ``error`` came of using ``device``, the bus of ``part``."""
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
            "There is no {device} on this computer.",
            remedy=_by_start(_NO_DEVICE, device),
            device=device,
        )
    if error.errno in (errno.EACCES, errno.EPERM) and device.startswith("/dev/pio"):
        return PartAbsentError(
            part,
            "This user may not use {device}.",
            remedy=(
                'Write SUBSYSTEM=="*-pio", GROUP="gpio", MODE="0660" to'
                " /etc/udev/rules.d/99-pio.rules, run: sudo usermod -aG gpio $USER, and restart"
                " the Pi."
            ),
            device=device,
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return PartAbsentError(
            part,
            "This user may not use {device}.",
            remedy="Run: sudo usermod -aG {group} $USER, then log in again.",
            device=device,
            group=_by_start(_GROUPS, device),
        )
    if error.errno == errno.EBUSY:
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

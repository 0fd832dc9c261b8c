"""What a person is told when a chip on I2C does not answer."""

from __future__ import annotations

import errno

from drivers.absence import absent
from drivers.errors import PartAbsentError


def lost_on_i2c(
    part: str, error: OSError | ImportError, bus: int, silent: PartAbsentError
) -> PartAbsentError:
    """The error to raise when ``error`` came of I2C ``bus``; ``silent`` if the chip is not there.

    Linux answers EREMOTEIO or ENXIO for an address that nobody acknowledges, and ETIMEDOUT for a
    bus whose lines do not rise (Documentation/i2c/fault-codes). One that breaks off is EIO on
    a Pi 4 and earlier (drivers/i2c/busses/i2c-bcm2835.c: SCL was held low for too long, or bytes
    are missing), and EAGAIN where another has pulled a line low (arbitration lost). None of these
    drivers sends a chip that holds SDA low the nine clocks that free it, and a program cannot while
    the kernel has the pins: docs/wiring-plate-7.md says how a person can.
    """
    if isinstance(error, ImportError):
        return absent(part, error, "")
    # An error of opening the device file names it; one of a transfer does not.
    if error.errno in (errno.EREMOTEIO, errno.ENXIO) and error.filename is None:
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

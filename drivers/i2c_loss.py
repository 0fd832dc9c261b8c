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
    bus whose lines do not rise (Documentation/i2c/fault-codes).
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
    return absent(part, error, f"/dev/i2c-{bus}")

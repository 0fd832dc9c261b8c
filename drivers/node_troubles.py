"""What a person is told when a plate's own computer, or the line to it, does not work."""

from __future__ import annotations

import errno
from typing import Final

from drivers.errors import (
    PartAbsentError,
    PartError,
    PartReadingError,
    WrongPartError,
    absent,
    unsupplied,
)
from drivers.node_protocol import MAJOR, Capabilities, Status

PART_HALL: Final = 1
PART_IMU: Final = 2
PART_LIGHTS: Final = 3
SILENT, WRONG_CHIP, IMPOSSIBLE = 1, 2, 3


def about(part: str, error: PartError) -> PartError:
    """The same trouble, of another part of the node."""
    params = {name: value for name, value in error.params.items() if name != "part"}
    return type(error)(part, error.template, remedy=error.remedy_template, **params)


def silent(port: str) -> PartAbsentError:
    """Nothing comes from the port."""
    return PartAbsentError(
        "hall",
        "The plate's own computer does not answer on {port}.",
        remedy="Check its supply, the two data wires (TX to RX and RX to TX), that the tiltboard"
        " firmware is on it, and that the profile's baud is the firmware's.",
        port=port,
    )


def senseless(port: str) -> PartAbsentError:
    """Bytes come from the port, but they are no messages."""
    return PartAbsentError(
        "hall",
        "What comes from {port} makes no sense: it is no message from a plate's own computer.",
        remedy="Check that this is the plate's port, that the profile's baud is the firmware's,"
        " that no other program reads it, and the ground wire.",
        port=port,
    )


def other_version(found: Capabilities) -> WrongPartError:
    """The node speaks another major version of the protocol."""
    newer = found.major > MAJOR
    return WrongPartError(
        "hall",
        "The plate's own computer ({name}) speaks version {found} of the protocol; this"
        " program speaks version {wanted}.",
        remedy="Update tiltboard, or put firmware for version {wanted}.x on the plate:"
        " docs/wiring-node.md."
        if newer
        else "Put firmware for version {wanted}.x on it: docs/wiring-node.md.",
        name=found.name,
        found=f"{found.major}.{found.minor}",
        wanted=MAJOR,
    )


def other_plate(found: Capabilities, columns: int, rows: int) -> WrongPartError:
    """The node has other places than the profile says."""
    return WrongPartError(
        "hall",
        "The plate's own computer ({name}) has {found} places; the profile says {wanted}.",
        remedy="Name the profile of this plate, or put this plate's firmware on it.",
        name=found.name,
        found=f"{found.columns} x {found.rows}",
        wanted=f"{columns} x {rows}",
    )


def never_scans(found: Capabilities) -> WrongPartError:
    """The node says that it never scans."""
    return WrongPartError(
        "hall",
        "The plate's own computer ({name}) says that it never scans.",
        remedy="Put the tiltboard firmware on it: docs/wiring-node.md.",
        name=found.name,
    )


def of_port(port: str, error: OSError | ImportError) -> PartAbsentError:
    """What came of opening, reading or writing."""
    gone = (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO, None)
    if isinstance(error, OSError) and error.errno in gone:
        return PartAbsentError(
            "hall",
            "The plate's own computer is not plugged in: there is no {port}.",
            remedy="Plug in its USB cable; play goes on by itself.",
            port=port,
        )
    return absent("hall", error, port, group="dialout")


def reported(status: Status | None, part: int) -> PartError | None:
    """What the node says is wrong with that part of its own."""
    if status is None:
        return None
    for number, code, detail in status.faults:
        if number == part:
            return _ERRORS[part](code, detail)
    return None


def _lights_error(_code: int, _detail: int) -> PartError:
    return unsupplied()


def _hall_error(code: int, detail: int) -> PartError:
    if code == SILENT:
        return PartAbsentError(
            "hall",
            "On the plate: the sensors' converter does not answer.",
            remedy="Check the MCP3008's supply and reference, and the wires of MISO, clock and"
            " chip select on the plate.",
        )
    return PartReadingError(
        "hall",
        "On the plate: spare input {number} of the multiplexers has an impossible reading.",
        remedy="Check the address lines S0 to S3 and the 3.3 V of the sensors on the plate.",
        number=detail,
    )


def _imu_error(code: int, detail: int) -> PartError:
    if code == WRONG_CHIP:
        return WrongPartError(
            "imu",
            "On the plate: the tilt sensor is no MPU-6050 (it calls itself {identity:#04x}).",
            remedy="Fit an MPU-6050 on the plate.",
            identity=detail,
        )
    if code == SILENT:
        return PartAbsentError(
            "imu",
            "On the plate: the tilt sensor does not answer.",
            remedy="Check the MPU-6050's plug, its 3.3 V, and that AD0 is at ground.",
        )
    return PartReadingError(
        "imu",
        "On the plate: the tilt sensor's readings are impossible, or it lost its settings.",
        remedy="If this comes back, check the MPU-6050's plug, its 3.3 V and its ground.",
    )


_ERRORS: Final = {PART_HALL: _hall_error, PART_IMU: _imu_error, PART_LIGHTS: _lights_error}

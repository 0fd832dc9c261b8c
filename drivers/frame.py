"""The result of one scan of the table, as a plain value that the host reads."""

from __future__ import annotations

from dataclasses import dataclass

from tiltboard.drivers.errors import PartError


@dataclass(frozen=True, slots=True)
class Motion:
    """One IMU reading in the plate's axes: x east (columns), y north (rows), z up.

    >>> import math
    >>> from tiltboard.testing import Bench
    >>> with Bench("plate-10") as bench:
    ...     bench.tilt(x_deg=8)
    ...     motion = bench.advance(1).motion
    >>> 6 < math.degrees(motion.tilt_rad[0]) < 10
    True
    """

    tilt_rad: tuple[float, float]
    """Right-handed rotation about x and about y in rad, computed from gravity and rates of turn."""
    specific_force_m_s2: tuple[float, float, float]
    """Reading of the accelerometer in m/s2: (0, 0, +9.81) when the plate is level and at rest."""
    rate_rad_s: tuple[float, float, float]
    """Rate of turn about each axis, measured by the gyroscope, without the gyroscope's bias."""
    temperature_c: float
    """Temperature of the motion sensor's chip."""
    spin_rad: float = 0.0
    """Total angle in rad by which the plate has turned about z, counted from east towards north."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One scan of a table: the readings of all parts, and their faults.

    >>> from tiltboard.testing import Bench
    >>> with Bench("plate-7") as bench:
    ...     bench.put("south", "b1")
    ...     frame = bench.scan()
    >>> frame.field_mt[1] > 5, frame.pressed, frame.faults
    (True, frozenset(), ())
    """

    number: int
    """Number of scans before this one."""
    time_s: float
    """Time on the clock when the last Hall sensor was read. If the Hall array failed, the time of
    the scan.
    """
    field_mt: tuple[float, ...]
    """Upward component of the magnetic field at each sensor, in mT, computed with the offset and
    sensitivity from the data sheet.

    The index is ``row * columns + column``, counted from the corner a1. A magnet reads positive if
    its south pole faces the sensor, and negative if its north pole faces the sensor. The tuple is
    empty while the Hall array fails.
    """
    motion: Motion | None
    """Reading of the tilt sensor, or None while the sensor starts or fails."""
    pressed: frozenset[str]
    """Names of the buttons that are held down now. The buttons are not debounced."""
    temperature_c: float | None = None
    """Temperature of the sensor board, measured by the NTC thermistor, or None if unknown."""
    faults: tuple[PartError, ...] = ()
    """Errors of the parts that failed in this scan, in the order hall, imu, lights, panel."""

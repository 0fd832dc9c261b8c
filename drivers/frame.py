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
    """Rotation about x and about y, right-handed, fused from gravity and rates."""
    specific_force_m_s2: tuple[float, float, float]
    """The accelerometer's reading: (0, 0, +9.81) level and at rest."""
    rate_rad_s: tuple[float, float, float]
    """The gyroscope's reading, its bias removed."""
    temperature_c: float
    """The chip's temperature."""
    spin_rad: float = 0.0
    """The angle turned about z so far, east to north."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One scan of a table.

    >>> from tiltboard.testing import Bench
    >>> with Bench("plate-7") as bench:
    ...     bench.put("south", "b1")
    ...     frame = bench.scan()
    >>> frame.field_mt[1] > 5, frame.pressed, frame.faults
    (True, frozenset(), ())
    """

    number: int
    """The count of scans before this one."""
    time_s: float
    """The clock when the last sensor was read."""
    field_mt: tuple[float, ...]
    """The upward vertical field at each sensor, uncalibrated (datasheet offset and sensitivity), at
    index ``row * columns + column`` from the low corner (a1 is 0). A magnet with its south pole
    toward the sensor reads positive, north negative. Empty while the Hall array is lost.
    """
    motion: Motion | None
    """The tilt sensor's reading; None while it is lost."""
    pressed: frozenset[str]
    """Buttons held down now, undebounced."""
    temperature_c: float | None = None
    """The board's temperature from the NTC; None if unknown."""
    faults: tuple[PartError, ...] = ()
    """The parts that failed in this scan, in the order hall, imu, lights, panel."""

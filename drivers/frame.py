"""The result of one scan of the table, as a plain value that the host reads."""

from __future__ import annotations

from dataclasses import dataclass

from tiltboard.drivers.errors import PartError


@dataclass(frozen=True, slots=True)
class Motion:
    """One IMU reading in the plate's axes: x east (columns), y north (rows), z up.

    ``tilt_rad``: rotation about x and about y, right-handed, fused from gravity and rates.
    ``specific_force_m_s2``: accelerometer; (0, 0, +9.81) level and at rest.
    ``rate_rad_s``: gyroscope, bias removed. ``temperature_c``: of the chip. ``spin_rad``: turned
    about z so far, east to north.
    """

    tilt_rad: tuple[float, float]
    specific_force_m_s2: tuple[float, float, float]
    rate_rad_s: tuple[float, float, float]
    temperature_c: float
    spin_rad: float = 0.0


@dataclass(frozen=True, slots=True)
class Frame:
    """One scan.

    ``number`` counts scans from 0. ``time_s``: the clock when the last sensor was read.
    ``field_mt``: the upward vertical field at each sensor in mT, uncalibrated (datasheet offset and
    sensitivity), index ``row * columns + column`` from the low corner (a1 is 0). A magnet with its
    south pole toward the sensor reads positive, north negative. Empty while the Hall array is lost.
    ``motion`` is None while the IMU is lost. ``pressed``: buttons held down now, undebounced.
    ``temperature_c``: board temperature from the NTC, None if unknown. ``faults``: the parts that
    failed in this scan, in the order hall, imu, lights, panel.
    """

    number: int
    time_s: float
    field_mt: tuple[float, ...]
    motion: Motion | None
    pressed: frozenset[str]
    temperature_c: float | None = None
    faults: tuple[PartError, ...] = ()

"""LSM6DSOX: accelerometer, gyroscope and thermometer on I2C (STMicroelectronics DS12814).

The orientation of the chip on the plate is a Mounting (tiltboard.drivers.attitude). An LSM6DSO has
the same identity, registers and scales. An LSM6DSO32 has the same identity and registers, but
another scale of the accelerometer, which this driver cannot detect.
"""

from __future__ import annotations

import math
from struct import Struct
from typing import ClassVar, Final

from tiltboard.drivers.attitude import G_M_S2
from tiltboard.drivers.inertial import Chip, InertialSensor, Variant

WHO_AM_I: Final = 0x0F
CTRL1_XL: Final = 0x10
CTRL2_G: Final = 0x11
CTRL3_C: Final = 0x12
# Address of the first of seven 16-bit values, low byte first: temperature, rates x, y, z,
# accelerations x, y, z.
OUT_TEMP_L: Final = 0x20

SW_RESET: Final = 0x01  # Bit of CTRL3_C that resets the chip.
# Bit of CTRL3_C which ensures that both bytes of a value belong to the same sample.
BDU: Final = 0x40
IF_INC: Final = 0x04  # Bit of CTRL3_C that lets a burst read successive registers.
# Value in CTRL1_XL and CTRL2_G that sets the rate to 104 readings per second.
ODR_104_HZ: Final = 0x40
ACCEL_4_G: Final = 0x08  # Value in CTRL1_XL (FS_XL 10) that sets the range to +-4 g.
# CTRL1_XL: turns on the second filter, whose bandwidth is a quarter of the sample rate (26 Hz).
ACCEL_LPF2: Final = 0x02
GYRO_500_DEG_S: Final = 0x04  # Value in CTRL2_G (FS_G 01) that sets the range to +-500 deg/s.

SETTINGS: Final = bytes(  # Values of successive registers, starting with CTRL1_XL.
    (
        *(ODR_104_HZ | ACCEL_4_G | ACCEL_LPF2, ODR_104_HZ | GYRO_500_DEG_S, BDU | IF_INC),
        # CTRL4_C to CTRL8_XL get the values that these registers have after a reset: no axis
        # sleeps, no self test runs, high performance is on, and there are no offsets. The bandwidth
        # of LPF2 is a quarter of the sample rate (sections 9.15 to 9.19).
        *(0x00, 0x00, 0x00, 0x00, 0x00),
    )
)


class Lsm6dsox(InertialSensor):
    """Driver of the tilt sensor LSM6DSOX on I2C.

    >>> from tiltboard.testing import Bench
    >>> with Bench("plate-7") as bench:  # on a Pi: PiBuses()
    ...     sensor = Lsm6dsox(bench.buses, 1, 0x6A)
    ...     motion = bench.retry(sensor.read, lambda motion: motion is not None)
    >>> 9 < motion.specific_force_m_s2[2] < 11
    True
    """

    CHIP: ClassVar[Chip] = Chip(
        name="LSM6DSOX",
        pin="SA0",
        low=0x6A,
        who_am_i=WHO_AM_I,
        variants={0x6C: Variant(steps_per_c=256.0, offset_c=25.0)},
        reset=(CTRL3_C, bytes([SW_RESET | IF_INC])),
        reset_s=0.02,  # The chip reloads its factory trimming within 10 ms.
        settings=((CTRL1_XL, SETTINGS),),
        # The gyroscope's turn-on time is typically 35 ms. Both filters need ten samples more.
        settle_s=0.1,
        burst=OUT_TEMP_L,
        words=Struct("<7h"),
        thermometer=0,
        gyro=1,
        accel=4,
        scales=(
            0.122e-3 * G_M_S2,  # Data sheet, LA_So at +-4 g: 0.122 mg per step.
            math.radians(17.5e-3),  # Data sheet, G_So at +-500 deg/s: 17.5 mdps per step.
        ),
    )

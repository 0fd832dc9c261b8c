"""LSM6DSOX: accelerometer, gyroscope and thermometer on I2C (STMicroelectronics DS12814).

How its axes lie on the plate is the mounting's business (tiltboard.drivers.attitude). An LSM6DSO
answers to the same identity and has the same registers and scales; an LSM6DSO32 does too, with
another scale of the accelerometer, which is not noticed here.
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
OUT_TEMP_L: Final = 0x20  # then OUTX_G, OUTY_G, OUTZ_G, OUTX_A, OUTY_A, OUTZ_A: low byte first

SW_RESET: Final = 0x01  # CTRL3_C
BDU: Final = 0x40  # CTRL3_C: both bytes of a value are of one sample
IF_INC: Final = 0x04  # CTRL3_C: a burst walks from register to register
ODR_104_HZ: Final = 0x40  # CTRL1_XL, CTRL2_G
ACCEL_4_G: Final = 0x08  # CTRL1_XL: FS_XL 10
ACCEL_LPF2: Final = 0x02  # CTRL1_XL: the second filter, at a quarter of the rate (26 Hz)
GYRO_500_DEG_S: Final = 0x04  # CTRL2_G: FS_G 01

SETTINGS: Final = bytes(  # from CTRL1_XL on
    (
        *(ODR_104_HZ | ACCEL_4_G | ACCEL_LPF2, ODR_104_HZ | GYRO_500_DEG_S, BDU | IF_INC),
        # CTRL4_C to CTRL8_XL as after a reset: no axis sleeps, no self test, high performance, no
        # offsets, LPF2 at a quarter of the rate (sections 9.15 to 9.19)
        *(0x00, 0x00, 0x00, 0x00, 0x00),
    )
)


class Lsm6dsox(InertialSensor):
    """The tilt sensor on one address.

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
        reset_s=0.02,  # the trimming is loaded anew, 10 ms
        settings=((CTRL1_XL, SETTINGS),),
        settle_s=0.1,  # gyroscope's turn-on time, 35 ms typical, and ten samples of both filters
        burst=OUT_TEMP_L,
        words=Struct("<7h"),
        thermometer=0,
        gyro=1,
        accel=4,
        scales=(
            0.122e-3 * G_M_S2,  # LA_So at +-4 g: 0.122 mg
            math.radians(17.5e-3),  # G_So at +-500 deg/s: 17.5 mdps
        ),
    )

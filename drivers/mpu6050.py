"""MPU-6050: accelerometer, gyroscope and thermometer on I2C.

Sources: register map RM-MPU-6000A rev. 4.2, and electrical values in PS-MPU-6000A rev. 3.4. The
orientation of the chip on the plate is a Mounting (tiltboard.drivers.attitude).
"""

from __future__ import annotations

import math
from struct import Struct
from typing import ClassVar, Final

from tiltboard.drivers.attitude import G_M_S2
from tiltboard.drivers.inertial import Chip, InertialSensor, Variant

# First of four successive registers; CONFIG, GYRO_CONFIG and ACCEL_CONFIG are the next three.
SMPLRT_DIV: Final = 0x19
# Register of the accelerometer's separate filter, which only an MPU-6500 and later chips have.
ACCEL_CONFIG_2: Final = 0x1D
# First of 14 bytes, high byte first: accelerations x, y, z, temperature, rates x, y, z.
ACCEL_XOUT_H: Final = 0x3B
# First of two power registers; the next, PWR_MGMT_2, puts individual axes to sleep (section 4.29).
PWR_MGMT_1: Final = 0x6B
WHO_AM_I: Final = 0x75

DEVICE_RESET: Final = 0x80  # Bit of PWR_MGMT_1 that resets the chip.
# Value of PWR_MGMT_1 that wakes the chip and selects the x gyroscope as its clock, as section 4.28
# advises.
CLOCK_PLL_X: Final = 0x01
ALL_AXES: Final = 0x00  # Value of PWR_MGMT_2 with which no axis sleeps.
# Value of CONFIG that selects a bandwidth of 21 Hz for the accelerometer and 20 Hz for the
# gyroscope, with a delay of 8.5 ms (section 4.3).
DLPF_20_HZ: Final = 4
# Value of SMPLRT_DIV that sets the sample rate to 1 kHz / (1 + 4) (section 4.2).
RATE_200_HZ: Final = 4
# Value of GYRO_CONFIG for FS_SEL 1, 65.5 steps per deg/s (section 4.4).
GYRO_500_DEG_S: Final = 0x08
ACCEL_4_G: Final = 0x08  # Value of ACCEL_CONFIG for AFS_SEL 1, 8192 steps per g (section 4.5).

# Later InvenSense chips have another thermometer and a second filter register. The sources are
# their data sheets (TEMP_OUT and ACCEL_CONFIG 2) and RM-MPU-9250A sections 3, 4.7 and 4.23.
OWN_FILTER: Final = ((ACCEL_CONFIG_2, bytes([DLPF_20_HZ])),)


class Mpu6050(InertialSensor):
    """Driver of the tilt sensor MPU-6050 on I2C.

    >>> from tiltboard.testing import Bench
    >>> with Bench("plate-10") as bench:  # on a Pi: PiBuses()
    ...     sensor = Mpu6050(bench.buses, 1, 0x68)
    ...     motion = bench.retry(sensor.read, lambda motion: motion is not None)
    >>> 9 < motion.specific_force_m_s2[2] < 11
    True
    """

    CHIP: ClassVar[Chip] = Chip(
        name="MPU-6050",
        pin="AD0",
        low=0x68,
        who_am_i=WHO_AM_I,
        variants={  # All these chips are sold as MPU-6050 and work equally well.
            0x68: Variant(340.0, 36.53),
            0x72: Variant(340.0, 36.53),  # Identity of a clone of the MPU-6050.
            0x70: Variant(333.87, 21.0, OWN_FILTER),  # Identity of an MPU-6500.
            # Identity of an MPU-9250, an MPU-6500 with a compass.
            0x71: Variant(333.87, 21.0, OWN_FILTER),
            0x73: Variant(333.87, 21.0, OWN_FILTER),  # Identity of an MPU-9255.
            0x98: Variant(326.8, 25.0, OWN_FILTER),  # Identity of an ICM-20689.
        },
        reset=(PWR_MGMT_1, bytes([DEVICE_RESET])),
        # The host must wait 100 ms after a reset (section 4.28). The chip's start-up takes no
        # longer.
        reset_s=0.1,
        settings=(
            (PWR_MGMT_1, bytes([CLOCK_PLL_X, ALL_AXES])),
            (SMPLRT_DIV, bytes([RATE_200_HZ, DLPF_20_HZ, GYRO_500_DEG_S, ACCEL_4_G])),
        ),
        # The gyroscope needs 30 ms to start (PS section 6.1). After that, the filter needs time to
        # settle.
        settle_s=0.05,
        burst=ACCEL_XOUT_H,
        words=Struct(">7h"),
        accel=0,
        thermometer=3,
        gyro=4,
        scales=(G_M_S2 / 8192.0, math.radians(1.0 / 65.5)),
    )

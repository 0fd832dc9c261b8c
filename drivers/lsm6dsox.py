"""LSM6DSOX: accelerometer, gyroscope and thermometer on I2C (STMicroelectronics DS12814).

How its axes lie on the plate is the mounting's business (drivers.attitude). An LSM6DSO answers to
the same identity and has the same registers and scales; an LSM6DSO32 does too, with another scale
of the accelerometer, which is not noticed here.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, ClassVar, Final

from drivers.attitude import G_M_S2
from drivers.inertial import BURST, InertialSensor, Words

if TYPE_CHECKING:
    from smbus2 import SMBus

WHO_AM_I: Final = 0x0F
CTRL1_XL: Final = 0x10
CTRL2_G: Final = 0x11
CTRL3_C: Final = 0x12
OUT_TEMP_L: Final = 0x20  # then OUTX_G, OUTY_G, OUTZ_G, OUTX_A, OUTY_A, OUTZ_A: low byte first

IDENTITY: Final = 0x6C
SW_RESET: Final = 0x01  # CTRL3_C
BDU: Final = 0x40  # CTRL3_C: both bytes of a value are of one sample
IF_INC: Final = 0x04  # CTRL3_C: a burst walks from register to register
ODR_104_HZ: Final = 0x40  # CTRL1_XL, CTRL2_G
ACCEL_4_G: Final = 0x08  # CTRL1_XL: FS_XL 10
ACCEL_LPF2: Final = 0x02  # CTRL1_XL: the second filter, at a quarter of the rate (26 Hz)
GYRO_500_DEG_S: Final = 0x04  # CTRL2_G: FS_G 01

SETTINGS: Final = (  # from CTRL1_XL on
    ODR_104_HZ | ACCEL_4_G | ACCEL_LPF2,
    ODR_104_HZ | GYRO_500_DEG_S,
    BDU | IF_INC,
)
M_S2_PER_STEP: Final = 0.122e-3 * G_M_S2  # LA_So at +-4 g: 0.122 mg
RAD_S_PER_STEP: Final = math.radians(17.5e-3)  # G_So at +-500 deg/s: 17.5 mdps
STEPS_PER_C: Final = 256.0
ZERO_C: Final = 25.0  # where the thermometer's value is 0

RESET_S: Final = 0.02  # the trimming is loaded anew, 10 ms
SETTLE_S: Final = 0.1  # gyroscope's turn-on time, 35 ms typical, and ten samples of both filters

_UNPACK = struct.Struct("<7h").unpack


class Lsm6dsox(InertialSensor):
    """The tilt sensor on one address."""

    NAME: ClassVar[str] = "LSM6DSOX"
    PIN: ClassVar[str] = "SA0"
    LOW: ClassVar[int] = 0x6A
    RESET_S: ClassVar[float] = RESET_S
    SETTLE_S: ClassVar[float] = SETTLE_S
    SCALES: ClassVar[tuple[float, float]] = (M_S2_PER_STEP, RAD_S_PER_STEP)

    def _identify(self, bus: SMBus) -> None:
        identity = self._identity(bus, WHO_AM_I)
        if identity != IDENTITY:
            raise self._other_chip(identity)

    def _reset(self, bus: SMBus) -> None:
        bus.write_byte_data(self._address, CTRL3_C, SW_RESET | IF_INC)

    def _set_up(self, bus: SMBus) -> None:
        bus.write_i2c_block_data(self._address, CTRL1_XL, list(SETTINGS))

    def _keeps_settings(self, bus: SMBus) -> bool:
        settings = bus.read_i2c_block_data(self._address, CTRL1_XL, len(SETTINGS))
        return tuple(settings) == SETTINGS

    def _burst(self, bus: SMBus) -> bytes:
        return bytes(bus.read_i2c_block_data(self._address, OUT_TEMP_L, BURST))

    def _values(self, raw: bytes) -> tuple[Words, Words, float]:
        temperature, gx, gy, gz, ax, ay, az = _UNPACK(raw)
        return (ax, ay, az), (gx, gy, gz), temperature / STEPS_PER_C + ZERO_C

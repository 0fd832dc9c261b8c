"""MPU-6050: accelerometer, gyroscope and thermometer on I2C.

Registers: InvenSense RM-MPU-6000A rev. 4.2; figures: PS-MPU-6000A rev. 3.4. How its axes lie on
the plate is the mounting's business (drivers.attitude).
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from drivers.buses import Buses
from drivers.inertial import BURST, ImuSettings, InertialSensor, Words

if TYPE_CHECKING:
    from smbus2 import SMBus

SMPLRT_DIV: Final = 0x19
CONFIG: Final = 0x1A
GYRO_CONFIG: Final = 0x1B
ACCEL_CONFIG: Final = 0x1C
ACCEL_CONFIG_2: Final = 0x1D  # MPU-6500 and later only: the accelerometer's own filter
ACCEL_XOUT_H: Final = 0x3B  # then ACCEL_Y, _Z, TEMP, GYRO_X, _Y, _Z: 14 bytes, high byte first
PWR_MGMT_1: Final = 0x6B
WHO_AM_I: Final = 0x75

DEVICE_RESET: Final = 0x80  # PWR_MGMT_1
CLOCK_PLL_X: Final = 0x01  # PWR_MGMT_1: awake, clocked by the x gyroscope as section 4.28 advises
DLPF_20_HZ: Final = 4  # CONFIG, section 4.3: accelerometer 21 Hz, gyroscope 20 Hz, delay 8.5 ms
RATE_200_HZ: Final = 4  # SMPLRT_DIV, section 4.2: 1 kHz / (1 + 4)
GYRO_500_DEG_S: Final = 0x08  # section 4.4: FS_SEL 1, 65.5 steps per deg/s
ACCEL_4_G: Final = 0x08  # section 4.5: AFS_SEL 1, 8192 steps per g

SETTINGS: Final = (RATE_200_HZ, DLPF_20_HZ, GYRO_500_DEG_S, ACCEL_4_G)  # from SMPLRT_DIV on
G_M_S2: Final = 9.80665
M_S2_PER_STEP: Final = G_M_S2 / 8192.0
RAD_S_PER_STEP: Final = math.radians(1.0 / 65.5)

RESET_S: Final = 0.1  # section 4.28: wait 100 ms after a reset (also the start-up time at most)
SETTLE_S: Final = 0.05  # gyroscope's start, 30 ms (PS section 6.1), and the filter after it

_UNPACK = struct.Struct(">7h").unpack


@dataclass(frozen=True, slots=True)
class Variant:
    """A chip with this register map. Temperature in C = steps / ``steps_per_c`` + ``offset_c``."""

    name: str
    steps_per_c: float
    offset_c: float
    own_accel_filter: bool


# WHO_AM_I answers. All of these are sold as MPU-6050 and serve as well; the later InvenSense chips
# have another thermometer and a second filter register (their datasheets, TEMP_OUT and
# ACCEL_CONFIG 2).
VARIANTS: Final = {
    0x68: Variant("MPU-6050", 340.0, 36.53, own_accel_filter=False),
    0x70: Variant("MPU-6500", 333.87, 21.0, own_accel_filter=True),
    0x72: Variant("MPU-6050 clone", 340.0, 36.53, own_accel_filter=False),
    0x98: Variant("ICM-20689", 326.8, 25.0, own_accel_filter=True),
}


class Mpu6050(InertialSensor):
    """The tilt sensor on one address."""

    NAME: ClassVar[str] = "MPU-6050"
    PIN: ClassVar[str] = "AD0"
    LOW: ClassVar[int] = 0x68
    RESET_S: ClassVar[float] = RESET_S
    SETTLE_S: ClassVar[float] = SETTLE_S
    SCALES: ClassVar[tuple[float, float]] = (M_S2_PER_STEP, RAD_S_PER_STEP)

    def __init__(self, settings: ImuSettings, buses: Buses) -> None:
        super().__init__(settings, buses)
        self.variant: Variant | None = None

    def _identify(self, bus: SMBus) -> None:
        identity = self._identity(bus, WHO_AM_I)
        self.variant = VARIANTS.get(identity)
        if self.variant is None:
            raise self._other_chip(identity)

    def _reset(self, bus: SMBus) -> None:
        bus.write_byte_data(self._address, PWR_MGMT_1, DEVICE_RESET)

    def _set_up(self, bus: SMBus) -> None:
        bus.write_byte_data(self._address, PWR_MGMT_1, CLOCK_PLL_X)
        bus.write_i2c_block_data(self._address, SMPLRT_DIV, list(SETTINGS))
        if self.variant is not None and self.variant.own_accel_filter:
            bus.write_byte_data(self._address, ACCEL_CONFIG_2, DLPF_20_HZ)

    def _keeps_settings(self, bus: SMBus) -> bool:
        settings = bus.read_i2c_block_data(self._address, SMPLRT_DIV, len(SETTINGS))
        power = bus.read_byte_data(self._address, PWR_MGMT_1)
        return tuple(settings) == SETTINGS and power == CLOCK_PLL_X

    def _burst(self, bus: SMBus) -> bytes:
        return bytes(bus.read_i2c_block_data(self._address, ACCEL_XOUT_H, BURST))

    def _values(self, raw: bytes) -> tuple[Words, Words, float]:
        ax, ay, az, temperature, gx, gy, gz = _UNPACK(raw)
        variant = self.variant or VARIANTS[0x68]
        temperature_c = temperature / variant.steps_per_c + variant.offset_c
        return (ax, ay, az), (gx, gy, gz), temperature_c

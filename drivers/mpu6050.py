"""MPU-6050: accelerometer, gyroscope and thermometer on I2C.

Registers: InvenSense RM-MPU-6000A rev. 4.2; figures: PS-MPU-6000A rev. 3.4. The axes are taken to
lie along the plate's: x east, y north, z up.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from drivers.attitude import Attitude
from drivers.axis_watch import AxisWatch
from drivers.buses import Buses
from drivers.errors import PartAbsentError, PartError, PartReadingError, WrongPartError
from drivers.frame import Motion
from drivers.i2c_loss import lost_on_i2c

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
BURST: Final = 14
G_M_S2: Final = 9.80665
M_S2_PER_STEP: Final = G_M_S2 / 8192.0
RAD_S_PER_STEP: Final = math.radians(1.0 / 65.5)

RESET_S: Final = 0.1  # section 4.28: wait 100 ms after a reset (also the start-up time at most)
SETTLE_S: Final = 0.05  # gyroscope's start, 30 ms (PS section 6.1), and the filter after it
CHECK_EVERY_S: Final = 0.5

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


class Phase(Enum):
    """Of the start, none of which blocks."""

    RESET = "reset"  # the chip resets itself
    SETTLE = "settle"  # awake and set up; gyroscope and filters settle
    UP = "up"


@dataclass(frozen=True, slots=True)
class ImuSettings:
    """Where the chip is: 0x68 with AD0 low, 0x69 with AD0 high."""

    i2c_bus: int
    address: int = 0x68


class Mpu6050:
    """The tilt sensor. Opens and sets the chip up at the first read, and again after a failure."""

    def __init__(self, settings: ImuSettings, buses: Buses) -> None:
        self._settings = settings
        self._buses = buses
        self._clock = buses.clock
        self._attitude = Attitude()
        self._axes = AxisWatch()
        self._bus: SMBus | None = None
        self._phase = Phase.RESET
        self._phase_ends_s = 0.0
        self._check_s = 0.0
        self._last = b""
        self.variant: Variant | None = None

    def read(self) -> Motion | None:
        """One reading; None for 150 ms after the start, while the chip comes up, and after
        an axis was dead until all have moved (nothing blocks).

        Raises PartAbsentError if the chip or its bus does not answer, WrongPartError if another
        chip does, PartReadingError if the values cannot be or the chip lost its settings.
        """
        try:
            bus = self._bus or self._open()
            if self._phase is not Phase.UP and not self._start(bus):
                return None
            return self._measure(bus)
        except PartError:
            self.close()
            raise
        except (OSError, ImportError) as error:
            self.close()
            raise self._lost(error) from error

    def close(self) -> None:
        """Give the bus back; the next read starts afresh."""
        if self._bus is not None:
            self._bus.close()
            self._bus = None
        self._phase = Phase.RESET

    def _open(self) -> SMBus:
        self._bus = bus = self._buses.i2c(self._settings.i2c_bus)
        self.variant = self._identify(bus)
        bus.write_byte_data(self._settings.address, PWR_MGMT_1, DEVICE_RESET)
        self._phase, self._phase_ends_s = Phase.RESET, self._clock.now() + RESET_S
        self._last = b""
        self._attitude.restart()
        self._axes.restart()
        return bus

    def _identify(self, bus: SMBus) -> Variant:
        identity = bus.read_byte_data(self._settings.address, WHO_AM_I)
        if identity in (0x00, 0xFF):
            raise PartReadingError(
                "imu",
                "The tilt sensor answers with nothing but {value:#04x}.",
                remedy="Check the wires of SDA, SCL and ground.",
                value=identity,
            )
        variant = VARIANTS.get(identity)
        if variant is None:
            raise WrongPartError(
                "imu",
                "The chip at {address:#04x} on I2C bus {bus} is no MPU-6050"
                " (it calls itself {identity:#04x}).",
                remedy="Fit an MPU-6050, or name the address of the right chip in the profile.",
                address=self._settings.address,
                bus=self._settings.i2c_bus,
                identity=identity,
            )
        return variant

    def _start(self, bus: SMBus) -> bool:
        """Once the reset is over, wake and set up; True once the first values are there."""
        now_s = self._clock.now()
        if now_s < self._phase_ends_s:
            return False
        if self._phase is Phase.RESET:
            address = self._settings.address
            bus.write_byte_data(address, PWR_MGMT_1, CLOCK_PLL_X)
            bus.write_i2c_block_data(address, SMPLRT_DIV, list(SETTINGS))
            if self.variant is not None and self.variant.own_accel_filter:
                bus.write_byte_data(address, ACCEL_CONFIG_2, DLPF_20_HZ)
            self._check_settings(bus, now_s)
            self._phase, self._phase_ends_s = Phase.SETTLE, now_s + SETTLE_S
            return False
        self._phase = Phase.UP
        return True

    def _measure(self, bus: SMBus) -> Motion | None:
        now_s = self._clock.now()
        raw = bytes(bus.read_i2c_block_data(self._settings.address, ACCEL_XOUT_H, BURST))
        if raw.count(0xFF) == BURST:
            raise self._impossible(0xFF)
        zeros = raw.count(0x00) == BURST
        # A chip whose power failed sleeps, with zeros or with its last values.
        if zeros or raw == self._last or now_s >= self._check_s:
            self._check_settings(bus, now_s)
            if zeros:
                raise self._impossible(0x00)
        self._last = raw
        ax, ay, az, temperature, gx, gy, gz = _UNPACK(raw)
        self._axes.take((ax, ay, az))
        force = (ax * M_S2_PER_STEP, ay * M_S2_PER_STEP, az * M_S2_PER_STEP)
        rate = (gx * RAD_S_PER_STEP, gy * RAD_S_PER_STEP, gz * RAD_S_PER_STEP)
        tilt_rad, rate_rad_s = self._attitude.update(now_s, force, rate)
        variant = self.variant or VARIANTS[0x68]
        if not self._axes.trusted:
            return None
        return Motion(
            tilt_rad=tilt_rad,
            specific_force_m_s2=force,
            rate_rad_s=rate_rad_s,
            temperature_c=temperature / variant.steps_per_c + variant.offset_c,
        )

    def _check_settings(self, bus: SMBus, now_s: float) -> None:
        """Raise WrongPartError for another chip, PartReadingError if registers were lost."""
        self._identify(bus)
        address = self._settings.address
        settings = bus.read_i2c_block_data(address, SMPLRT_DIV, len(SETTINGS))
        power = bus.read_byte_data(address, PWR_MGMT_1)
        self._check_s = now_s + CHECK_EVERY_S
        if tuple(settings) != SETTINGS or power != CLOCK_PLL_X:
            raise PartReadingError(
                "imu",
                "The tilt sensor lost its settings: its power failed for a moment.",
                remedy="If this comes back, check its plug, its 3.3 V and its ground.",
            )

    def _impossible(self, value: int) -> PartReadingError:
        return PartReadingError(
            "imu",
            "The tilt sensor's values cannot be (all bytes {value:#04x}).",
            remedy="Check its plug; if the wires are right, replace the MPU-6050.",
            value=value,
        )

    def _lost(self, error: OSError | ImportError) -> PartAbsentError:
        silent = PartAbsentError(
            "imu",
            "The tilt sensor does not answer at {address:#04x} on I2C bus {bus}.",
            remedy="Check its plug and its 3.3 V; the pin AD0 must be at ground for 0x68.",
            address=self._settings.address,
            bus=self._settings.i2c_bus,
        )
        return lost_on_i2c("imu", error, self._settings.i2c_bus, silent)

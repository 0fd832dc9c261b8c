"""LSM6DSOX: accelerometer, gyroscope and thermometer on I2C (STMicroelectronics DS12814).

The axes are taken to lie along the plate's: x east, y north, z up. An LSM6DSO answers to the same
identity and has the same registers and scales; an LSM6DSO32 does too, with another scale of the
accelerometer, which is not noticed here.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from drivers.attitude import G_M_S2, Attitude
from drivers.axis_watch import AxisWatch
from drivers.buses import Buses
from drivers.errors import PartAbsentError, PartError, PartReadingError, WrongPartError
from drivers.frame import Motion
from drivers.i2c_loss import lost_on_i2c

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
BURST: Final = 14
M_S2_PER_STEP: Final = 0.122e-3 * G_M_S2  # LA_So at +-4 g: 0.122 mg
RAD_S_PER_STEP: Final = math.radians(17.5e-3)  # G_So at +-500 deg/s: 17.5 mdps
STEPS_PER_C: Final = 256.0
ZERO_C: Final = 25.0  # where the thermometer's value is 0

RESET_S: Final = 0.02  # the trimming is loaded anew, 10 ms
SETTLE_S: Final = 0.1  # gyroscope's turn-on time, 35 ms typical, and ten samples of both filters
CHECK_EVERY_S: Final = 0.5

_UNPACK = struct.Struct("<7h").unpack


class Phase(Enum):
    """Of the start, none of which blocks."""

    RESET = "reset"
    SETTLE = "settle"
    UP = "up"


@dataclass(frozen=True, slots=True)
class Lsm6dsoxSettings:
    """Where the chip is: 0x6A with SA0 low, 0x6B with SA0 high."""

    i2c_bus: int
    address: int = 0x6A


class Lsm6dsox:
    """The tilt sensor. Opens and sets the chip up at the first read, and again after a failure."""

    def __init__(self, settings: Lsm6dsoxSettings, buses: Buses) -> None:
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

    def read(self) -> Motion | None:
        """One reading; None for 120 ms after the start, while the chip comes up, and after
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
            silent = PartAbsentError(
                "imu",
                "The tilt sensor does not answer at {address:#04x} on I2C bus {bus}.",
                remedy="Check its plug and its 3.3 V; the pin SA0 must be at ground for 0x6a.",
                address=self._settings.address,
                bus=self._settings.i2c_bus,
            )
            raise lost_on_i2c("imu", error, self._settings.i2c_bus, silent) from error

    def close(self) -> None:
        """Give the bus back; the next read starts afresh."""
        if self._bus is not None:
            self._bus.close()
            self._bus = None
        self._phase = Phase.RESET

    def _open(self) -> SMBus:
        self._bus = bus = self._buses.i2c(self._settings.i2c_bus)
        self._identify(bus)
        bus.write_byte_data(self._settings.address, CTRL3_C, SW_RESET | IF_INC)
        self._phase, self._phase_ends_s = Phase.RESET, self._clock.now() + RESET_S
        self._last = b""
        self._attitude.restart()
        self._axes.restart()
        return bus

    def _identify(self, bus: SMBus) -> None:
        identity = bus.read_byte_data(self._settings.address, WHO_AM_I)
        if identity in (0x00, 0xFF):
            raise PartReadingError(
                "imu",
                "The tilt sensor answers with nothing but {value:#04x}.",
                remedy="Check the wires of SDA, SCL and ground.",
                value=identity,
            )
        if identity != IDENTITY:
            raise WrongPartError(
                "imu",
                "The chip at {address:#04x} on I2C bus {bus} is no LSM6DSOX"
                " (it calls itself {identity:#04x}).",
                remedy="Fit an LSM6DSOX, or name the right chip and its address in the profile.",
                address=self._settings.address,
                bus=self._settings.i2c_bus,
                identity=identity,
            )

    def _start(self, bus: SMBus) -> bool:
        """Once the reset is over, set the chip up; True once the first values are there."""
        now_s = self._clock.now()
        if now_s < self._phase_ends_s:
            return False
        if self._phase is Phase.RESET:
            bus.write_i2c_block_data(self._settings.address, CTRL1_XL, list(SETTINGS))
            self._check_settings(bus, now_s)
            self._phase, self._phase_ends_s = Phase.SETTLE, now_s + SETTLE_S
            return False
        self._phase = Phase.UP
        return True

    def _measure(self, bus: SMBus) -> Motion | None:
        now_s = self._clock.now()
        raw = bytes(bus.read_i2c_block_data(self._settings.address, OUT_TEMP_L, BURST))
        if raw.count(0xFF) == BURST:
            raise self._impossible(0xFF)
        zeros = raw.count(0x00) == BURST
        # A chip whose power failed is powered down, with zeros or with its last values.
        if zeros or raw == self._last or now_s >= self._check_s:
            self._check_settings(bus, now_s)
            if zeros:
                raise self._impossible(0x00)
        self._last = raw
        temperature, gx, gy, gz, ax, ay, az = _UNPACK(raw)
        self._axes.take((ax, ay, az))
        force = (ax * M_S2_PER_STEP, ay * M_S2_PER_STEP, az * M_S2_PER_STEP)
        rate = (gx * RAD_S_PER_STEP, gy * RAD_S_PER_STEP, gz * RAD_S_PER_STEP)
        tilt_rad, rate_rad_s = self._attitude.update(now_s, force, rate)
        if not self._axes.trusted:
            return None
        return Motion(
            tilt_rad=tilt_rad,
            specific_force_m_s2=force,
            rate_rad_s=rate_rad_s,
            temperature_c=temperature / STEPS_PER_C + ZERO_C,
        )

    def _check_settings(self, bus: SMBus, now_s: float) -> None:
        """Raise WrongPartError for another chip, PartReadingError if registers were lost."""
        self._identify(bus)
        settings = bus.read_i2c_block_data(self._settings.address, CTRL1_XL, len(SETTINGS))
        self._check_s = now_s + CHECK_EVERY_S
        if tuple(settings) != SETTINGS:
            raise PartReadingError(
                "imu",
                "The tilt sensor lost its settings: its power failed for a moment.",
                remedy="If this comes back, check its plug, its 3.3 V and its ground.",
            )

    def _impossible(self, value: int) -> PartReadingError:
        return PartReadingError(
            "imu",
            "The tilt sensor's values cannot be (all bytes {value:#04x}).",
            remedy="Check its plug; if the wires are right, replace the LSM6DSOX.",
            value=value,
        )

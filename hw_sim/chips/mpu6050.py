"""MPU-6050, accelerometer and gyroscope, register by register.

Sources: register map RM-MPU-6000A rev. 4.2 (RM), product specification PS-MPU-6000A rev. 3.4 (PS).
The model does not include FIFO, digital motion processor, auxiliary bus, self test, cycle mode and
interrupt pin. The registers of these functions only store the written values.
"""

from __future__ import annotations

import math
from typing import ClassVar

from tiltboard.ground.override import override
from tiltboard.hw_sim.chips.inertial import ImuTolerances, InertialChip, pack_registers

# Addresses of registers (RM section 3).
SMPLRT_DIV = 0x19
CONFIG = 0x1A
GYRO_CONFIG = 0x1B
ACCEL_CONFIG = 0x1C
INT_STATUS = 0x3A
ACCEL_XOUT_H = 0x3B
GYRO_ZOUT_L = 0x48
PWR_MGMT_1 = 0x6B
WHO_AM_I = 0x75

DEVICE_RESET = 0x80  # Bit of PWR_MGMT_1 that resets the chip.
SLEEP = 0x40
DATA_RDY_INT = 0x01  # Bit of INT_STATUS that is set when a new sample is available.
# Position of the lowest bit of FS_SEL and AFS_SEL, which are bits 4 and 3 of their registers.
FULL_SCALE_SHIFT = 3

# Filter settings by DLPF_CFG (RM section 4.3): accelerometer bandwidth (Hz) and delay (s),
# gyroscope bandwidth (Hz), sample rate (Hz). The value 7 is reserved and behaves like 0.
_OPEN = (260.0, 0.0, 256.0, 8000.0)
FILTERS = (
    _OPEN,
    (184.0, 2.0e-3, 188.0, 1000.0),
    (94.0, 3.0e-3, 98.0, 1000.0),
    (44.0, 4.9e-3, 42.0, 1000.0),
    (21.0, 8.5e-3, 20.0, 1000.0),
    (10.0, 13.8e-3, 10.0, 1000.0),
    (5.0, 19.0e-3, 5.0, 1000.0),
    _OPEN,
)

# Scales, noise and tolerances (PS sections 6.1, 6.2, 6.3).
# Gyroscope steps per degree per second, for FS_SEL 0 to 3.
GYRO_LSB_PER_DEG_S = (131.0, 65.5, 32.8, 16.4)
# Accelerometer steps per g, for AFS_SEL 0 to 3.
ACCEL_LSB_PER_G = (16384.0, 8192.0, 4096.0, 2048.0)
GYRO_NOISE_DEG_S = 0.005  # Noise density of the gyroscope in deg/s per root hertz.
ACCEL_NOISE_G = 400e-6  # Noise density of the accelerometer in g per root hertz.
# The data sheet's "variation over temperature" is the drift from 25 degC to the end of the range
# that is further away.
TOLERANCES = ImuTolerances(
    accel_offset_z_g=0.080,
    gyro_offset_deg_s=20.0,  # Initial tolerance of the gyroscope's output at rest (ZRO).
    accel_gain=0.03,  # Tolerance of the scale, +-3 % (PS 6.2 and 6.1).
    gyro_gain=0.03,
    # The data sheet allows +-35 mg (x, y) and +-60 mg (z) from 0 to 70 degC.
    accel_drift_g_c=(0.035 / 45, 0.035 / 45, 0.060 / 45),
    # The data sheet allows +-20 degrees per second from -40 to 85 degC.
    gyro_drift_deg_s_c=20.0 / 65,
)
TEMP_LSB_PER_C = 340.0
TEMP_OFFSET_C = 36.53  # Temperature in degC = TEMP_OUT / 340 + 36.53 (RM section 4.19).


class Mpu6050(InertialChip):
    """The MPU-6050. All registers read in one message belong to one sample (RM section 4.17)."""

    # Reset values (RM section 3); all other registers are 0x00.
    RESET_VALUES: ClassVar = {PWR_MGMT_1: 0x40, WHO_AM_I: 0x68}
    READ_ONLY = frozenset([INT_STATUS, *range(ACCEL_XOUT_H, GYRO_ZOUT_L + 1), WHO_AM_I])
    WHO_AM_I = WHO_AM_I
    RESET_BIT = (PWR_MGMT_1, DEVICE_RESET)
    RESETS = DEVICE_RESET
    OF_RATE = (SMPLRT_DIV, CONFIG)
    # Typical start-up time for register access in seconds. The maximum is 100 ms.
    POWER_UP_S = 0.020
    # Duration of a reset; a host waits 100 ms after DEVICE_RESET (RM section 4.28).
    RESET_S = 0.100
    GYRO_START_S = 0.030
    TOLERANCES = TOLERANCES

    @property
    def is_reset(self) -> bool:
        """True if the chip sleeps, as after a reset."""
        return bool(self._registers[PWR_MGMT_1] & SLEEP)

    def _was_read(self, register: int) -> None:
        if register == INT_STATUS:
            self._registers[INT_STATUS] = 0  # Reading INT_STATUS clears its bits.

    # The following methods take samples.

    def _sample_s(self) -> float:
        """Return the sample period in s (RM section 4.2)."""
        rate_hz = FILTERS[self._registers[CONFIG] & 0x07][3]
        return (1 + self._registers[SMPLRT_DIV]) / rate_hz

    def _fill(self, at_s: float) -> None:
        registers = self._registers
        _, delay_s, gyro_hz, _ = FILTERS[registers[CONFIG] & 0x07]
        lsb = GYRO_LSB_PER_DEG_S[registers[GYRO_CONFIG] >> FULL_SCALE_SHIFT & 3]
        noise = GYRO_NOISE_DEG_S * math.sqrt(gyro_hz)
        words = self.accel_words(at_s)
        words.append((self._temperature_c(at_s) - TEMP_OFFSET_C) * TEMP_LSB_PER_C)
        words += [rate * lsb for rate in self._gyro_deg_s(at_s, delay_s, noise)]
        registers[ACCEL_XOUT_H : GYRO_ZOUT_L + 1] = pack_registers(words, "big")
        registers[INT_STATUS] |= DATA_RDY_INT

    @override
    def accel_words(self, at_s: float) -> list[float]:
        registers = self._registers
        accel_hz, delay_s, _, _ = FILTERS[registers[CONFIG] & 0x07]
        lsb = ACCEL_LSB_PER_G[registers[ACCEL_CONFIG] >> FULL_SCALE_SHIFT & 3]
        noise = ACCEL_NOISE_G * math.sqrt(accel_hz)
        return [force * lsb for force in self._accel_g(at_s, delay_s, noise)]

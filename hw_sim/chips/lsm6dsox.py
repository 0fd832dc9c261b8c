"""LSM6DSOX, accelerometer and gyroscope, register by register. Source: STMicroelectronics DS12814.

The model does not include FIFO, embedded functions, sensor hub, self test, interrupts, the second
interface, the low-power modes and FS_125. The registers of these functions only store the written
values.
"""

from __future__ import annotations

import math
from typing import ClassVar

from tiltboard.ground.override import override
from tiltboard.hw_sim.chips.inertial import ImuTolerances, InertialChip, pack_registers

WHO_AM_I = 0x0F
CTRL1_XL = 0x10
CTRL2_G = 0x11
CTRL3_C = 0x12
CTRL8_XL = 0x17
STATUS = 0x1E
OUT_TEMP_L = 0x20
OUTZ_H_A = 0x2D
IDENTITY = 0x6C

SW_RESET = 0x01  # Bit of CTRL3_C that resets the chip.
BOOT = 0x80
IF_INC = 0x04
LPF2_XL_EN = 0x02  # Bit of CTRL1_XL that enables the accelerometer's second filter.
# Bits of STATUS that announce new values of temperature, gyroscope and accelerometer.
NEW_DATA = 0x07

# Sample rates in Hz for the values of ODR_XL and ODR_G. A rate of 0 means powered down (tables of
# CTRL1_XL and CTRL2_G).
RATES_HZ = (0.0, 12.5, 26.0, 52.0, 104.0, 208.0, 416.0, 833.0, 1667.0, 3333.0, 6667.0)
# Size of a step for each value of FS_XL. The ranges are 2, 16, 4 and 8 g.
ACCEL_G_PER_LSB = (0.061e-3, 0.488e-3, 0.122e-3, 0.244e-3)
# Size of a step for each value of FS_G. The ranges are 250, 500, 1000 and 2000 deg/s.
GYRO_DEG_S_PER_LSB = (8.75e-3, 17.5e-3, 35e-3, 70e-3)
# CTRL8_XL: divisors of the sample rate that give the bandwidth of LPF2.
HPCF_DIVISORS = (4, 10, 20, 45, 100, 200, 400, 800)
GYRO_BAND_SHARE = 1 / 3.1  # Ratio of bandwidth to sample rate if LPF1 is off: 33 Hz at 104 Hz.
STEPS_PER_C = 256.0
ZERO_C = 25.0

# Typical mechanical characteristics at 25 degC, from table 2 of the data sheet. The values come
# from other models of the chip, which quote the table row by row, and from the table of the related
# chip LSM6DSO32. That chip has the same drifts and the same gyroscope noise.
TOLERANCES = ImuTolerances(
    # LA_TyOff: offset of the accelerometer after trimming, which soldering can increase.
    accel_offset_z_g=0.020,
    gyro_offset_deg_s=1.0,  # G_TyOff: offset of the gyroscope.
    accel_gain=0.01,  # LA_So% and G_So%: tolerances of the scales.
    gyro_gain=0.01,
    # LA_OffDr: drift of the accelerometer's offset, per degree Celsius.
    accel_drift_g_c=(0.1e-3, 0.1e-3, 0.1e-3),
    gyro_drift_deg_s_c=0.010,  # G_OffDr: drift of the gyroscope's offset, per degree Celsius.
)
ACCEL_NOISE_G = 75e-6  # An: accelerometer noise per root hertz at 4 g in high-performance mode.
GYRO_NOISE_DEG_S = 3.8e-3  # Rn: gyroscope noise per root hertz, the same for every range and rate.


class Lsm6dsox(InertialChip):
    """The LSM6DSOX. A read between two samples returns all values of the last sample, as on a real
    chip with BDU set.
    """

    RESET_VALUES: ClassVar = {WHO_AM_I: IDENTITY, CTRL3_C: 0x04}
    READ_ONLY = frozenset([WHO_AM_I, STATUS, *range(OUT_TEMP_L, OUTZ_H_A + 1)])
    WHO_AM_I = WHO_AM_I
    RESET_BIT = (CTRL3_C, SW_RESET)
    RESETS = SW_RESET | BOOT
    OF_RATE = (CTRL1_XL, CTRL2_G)
    POWER_UP_S = 0.010  # Time in seconds that the chip needs to load its trimming parameters.
    RESET_S = 0.010
    GYRO_START_S = 0.035
    TOLERANCES = TOLERANCES

    @property
    @override
    def is_reset(self) -> bool:
        return not (self._registers[CTRL1_XL] >> 4 or self._registers[CTRL2_G] >> 4)

    def _was_read(self, register: int) -> None:
        if register >= OUT_TEMP_L:
            self._registers[STATUS] = 0

    def _step(self) -> None:
        if self._registers[CTRL3_C] & IF_INC:
            super()._step()

    # The following methods take samples.

    def _sample_s(self) -> float:
        """Return the sample period in s of the faster of the two sensors. This period applies to
        the samples of both sensors.
        """
        return 1 / max(_rate_hz(self._registers[CTRL1_XL]), _rate_hz(self._registers[CTRL2_G]))

    def _fill(self, at_s: float) -> None:
        registers, control = self._registers, self._registers[CTRL2_G]
        words, turns = [(self._temperature_c(at_s) - ZERO_C) * STEPS_PER_C], [0.0] * 3
        band_hz = _rate_hz(control) * GYRO_BAND_SHARE
        if band_hz:
            noise = GYRO_NOISE_DEG_S * math.sqrt(band_hz)
            turns = self._gyro_deg_s(at_s, 0.22 / band_hz, noise)
        words += [rate / GYRO_DEG_S_PER_LSB[control >> 2 & 3] for rate in turns]
        words += self.accel_words(at_s)
        registers[OUT_TEMP_L : OUTZ_H_A + 1] = pack_registers(words, "little")
        registers[STATUS] = NEW_DATA

    def accel_words(self, at_s: float) -> list[float]:
        """Return the values of the accelerometer's three registers, not rounded. All values are 0
        while the accelerometer is powered down.
        """
        control = self._registers[CTRL1_XL]
        divisor = HPCF_DIVISORS[self._registers[CTRL8_XL] >> 5] if control & LPF2_XL_EN else 2
        band_hz = _rate_hz(control) / divisor
        if not band_hz:
            return [0.0] * 3
        lsb = ACCEL_G_PER_LSB[control >> 2 & 3]
        noise = ACCEL_NOISE_G * math.sqrt(band_hz)
        return [force / lsb for force in self._accel_g(at_s, 0.22 / band_hz, noise)]


def _rate_hz(control: int) -> float:
    number = control >> 4
    return RATES_HZ[number] if number < len(RATES_HZ) else 0.0

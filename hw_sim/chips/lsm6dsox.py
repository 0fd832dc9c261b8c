"""LSM6DSOX, accelerometer and gyroscope, register by register. Source: STMicroelectronics DS12814.

Not modelled: FIFO, embedded functions, sensor hub, self test, interrupts, the second interface, the
low-power modes, FS_125; their registers only keep what is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hw_sim.chips.inertial import STANDARD_G_M_S2, ImuSpread, Vector, filtered
from hw_sim.rng import Stream

WHO_AM_I = 0x0F
CTRL1_XL = 0x10
CTRL2_G = 0x11
CTRL3_C = 0x12
CTRL8_XL = 0x17
STATUS = 0x1E
OUT_TEMP_L = 0x20
OUTZ_H_A = 0x2D
REGISTERS = 128
IDENTITY = 0x6C
RESET_VALUES = {WHO_AM_I: IDENTITY, CTRL3_C: 0x04}
READ_ONLY = frozenset([WHO_AM_I, STATUS, *range(OUT_TEMP_L, OUTZ_H_A + 1)])

SW_RESET = 0x01  # CTRL3_C
BOOT = 0x80
IF_INC = 0x04
LPF2_XL_EN = 0x02  # CTRL1_XL
NEW_DATA = 0x07  # STATUS: temperature, gyroscope, accelerometer

# ODR_XL and ODR_G, 0 is powered down (tables of CTRL1_XL and CTRL2_G).
RATES_HZ = (0.0, 12.5, 26.0, 52.0, 104.0, 208.0, 416.0, 833.0, 1667.0, 3333.0, 6667.0)
ACCEL_G_PER_LSB = (0.061e-3, 0.488e-3, 0.122e-3, 0.244e-3)  # FS_XL: 2, 16, 4, 8 g
GYRO_DEG_S_PER_LSB = (8.75e-3, 17.5e-3, 35e-3, 70e-3)  # FS_G: 250, 500, 1000, 2000
HPCF_DIVISORS = (4, 10, 20, 45, 100, 200, 400, 800)  # CTRL8_XL: LPF2 at the rate over this
GYRO_BAND_SHARE = 1 / 3.1  # LPF1 off: 33 Hz of bandwidth at 104 Hz
STEPS_PER_C = 256.0
ZERO_C = 25.0

# Mechanical characteristics, typical.
ACCEL_OFFSET_G = 0.020
GYRO_OFFSET_DEG_S = 1.0
GAIN_TOLERANCE = 0.01
ACCEL_NOISE_G = 75e-6  # per root hertz at 4 g
GYRO_NOISE_DEG_S = 3.8e-3  # per root hertz
GYRO_START_S = 0.035
BOOT_S = 0.010  # trimming parameters are loaded


class Lsm6dsox:
    """One chip on an I2C bus, powered and ready at time 0.

    Arguments as hw_sim.chips.mpu6050.Mpu6050's. ``who_am_i`` and ``spread`` may be changed.
    """

    def __init__(
        self,
        specific_force_m_s2: Callable[[float], Vector],
        rate_rad_s: Callable[[float], Vector],
        temperature_c: Callable[[float], float],
        noise: Stream,
        spread: ImuSpread | None = None,
    ) -> None:
        self._specific_force_m_s2 = specific_force_m_s2
        self._rate_rad_s = rate_rad_s
        self._temperature_c = temperature_c
        self._gauss = noise.gauss
        self.spread = spread or ImuSpread()
        self.who_am_i = IDENTITY
        self.dead_axes: set[int] = set()  # 0, 1, 2: their proof masses are stuck
        self._registers = bytearray(REGISTERS)
        self._pointer = 0
        self._answers_from_s = -math.inf
        self._restart(-math.inf)

    def power_on(self, now_s: float) -> None:
        """The supply comes back: reset values, deaf while it boots."""
        self._restart(-math.inf)
        self._answers_from_s = now_s + BOOT_S

    def reset(self, now_s: float) -> None:
        """As if SW_RESET were written: powered down, every setting gone."""
        self._restart(now_s + BOOT_S)

    @property
    def powered_down(self) -> bool:
        """Whether neither sensor runs, as after a reset."""
        return not (self._registers[CTRL1_XL] >> 4 or self._registers[CTRL2_G] >> 4)

    def _restart(self, ready_s: float) -> None:
        self._registers[:] = bytes(REGISTERS)
        for register, value in RESET_VALUES.items():
            self._registers[register] = value
        self._resetting_until_s = ready_s
        self._awake_since_s = math.inf
        self._sample = -1

    # -- what the bus sees -----------------------------------------------------------------

    def write(self, data: bytes, now_s: float) -> bool:
        """A write message: register address, then values. Whether the chip acknowledged."""
        if now_s < self._answers_from_s:
            return False
        if data:
            self._pointer = data[0] % REGISTERS
            for value in data[1:]:
                self._write_register(self._pointer, value, now_s)
                self._step()
        return True

    def read(self, count: int, now_s: float) -> bytes | None:
        """A read message from the register address on; None if the chip does not answer.

        One sample for the whole message: what BDU and a read faster than a sample give.
        """
        if now_s < self._answers_from_s:
            return None
        self._take_sample(now_s)
        self._registers[WHO_AM_I] = self.who_am_i
        resetting = SW_RESET if now_s < self._resetting_until_s else 0
        self._registers[CTRL3_C] = self._registers[CTRL3_C] & ~SW_RESET | resetting
        answer = bytearray()
        for _ in range(count):
            answer.append(self._registers[self._pointer])
            if self._pointer >= OUT_TEMP_L:
                self._registers[STATUS] = 0
            self._step()
        return bytes(answer)

    def _step(self) -> None:
        if self._registers[CTRL3_C] & IF_INC:
            self._pointer = (self._pointer + 1) % REGISTERS

    def _write_register(self, register: int, value: int, now_s: float) -> None:
        if register in READ_ONLY or now_s < self._resetting_until_s:
            return
        if register == CTRL3_C and value & (SW_RESET | BOOT):
            self.reset(now_s)
            return
        asleep = self.powered_down
        self._take_sample(now_s)
        self._registers[register] = value
        if self.powered_down:
            self._awake_since_s = math.inf
        elif asleep:
            self._awake_since_s = now_s
            self._sample = -1
        if register in (CTRL1_XL, CTRL2_G):
            self._sample = self._sample_number(now_s)

    # -- sampling --------------------------------------------------------------------------

    def _rate_hz(self) -> float:
        """Of the faster sensor: both are sampled with it."""
        return max(_rate_hz(self._registers[CTRL1_XL]), _rate_hz(self._registers[CTRL2_G]))

    def _sample_number(self, now_s: float) -> int:
        running_s = now_s - self._awake_since_s - GYRO_START_S
        return math.floor(running_s * self._rate_hz()) if running_s >= 0.0 else -1

    def _take_sample(self, now_s: float) -> None:
        number = self._sample_number(now_s)
        if number <= self._sample:
            return
        self._sample = number
        at_s = self._awake_since_s + GYRO_START_S + number / self._rate_hz()
        words = [round((self._temperature_c(at_s) - ZERO_C) * STEPS_PER_C)]
        words += self._gyro(at_s) if self._registers[CTRL2_G] >> 4 else [0, 0, 0]
        words += self.accel_words(at_s) if self._registers[CTRL1_XL] >> 4 else [0, 0, 0]
        self._registers[OUT_TEMP_L : OUTZ_H_A + 1] = b"".join(
            max(-0x8000, min(0x7FFF, word)).to_bytes(2, "little", signed=True) for word in words
        )
        self._registers[STATUS] = NEW_DATA

    def _gyro(self, at_s: float) -> list[int]:
        control, spread = self._registers[CTRL2_G], self.spread
        band_hz = _rate_hz(control) * GYRO_BAND_SHARE
        lsb = GYRO_DEG_S_PER_LSB[control >> 2 & 3]
        noise = GYRO_NOISE_DEG_S * math.sqrt(band_hz) * spread.noise
        rate = filtered(self._rate_rad_s, at_s, 0.22 / band_hz)
        return [
            round(
                (
                    math.degrees(rate[i]) * spread.gyro_gain[i]
                    + spread.gyro_offset_deg_s[i]
                    + self._gauss(0.0, noise)
                )
                / lsb
            )
            if i not in self.dead_axes
            else 0
            for i in (0, 1, 2)
        ]

    def accel_words(self, at_s: float) -> list[int]:
        """The accelerometer's three registers at that time; a dead axis stands at 0."""
        control, spread = self._registers[CTRL1_XL], self.spread
        rate_hz = _rate_hz(control)
        divisor = HPCF_DIVISORS[self._registers[CTRL8_XL] >> 5] if control & LPF2_XL_EN else 2
        band_hz = rate_hz / divisor
        lsb = ACCEL_G_PER_LSB[control >> 2 & 3]
        noise = ACCEL_NOISE_G * math.sqrt(band_hz) * spread.noise
        force = filtered(self._specific_force_m_s2, at_s, 0.22 / band_hz)
        return [
            round(
                (
                    force[i] / STANDARD_G_M_S2 * spread.accel_gain[i]
                    + spread.accel_offset_g[i]
                    + self._gauss(0.0, noise)
                )
                / lsb
            )
            if i not in self.dead_axes
            else 0
            for i in (0, 1, 2)
        ]


def _rate_hz(control: int) -> float:
    number = control >> 4
    return RATES_HZ[number] if number < len(RATES_HZ) else 0.0

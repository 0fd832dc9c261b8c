"""MPU-6050, accelerometer and gyroscope, register by register.

Sources: register map RM-MPU-6000A rev. 4.2 (RM), product specification PS-MPU-6000A rev. 3.4 (PS).
Not modelled: FIFO, digital motion processor, auxiliary bus, self test, cycle mode, interrupts'
pin; their registers only keep what is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hw_sim.chips.inertial import STANDARD_G_M_S2, ImuSpread, Vector, filtered
from hw_sim.rng import Stream

# Registers (RM section 3).
SMPLRT_DIV = 0x19
CONFIG = 0x1A
GYRO_CONFIG = 0x1B
ACCEL_CONFIG = 0x1C
INT_STATUS = 0x3A
ACCEL_XOUT_H = 0x3B
GYRO_ZOUT_L = 0x48
PWR_MGMT_1 = 0x6B
WHO_AM_I = 0x75
REGISTERS = 128

RESET_VALUES = {PWR_MGMT_1: 0x40, WHO_AM_I: 0x68}  # RM section 3; all others 0x00
READ_ONLY = frozenset([INT_STATUS, *range(ACCEL_XOUT_H, GYRO_ZOUT_L + 1), WHO_AM_I])

DEVICE_RESET = 0x80  # PWR_MGMT_1
SLEEP = 0x40
DATA_RDY_INT = 0x01  # INT_STATUS
FULL_SCALE_SHIFT = 3  # FS_SEL and AFS_SEL are bits 4 and 3

# RM section 4.3: DLPF_CFG -> accelerometer bandwidth (Hz), delay (s), gyroscope bandwidth, rate.
# 7 is reserved and behaves like 0.
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

# PS sections 6.1, 6.2, 6.3.
GYRO_LSB_PER_DEG_S = (131.0, 65.5, 32.8, 16.4)  # FS_SEL 0..3
ACCEL_LSB_PER_G = (16384.0, 8192.0, 4096.0, 2048.0)  # AFS_SEL 0..3
GYRO_NOISE_DEG_S = 0.005  # per root hertz
ACCEL_NOISE_G = 400e-6  # per root hertz
GYRO_OFFSET_DEG_S = 20.0  # initial ZRO tolerance
ACCEL_OFFSET_XY_G = 0.050
ACCEL_OFFSET_Z_G = 0.080
TEMP_LSB_PER_C = 340.0
TEMP_OFFSET_C = 36.53  # RM section 4.19: TEMP_OUT / 340 + 36.53
GYRO_START_S = 0.030
REGISTERS_START_S = 0.020  # start-up time for register access, typical (100 ms maximum)
RESET_S = 0.100  # RM section 4.28 has a host wait 100 ms after DEVICE_RESET


class Mpu6050:
    """One chip on an I2C bus, powered and ready at time 0.

    ``specific_force_m_s2(t)`` and ``rate_rad_s(t)`` are what it feels along its axes; they are
    asked for times up to 38 ms back, because its filters look back. ``who_am_i``: clones answer
    otherwise; may be changed at any time, as may ``spread``.
    """

    def __init__(
        self,
        specific_force_m_s2: Callable[[float], Vector],
        rate_rad_s: Callable[[float], Vector],
        temperature_c: Callable[[float], float],
        noise: Stream,
        spread: ImuSpread | None = None,
        *,
        who_am_i: int = RESET_VALUES[WHO_AM_I],
    ) -> None:
        self._specific_force_m_s2 = specific_force_m_s2
        self._rate_rad_s = rate_rad_s
        self._temperature_c = temperature_c
        self._gauss = noise.gauss
        self.spread = spread or ImuSpread()
        self.who_am_i = who_am_i
        self.dead_axes: set[int] = set()  # 0, 1, 2: their proof masses are stuck
        self._registers = bytearray(REGISTERS)
        self._pointer = 0
        self._answers_from_s = -math.inf
        self._restart(-math.inf)

    def power_on(self, now_s: float) -> None:
        """The supply comes back: reset values, deaf until its registers have started."""
        self._restart(-math.inf)
        self._answers_from_s = now_s + REGISTERS_START_S

    def reset(self, now_s: float) -> None:
        """As if DEVICE_RESET were written: asleep, every setting gone."""
        self._restart(now_s + RESET_S)

    def _restart(self, ready_s: float) -> None:
        self._registers[:] = bytes(REGISTERS)
        for register, value in RESET_VALUES.items():
            self._registers[register] = value
        self._resetting_until_s = ready_s
        self._awake_since_s = math.inf
        self._sample = -1

    @property
    def powered_down(self) -> bool:
        """Whether it sleeps, as after a reset."""
        return bool(self._registers[PWR_MGMT_1] & SLEEP)

    # -- what the bus sees -----------------------------------------------------------------

    def write(self, data: bytes, now_s: float) -> bool:
        """A write message: register address, then values for it and those after it.

        Returns whether the chip acknowledged its address.
        """
        if now_s < self._answers_from_s:
            return False
        if data:
            self._pointer = data[0] % REGISTERS
            for value in data[1:]:
                self._write_register(self._pointer, value, now_s)
                self._pointer = (self._pointer + 1) % REGISTERS
        return True

    def read(self, count: int, now_s: float) -> bytes | None:
        """A read message from the register address on; None if the chip does not answer.

        Sensor registers are one sample for the whole message (RM section 4.17).
        """
        if now_s < self._answers_from_s:
            return None
        self._take_sample(now_s)
        first = self._pointer
        self._pointer = (first + count) % REGISTERS
        registers = self._registers
        registers[WHO_AM_I] = self.who_am_i
        resetting = now_s < self._resetting_until_s
        registers[PWR_MGMT_1] = registers[PWR_MGMT_1] & ~DEVICE_RESET | (
            DEVICE_RESET if resetting else 0
        )
        if first + count <= REGISTERS:
            answer = bytes(registers[first : first + count])
        else:
            answer = bytes(registers[(first + i) % REGISTERS] for i in range(count))
        if first <= INT_STATUS < first + count:
            registers[INT_STATUS] = 0  # each bit clears when it is read
        return answer

    def _write_register(self, register: int, value: int, now_s: float) -> None:
        if register in READ_ONLY or now_s < self._resetting_until_s:
            return
        if register == PWR_MGMT_1:
            if value & DEVICE_RESET:
                self.reset(now_s)
                return
            was_asleep = bool(self._registers[PWR_MGMT_1] & SLEEP)
            if value & SLEEP:
                self._take_sample(now_s)
                self._awake_since_s = math.inf
            elif was_asleep:
                self._awake_since_s = now_s
                self._sample = -1
        elif register in (SMPLRT_DIV, CONFIG):
            self._take_sample(now_s)
            self._registers[register] = value
            self._sample = self._sample_number(now_s)
            return
        self._registers[register] = value

    # -- sampling --------------------------------------------------------------------------

    def _sample_s(self) -> float:
        """Sample period (RM section 4.2)."""
        rate_hz = FILTERS[self._registers[CONFIG] & 0x07][3]
        return (1 + self._registers[SMPLRT_DIV]) / rate_hz

    def _sample_number(self, now_s: float) -> int:
        """Samples taken since it woke; -1 while asleep or starting."""
        running_s = now_s - self._awake_since_s - GYRO_START_S
        return math.floor(running_s / self._sample_s()) if running_s >= 0.0 else -1

    def _take_sample(self, now_s: float) -> None:
        """Bring the sensor registers to the newest sample that is due, if there is a new one."""
        number = self._sample_number(now_s)
        if number <= self._sample:
            return
        self._sample = number
        at_s = self._awake_since_s + GYRO_START_S + number * self._sample_s()
        registers = self._registers
        _, delay_s, gyro_hz, _ = FILTERS[registers[CONFIG] & 0x07]
        spread = self.spread
        gauss = self._gauss
        gyro_lsb = GYRO_LSB_PER_DEG_S[registers[GYRO_CONFIG] >> FULL_SCALE_SHIFT & 3]
        gyro_noise = GYRO_NOISE_DEG_S * math.sqrt(gyro_hz) * spread.noise
        words: list[float] = [*self.accel_words(at_s)]
        rate = filtered(self._rate_rad_s, at_s, delay_s)
        words.append((self._temperature_c(at_s) - TEMP_OFFSET_C) * TEMP_LSB_PER_C)
        words += [
            (math.degrees(rate[i]) * spread.gyro_gain[i] + spread.gyro_offset_deg_s[i]) * gyro_lsb
            + gauss(0.0, gyro_noise) * gyro_lsb
            if i not in self.dead_axes
            else 0.0
            for i in (0, 1, 2)
        ]
        registers[ACCEL_XOUT_H : GYRO_ZOUT_L + 1] = b"".join(
            max(-0x8000, min(0x7FFF, round(word))).to_bytes(2, "big", signed=True) for word in words
        )
        registers[INT_STATUS] |= DATA_RDY_INT

    def accel_words(self, at_s: float) -> list[float]:
        """The accelerometer's three registers at that time, unrounded; a dead axis stands at 0."""
        registers, spread, gauss = self._registers, self.spread, self._gauss
        accel_hz, delay_s, _, _ = FILTERS[registers[CONFIG] & 0x07]
        lsb = ACCEL_LSB_PER_G[registers[ACCEL_CONFIG] >> FULL_SCALE_SHIFT & 3]
        noise = ACCEL_NOISE_G * math.sqrt(accel_hz) * spread.noise
        force = filtered(self._specific_force_m_s2, at_s, delay_s)
        return [
            (force[i] / STANDARD_G_M_S2 * spread.accel_gain[i] + spread.accel_offset_g[i]) * lsb
            + gauss(0.0, noise) * lsb
            if i not in self.dead_axes
            else 0.0
            for i in (0, 1, 2)
        ]

"""The common base class of the models of inertial sensors."""

from __future__ import annotations

import math
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from tiltboard.hw_sim.rng import Stream

Vector = tuple[float, float, float]

STANDARD_G_M_S2 = 9.80665
REFERENCE_C = 25.0  # Temperature in degC to which the offsets in the data sheets apply.
FILTER_TAPS = 4
REGISTERS = 128


@dataclass(frozen=True, slots=True)
class ImuSpread:
    """The errors of one individual chip: its gains, and its offsets at 25 degC in g and in degrees
    per second.

    The drifts are changes of an offset per degree Celsius above 25 degC.
    """

    accel_offset_g: Vector = (0.0, 0.0, 0.0)
    accel_gain: Vector = (1.0, 1.0, 1.0)
    gyro_offset_deg_s: Vector = (0.0, 0.0, 0.0)
    gyro_gain: Vector = (1.0, 1.0, 1.0)
    accel_drift_g_c: Vector = (0.0, 0.0, 0.0)
    gyro_drift_deg_s_c: Vector = (0.0, 0.0, 0.0)
    noise: float = 1.0
    """Factor by which the data sheet's noise densities are multiplied."""


@dataclass(frozen=True, slots=True)
class ImuTolerances:
    """Maximum errors according to the data sheet, for the fields of ImuSpread. Each error can be
    positive or negative.
    """

    accel_offset_z_g: float
    gyro_offset_deg_s: float
    accel_gain: float
    gyro_gain: float
    accel_drift_g_c: Vector
    gyro_drift_deg_s_c: float


class InertialChip(ABC):
    """One chip on an I2C bus, which has power and is ready at time 0.

    ``specific_force_m_s2(t)`` and ``rate_rad_s(t)`` return the force and the rate of turn along the
    chip's axes at time ``t``. The time can be up to 40 ms in the past, because the filters need
    past values. ``who_am_i`` (clones have another value), ``spread`` and ``dead_axes`` (0, 1, 2:
    axes with a stuck proof mass) can change at any time.
    """

    RESET_VALUES: ClassVar[Mapping[int, int]]
    READ_ONLY: ClassVar[frozenset[int]]
    WHO_AM_I: ClassVar[int]
    # Register and mask of the bit that is set while the chip resets.
    RESET_BIT: ClassVar[tuple[int, int]]
    # Bits that start a reset when they are written to the register in RESET_BIT.
    RESETS: ClassVar[int]
    OF_RATE: ClassVar[tuple[int, ...]]  # Registers that set the sample rate.
    POWER_UP_S: ClassVar[float]
    RESET_S: ClassVar[float]
    GYRO_START_S: ClassVar[float]
    TOLERANCES: ClassVar[ImuTolerances]

    def __init__(
        self,
        specific_force_m_s2: Callable[[float], Vector],
        rate_rad_s: Callable[[float], Vector],
        temperature_c: Callable[[float], float],
        noise: Stream,
        spread: ImuSpread | None = None,
    ) -> None:
        self._force_m_s2 = specific_force_m_s2
        self._rate_rad_s = rate_rad_s
        self._temperature_c = temperature_c
        self._gauss = noise.gauss
        self.spread = spread or ImuSpread()
        self.who_am_i = self.RESET_VALUES[self.WHO_AM_I]
        self.dead_axes: set[int] = set()
        self._registers = bytearray(REGISTERS)
        self._pointer = 0
        self._answers_from_s = -math.inf
        self._restart(-math.inf)

    def power_on(self, now_s: float) -> None:
        """Restore the chip's power supply. The registers have their reset values, and the chip
        answers after ``POWER_UP_S``.
        """
        self._restart(-math.inf)
        self._answers_from_s = now_s + self.POWER_UP_S

    def reset(self, now_s: float) -> None:
        """Reset the chip in the same way as the reset bit. The registers have their reset values,
        and no sensor runs.
        """
        self._restart(now_s + self.RESET_S)

    @abstractmethod
    def accel_words(self, at_s: float) -> list[float]:
        """Return the values of the accelerometer's registers at ``at_s``, not rounded. A dead axis
        reads 0.
        """

    @property
    @abstractmethod
    def is_reset(self) -> bool:
        """True if no sensor of the chip runs, as after a reset."""

    def _restart(self, ready_s: float) -> None:
        self._registers[:] = bytes(REGISTERS)
        for register, value in self.RESET_VALUES.items():
            self._registers[register] = value
        self._resetting_until_s = ready_s
        self._awake_since_s = math.inf
        self._sample = -1

    # The following methods handle messages on the bus.

    def write(self, data: bytes, now_s: float) -> bool:
        """Receive a write message, which contains a register address and values. The values are for
        that register and the following registers.

        Returns whether the chip acknowledged its address.
        """
        if now_s < self._answers_from_s:
            return False
        if data:
            self._pointer = data[0] % REGISTERS
            for value in data[1:]:
                if self._pointer not in self.READ_ONLY and now_s >= self._resetting_until_s:
                    self._write_register(self._pointer, value, now_s)
                self._step()
        return True

    def read(self, count: int, now_s: float) -> bytes | None:
        """Answer a read message of ``count`` bytes, starting at the register pointer. Return None
        if the chip does not answer.

        All sensor registers in one message belong to the same sample.
        """
        if now_s < self._answers_from_s:
            return None
        self._take_sample(now_s)
        self._registers[self.WHO_AM_I] = self.who_am_i
        register, mask = self.RESET_BIT
        resetting = mask if now_s < self._resetting_until_s else 0
        self._registers[register] = self._registers[register] & ~mask | resetting
        answer = bytearray()
        for _ in range(count):
            answer.append(self._registers[self._pointer])
            self._was_read(self._pointer)
            self._step()
        return bytes(answer)

    def _step(self) -> None:
        """Move the register pointer to the next register."""
        self._pointer = (self._pointer + 1) % REGISTERS

    def _write_register(self, register: int, value: int, now_s: float) -> None:
        """Write one register. Samples are counted from the time when the chip wakes. If the sample
        rate changes, they are counted from now on.
        """
        if register == self.RESET_BIT[0] and value & self.RESETS:
            self.reset(now_s)
            return
        if value == self._registers[register]:
            return
        asleep = self.is_reset
        self._take_sample(now_s)
        self._registers[register] = value
        if self.is_reset:
            self._awake_since_s = math.inf
        elif asleep:
            self._awake_since_s, self._sample = now_s, -1
        if register in self.OF_RATE:
            self._sample = self._sample_number(now_s)

    @abstractmethod
    def _was_read(self, register: int) -> None:
        """Apply the effect that reading ``register`` has on the chip."""

    # The following methods take samples.

    @abstractmethod
    def _sample_s(self) -> float:
        """Return the sample period in s. Called only while a sensor runs."""

    @abstractmethod
    def _fill(self, at_s: float) -> None:
        """Write the sample taken at ``at_s`` to the sensor registers."""

    def _sample_number(self, now_s: float) -> int:
        """Return the number of samples since the chip woke, counted from 0, or -1 while the chip
        sleeps or starts.
        """
        running_s = now_s - self._awake_since_s - self.GYRO_START_S
        return math.floor(running_s / self._sample_s()) if running_s >= 0.0 else -1

    def _take_sample(self, now_s: float) -> None:
        """Write the newest sample to the sensor registers, unless the registers already contain
        this sample.
        """
        number = self._sample_number(now_s)
        if number > self._sample:
            self._sample = number
            self._fill(self._awake_since_s + self.GYRO_START_S + number * self._sample_s())

    def _accel_g(self, at_s: float, delay_s: float, noise_g: float) -> list[float]:
        """Return the accelerometer's reading at ``at_s`` in g. A dead axis reads 0."""
        spread = self.spread
        felt = [each / STANDARD_G_M_S2 for each in low_pass(self._force_m_s2, at_s, delay_s)]
        offset = self._drifted(spread.accel_offset_g, spread.accel_drift_g_c, at_s)
        return self._measured(felt, spread.accel_gain, offset, noise_g)

    def _gyro_deg_s(self, at_s: float, delay_s: float, noise_deg_s: float) -> list[float]:
        """Return the gyroscope's reading at ``at_s`` in degrees per second."""
        spread = self.spread
        felt = [math.degrees(each) for each in low_pass(self._rate_rad_s, at_s, delay_s)]
        offset = self._drifted(spread.gyro_offset_deg_s, spread.gyro_drift_deg_s_c, at_s)
        return self._measured(felt, spread.gyro_gain, offset, noise_deg_s)

    def _drifted(self, offset: Vector, drift: Vector, at_s: float) -> list[float]:
        warmer_c = self._temperature_c(at_s) - REFERENCE_C
        return [a + b * warmer_c for a, b in zip(offset, drift, strict=True)]

    def _measured(
        self, felt: list[float], gain: Vector, offset: list[float], noise: float
    ) -> list[float]:
        sigma = noise * self.spread.noise
        return [
            0.0 if i in self.dead_axes else felt[i] * gain[i] + offset[i] + self._gauss(0.0, sigma)
            for i in (0, 1, 2)
        ]


def pack_registers(words: list[float], order: Literal["big", "little"]) -> bytes:
    """Return sensor registers as bytes, rounded and limited to signed 16-bit numbers."""
    whole = [max(-0x8000, min(0x7FFF, round(word))) for word in words]
    return struct.pack(f"{'>' if order == 'big' else '<'}{len(whole)}h", *whole)


def low_pass(source: Callable[[float], Vector], at_s: float, delay_s: float) -> Vector:
    """Return the value of ``source`` at ``at_s`` after a low-pass filter. The value is the mean
    over twice the filter's delay.

    A moving average of that length has exactly the delay in the data sheet. Its bandwidth (0.44
    divided by the length) is within a factor of two of the data sheet.
    """
    if delay_s == 0.0:
        return source(at_s)
    step_s = 2.0 * delay_s / FILTER_TAPS
    x = y = z = 0.0
    for tap in range(FILTER_TAPS):
        one = source(at_s - (tap + 0.5) * step_s)
        x += one[0]
        y += one[1]
        z += one[2]
    return (x / FILTER_TAPS, y / FILTER_TAPS, z / FILTER_TAPS)

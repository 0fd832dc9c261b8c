"""Models of two Hall sensors: DRV5055A1, whose output voltage follows the field, and AH1889, which
switches at a certain field.

DRV5055A1 is linear and ratiometric. Source: TI SBAS640. A positive field is a south pole at the
marked face and raises the output (section 7.3.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tiltboard.hw_sim.rng import Stream

# Electrical and magnetic characteristics of variant A1 at 3.3 V.
SUPPLY_V = 3.3
# VQ, the output voltage without a field at 25 degC: half the supply. The data sheet allows 1.59 to
# 1.71 V.
QUIESCENT_V = 1.65
QUIESCENT_TOLERANCE_V = 0.06
SENSITIVITY_V_MT = 0.060  # Typical sensitivity in V/mT. The data sheet allows 57 to 63 mV/mT.
SENSITIVITY_TOLERANCE = 0.05
RAIL_V = 0.2  # VL: the output is linear from 0.2 V to VCC - 0.2 V.
# STC: the sensitivity rises with temperature, which compensates for magnets that weaken.
SENSITIVITY_PER_K = 0.0012
# VQdT: drift of the quiescent voltage, +-1 % of VCC over the temperature range.
QUIESCENT_DRIFT = 0.01
NOISE_DENSITY_MT = 215e-6  # BND: noise density in mT per root hertz.
BANDWIDTH_HZ = 20_000.0  # fBW: bandwidth of the sensor in Hz.
NOISE_RMS_MT = NOISE_DENSITY_MT * math.sqrt(BANDWIDTH_HZ)
REFERENCE_C = 25.0

THERMAL_STEP_S = 0.1
"""Interval in seconds at which the temperature is updated. The temperature of a board changes by
less than 0.01 K in that time.
"""


@dataclass(frozen=True, slots=True)
class HallSpread:
    """The offset, sensitivity and drifts of one individual sensor. The limits of the data sheet are
    not checked here.

    ``quiescent_v`` and ``sensitivity_v_mt`` are valid at 25 degC and 3.3 V.
    """

    quiescent_v: float = QUIESCENT_V
    sensitivity_v_mt: float = SENSITIVITY_V_MT
    sensitivity_per_k: float = SENSITIVITY_PER_K
    quiescent_v_k: float = 0.0
    """Drift of the quiescent voltage in V per kelvin. The limit is 1 % of the supply over 100 K."""


class Drv5055:
    """One DRV5055A1 sensor.

    ``field_mt(now_s)`` and ``temperature_c(now_s)`` return the field and the temperature at the
    sensor. ``noise`` is the random stream of the sensor's noise. With a bandwidth of 20 kHz,
    readings in different scans and of different sensors are independent, so the noise of each
    reading is drawn separately.

    Faults and benches can replace ``noise_rms_mt``, ``spread`` and ``field_mt`` at any time. Call
    ``warm`` after replacing ``spread``.
    """

    def __init__(
        self,
        field_mt: Callable[[float], float],
        temperature_c: Callable[[float], float],
        noise: Stream,
        spread: HallSpread | None = None,
        *,
        supply_v: float = SUPPLY_V,
    ) -> None:
        self.field_mt = field_mt
        self.temperature_c = temperature_c
        self.spread = spread or HallSpread()
        self.noise_rms_mt = NOISE_RMS_MT
        self._normal = noise.normal
        self._ratio = supply_v / SUPPLY_V
        self._low_v = RAIL_V
        self._high_v = supply_v - RAIL_V
        self._warm_until_s = -math.inf
        self._rest_v = self._gain = 0.0

    def warm(self, now_s: float) -> None:
        """Adjust the sensor's offset and gain to the temperature at ``now_s``."""
        spread = self.spread
        above_k = self.temperature_c(now_s) - REFERENCE_C
        self._rest_v = (spread.quiescent_v + spread.quiescent_v_k * above_k) * self._ratio
        self._gain = (
            spread.sensitivity_v_mt * (1.0 + spread.sensitivity_per_k * above_k) * self._ratio
        )
        self._warm_until_s = now_s + THERMAL_STEP_S

    def voltage_v(self, now_s: float) -> float:
        """Return the voltage of the output pin at ``now_s``, including noise."""
        if now_s >= self._warm_until_s:
            self.warm(now_s)
        volt = self._rest_v + self._gain * (
            self.field_mt(now_s) + self._normal() * self.noise_rms_mt
        )
        if volt < self._low_v:
            return self._low_v
        if volt > self._high_v:
            return self._high_v
        return volt


# AH1889, two unipolar Hall switches in one package (Diodes Incorporated).
#
# OUTPUT1 is pulled low over a south pole, OUTPUT2 over a north pole. Without a pole, the chip's own
# transistors drive both outputs high, at 1.65 to 3.6 V. The chip never sleeps between samples.
# (Data sheet, first page.) A switch closes above its operate point and opens below its release
# point. Between the two points, the switch keeps the state of its last sample.
#
# The data sheet's table of operate points was not found. The values below are those of the related
# AH1389 (25 G and 20 G typical) with a wider spread. docs/wiring.md lists the values that a table
# needs.


@dataclass(frozen=True, slots=True)
class SwitchPoints:
    """The limits of the switch for one pole. The switch closes above ``operate_mt`` and opens below
    ``release_mt``.

    The limits of a type of switch are typical values. ``spread`` is the maximum deviation of an
    individual switch, as a fraction of both limits.
    """

    operate_mt: float
    release_mt: float
    spread: float = 0.0
    response_s: float = 10e-6
    """Delay in s between a change of the field and the change of the output."""

    def drawn(self, stream: Stream) -> SwitchPoints:
        """Draw the limits of an individual switch of this type, within the spread."""
        factor = 1.0 + stream.uniform(-self.spread, self.spread)
        return SwitchPoints(self.operate_mt * factor, self.release_mt * factor)


# The AH1889 releases at 1.4 to 2.6 mT. Chopper-stabilised chips of this kind respond within 10 us.
AH1889 = SwitchPoints(2.5, 2.0, 0.3, 10e-6)


class DualSwitch:
    """One package that contains a switch for each pole.

    ``field_mt(now_s)`` returns the upward field at the package. A south pole above the package
    reads positive.
    """

    def __init__(
        self,
        field_mt: Callable[[float], float],
        north: SwitchPoints,
        south: SwitchPoints,
        response_s: float = AH1889.response_s,
    ) -> None:
        self.field_mt = field_mt
        self.north = north
        self.south = south
        self._response_s = response_s
        self._is_closed = {False: False, True: False}

    def closed(self, now_s: float, *, south: bool) -> bool:
        """Return whether an output is low. If ``south`` is true, this is the output for the south
        pole, otherwise the output for the north pole.
        """
        field = self.field_mt(now_s - self._response_s)
        points = self.south if south else self.north
        towards_mt = field if south else -field
        limit_mt = points.release_mt if self._is_closed[south] else points.operate_mt
        self._is_closed[south] = towards_mt > limit_mt
        return self._is_closed[south]

    def both(self, now_s: float) -> tuple[bool, bool]:
        """Return whether the output for the north pole is low, and whether the output for the south
        pole is low.
        """
        return self.closed(now_s, south=False), self.closed(now_s, south=True)

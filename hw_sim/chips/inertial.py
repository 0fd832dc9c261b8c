"""What the models of inertial sensors share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Vector = tuple[float, float, float]

STANDARD_G_M_S2 = 9.80665
FILTER_TAPS = 4


@dataclass(frozen=True, slots=True)
class ImuSpread:
    """What one copy is like. Offsets as the chip's output: g and degrees per second."""

    accel_offset_g: Vector = (0.0, 0.0, 0.0)
    accel_gain: Vector = (1.0, 1.0, 1.0)
    gyro_offset_deg_s: Vector = (0.0, 0.0, 0.0)
    gyro_gain: Vector = (1.0, 1.0, 1.0)
    noise: float = 1.0
    """Factor on the datasheet's noise densities."""


def filtered(source: Callable[[float], Vector], at_s: float, delay_s: float) -> Vector:
    """What a low-pass filter lets through: the mean over twice its delay.

    A moving average of that length has the datasheet's delay exactly and its bandwidth within a
    factor of two (0.44 over the length).
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

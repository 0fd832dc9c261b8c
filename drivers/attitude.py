"""Tilt from gravity and rates: a complementary filter that finds the gyroscope's bias at rest."""

from __future__ import annotations

import math
from typing import Final, TypeAlias

Vector: TypeAlias = tuple[float, float, float]

G_M_S2: Final = 9.80665
TRUST_S: Final = 0.5  # time constant with which the tilt follows gravity rather than the rates
GRAVITY_GATE: Final = 0.1  # off by more than this share of g, a force is no gravity alone (a bump)
# Before g has been measured: 3 % of scale and 80 mg of offset (PS-MPU-6000A section 6.2).
FIRST_GATE: Final = 0.15
LONGEST_GAP_S: Final = 0.25  # longer without a reading: begin again from gravity

# At rest: for REST_S every force within REST_M_S2 of their mean, every rate within REST_RAD_S. The
# bias is at most 20 deg/s per axis (PS-MPU-6000A section 6.1); more is motion.
REST_S: Final = 1.0
REST_M_S2: Final = 0.15
REST_RAD_S: Final = math.radians(1.0)
LARGEST_BIAS_RAD_S: Final = math.radians(25.0)


def gravity_tilt(force_m_s2: Vector) -> tuple[float, float]:
    """Tilt about x and y in rad of what feels this force at rest."""
    x, y, z = force_m_s2
    return math.atan2(y, z), math.atan2(-x, math.hypot(y, z))


class Attitude:
    """Fuses readings. What a steady turn about z slower than the largest bias is, it cannot know:
    after a second it takes that for bias.
    """

    def __init__(self) -> None:
        self._tilt: tuple[float, float] | None = None
        self._time_s = 0.0
        self._bias: Vector | None = None
        self._gravity: float | None = None
        self._rest = _Rest()

    def restart(self) -> None:
        """Forget the tilt, not the bias: the readings were interrupted."""
        self._tilt = None
        self._rest = _Rest()

    def update(
        self, now_s: float, force_m_s2: Vector, rate_rad_s: Vector
    ) -> tuple[tuple[float, float], Vector]:
        """Tilt about x and y in rad, and the rates without bias, after this reading."""
        elapsed_s = now_s - self._time_s
        if self._tilt is not None and elapsed_s > LONGEST_GAP_S:
            self.restart()
        self._time_s = now_s
        self._learn(now_s, force_m_s2, rate_rad_s)
        bias = self._bias or (0.0, 0.0, 0.0)
        rate = (rate_rad_s[0] - bias[0], rate_rad_s[1] - bias[1], rate_rad_s[2] - bias[2])
        upright = gravity_tilt(force_m_s2)
        if self._tilt is None:
            self._tilt = upright
            return self._tilt, rate
        about_x, about_y = self._tilt
        if self._bias is not None:  # an unknown bias would bend the tilt by 10 degrees
            about_x += rate[0] * elapsed_s
            about_y += rate[1] * elapsed_s
        if self._is_gravity(force_m_s2):
            weight = elapsed_s / (TRUST_S + elapsed_s)
            about_x += weight * (upright[0] - about_x)
            about_y += weight * (upright[1] - about_y)
        self._tilt = (about_x, about_y)
        return self._tilt, rate

    def _is_gravity(self, force: Vector) -> bool:
        expected, gate = self._gravity or G_M_S2, GRAVITY_GATE if self._gravity else FIRST_GATE
        return abs(math.hypot(*force) - expected) <= gate * expected

    def _learn(self, now_s: float, force: Vector, rate: Vector) -> None:
        found = self._rest.add(now_s, force, rate)
        if found is None:
            return
        gravity, bias = found
        if (
            max(map(abs, bias)) <= LARGEST_BIAS_RAD_S
            and abs(gravity - G_M_S2) <= FIRST_GATE * G_M_S2
        ):
            self._bias = bias
            self._gravity = gravity


class _Rest:
    """Means over a stretch in which nothing moved."""

    def __init__(self) -> None:
        self._sums = [0.0] * 6
        self._count = 0
        self._start_s = 0.0

    def add(self, now_s: float, force: Vector, rate: Vector) -> tuple[float, Vector] | None:
        """Magnitude of the mean force and mean rates, each time a stretch of rest is complete."""
        sums = self._sums
        if self._count and not self._fits(force, rate):
            self._count = 0
        if not self._count:
            sums[:] = (*force, *rate)
            self._count = 1
            self._start_s = now_s
            return None
        for index, value in enumerate((*force, *rate)):
            sums[index] += value
        self._count += 1
        if now_s - self._start_s < REST_S:
            return None
        fx, fy, fz, rx, ry, rz = (value / self._count for value in sums)
        self._count = 0
        return math.hypot(fx, fy, fz), (rx, ry, rz)

    def _fits(self, force: Vector, rate: Vector) -> bool:
        count, sums = self._count, self._sums
        return (
            abs(force[0] - sums[0] / count) <= REST_M_S2
            and abs(force[1] - sums[1] / count) <= REST_M_S2
            and abs(force[2] - sums[2] / count) <= REST_M_S2
            and abs(rate[0] - sums[3] / count) <= REST_RAD_S
            and abs(rate[1] - sums[4] / count) <= REST_RAD_S
            and abs(rate[2] - sums[5] / count) <= REST_RAD_S
        )

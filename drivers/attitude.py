"""The plate's tilt and spin, computed from the readings of a motion sensor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add, sub
from typing import Final, Literal, TypeAlias

from tiltboard.drivers.errors import LastingPartError

# The following code computes tilt and spin from gravity and rates of turn. Its complementary filter
# learns the gyroscope's bias while the sensor rests.

Vector: TypeAlias = tuple[float, float, float]

ON_THE_PIVOT: Final[Vector] = (0.0, 0.0, 0.0)
G_M_S2: Final = 9.80665
# Time constant, in seconds, with which the estimated tilt follows the measured gravity.
TRUST_S: Final = 0.5
# Maximum deviation of the measured force from g, as a fraction of g. If the deviation is larger,
# the plate was bumped, and the filter ignores the force.
GRAVITY_GATE: Final = 0.1
# Maximum deviation of the measured force from g, as a fraction of g, until the filter has learnt
# what the sensor reads at rest. The sensor's scale errs by 3 % and its offset by 80 mg
# (PS-MPU-6000A section 6.2).
FIRST_GATE: Final = 0.15
# Maximum gap between readings, in seconds. After a longer gap, the filter computes the tilt from
# gravity again.
LONGEST_GAP_S: Final = 0.25

# Conditions for a sensor at rest. During REST_S, every force must stay within REST_M_S2 of the mean
# force, and every rate within REST_RAD_S of the mean rate. In addition, the mean rates of two such
# periods in a row must be equal. Otherwise, a plate that stops slowly would leave an error of half
# a degree per second. The bias is at most 20 deg/s per axis (PS-MPU-6000A section 6.1). A larger
# mean rate is motion.
REST_S: Final = 0.5
SAME_RAD_S: Final = math.radians(0.1)
REST_M_S2: Final = 0.15
REST_RAD_S: Final = math.radians(1.0)
_MAX_REST: Final = (REST_M_S2, REST_M_S2, REST_M_S2, REST_RAD_S, REST_RAD_S, REST_RAD_S)
LARGEST_BIAS_RAD_S: Final = math.radians(25.0)


def gravity_tilt(force_m_s2: Vector) -> tuple[float, float]:
    """Return the tilt about x and y, in rad, of a sensor at rest that measures ``force_m_s2``."""
    x, y, z = force_m_s2
    return math.atan2(y, z), math.atan2(-x, math.hypot(y, z))


@dataclass(frozen=True, slots=True)
class Pose:
    """An estimate of the plate's orientation and rate of turn."""

    tilt_rad: tuple[float, float]
    """Tilt about the x axis and about the y axis, in rad."""
    spin_rad: float
    """Angle in rad by which the plate has turned about its z axis since the gyroscope's bias became
    known, counted from east towards north.
    """
    rate_rad_s: Vector
    """Rate of turn about x, y and z, without the gyroscope's bias."""


class Attitude:
    """Estimates the plate's tilt and spin from measured forces and rates of turn.

    A steady turn about z that is slower than the largest possible bias looks like bias. After a
    second of such a turn, the estimate takes the turn for the gyroscope's bias.

    ``arm_m``: vector from the pivot to the sensor, in the plate's axes. A sensor away from the
    pivot also measures the acceleration caused by the turn. ``spin_gain``: measured rate about z
    divided by the true rate. A scale error of 3 % causes an error of 10 degrees in a whole turn
    (PS-MPU-6000A section 6.1).
    """

    def __init__(self, arm_m: Vector = ON_THE_PIVOT, spin_gain: float = 1.0) -> None:
        self._arm = arm_m if any(arm_m) else None
        self._spin_gain = spin_gain
        self._up: Vector | None = None  # Unit vector that points up, in the plate's axes.
        self._rate: Vector = (0.0, 0.0, 0.0)
        self._spin = 0.0
        self._time_s = 0.0
        self._bias: Vector | None = None
        self._gravity: float | None = None
        self._rest = _Rest()

    def restart(self) -> None:
        """Discard the tilt after an interruption of the readings, but keep the gyroscope's bias."""
        self._up = None
        self._rest = _Rest()

    def update(self, now_s: float, force_m_s2: Vector, rate_rad_s: Vector) -> Pose:
        """Add one reading and return the new estimate. ``rate_rad_s``: measured rates, which
        include the bias.
        """
        elapsed_s = now_s - self._time_s
        if self._up is not None and elapsed_s > LONGEST_GAP_S:
            self.restart()
        self._time_s = now_s
        self._learn(now_s, force_m_s2, rate_rad_s)
        p, q, r = self._bias or (0.0, 0.0, 0.0)
        rate = rate_rad_s[0] - p, rate_rad_s[1] - q, (rate_rad_s[2] - r) / self._spin_gain
        before, self._rate = self._rate, rate
        if self._up is None:
            self._up = _unit(force_m_s2)
        elif elapsed_s > 0:
            # Use the rates only if the bias is known. An unknown bias would make the estimated tilt
            # wrong by 10 degrees.
            if self._bias is not None:
                turn = (
                    (before[0] + rate[0]) / 2 * elapsed_s,
                    (before[1] + rate[1]) / 2 * elapsed_s,
                    (before[2] + rate[2]) / 2 * elapsed_s,
                )
                self._up = _turn_vector(self._up, turn)
                self._spin += turn[2]
                force_m_s2 = self._on_the_pivot(force_m_s2, before, rate, elapsed_s)
            expected = self._gravity or G_M_S2
            gate = GRAVITY_GATE if self._gravity else FIRST_GATE
            if abs(math.hypot(*force_m_s2) - expected) <= gate * expected:
                weight = elapsed_s / (TRUST_S + elapsed_s)
                (x, y, z), (a, b, c) = self._up, _unit(force_m_s2)
                to = x + weight * (a - x), y + weight * (b - y), z + weight * (c - z)
                self._up = _unit(to)
        return Pose(gravity_tilt(self._up), self._spin, rate)

    def _on_the_pivot(
        self, force: Vector, before: Vector, rate: Vector, elapsed_s: float
    ) -> Vector:
        """Return the force that a sensor on the pivot would measure.

        Removes the tangential and centripetal acceleration of the turn from ``force``.
        """
        if self._arm is None:
            return force
        change = [(b - a) / elapsed_s for a, b in zip(before, rate, strict=True)]
        along, inward = _cross(change, self._arm), _cross(rate, _cross(rate, self._arm))
        x, y, z = (f - a - b for f, a, b in zip(force, along, inward, strict=True))
        return x, y, z

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


def _unit(vector: Sequence[float]) -> Vector:
    x, y, z = vector
    size = math.sqrt(x * x + y * y + z * z) or 1.0
    return x / size, y / size, z / size


def _cross(a: Sequence[float], b: Sequence[float]) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _turn_vector(fixed: Vector, turn: Sequence[float]) -> Vector:
    """Convert the unit vector ``fixed``, whose direction in space is constant, to axes that have
    turned by ``turn`` (rad about each axis). The second-order formula errs by 0.02 degrees for a
    turn of 0.1 rad.
    """
    (x, y, z), first = fixed, _cross(fixed, turn)
    (a, b, c), (d, e, f) = first, _cross(first, turn)
    return _unit((x + a + d / 2, y + b + e / 2, z + c + f / 2))


class _Rest:
    """Finds periods in which the sensor rests, and averages the readings of each period."""

    def __init__(self) -> None:
        self._before: Sequence[float] | None = None
        self._sums: Sequence[float] = ()
        self._count = 0
        self._start_s = 0.0

    def add(self, now_s: float, force: Vector, rate: Vector) -> tuple[float, Vector] | None:
        """Add a reading. At the end of a period of rest, return the magnitude of the mean force and
        the mean rates, if the previous period of rest had the same mean rates. Otherwise, return
        None.
        """
        values, count = (*force, *rate), self._count
        if count:
            known = zip(values, self._sums, _MAX_REST, strict=True)
            if any(abs(value - total / count) > most for value, total, most in known):
                count, self._before = 0, None
        self._count = count + 1
        if not count:
            self._sums, self._start_s = values, now_s
            return None
        self._sums = sums = [*map(add, self._sums, values)]
        if now_s - self._start_s < REST_S:
            return None
        fx, fy, fz, *rates = (total / self._count for total in sums)
        self._count = 0
        before, self._before = self._before, rates
        if before is None or max(map(abs, map(sub, rates, before))) > SAME_RAD_S:
            return None
        return math.hypot(fx, fy, fz), (rates[0], rates[1], rates[2])


# The following classes describe how a tilt sensor is mounted: which of the chip's axes point east,
# north and up on the plate.

Axis: TypeAlias = Literal["+x", "-x", "+y", "-y", "+z", "-z"]
_ALONG: Final[dict[Axis, Vector]] = {
    "+x": (1.0, 0.0, 0.0),
    "-x": (-1.0, 0.0, 0.0),
    "+y": (0.0, 1.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "+z": (0.0, 0.0, 1.0),
    "-z": (0.0, 0.0, -1.0),
}
AXES: Final[tuple[Axis, ...]] = tuple(_ALONG)


@dataclass(frozen=True, slots=True)
class Mounting:
    """One of the 24 right-angled orientations in which a chip can be mounted on the plate.

    ``east``, ``north``, ``up``: the chip's axis that points in the named direction. Raises
    ValueError if the three axes are not right-handed.
    """

    east: Axis = "+x"
    north: Axis = "+y"
    up: Axis = "+z"

    def __post_init__(self) -> None:
        if _cross(_ALONG[self.east], _ALONG[self.north]) != _ALONG[self.up]:
            raise ValueError(f"no chip has {self.east} east, {self.north} north, {self.up} up")

    def on_plate(self, chip: Vector) -> Vector:
        """Convert a vector from the chip's axes to the plate's: x east, y north, z up."""
        east, north, up = _ALONG[self.east], _ALONG[self.north], _ALONG[self.up]
        return _dot(east, chip), _dot(north, chip), _dot(up, chip)

    def on_chip(self, plate: Vector) -> Vector:
        """Convert a vector from the plate's axes to the chip's."""
        axes = zip(_ALONG[self.east], _ALONG[self.north], _ALONG[self.up], strict=True)
        x, y, z = (_dot(axis, plate) for axis in axes)
        return x, y, z


def all_mountings() -> Iterator[Mounting]:
    """Yield all 24 orientations in which a chip can be mounted."""
    for up in AXES:
        for north in AXES:
            if north[1] != up[1]:
                yield mounting(north, up)


def mounting(north: Axis, up: Axis) -> Mounting:
    """Return the mounting whose chip axes ``north`` and ``up`` point north and up. Raises
    ValueError if the two axes are parallel.
    """
    east = _cross(_ALONG[north], _ALONG[up])
    for axis, along in _ALONG.items():
        if along == east:
            return Mounting(axis, north, up)
    raise ValueError(f"{north} and {up} are not at right angles")


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


# The default mounting, which docs/wiring.md describes: the chip's x axis points east and the chip's
# z axis points up.
FLAT: Final = Mounting()


# The following code detects a dead accelerometer axis. The readings of a dead axis are exactly
# equal, although noise should vary them.

# Number of successive readings after which an axis counts as dead, if the axis reads exactly the
# same each time while both other axes change. The noise is 15 steps of 4 g / 32768 in an MPU-6050
# (PS-MPU-6000A 6.2) and 4 steps in an LSM6DSOX. So on a working axis, at most 1 of 10 pairs of
# successive readings is equal.
STUCK_READINGS: Final = 16


class AxisWatch:
    """Finds dead accelerometer axes from the raw values of successive readings."""

    def __init__(self) -> None:
        self._suspicious = False
        self.restart()

    def restart(self) -> None:
        """Discard the counts of equal readings after an interruption."""
        self._last: tuple[int, ...] | None = None
        self._equal = [0] * 3
        self._alive = [False] * 3

    @property
    def trusted(self) -> bool:
        """True if no axis was found dead, or if every axis has changed since then."""
        return not self._suspicious

    def update(self, words: Sequence[int]) -> None:
        """Check one reading, which consists of three raw accelerations. Raises LastingPartError if
        an axis is dead.
        """
        now = tuple(words)
        last, self._last = self._last, now
        if last is None or last == now:  # The same sample was read twice.
            return
        moved = [new != old for new, old in zip(now, last, strict=True)]
        if all(moved):  # Noise changes all three axes in most readings, so most calls return here.
            self._equal, self._alive = [0] * 3, moved
            self._suspicious = False
            return
        for axis, has_moved in enumerate(moved):
            if has_moved:
                self._equal[axis] = 0
                self._alive[axis] = True
            elif sum(moved) == 3 - 1:
                self._equal[axis] += 1
        if max(self._equal) >= STUCK_READINGS:
            self._suspicious = True
            raise LastingPartError(
                "imu",
                "The tilt sensor does not feel its {axis} axis.",
                remedy="Replace the tilt sensor. Play goes on once it feels all three axes.",
                axis="xyz"[self._equal.index(max(self._equal))],
            )
        if all(self._alive):
            self._suspicious = False

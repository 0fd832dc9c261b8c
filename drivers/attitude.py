"""How the plate lies and turns, of a motion sensor's readings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import sub
from typing import Final, Literal, TypeAlias

from drivers.errors import PartReadingError

# Tilt and spin from gravity and rates: a complementary filter that finds the bias at rest.


Vector: TypeAlias = tuple[float, float, float]

ON_THE_PIVOT: Final[Vector] = (0.0, 0.0, 0.0)
G_M_S2: Final = 9.80665
TRUST_S: Final = 0.5  # time constant with which the tilt follows gravity rather than the rates
GRAVITY_GATE: Final = 0.1  # off by more than this share of g, a force is no gravity alone (a bump)
# Before g has been measured: 3 % of scale and 80 mg of offset (PS-MPU-6000A section 6.2).
FIRST_GATE: Final = 0.15
LONGEST_GAP_S: Final = 0.25  # longer without a reading: begin again from gravity

# At rest: for REST_S every force within REST_M_S2 of their mean, every rate within REST_RAD_S, and
# the means of two such stretches the same: a plate that comes to a stop slowly passes the first,
# and would leave half a degree a second. The bias is at most 20 deg/s per axis (PS-MPU-6000A
# section 6.1); more is motion.
REST_S: Final = 0.5
SAME_RAD_S: Final = math.radians(0.1)
REST_M_S2: Final = 0.15
REST_RAD_S: Final = math.radians(1.0)
LARGEST_BIAS_RAD_S: Final = math.radians(25.0)


def gravity_tilt(force_m_s2: Vector) -> tuple[float, float]:
    """Tilt about x and y in rad of what feels this force at rest."""
    x, y, z = force_m_s2
    return math.atan2(y, z), math.atan2(-x, math.hypot(y, z))


@dataclass(frozen=True, slots=True)
class Pose:
    """``tilt_rad``: about x and about y. ``spin_rad``: about its own z, east to north, summed up
    since the bias was known. ``rate_rad_s``: without bias.
    """

    tilt_rad: tuple[float, float]
    spin_rad: float
    rate_rad_s: Vector


class Attitude:
    """Fuses readings. What a steady turn about z slower than the largest bias is, it cannot know:
    after a second it takes that for bias.

    ``spin_gain``: what the gyroscope tells of a turn about z, against what it is; a whole turn is
    off by 10 degrees where its scale is by 3 % (PS-MPU-6000A section 6.1). ``arm_m``: from the
    pivot to the sensor, in the plate's axes. Where the plate turns, a sensor
    off the pivot feels that it is swung about, and not gravity alone.
    """

    def __init__(self, arm_m: Vector = ON_THE_PIVOT, spin_gain: float = 1.0) -> None:
        self._arm = arm_m if any(arm_m) else None
        self._spin_gain = spin_gain
        self._up: Vector | None = None  # the vertical in the plate's axes
        self._rate: Vector = (0.0, 0.0, 0.0)
        self._spin = 0.0
        self._time_s = 0.0
        self._bias: Vector | None = None
        self._gravity: float | None = None
        self._rest = _Rest()

    def restart(self) -> None:
        """Forget the tilt, not the bias: the readings were interrupted."""
        self._up = None
        self._rest = _Rest()

    def update(self, now_s: float, force_m_s2: Vector, rate_rad_s: Vector) -> Pose:
        """Take a reading in. ``rate_rad_s``: with bias."""
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
            if self._bias is not None:  # an unknown bias would bend the tilt by 10 degrees
                turn = (
                    (before[0] + rate[0]) / 2 * elapsed_s,
                    (before[1] + rate[1]) / 2 * elapsed_s,
                    (before[2] + rate[2]) / 2 * elapsed_s,
                )
                self._up = _turned(self._up, turn)
                self._spin += turn[2]
                force_m_s2 = self._on_the_pivot(force_m_s2, before, rate, elapsed_s)
            if self._is_gravity(force_m_s2):
                weight = elapsed_s / (TRUST_S + elapsed_s)
                (x, y, z), (a, b, c) = self._up, _unit(force_m_s2)
                to = x + weight * (a - x), y + weight * (b - y), z + weight * (c - z)
                self._up = _unit(to)
        return Pose(gravity_tilt(self._up), self._spin, rate)

    def _on_the_pivot(
        self, force: Vector, before: Vector, rate: Vector, elapsed_s: float
    ) -> Vector:
        """The force that a sensor on the pivot would feel: without what the turn does to this one,
        tangential and centripetal.
        """
        if self._arm is None:
            return force
        change = [(b - a) / elapsed_s for a, b in zip(before, rate, strict=True)]
        along, inward = _cross(change, self._arm), _cross(rate, _cross(rate, self._arm))
        x, y, z = (f - a - b for f, a, b in zip(force, along, inward, strict=True))
        return x, y, z

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


def _unit(vector: Sequence[float]) -> Vector:
    x, y, z = vector
    size = math.sqrt(x * x + y * y + z * z) or 1.0
    return x / size, y / size, z / size


def _cross(a: Sequence[float], b: Sequence[float]) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _turned(fixed: Vector, turn: Sequence[float]) -> Vector:
    """What stands still, in axes that turn by ``turn`` (rad about each): to the second order, which
    is 0.02 degrees off after a turn of 0.1 rad.
    """
    (x, y, z), first = fixed, _cross(fixed, turn)
    (a, b, c), (d, e, f) = first, _cross(first, turn)
    return _unit((x + a + d / 2, y + b + e / 2, z + c + f / 2))


class _Rest:
    """Means over a stretch in which nothing moved."""

    def __init__(self) -> None:
        self._before: Vector | None = None
        self._sums = [0.0] * 6
        self._count = 0
        self._start_s = 0.0

    def add(self, now_s: float, force: Vector, rate: Vector) -> tuple[float, Vector] | None:
        """Magnitude of the mean force and mean rates, each time a stretch of rest is complete whose
        rates are those of the one before.
        """
        sums = self._sums
        if self._count and not self._fits(force, rate):
            self._count = 0
            self._before = None
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
        before, self._before = self._before, (rx, ry, rz)
        if before is None or max(map(abs, map(sub, self._before, before))) > SAME_RAD_S:
            return None
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


# How a tilt sensor lies on the plate: which of its axes points east, north and up.


Axis: TypeAlias = Literal["+x", "-x", "+y", "-y", "+z", "-z"]
AXES: Final[tuple[Axis, ...]] = ("+x", "-x", "+y", "-y", "+z", "-z")

_Pick: TypeAlias = tuple[int, float]


@dataclass(frozen=True, slots=True)
class Mounting:
    """One of 24 ways to lie square. ``east``, ``north``, ``up``: the chip's axis that points there.

    Raises ValueError for three axes that are not right-handed.
    """

    east: Axis = "+x"
    north: Axis = "+y"
    up: Axis = "+z"
    _picks: tuple[_Pick, _Pick, _Pick] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        picks = _pick(self.east), _pick(self.north), _pick(self.up)
        east, north, up = (_along(*pick) for pick in picks)
        if _cross(east, north) != up:
            raise ValueError(f"no chip has {self.east} east, {self.north} north, {self.up} up")
        object.__setattr__(self, "_picks", picks)

    def on_plate(self, chip: Vector) -> Vector:
        """A vector in the chip's axes, in the plate's: x east, y north, z up."""
        (a, s), (b, t), (c, u) = self._picks
        return s * chip[a], t * chip[b], u * chip[c]

    def on_chip(self, plate: Vector) -> Vector:
        """A vector in the plate's axes, as the chip's axes have it."""
        (a, s), (b, t), (c, u) = self._picks
        found = [0.0, 0.0, 0.0]
        found[a], found[b], found[c] = s * plate[0], t * plate[1], u * plate[2]
        return found[0], found[1], found[2]


def all_mountings() -> Iterator[Mounting]:
    """All 24 ways in which a chip can be mounted."""
    for up in AXES:
        for north in AXES:
            if north[1] != up[1]:
                yield mounting(north, up)


def mounting(north: Axis, up: Axis) -> Mounting:
    """The one with these axes. Raises ValueError if both are of one line."""
    x, y, z = _cross(_along(*_pick(north)), _along(*_pick(up)))
    for axis in AXES:
        if _along(*_pick(axis)) == (x, y, z):
            return Mounting(axis, north, up)
    raise ValueError(f"{north} and {up} are not at right angles")


def _pick(axis: str) -> _Pick:
    return "xyz".index(axis[1]), -1.0 if axis[0] == "-" else 1.0


def _along(index: int, sign: float) -> Vector:
    return (
        sign if index == 0 else 0.0,
        sign if index == 1 else 0.0,
        sign if index == 2 else 0.0,
    )


FLAT: Final = Mounting()  # as the wiring pages ask for


# An accelerometer's axis that stands still: its own noise should keep it from doing that.


# Readings in a row that are equal to the bit on one axis while both others change. MPU-6050's noise
# is 15 steps of 4 g / 32768 (PS-MPU-6000A 6.2), LSM6DSOX's 4: an equal pair is at most 1 in 10.
STUCK_READINGS: Final = 16


class AxisWatch:
    """Finds axes that are dead, in the raw words of one reading after another."""

    def __init__(self) -> None:
        self._suspicious = False
        self.restart()

    def restart(self) -> None:
        """The readings were interrupted."""
        self._last: tuple[int, ...] | None = None
        self._equal = [0] * 3
        self._alive = [False] * 3

    @property
    def trusted(self) -> bool:
        """Whether no axis was found dead, or all have moved again since."""
        return not self._suspicious

    def update(self, words: Sequence[int]) -> None:
        """One reading. Raises PartReadingError once an axis is dead."""
        now = tuple(words)
        last, self._last = self._last, now
        if last is None or last == now:  # the same sample, read twice
            return
        moved = [new != old for new, old in zip(now, last, strict=True)]
        if all(moved):  # as in most readings
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
            raise PartReadingError(
                "imu",
                "The tilt sensor does not feel its {axis} axis.",
                remedy="Replace the tilt sensor. Play goes on once it feels all three axes.",
                axis="xyz"[self._equal.index(max(self._equal))],
            )
        if all(self._alive):
            self._suspicious = False

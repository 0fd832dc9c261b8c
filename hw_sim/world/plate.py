"""The plate's attitude over time, and the forces and rates on a motion sensor at its pivot."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

from tiltboard.hw_sim.rng import Stream
from tiltboard.hw_sim.world.paths import PEAK_SPEED, Path

G_M_S2 = 9.80665
SLEW_RAD_S = math.radians(30.0)  # Maximum rate of a tilt, in rad/s, estimated for a careful hand.
# Maximum rate of a spin, in rad/s. At this rate, the centrifugal force on a piece at the rim is a
# fifth of its weight, so the piece stays in place.
SPIN_RAD_S = math.radians(180.0)
# Minimum duration of a tilt, in seconds. Even a small tilt of a 380 mm plate takes this time.
SHORTEST_S = 0.25
KEPT = 4  # Number of past motions that are kept, because a chip's filter needs the recent past.
BUMP_M_S2 = 4.0
BUMP_HZ = 18.0
BUMP_DECAY_S = 0.04
BUMP_S = 0.25

Vector = tuple[float, float, float]
LEVEL: Vector = (0.0, 0.0, 0.0)


class PlateMotion(NamedTuple):
    """The plate's motion at one time."""

    attitude_rad: Vector
    """Angles in rad about x, then y, then the plate's own axis."""
    gravity_m_s2: Vector
    """Gravity in m/s2 as an accelerometer measures it, in the plate's axes. For a level plate, the
    value is (0, 0, +g).
    """
    rate_rad_s: Vector
    """Rate of turn in rad/s, in the plate's axes."""
    turning_rad_s2: Vector
    """Change of the rate of turn in rad/s2, in the plate's axes."""


class TiltingPlate:
    """The commanded tilt and spin of the plate, which changes at a realistic speed, and knocks
    against the table.

    The attitude consists of three rotations: about x (east) by the first angle, then about y by the
    second angle, then about the plate's own axis by the third angle. Sensor readings are in the
    plate's axes.
    """

    IMU_M: ClassVar[Vector] = (0.0, 0.0, 0.0)
    """Position of the motion sensor relative to the pivot, in m. A sensor at zero does not move
    when the plate turns.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._tilts = Path(-1.0, LEVEL).wait(1.0)  # Tilt about x and about y.
        self._spins = Path(-1.0, LEVEL).wait(1.0)  # Spin, in the first coordinate only.
        self._resting: PlateMotion | None = None
        self._bumps: list[tuple[float, Vector]] = []  # Start time and direction of each bump.

    def tilt(
        self, x_rad: float, y_rad: float, now_s: float, *, for_s: float | None = None
    ) -> tuple[float, float]:
        """Tilt the plate to these angles. If ``for_s`` is given, hold the angles for that time and
        then level the plate.

        Earlier commands for a later time are discarded. Returns the time at which the angles are
        reached and the time at which the plate comes to rest.
        """
        self._stir(now_s)
        self._tilts = _gone_on(self._tilts, (x_rad, y_rad, 0.0), now_s, SLEW_RAD_S)
        there_s = self._tilts.end_s
        if for_s is not None:
            self._tilts = _gone_on(self._tilts, LEVEL, there_s + for_s, SLEW_RAD_S)
        return there_s, self._tilts.end_s

    def spin(self, by_rad: float, now_s: float) -> float:
        """Turn the plate about its own axis by ``by_rad``, counted from the end of the last
        commanded turn. A turn from east to north is positive.

        Returns the time at which the turn ends.
        """
        self._stir(now_s)
        goal = (self._spins.end[0] + by_rad, 0.0, 0.0)
        self._spins = _gone_on(self._spins, goal, now_s, SPIN_RAD_S)
        return self._spins.end_s

    def _stir(self, now_s: float) -> None:
        """Prepare for the motion of the plate, which is about to start."""
        self._resting = None

    def bump(self, now_s: float) -> float:
        """Knock against the table, which causes a short ringing push. Returns the time at which the
        push is over.
        """
        angle = self._stream.uniform(0, 2 * math.pi)
        self._bumps = [bump for bump in self._bumps if bump[0] + BUMP_S > now_s]
        self._bumps.append((now_s, (math.cos(angle), math.sin(angle), 0.5)))
        return now_s + BUMP_S

    @property
    def busy_until_s(self) -> float:
        """The time at which all tilts, turns and bumps commanded so far are over."""
        ends = [start_s + BUMP_S for start_s, _ in self._bumps]
        return max([self._tilts.end_s, self._spins.end_s, *ends])

    def commanded_rad(self, now_s: float) -> Vector:
        """Return the commanded angles about x, then y, then the plate's own axis."""
        x, y, _ = self._tilts.at(now_s)
        return x, y, self._spins.at(now_s)[0]

    def motion(self, now_s: float) -> PlateMotion:
        """Return the plate's attitude and motion at ``now_s``."""
        if now_s < self._tilts.end_s or now_s < self._spins.end_s:
            return self._commanded(now_s)
        if self._resting is None:
            self._resting = self._commanded(now_s)
        return self._resting

    def _commanded(self, now_s: float) -> PlateMotion:
        tilt, spin = self._tilts.leg(now_s), self._spins.leg(now_s)
        (a, b, _), (about_x, about_y, _) = tilt.at(now_s), tilt.speed(now_s)
        c, spun = spin.at(now_s)[0], spin.speed(now_s)[0]
        x, y, _ = tilt.acceleration(now_s)
        sin, cos, both = math.sin(b), math.cos(b), about_x * about_y
        gravity = -sin * math.cos(a), math.sin(a), cos * math.cos(a)
        turning = (
            x * cos - both * sin + about_y * spun,
            y - about_x * cos * spun,
            x * sin + both * cos,
        )
        return PlateMotion(
            (a, b, c),
            _spun((G_M_S2 * gravity[0], G_M_S2 * gravity[1], G_M_S2 * gravity[2]), c),
            plus(_spun((about_x * cos, about_y, about_x * sin), c), (0.0, 0.0, spun)),
            plus(_spun(turning, c), (0.0, 0.0, spin.acceleration(now_s)[0])),
        )

    def attitude_rad(self, now_s: float) -> Vector:
        """Return the angles about x, then y, then the plate's own axis, at ``now_s``."""
        return self.motion(now_s).attitude_rad

    def rate_rad_s(self, now_s: float) -> Vector:
        """Return the plate's rate of turn about its axes, as a gyroscope measures it."""
        return self.motion(now_s).rate_rad_s

    def specific_force_m_s2(self, now_s: float, arm_m: Vector = (0.0, 0.0, 0.0)) -> Vector:
        """Return the force on an accelerometer at ``now_s``, in m/s2. The force is (0, 0, +g) if
        the plate is level and at rest.

        ``arm_m``: position of the accelerometer east, north and above its default position, in m.
        Bumps and the tangential and centripetal acceleration of the sensor are added to gravity.
        """
        motion = self.motion(now_s)
        force = motion.gravity_m_s2
        for start_s, (dx, dy, dz) in self._bumps:
            t = now_s - start_s
            if 0 <= t < BUMP_S:
                push = BUMP_M_S2 * math.exp(-t / BUMP_DECAY_S)
                push *= math.sin(2 * math.pi * BUMP_HZ * t)
                force = plus(force, (push * dx, push * dy, push * dz))
        x, y, z = plus(self.IMU_M, arm_m)
        if not (x or y or z):
            return force
        (p, q, r), (a, b, c) = motion.rate_rad_s, motion.turning_rad_s2
        along, square = p * x + q * y + r * z, p * p + q * q + r * r
        swung = (
            b * z - c * y + p * along - square * x,
            c * x - a * z + q * along - square * y,
            a * y - b * x + r * along - square * z,
        )
        return plus(force, swung)


def _gone_on(path: Path, goal: Vector, start_s: float, most: float) -> Path:
    """Return a path that continues to ``goal`` at a speed of at most ``most``. The path starts with
    the legs of ``path`` that have begun by ``start_s``.
    """
    begun = path.begun(start_s, KEPT)
    duration = max(SHORTEST_S, PEAK_SPEED * math.dist(begun.at(start_s), goal) / most)
    while True:
        onward = begun.onward(start_s, goal, duration)
        leg = onward.leg(start_s)
        fastest = max(math.hypot(*leg.speed(start_s + i * duration / 24)) for i in range(24))
        # A motion that already has the full speed at its start can briefly be a little faster.
        if fastest <= 1.001 * most or (any(leg.speed(start_s)) and duration > 3.0):
            return begun.then(onward)
        duration *= 1.15


def _spun(vector: Vector, by_rad: float) -> Vector:
    """Return the components of ``vector`` in the axes of a plate that has turned by ``by_rad``
    about its own axis.
    """
    if not by_rad:
        return vector
    x, y, z = vector
    return (
        x * math.cos(by_rad) + y * math.sin(by_rad),
        y * math.cos(by_rad) - x * math.sin(by_rad),
        z,
    )


def plus(one: Vector, other: Vector) -> Vector:
    """Return the sum of two vectors."""
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]

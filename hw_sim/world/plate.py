"""The plate's attitude over time, and what a motion sensor on its pivot feels."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hw_sim.rng import Stream
from hw_sim.world.paths import PEAK_SPEED, Path

G_M_S2 = 9.80665
SLEW_RAD_S = math.radians(30.0)  # a careful hand; HARDWARE.md gives no limit
SPIN_RAD_S = math.radians(180.0)  # pieces on the rim stay: they feel a fifth of their weight
SHORTEST_S = 0.25  # nobody tilts a 380 mm plate faster, however little
KEPT = 4  # motions that are over: a chip's filter looks back a little
BUMP_M_S2 = 4.0
BUMP_HZ = 18.0
BUMP_DECAY_S = 0.04
BUMP_S = 0.25

Vector = tuple[float, float, float]
LEVEL: Vector = (0.0, 0.0, 0.0)


class Plate:
    """Tilt and spin as commanded angles with a real slew, and knocks against the table.

    The attitude is a rotation about x (east) by the first angle, then about y by the second, then
    about the plate's own axis by the third. What is felt is in the plate's axes; the sensor sits on
    the pivot's axis, so that turning moves it nowhere (``force_at`` says what one beside it feels).
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._tilts = Path(-1.0, LEVEL).wait(1.0)  # about x, and about y
        self._spins = Path(-1.0, LEVEL).wait(1.0)  # of their x alone
        self._bumps: list[tuple[float, Vector]] = []  # when, and from where

    def tilt(
        self, x_rad: float, y_rad: float, now_s: float, *, for_s: float | None = None
    ) -> tuple[float, float]:
        """Go to these angles and stay; with ``for_s``, hold them that long and then level out.

        Whatever was commanded for later is dropped. Returns when the angles are reached and when
        the plate is at rest for good.
        """
        self._stir(now_s)
        self._tilts = _gone_on(self._tilts, (x_rad, y_rad, 0.0), now_s, SLEW_RAD_S)
        there_s = self._tilts.end_s
        if for_s is not None:
            self._tilts = _gone_on(self._tilts, LEVEL, there_s + for_s, SLEW_RAD_S)
        return there_s, self._tilts.end_s

    def spin(self, by_rad: float, now_s: float) -> float:
        """A hand turns the plate about its own axis, on from where it was to be turned to; east to
        north is positive. Returns when it is there.
        """
        self._stir(now_s)
        goal = (self._spins.end[0] + by_rad, 0.0, 0.0)
        self._spins = _gone_on(self._spins, goal, now_s, SPIN_RAD_S)
        return self._spins.end_s

    def _stir(self, now_s: float) -> None:
        """Hands are about to move the plate."""

    def bump(self, now_s: float) -> float:
        """Knock against the table, a short ringing push. Returns when it is over."""
        angle = self._stream.uniform(0, 2 * math.pi)
        self._bumps = [bump for bump in self._bumps if bump[0] + BUMP_S > now_s]
        self._bumps.append((now_s, (math.cos(angle), math.sin(angle), 0.5)))
        return now_s + BUMP_S

    @property
    def busy_until_s(self) -> float:
        """When tilts, turns and bumps commanded so far are over."""
        ends = [start_s + BUMP_S for start_s, _ in self._bumps]
        return max([self._tilts.end_s, self._spins.end_s, *ends])

    def commanded_rad(self, now_s: float) -> Vector:
        """How hands hold the plate: angles about x, then y, then its own axis."""
        x, y, _ = self._tilts.at(now_s)
        return x, y, self._spins.at(now_s)[0]

    def attitude_rad(self, now_s: float) -> Vector:
        """Angles about x, then y, then its own axis."""
        return self.commanded_rad(now_s)

    def specific_force_m_s2(self, now_s: float) -> Vector:
        """What an accelerometer on the pivot feels, in the plate's axes; level: (0, 0, +g)."""
        a, b, c = self.commanded_rad(now_s)
        gravity = (
            -G_M_S2 * math.sin(b) * math.cos(a),
            G_M_S2 * math.sin(a),
            G_M_S2 * math.cos(b) * math.cos(a),
        )
        return plus(_spun(gravity, c), self.knock_m_s2(now_s))

    def knock_m_s2(self, now_s: float) -> Vector:
        """What of it comes from knocks against the table."""
        x = y = z = 0.0
        for start_s, (dx, dy, dz) in self._bumps:
            t = now_s - start_s
            if 0 <= t < BUMP_S:
                push = BUMP_M_S2 * math.exp(-t / BUMP_DECAY_S)
                push *= math.sin(2 * math.pi * BUMP_HZ * t)
                x, y, z = x + push * dx, y + push * dy, z + push * dz
        return x, y, z

    def rate_rad_s(self, now_s: float) -> Vector:
        """What a gyroscope feels."""
        if self._rests(now_s):
            return LEVEL
        tilt, spin = self._tilts.leg(now_s), self._spins.leg(now_s)
        (_, b, _), (about_x, about_y, _) = tilt.at(now_s), tilt.speed(now_s)
        rate = about_x * math.cos(b), about_y, about_x * math.sin(b)
        return plus(_spun(rate, spin.at(now_s)[0]), (0.0, 0.0, spin.speed(now_s)[0]))

    def turning_rad_s2(self, now_s: float) -> Vector:
        """How fast that changes: the angular acceleration."""
        if self._rests(now_s):
            return LEVEL
        tilt, spin = self._tilts.leg(now_s), self._spins.leg(now_s)
        (_, b, _), (about_x, about_y, _) = tilt.at(now_s), tilt.speed(now_s)
        x, y, _ = tilt.acceleration(now_s)
        both, spun = about_x * about_y, spin.speed(now_s)[0]
        change = (
            x * math.cos(b) - both * math.sin(b) + about_y * spun,
            y - about_x * math.cos(b) * spun,
            x * math.sin(b) + both * math.cos(b),
        )
        return plus(_spun(change, spin.at(now_s)[0]), (0.0, 0.0, spin.acceleration(now_s)[0]))

    def _rests(self, now_s: float) -> bool:
        return now_s >= self._tilts.end_s and now_s >= self._spins.end_s


def _gone_on(path: Path, goal: Vector, start_s: float, most: float) -> Path:
    """What of ``path`` has begun, and on from whatever the state is then, no faster than
    ``most``.
    """
    begun = path.begun(start_s, KEPT)
    duration = max(SHORTEST_S, PEAK_SPEED * math.dist(begun.at(start_s), goal) / most)
    while True:
        onward = begun.onward(start_s, goal, duration)
        leg = onward.leg(start_s)
        fastest = max(math.hypot(*leg.speed(start_s + i * duration / 24)) for i in range(24))
        # Starting in full swing it may go a little faster still before it turns.
        if fastest <= 1.001 * most or (any(leg.speed(start_s)) and duration > 3.0):
            return begun.then(onward)
        duration *= 1.15


def _spun(vector: Vector, by_rad: float) -> Vector:
    """A vector in the axes of a plate that has turned about its own axis."""
    if not by_rad:
        return vector
    x, y, z = vector
    return (
        x * math.cos(by_rad) + y * math.sin(by_rad),
        y * math.cos(by_rad) - x * math.sin(by_rad),
        z,
    )


def plus(one: Vector, other: Vector) -> Vector:
    """Both together."""
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def force_at(arm_m: Sequence[float], plate: Plate, now_s: float) -> Vector:
    """What an accelerometer feels that far east, north and above the pivot: that it is swung about,
    too, tangential and centripetal.
    """
    force = plate.specific_force_m_s2(now_s)
    if not any(arm_m):
        return force
    return plus(force, swung_m_s2(arm_m, plate.rate_rad_s(now_s), plate.turning_rad_s2(now_s)))


def swung_m_s2(arm_m: Sequence[float], rate: Vector, turning: Vector) -> Vector:
    """The acceleration of a point there, all in the plate's axes: tangential and centripetal."""
    (x, y, z), (p, q, r), (a, b, c) = arm_m, rate, turning
    along = p * x + q * y + r * z
    square = p * p + q * q + r * r
    return (
        b * z - c * y + p * along - square * x,
        c * x - a * z + q * along - square * y,
        a * y - b * x + r * along - square * z,
    )

"""The plate's attitude over time, and what a motion sensor on its pivot feels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hw_sim.rng import Stream
from hw_sim.world.paths import PEAK_SPEED, Quintic

G_M_S2 = 9.80665
SLEW_RAD_S = math.radians(30.0)  # a careful hand; HARDWARE.md gives no limit
SHORTEST_S = 0.25  # nobody tilts a 380 mm plate faster, however little
DIFFERENCE_S = 0.004  # two steps of the rigid world
BUMP_M_S2 = 4.0
BUMP_HZ = 18.0
BUMP_DECAY_S = 0.04
BUMP_S = 0.25

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class _Slew:
    """From ``start_s`` on; ``over``: what is felt from its end on, force and rate."""

    start_s: float
    x: Quintic
    y: Quintic

    @property
    def end_s(self) -> float:
        return self.start_s + self.x.duration_s

    @cached_property
    def over(self) -> tuple[Vector, Vector]:
        rate = _rate_rad_s(self.y.end, 0.0, 0.0)
        return _gravity_m_s2(self.x.end, self.y.end), rate


@dataclass(frozen=True, slots=True)
class _Bump:
    start_s: float
    direction: Vector


class Plate:
    """Tilt as commanded angles with a real slew, and knocks against the table.

    The attitude is a rotation about x (east) by the first angle, then about the plate's own y by
    the second. The sensor sits on the pivot's axis, so that turning moves it nowhere.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._slews: list[_Slew] = [
            _Slew(-1.0, Quintic.between(0, 0, 1.0), Quintic.between(0, 0, 1.0))
        ]
        self._bumps: list[_Bump] = []

    def tilt(
        self, x_rad: float, y_rad: float, now_s: float, *, for_s: float | None = None
    ) -> tuple[float, float]:
        """Go to these angles and stay; with ``for_s``, hold them that long and then level out.

        Whatever was commanded for later is dropped. Returns when the angles are reached and when
        the plate is at rest for good.
        """
        # The chip's filter looks back a little: keep what is just over.
        self._slews = [slew for slew in self._slews if slew.start_s <= now_s][-4:]
        there = self._slew_to(x_rad, y_rad, now_s)
        if for_s is None:
            return there, there
        return there, self._slew_to(0.0, 0.0, there + for_s)

    def bump(self, now_s: float) -> float:
        """Somebody knocks against the table: a short ringing push. Returns when it is over."""
        angle = self._stream.uniform(0, 2 * math.pi)
        self._bumps = [bump for bump in self._bumps if bump.start_s + BUMP_S > now_s]
        self._bumps.append(_Bump(now_s, (math.cos(angle), math.sin(angle), 0.5)))
        return now_s + BUMP_S

    @property
    def busy_until_s(self) -> float:
        """When tilts and bumps commanded so far are over."""
        ends = [self._slews[-1].end_s, *(bump.start_s + BUMP_S for bump in self._bumps)]
        return max(ends)

    def tilt_rad(self, now_s: float) -> tuple[float, float]:
        """Angles about x and about y."""
        slew = self._slew_at(now_s)
        t = now_s - slew.start_s
        return slew.x.at(t), slew.y.at(t)

    def attitude_rad(self, now_s: float) -> Vector:
        """Angles about x, then y, then its own axis."""
        return (*self.tilt_rad(now_s), 0.0)

    def specific_force_m_s2(self, now_s: float) -> Vector:
        """What an accelerometer on the pivot feels, in the plate's axes; level: (0, 0, +g)."""
        slew = self._slew_at(now_s)
        if now_s - slew.start_s >= slew.x.duration_s:
            force, _ = slew.over
        else:
            force = _gravity_m_s2(*self.tilt_rad(now_s))
        x, y, z = self.knock_m_s2(now_s)
        return force[0] + x, force[1] + y, force[2] + z

    def knock_m_s2(self, now_s: float) -> Vector:
        """What of it comes from knocks against the table."""
        x = y = z = 0.0
        for bump in self._bumps:
            t = now_s - bump.start_s
            if 0 <= t < BUMP_S:
                push = BUMP_M_S2 * math.exp(-t / BUMP_DECAY_S)
                push *= math.sin(2 * math.pi * BUMP_HZ * t)
                dx, dy, dz = bump.direction
                x, y, z = x + push * dx, y + push * dy, z + push * dz
        return x, y, z

    def rate_rad_s(self, now_s: float) -> Vector:
        """What a gyroscope feels, in the plate's axes."""
        slew = self._slew_at(now_s)
        t = now_s - slew.start_s
        if t >= slew.x.duration_s:
            return slew.over[1]
        return _rate_rad_s(slew.y.at(t), slew.x.speed(t), slew.y.speed(t))

    def _slew_at(self, now_s: float) -> _Slew:
        for slew in reversed(self._slews):
            if slew.start_s <= now_s:
                return slew
        return self._slews[0]

    def _slew_to(self, x_rad: float, y_rad: float, start_s: float) -> float:
        """Append a slew from whatever the state is then. Returns its end."""
        last = self._slews[-1]
        t = start_s - last.start_s
        way = math.hypot(x_rad - last.x.at(t), y_rad - last.y.at(t))
        duration = max(SHORTEST_S, PEAK_SPEED * way / SLEW_RAD_S)
        while True:
            x, y = (
                Quintic.between(
                    axis.at(t),
                    target,
                    duration,
                    start_speed=axis.speed(t),
                    start_acceleration=axis.acceleration(t),
                )
                for axis, target in ((last.x, x_rad), (last.y, y_rad))
            )
            before = math.hypot(last.x.speed(t), last.y.speed(t))
            fastest = max(
                math.hypot(x.speed(i * duration / 24), y.speed(i * duration / 24))
                for i in range(24)
            )
            # Starting in full swing it may go a little faster still before it turns.
            if fastest <= 1.001 * SLEW_RAD_S or (before > 0 and duration > 3.0):
                break
            duration *= 1.15
        self._slews.append(_Slew(start_s, x, y))
        return start_s + duration


def _gravity_m_s2(a: float, b: float) -> Vector:
    """What is felt of gravity at these angles."""
    return (
        -G_M_S2 * math.sin(b) * math.cos(a),
        G_M_S2 * math.sin(a),
        G_M_S2 * math.cos(b) * math.cos(a),
    )


def _rate_rad_s(b: float, about_x: float, about_y: float) -> Vector:
    """The angles' speeds, in the plate's axes."""
    return about_x * math.cos(b), about_y, about_x * math.sin(b)


def force_at(arm_m: Sequence[float], plate: Plate, now_s: float) -> Vector:
    """What an accelerometer feels that far east, north and above the pivot: that it is swung about,
    too, tangential and centripetal.
    """
    force = plate.specific_force_m_s2(now_s)
    if not any(arm_m):
        return force
    x, y, z = arm_m
    p, q, r = plate.rate_rad_s(now_s)
    before = plate.rate_rad_s(now_s - DIFFERENCE_S)
    if not (p or q or r or any(before)):
        return force
    a, b, c = ((now - then) / DIFFERENCE_S for now, then in zip((p, q, r), before, strict=True))
    along = p * x + q * y + r * z
    square = p * p + q * q + r * r
    return (
        force[0] + b * z - c * y + p * along - square * x,
        force[1] + c * x - a * z + q * along - square * y,
        force[2] + a * y - b * x + r * along - square * z,
    )

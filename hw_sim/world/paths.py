"""Paths of moving objects, as sequences of quintic polynomials in time.

A quintic polynomial from rest to rest is the minimum-jerk motion, which describes how people reach
for an object (T. Flash and N. Hogan, Journal of Neuroscience 5 (1985) 1688).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Self

from tiltboard.ground.override import override

Point = tuple[float, float, float]
Quintic = tuple[float, float, float, float, float, float]
"""Coefficients of the polynomial of one coordinate, starting with the constant term."""

NOT_AT_ALL: Point = (0.0, 0.0, 0.0)
TREMOR_HZ = 9.0
PEAK_SPEED = 1.875  # Ratio of peak speed to mean speed in a minimum-jerk motion.


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of a path: a quintic polynomial for each of three coordinates. The part starts at
    ``start_s`` and lasts ``duration_s``.

    Before ``start_s`` the coordinates have their first values, and after the duration their last
    values.
    """

    start_s: float
    duration_s: float
    quintics: tuple[Quintic, Quintic, Quintic]
    end: Point

    @classmethod
    def between(
        cls,
        start_s: float,
        start: Point,
        end: Point,
        duration_s: float,
        *,
        start_speed: Point = NOT_AT_ALL,
        end_speed: Point = NOT_AT_ALL,
        start_acceleration: Point = NOT_AT_ALL,
    ) -> Leg:
        """Return the leg with these boundary values. The acceleration at the end of the leg is
        zero.
        """
        t = duration_s
        quintics = list[Quintic]()
        for axis in range(3):
            here, begins, pulls = start[axis], start_speed[axis], start_acceleration[axis]
            way = end[axis] - here - begins * t - pulls * t * t / 2
            speed = (end_speed[axis] - begins - pulls * t) * t
            bend = -pulls * t * t
            quintics.append(
                (
                    here,
                    begins,
                    pulls / 2,
                    (10 * way - 4 * speed + bend / 2) / t**3,
                    (-15 * way + 7 * speed - bend) / t**4,
                    (6 * way - 3 * speed + bend / 2) / t**5,
                )
            )
        x, y, z = quintics
        return cls(start_s, duration_s, (x, y, z), end)

    def at(self, now_s: float) -> Point:
        """Return the point at ``now_s``. The code has no loop, because each sensor calls this
        method in each scan.
        """
        t = now_s - self.start_s
        if t >= self.duration_s:
            return self.end
        a, b, c = self.quintics
        if t <= 0:
            return a[0], b[0], c[0]
        return (
            a[0] + t * (a[1] + t * (a[2] + t * (a[3] + t * (a[4] + t * a[5])))),
            b[0] + t * (b[1] + t * (b[2] + t * (b[3] + t * (b[4] + t * b[5])))),
            c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5])))),
        )

    def speed(self, now_s: float) -> Point:
        """Return the velocity at ``now_s``, in units per s. The velocity is zero before the start
        and after the end.
        """
        t = now_s - self.start_s
        if not 0 <= t < self.duration_s:
            return NOT_AT_ALL
        x, y, z = (
            c1 + t * (2 * c2 + t * (3 * c3 + t * (4 * c4 + t * 5 * c5)))
            for _, c1, c2, c3, c4, c5 in self.quintics
        )
        return x, y, z

    def acceleration(self, now_s: float) -> Point:
        """Return the acceleration at ``now_s``, in units per s^2. The acceleration is zero before
        the start and after the end.
        """
        t = now_s - self.start_s
        if not 0 <= t < self.duration_s:
            return NOT_AT_ALL
        x, y, z = (
            2 * c2 + t * (6 * c3 + t * (12 * c4 + t * 20 * c5))
            for _, _, c2, c3, c4, c5 in self.quintics
        )
        return x, y, z


class Path:
    """A series of legs that starts at a time and a point. The moving object rests before the first
    leg and after the last leg.

    ``end``, ``end_s``: point and time at which the path ends.
    """

    __slots__ = ("_legs", "_starts", "end", "end_s", "start_s")

    def __init__(self, start_s: float, start: Point, legs: Iterable[Leg] = ()) -> None:
        self.start_s = self.end_s = start_s
        self.end = start
        self._legs: list[Leg] = []
        self._starts: list[float] = []
        for leg in legs:
            self._go(leg)

    def at(self, now_s: float) -> Point:
        """Return the point at ``now_s``, in mm."""
        return self.leg(now_s).at(now_s)

    def leg(self, now_s: float) -> Leg:
        """Return the leg that is active at ``now_s``."""
        return self._legs[max(0, bisect_right(self._starts, now_s) - 1)]

    def onward(self, now_s: float, goal: Point, duration_s: float) -> Path:
        """Return a path to another goal. The path continues smoothly from the position, velocity
        and acceleration at ``now_s``.
        """
        leg = self.leg(now_s)
        there = Leg.between(
            now_s,
            leg.at(now_s),
            goal,
            duration_s,
            start_speed=leg.speed(now_s),
            start_acceleration=leg.acceleration(now_s),
        )
        return Path(now_s, goal, [there])

    def then(self, later: Path) -> Path:
        """Return this path followed by ``later``, which starts at the end of this path."""
        return Path(self.start_s, self.end, [*self._legs, *later._legs])

    def begun(self, now_s: float, count: int) -> Path:
        """Return a path that consists of the last ``count`` legs that have begun by ``now_s``."""
        legs = [leg for leg in self._legs if leg.start_s <= now_s][-count:]
        return Path(legs[0].start_s, legs[-1].end, legs)

    # The following methods add a leg at the end of the path and return the path.

    def wait(self, duration_s: float) -> Self:
        """Stay at the end of the path for ``duration_s``."""
        return self.to(self.end, duration_s)

    def to(self, point: Point, duration_s: float, *, end_fall: float = 0.0) -> Self:
        """Move to ``point`` and arrive with a downward speed of ``end_fall`` mm/s."""
        speed = (0.0, 0.0, -end_fall)
        return self._go(Leg.between(self.end_s, self.end, point, duration_s, end_speed=speed))

    def fall(self, point: Point, duration_s: float) -> Self:
        """Move to ``point`` at constant speed and stop abruptly, as when a piece lands."""
        x, y, z = (
            (here, (there - here) / duration_s, 0.0, 0.0, 0.0, 0.0)
            for here, there in zip(self.end, point, strict=True)
        )
        return self._go(Leg(self.end_s, duration_s, (x, y, z), point))

    def through(self, middle: Point, point: Point, duration_s: float) -> Self:
        """Move to ``point`` in one sweep through ``middle``, which avoids an obstacle."""
        half = duration_s / 2
        x, y, z = (
            PEAK_SPEED * (there - here) / duration_s
            for here, there in zip(self.end, point, strict=True)
        )
        self._go(Leg.between(self.end_s, self.end, middle, half, end_speed=(x, y, z)))
        return self._go(Leg.between(self.end_s, self.end, point, half, start_speed=(x, y, z)))

    def over(self, point: Point, height_mm: float, duration_s: float) -> Self:
        """Move to ``point`` in one sweep that reaches the height ``height_mm`` halfway."""
        (x, y, _), (x_end, y_end, _) = self.end, point
        return self.through(((x + x_end) / 2, (y + y_end) / 2, height_mm), point, duration_s)

    def _go(self, leg: Leg) -> Self:
        self._legs.append(leg)
        self._starts.append(leg.start_s)
        self.end_s = leg.start_s + leg.duration_s
        self.end = leg.end
        return self


class Trembling(Path):
    """A path of a piece in a hand with a physiological tremor of 9 Hz (R. J. Elble, Brain 109
    (1986) 1015).

    The tremor moves the piece along, across and upward, but never down into the surface below.
    """

    __slots__ = ("_mm", "_turns")

    def __init__(self, path: Path, tremble_mm: float, turns: Point) -> None:
        """Add a tremor with the amplitude ``tremble_mm`` to a path. ``turns``: phase of the tremor
        on each axis at the start, 0 to 1.
        """
        super().__init__(path.start_s, path.end, path._legs)
        self._mm = tremble_mm
        self._turns = turns

    @override
    def at(self, now_s: float) -> Point:
        x, y, z = super().at(now_s)
        swing = (
            self._mm * math.sin(2 * math.pi * (TREMOR_HZ * (now_s - self.start_s) + turn))
            for turn in self._turns
        )
        return x + next(swing), y + next(swing), z + max(0.0, next(swing))


def still(here: Point, now_s: float) -> Path:
    """Return a short path that stays at the point ``here``."""
    return Path(now_s, here).wait(0.01)


# The motions of a person's hand with a piece, as paths with the durations of an adult player.
#
# Putting a piece down takes about 0.8 s. The hand moves down for 0.45 s, and moves the last 12 mm
# at 0.15 m/s. Letting go takes 0.1 s, and the hand has left after another 0.25 s.

APPROACH_MM = 80.0
# Distance in mm, toward the player's side, between a target point and the point at which the hand
# appears.
ASIDE_MM = 60.0
CARRY_MM = 60.0
# Height in mm at which a hand holds a waiting piece. The piece is above all moving pieces.
HOVER_MM = 110.0
HOVER_STEP_MM = 20.0
LAST_MM = 12.0
LAST_MM_S = 150.0
HOP_MM = 6.0
LOWER_S = 0.38
REACH_S = 0.25
GRIP_S = 0.05
LIFT_S = 0.3
RELEASE_S = 0.1
LEAVE_S = 0.25
HOP_S = 0.15


class Gesture(NamedTuple):
    """The path of a piece, and two times. The piece meets or leaves the plate at ``touch_s``, and
    the hand has left at ``end_s``.
    """

    path: Path
    touch_s: float
    end_s: float


def above(point: Point) -> Point:
    """Return the point at which a hand with a piece appears on its way to ``point``."""
    return point[0], point[1] - ASIDE_MM, APPROACH_MM


# Each of the following functions continues a movement from the end of ``path``. ``pace``: duration
# of the movement, as a multiple of an adult's typical duration.


def lower(path: Path, goal: Point, pace: float) -> Gesture:
    """Lower a piece from the air to ``goal`` on the plate, let go, and take the hand away."""
    x, y, z = goal
    path.to((x, y, z + LAST_MM), LOWER_S * pace, end_fall=LAST_MM_S / pace)
    path.fall(goal, LAST_MM * pace / LAST_MM_S)
    return Gesture(path, path.end_s, path.end_s + (RELEASE_S + LEAVE_S) * pace)


def lift(path: Path, height_mm: float, pace: float) -> Gesture:
    """Reach for a piece, grip the piece, lift it straight up to ``height_mm``, and keep it in the
    hand.
    """
    left_s = path.wait((REACH_S + GRIP_S) * pace).end_s
    path.to((*path.end[:2], height_mm), LIFT_S * pace)
    return Gesture(path, left_s, path.end_s)


def take(path: Path, pace: float) -> Gesture:
    """Lift a piece and carry it away from the plate."""
    start = path.end
    lifted = lift(path, APPROACH_MM, pace)
    path.to(above(start), LEAVE_S * pace)
    return Gesture(path, lifted.touch_s, path.end_s)


def move(path: Path, goal: Point, pace: float) -> Gesture:
    """Lift a piece, carry the piece in an arc and put it down at ``goal``."""
    way_mm = math.dist(path.end[:2], goal[:2])
    lift(path, CARRY_MM, pace)
    path.over((*goal[:2], CARRY_MM), CARRY_MM + 10.0, (0.2 + way_mm / 600.0) * pace)
    return lower(path, goal, pace)


def slide(path: Path, goal: Point, pace: float, bow_mm: float) -> Gesture:
    """Push a piece along the plate to ``goal`` in a curve. Halfway, the curve is ``bow_mm`` to the
    left of the straight line.
    """
    (x, y, z), (x_end, y_end, _) = path.end, goal
    way_mm = max(math.dist((x, y), (x_end, y_end)), 1e-6)
    aside = bow_mm / way_mm
    middle = (x + x_end) / 2 - (y_end - y) * aside, (y + y_end) / 2 + (x_end - x) * aside, z
    path.wait(REACH_S * pace).through(middle, goal, (0.2 + way_mm / 200.0) * pace)
    return Gesture(path, path.end_s, path.end_s + LEAVE_S * pace)


def hop(path: Path, goal: Point) -> Gesture:
    """Jump to ``goal``, like a piece that was knocked."""
    path.over(goal, HOP_MM, HOP_S)
    return Gesture(path, path.end_s, path.end_s)

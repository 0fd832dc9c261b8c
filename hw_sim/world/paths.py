"""How things move: quintic polynomials in time, strung together.

A quintic from rest to rest is the minimum-jerk motion by which people's reaching movements are
described (T. Flash and N. Hogan, Journal of Neuroscience 5 (1985) 1688).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

Point = tuple[float, float, float]

TREMOR_HZ = 9.0
PEAK_SPEED = 1.875  # of a minimum-jerk motion, in mean speeds


@dataclass(frozen=True, slots=True)
class Quintic:
    """One coordinate over ``duration_s``; outside that time it stays where it was or came to."""

    duration_s: float
    coefficients: tuple[float, float, float, float, float, float]
    end: float

    @classmethod
    def between(
        cls,
        start: float,
        end: float,
        duration_s: float,
        *,
        start_speed: float = 0.0,
        end_speed: float = 0.0,
        start_acceleration: float = 0.0,
    ) -> Quintic:
        """The one quintic with these boundary values (and no acceleration at its end)."""
        t = duration_s
        way = end - start - start_speed * t - start_acceleration * t * t / 2
        speed = (end_speed - start_speed - start_acceleration * t) * t
        bend = -start_acceleration * t * t
        return cls(
            t,
            (
                start,
                start_speed,
                start_acceleration / 2,
                (10 * way - 4 * speed + bend / 2) / t**3,
                (-15 * way + 7 * speed - bend) / t**4,
                (6 * way - 3 * speed + bend / 2) / t**5,
            ),
            end,
        )

    def at(self, t: float) -> float:
        """The coordinate ``t`` seconds after the start."""
        if t >= self.duration_s:
            return self.end
        c = self.coefficients
        if t <= 0:
            return c[0]
        return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))))

    def speed(self, t: float) -> float:
        """The speed at ``t``; 0 before the start and after the end."""
        if not 0 <= t < self.duration_s:
            return 0.0
        _, c1, c2, c3, c4, c5 = self.coefficients
        return c1 + t * (2 * c2 + t * (3 * c3 + t * (4 * c4 + t * 5 * c5)))

    def acceleration(self, t: float) -> float:
        """The acceleration at ``t``; 0 before the start and after the end."""
        if not 0 <= t < self.duration_s:
            return 0.0
        _, _, c2, c3, c4, c5 = self.coefficients
        return 2 * c2 + t * (6 * c3 + t * (12 * c4 + t * 20 * c5))


@dataclass(frozen=True, slots=True)
class Leg:
    """A piece of a path: three coordinates from ``start_s`` on, for equally long."""

    start_s: float
    x: Quintic
    y: Quintic
    z: Quintic

    def at(self, now_s: float) -> Point:
        """What ``Quintic.at`` says of each, in half the time: every sensor asks in every scan."""
        t = now_s - self.start_s
        if t >= self.x.duration_s:
            return self.x.end, self.y.end, self.z.end
        a, b, c = self.x.coefficients, self.y.coefficients, self.z.coefficients
        if t <= 0:
            return a[0], b[0], c[0]
        return (
            a[0] + t * (a[1] + t * (a[2] + t * (a[3] + t * (a[4] + t * a[5])))),
            b[0] + t * (b[1] + t * (b[2] + t * (b[3] + t * (b[4] + t * b[5])))),
            c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5])))),
        )


class Path:
    """Legs one after the other; before the first and after the last the thing stands still."""

    __slots__ = ("_legs", "_starts", "end_s", "start_s")

    def __init__(self, legs: tuple[Leg, ...]) -> None:
        self._legs = legs
        self._starts = [leg.start_s for leg in legs]
        self.start_s = legs[0].start_s
        self.end_s = legs[-1].start_s + legs[-1].x.duration_s

    def at(self, now_s: float) -> Point:
        """Where the thing is, in mm."""
        return self._legs[max(0, bisect_right(self._starts, now_s) - 1)].at(now_s)

    def onward(self, now_s: float, goal: Point, duration_s: float) -> Path:
        """A path from wherever it is then, and as it moves, to another goal."""
        leg = self._legs[max(0, bisect_right(self._starts, now_s) - 1)]
        t = now_s - leg.start_s
        x, y, z = (
            Quintic.between(
                axis.at(t),
                there,
                duration_s,
                start_speed=axis.speed(t),
                start_acceleration=axis.acceleration(t),
            )
            for axis, there in zip((leg.x, leg.y, leg.z), goal, strict=True)
        )
        return Path((Leg(now_s, x, y, z),))

    @property
    def end(self) -> Point:
        """Where it comes to rest."""
        last = self._legs[-1]
        return last.x.end, last.y.end, last.z.end

    def then(self, later: Path) -> Path:
        """First this path, then ``later``, which begins where this one ends."""
        return Path(self._legs + later._legs)


class Trembling(Path):
    """A path in a hand that trembles: physiological tremor, at 9 Hz (R. J. Elble, Brain 109 (1986)
    1015), across the way and along it; up, and not down into what it rests on.
    """

    __slots__ = ("_mm", "_turns")

    def __init__(self, path: Path, tremble_mm: float, turns: tuple[float, float, float]) -> None:
        """``turns``: where in its swing each axis starts, 0 to 1."""
        super().__init__(path._legs)
        self._mm = tremble_mm
        self._turns = turns

    def at(self, now_s: float) -> Point:
        """Where the thing is, in mm."""
        x, y, z = super().at(now_s)
        swing = (
            self._mm * math.sin(2 * math.pi * (TREMOR_HZ * (now_s - self.start_s) + turn))
            for turn in self._turns
        )
        return x + next(swing), y + next(swing), z + max(0.0, next(swing))


def still(here: Point, now_s: float) -> Path:
    """Staying there."""
    return PathBuilder(now_s, here).wait(0.01).path()


class PathBuilder:
    """Draws a path leg by leg from a point and a time."""

    def __init__(self, start_s: float, start: Point) -> None:
        self._legs: list[Leg] = []
        self.now_s = start_s
        self._here = start

    def wait(self, duration_s: float) -> PathBuilder:
        """Stay."""
        return self.to(self._here, duration_s)

    def to(self, point: Point, duration_s: float, *, end_fall: float = 0.0) -> PathBuilder:
        """Go there, and be moving downward at ``end_fall`` mm/s then."""
        (x0, y0, z0), (x1, y1, z1) = self._here, point
        self._legs.append(
            Leg(
                self.now_s,
                Quintic.between(x0, x1, duration_s),
                Quintic.between(y0, y1, duration_s),
                Quintic.between(z0, z1, duration_s, end_speed=-end_fall),
            )
        )
        self.now_s += duration_s
        self._here = point
        return self

    def fall(self, point: Point, duration_s: float) -> PathBuilder:
        """Go there at an even speed, and stop dead: the plate is there."""
        legs = (
            Quintic(duration_s, (here, (there - here) / duration_s, 0.0, 0.0, 0.0, 0.0), there)
            for here, there in zip(self._here, point, strict=True)
        )
        self._legs.append(Leg(self.now_s, *legs))
        self.now_s += duration_s
        self._here = point
        return self

    def through(self, middle: Point, point: Point, duration_s: float) -> PathBuilder:
        """Go there in one sweep by way of ``middle``: over something, or around it."""
        half = duration_s / 2
        along = [
            PEAK_SPEED * (there - here) / duration_s
            for here, there in zip(self._here, point, strict=True)
        ]
        for number, (start, end) in enumerate(((self._here, middle), (middle, point))):
            x, y, z = (
                Quintic.between(
                    start[axis],
                    end[axis],
                    half,
                    start_speed=along[axis] * number,
                    end_speed=along[axis] * (1 - number),
                )
                for axis in range(3)
            )
            self._legs.append(Leg(self.now_s, x, y, z))
            self.now_s += half
        self._here = point
        return self

    def path(self) -> Path:
        """What was drawn."""
        return Path(tuple(self._legs))


# The motions of a person's hand with a piece, as paths. Durations are those of an adult playing.
#
# A whole put takes about 0.8 s: 0.45 s down, of which the last 12 mm at 0.15 m/s, 0.1 s to let go,
# 0.25 s for the hand to leave.

APPROACH_MM = 80.0
ASIDE_MM = 60.0  # a hand comes from and goes to the player's side
CARRY_MM = 60.0
HOVER_MM = 110.0  # where a piece waits in a hand, above everything that moves
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


@dataclass(frozen=True, slots=True)
class Gesture:
    """A path of a piece and when on it the piece meets or leaves the plate."""

    path: Path
    touch_s: float
    end_s: float


def above(point: Point) -> Point:
    """Where a hand with a piece comes into sight on its way to ``point``."""
    return point[0], point[1] - ASIDE_MM, APPROACH_MM


def lower(builder: PathBuilder, goal: Point, pace: float) -> Gesture:
    """Lower a piece from the air to the plate, let go, leave."""
    x, y, z = goal
    builder.to((x, y, z + LAST_MM), LOWER_S * pace, end_fall=LAST_MM_S / pace)
    builder.fall(goal, LAST_MM * pace / LAST_MM_S)
    touch_s = builder.now_s
    return Gesture(builder.path(), touch_s, touch_s + (RELEASE_S + LEAVE_S) * pace)


def lift(builder: PathBuilder, start: Point, height_mm: float, pace: float) -> float:
    """Reach, grip and lift straight up. Returns when the piece leaves the plate."""
    builder.wait((REACH_S + GRIP_S) * pace)
    left_s = builder.now_s
    builder.to((start[0], start[1], height_mm), LIFT_S * pace)
    return left_s


def take(builder: PathBuilder, start: Point, pace: float) -> Gesture:
    """Lift a piece and carry it out of sight."""
    left_s = lift(builder, start, APPROACH_MM, pace)
    builder.to(above(start), LEAVE_S * pace)
    return Gesture(builder.path(), left_s, builder.now_s)


def move(builder: PathBuilder, start: Point, goal: Point, pace: float) -> Gesture:
    """Lift, carry in an arc, put."""
    lift(builder, start, CARRY_MM, pace)
    way = math.hypot(goal[0] - start[0], goal[1] - start[1])
    middle = ((start[0] + goal[0]) / 2, (start[1] + goal[1]) / 2, CARRY_MM + 10.0)
    builder.through(middle, (goal[0], goal[1], CARRY_MM), (0.2 + way / 600.0) * pace)
    return lower(builder, goal, pace)


def slide(builder: PathBuilder, start: Point, goal: Point, bow_mm: float, pace: float) -> Gesture:
    """Push along the plate, swerving to the left by ``bow_mm`` half-way."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    way = max(math.hypot(dx, dy), 1e-6)
    middle = (
        (start[0] + goal[0]) / 2 - dy / way * bow_mm,
        (start[1] + goal[1]) / 2 + dx / way * bow_mm,
        start[2],
    )
    builder.wait(REACH_S * pace)
    builder.through(middle, goal, (0.2 + way / 200.0) * pace)
    touch_s = builder.now_s
    return Gesture(builder.path(), touch_s, touch_s + LEAVE_S * pace)


def hop(builder: PathBuilder, start: Point, goal: Point) -> Gesture:
    """Jump aside, knocked."""
    middle = ((start[0] + goal[0]) / 2, (start[1] + goal[1]) / 2, HOP_MM)
    builder.through(middle, goal, HOP_S)
    return Gesture(builder.path(), builder.now_s, builder.now_s)

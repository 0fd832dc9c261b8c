"""The motions of a person's hand with a piece, as paths. Durations are those of an adult playing.

A whole put takes about 0.8 s: 0.45 s down, of which the last 12 mm at 0.15 m/s, 0.1 s to let go,
0.25 s for the hand to leave.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hw_sim.world.paths import Path, PathBuilder, Point

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
    """From the air down on the plate, let go, leave."""
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

"""Smooth curves through points, as cubic Bezier segments.

After J. D. Hobby, "Smooth, easy to compute interpolating splines", Discrete & Computational
Geometry 1 (1986): through points of a circle they are that circle to within a few thousandths.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from itertools import pairwise

Point = tuple[float, float]


def through(points: Sequence[Point]) -> tuple[Point, ...]:
    """A curve through ``points`` in their order: the first point, then for each of the others two
    control points and itself.

    At least two points, no two neighbours at the same place; *not* checked.
    """
    knots = [complex(*point) for point in points]
    chords = [after - before for before, after in pairwise(knots)]
    turns = [cmath.phase(after / before) for before, after in pairwise(chords)]
    leaving = _leaving_angles([abs(chord) for chord in chords], turns)
    curve = [knots[0]]
    for index, chord in enumerate(chords):
        theta = leaving[index]
        # the angle of arrival follows from the next one's leaving, so that the tangents agree
        last = index == len(turns)
        phi = leaving[index + 1] if last else -turns[index] - leaving[index + 1]
        out, back = _reach(theta, phi), _reach(phi, theta)
        curve += [
            knots[index] + chord * cmath.rect(out, theta),
            knots[index + 1] - chord * cmath.rect(back, -phi),
            knots[index + 1],
        ]
    return tuple((point.real, point.imag) for point in curve)


def around(points: Sequence[Point]) -> tuple[Point, ...]:
    """As ``through``, and on from the last point to the first, without a corner there."""
    curve = through([points[-1], *points, points[0], points[1]])
    return curve[3 : 4 + 3 * len(points)]


def _leaving_angles(lengths: Sequence[float], turns: Sequence[float]) -> list[float]:
    """Angle between chord and tangent at each knot; at the last one, of arrival.

    Between knots the curvature, to first order, is the same on both sides; at both ends it is as at
    the knot beside.
    """
    count = len(lengths) + 1
    if count == 2:
        return [0.0, 0.0]
    # one equation a knot, lower * x[i-1] + middle * x[i] + upper * x[i+1] = right
    lower, middle, upper, right = ([0.0] * count for _ in range(4))
    middle[0], upper[0], right[0] = 1.0, 1.0, -turns[0]
    for knot in range(1, count - 1):
        before, after = 1 / lengths[knot - 1], 1 / lengths[knot]
        following = turns[knot] if knot < count - 2 else 0.0
        lower[knot] = before
        middle[knot] = 2 * before + 2 * after
        upper[knot] = after
        right[knot] = -2 * before * turns[knot - 1] - after * following
    # at the end, arrival = leaving of the last chord
    lower[-1], middle[-1] = -1.0, 1.0
    upper[count - 2] *= -1.0  # x of the last knot is an arrival
    for knot in range(1, count):
        factor = lower[knot] / middle[knot - 1]
        middle[knot] -= factor * upper[knot - 1]
        right[knot] -= factor * right[knot - 1]
    angles = [0.0] * count
    angles[-1] = right[-1] / middle[-1]
    for knot in range(count - 2, -1, -1):
        angles[knot] = (right[knot] - upper[knot] * angles[knot + 1]) / middle[knot]
    return angles


def _reach(leaving: float, arriving: float) -> float:
    """How far the control point lies along the tangent, in chords (Hobby's velocity)."""
    sine, cosine = math.sin(leaving), math.cos(leaving)
    far_sine, far_cosine = math.sin(arriving), math.cos(arriving)
    rise = math.sqrt(2) * (sine - far_sine / 16) * (far_sine - sine / 16) * (cosine - far_cosine)
    run = 1 + (math.sqrt(5) - 1) / 2 * cosine + (3 - math.sqrt(5)) / 2 * far_cosine
    return (2 + rise) / (3 * run)

"""Finds the orientation of the tilt sensor from its readings on the level plate and on the tilted
plate.

On a level plate, the sensor measures gravity along the axis that points up. If the north edge is
lifted, part of gravity is measured along the axis that points north. If the east edge is lifted,
part of gravity is measured along the axis that points east.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from math import acos, hypot, radians, sqrt

from msgspec.structs import replace

from tiltboard.drivers.attitude import AXES, FLAT, Axis, Mounting, Vector, mounting
from tiltboard.drivers.frame import Frame
from tiltboard.firmware_host.commissioning.progress import Progress
from tiltboard.firmware_host.commissioning.tasks import (
    EAST,
    EDGES,
    NORTH,
    Asking,
    SweepStep,
    TaskAnswer,
    TaskChoice,
    TaskLight,
)
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import Message, text

REST_S = 0.24
# A hint is shown if the plate is not at rest after this many seconds.
HINT_AFTER_S = 8.0
LIFTED_RAD = radians(5.0)
# Maximum change of the reading on the other horizontal axis, as a fraction of the change on the
# expected axis.
ASKEW_SHARE = 0.5
# Maximum angles that count as level. The zero-g offset of an MPU-6050 is 50 mg in the plane of the
# chip and 80 mg along its z axis, so a chip mounted on edge has a larger tolerance.
LEVEL_RAD = radians(4.5)
LEVEL_ON_EDGE_RAD = radians(6.0)
# Maximum range of the readings at rest, which allows a change of angle of two degrees and the noise
# in a window of readings.
REST_SWING_M_S2 = 0.35
NOT_LEVEL = text("The plate is not level. Level it; then leave it alone.")
GO_ON = (TaskChoice(TaskAnswer.SKIP, text("Continue without the tilt sensor")),)


class Window(deque[Sequence[float]]):
    """The scans of the last ``duration_s`` seconds, newest last. A full window contains at least
    eight scans.
    """

    def __init__(self, profile: Profile, duration_s: float) -> None:
        super().__init__(maxlen=max(8, round(duration_s * profile.scans_per_s)))

    @property
    def full(self) -> bool:
        """True if the window contains enough scans for a measurement."""
        return len(self) == self.maxlen

    def means(self) -> list[float]:
        """Return the mean of each sensor's readings."""
        return [sum(series) / len(self) for series in zip(*self, strict=True)]

    def sigmas(self) -> list[float]:
        """Return the standard deviation of each sensor's readings."""
        known = zip(zip(*self, strict=True), self.means(), strict=True)
        return [sqrt(sum((x - mean) ** 2 for x in xs) / (len(self) - 1)) for xs, mean in known]

    def swing(self, index: int) -> float:
        """Return the difference between the highest and the lowest reading of one sensor."""
        series = [scan[index] for scan in self]
        return max(series) - min(series)


def _along(axis: Axis, vector: Vector) -> float:
    return vector["xyz".index(axis[1])] * (-1 if axis[0] == "-" else 1)


def _unit(vector: Vector) -> Vector:
    length = hypot(*vector) or 1.0
    return vector[0] / length, vector[1] / length, vector[2] / length


def up_axis(level: Vector) -> Axis:
    """Return the chip's axis that points up, from the reading ``level`` on the level plate (in any
    unit).
    """
    return max(AXES, key=lambda axis: _along(axis, level))


def is_level(level: Vector) -> bool:
    """Return whether one of the chip's axes points up, within the tolerance of the chip's zero-g
    offsets.
    """
    up = up_axis(level)
    most = LEVEL_RAD if up[1] == "z" else LEVEL_ON_EDGE_RAD
    return acos(min(1.0, _along(up, _unit(level)))) <= most


def _lean_rad(level: Vector, force: Vector) -> float:
    """Return the angle in radians between the two readings ``force`` and ``level``."""
    cosine = sum(a * b for a, b in zip(_unit(level), _unit(force), strict=True))
    return acos(min(1.0, max(-1.0, cosine)))


def _risen(level: Vector, lifted: Vector) -> Axis | None:
    """Return the chip's axis that points to the lifted edge, or None if it is unclear which edge
    was lifted.
    """
    (x, y, z), (a, b, c), up = _unit(lifted), _unit(level), up_axis(level)
    change = x - a, y - b, z - c
    flat = [axis for axis in AXES if axis[1] != up[1]]
    first, second, *_ = sorted(flat, key=lambda axis: _along(axis, change), reverse=True)
    askew = _along(second, change) > ASKEW_SHARE * _along(first, change)
    return None if askew else first


def refusal(edge: str, level: Vector, forces: Mapping[str, Vector]) -> Message | None:
    """Return the reason why the reading for ``edge`` is impossible, or None if the reading is
    possible. ``forces`` maps each lifted edge to its reading.
    """
    if _risen(level, forces[edge]) is None:
        return text(
            "A corner was lifted, or the tilt sensor lies askew. Lift the whole lit edge; if this"
            " comes again, turn the sensor until its sides lie along the rows."
        )
    if edge == EAST and NORTH in forces and mounting_of(level, forces) is None:
        return text(
            "The two edges contradict each other: you lifted a different edge than the lit one."
            " Lift both edges again."
        )
    return None


def mounting_of(level: Vector | None, forces: Mapping[str, Vector]) -> Mounting | None:
    """Return the chip's orientation, or None if an edge was not measured or if the readings
    contradict each other.
    """
    if level is None or len(forces) < len(EDGES):
        return None
    north, east = (_risen(level, forces[edge]) for edge in EDGES)
    if north is None or east is None:
        return None
    found = mounting(north, up_axis(level))
    return found if found.east == east else None


_WHERE: Mapping[Vector, Message] = {
    (1, 0, 0): text("to the east"),
    (-1, 0, 0): text("to the west"),
    (0, 1, 0): text("to the north"),
    (0, -1, 0): text("to the south"),
    (0, 0, 1): text("up"),
    (0, 0, -1): text("down"),
}


def describe(orientation: Mounting) -> Message:
    """Describe the chip's orientation in words: which way its face points, and where its printed
    arrows point.
    """
    if orientation == FLAT:
        return text("The tilt sensor lies as the wiring page shows.")
    return text(
        "The tilt sensor lies with its face {face} and its x arrow {arrow}.",
        face=_WHERE[orientation.on_plate((0, 0, 1))],
        arrow=_WHERE[orientation.on_plate((1, 0, 0))],
    )


def force_on_chip(frame: Frame, orientation: Mounting) -> Vector:
    """Return the reading of the tilt sensor along the sensor's own axes, in m/s2. Return zeros if
    there is no reading.
    """
    motion = frame.motion
    return (0.0, 0.0, 0.0) if motion is None else orientation.on_chip(motion.specific_force_m_s2)


def tilting(profile: Profile, progress: Progress, orientation: Mounting, edge: str) -> Asking:
    """Measure the tilt sensor. If ``edge`` is empty, the plate must be level; otherwise the edge
    that ``edge`` names must be lifted and held still. ``orientation`` is the orientation that the
    driver uses to convert readings.
    """
    along = range(0)
    say = text("Take everything off the plate, level it, and leave it alone.")
    if edge == NORTH:
        along = range(profile.size - profile.columns, profile.size)
        say = text(
            "Take the pieces off. Lift the lit edge, with the highest row, by a hand's width, and"
            " hold it still."
        )
    elif edge == EAST:
        along = range(profile.columns - 1, profile.size, profile.columns)
        say = text(
            "Level the plate. Lift the lit edge, with the last column, by a hand's width, and hold"
            " it still."
        )
    asks = SweepStep(say, lights=dict.fromkeys(along, TaskLight.LIFT))
    frame, _ = yield asks
    began_s, rest, levelled = frame.time_s, Window(profile, REST_S), False
    level = progress.level or (0.0, 0.0, 1.0)
    while True:
        now = force_on_chip(frame, orientation)
        rest.append(now)
        rests = rest.full and max(map(rest.swing, range(3))) <= REST_SWING_M_S2
        late = frame.time_s > began_s + HINT_AFTER_S
        levelled = levelled or _lean_rad(level, now) < LIFTED_RAD
        step = asks
        x, y, z = rest.means()
        held = x, y, z
        if not edge:
            if rests and is_level(held):
                step = SweepStep(say, known=replace(progress, level=held, edges={}))
            elif rests or late:
                why = NOT_LEVEL if rests else text("The tilt sensor does not come to rest.")
                step = SweepStep(say, why, choices=GO_ON)
        elif levelled and rests and _lean_rad(level, held) >= LIFTED_RAD:
            step = _judge_lift(asks, progress, edge, level, held)
        elif levelled and rests and late:
            missed = text("The tilt sensor has not noticed the {edge} edge.", edge=edge)
            step = SweepStep(say, missed, asks.lights, GO_ON)
        frame, _ = yield step


def _judge_lift(
    asks: SweepStep, progress: Progress, edge: str, level: Vector, held: Vector
) -> SweepStep:
    """Return the step after a lifted edge was measured: accepted, or refused with the reason."""
    known = progress.edges | {edge: held}
    why = refusal(edge, level, known)
    if why is None:
        return SweepStep(asks.say, known=replace(progress, edges=known))
    if edge == EAST and _risen(level, held) is not None:
        # Either of the two edges may have been measured wrongly, so both edges are measured again.
        return SweepStep(asks.say, why, asks.lights, known=replace(progress, edges={}))
    return SweepStep(asks.say, why, asks.lights, GO_ON)

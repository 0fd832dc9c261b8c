"""How the tilt sensor lies: its answer to the level plate and to two edges being lifted.

Level, it feels gravity's push along the axis that points up. With the north edge lifted, some of
that push turns to the axis that points north; with the east edge lifted, to the one that points
east.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from math import acos, hypot, radians, sqrt

from msgspec.structs import replace

from drivers.attitude import AXES, FLAT, Axis, Mounting, Vector, mounting
from drivers.frame import Frame
from firmware_host.commissioning.progress import Progress
from firmware_host.commissioning.tasks import (
    EAST,
    EDGES,
    NORTH,
    Answer,
    Ask,
    Attempt,
    Choice,
    Light,
    Outcome,
    Task,
)
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text

REST_S = 0.24
HINT_AFTER_S = 8.0  # until it is said what may keep something from coming to rest
LIFTED_RAD = radians(5.0)
ASKEW_SHARE = 0.5  # the other axis may show so much of what the right one shows
# A chip's zero-g offsets lie in its own plane (MPU-6050: 50 mg) and, worse, along its z (80 mg).
LEVEL_RAD = radians(4.5)
LEVEL_ON_EDGE_RAD = radians(6.0)
REST_SWING_M_S2 = 0.35  # two degrees, and the noise of a window's readings
NOT_LEVEL = text("The plate is not level. Level it; then leave it alone.")
LEVEL_IT = text("Take everything off the plate, level it, and leave it alone.")
LIFT_NORTH = text(
    "Take the pieces off. Lift the lit edge, with the highest row, by a hand's width, and hold it"
    " still."
)
LIFT_EAST = text(
    "Level the plate. Lift the lit edge, with the last column, by a hand's width, and hold it"
    " still."
)
GO_ON = Choice(Answer.SKIP, text("Go on without the tilt sensor"))


def scans(profile: Profile, duration_s: float) -> int:
    """How many of that table's scans last so long; at least eight."""
    return max(8, round(duration_s * profile.scans_per_s))


class Window(deque[Sequence[float]]):
    """Scans, newest last, as many as ``maxlen``."""

    @property
    def full(self) -> bool:
        """Whether enough scans are kept."""
        return len(self) == self.maxlen

    def means(self) -> list[float]:
        """Per sensor."""
        return [sum(series) / len(self) for series in zip(*self, strict=True)]

    def sigmas(self) -> list[float]:
        """Per sensor, the standard deviation."""
        known = zip(zip(*self, strict=True), self.means(), strict=True)
        return [sqrt(sum((x - mean) ** 2 for x in xs) / (len(self) - 1)) for xs, mean in known]

    def swing(self, index: int) -> float:
        """How far one sensor's readings lie apart."""
        series = [scan[index] for scan in self]
        return max(series) - min(series)


def up_axis(level: Vector) -> Axis:
    """The chip's axis that points up, from what it feels on the level plate (m/s2, or any unit)."""
    return _axis(max(range(3), key=lambda index: abs(level[index])), level)


def lean_rad(level: Vector, force: Vector) -> float:
    """How far ``force`` has turned away from ``level``."""
    cosine = sum(a * b for a, b in zip(_unit(level), _unit(force), strict=True))
    return acos(min(1.0, max(-1.0, cosine)))


def is_level(level: Vector) -> bool:
    """Whether one of the chip's axes points up, as near as its offsets let that be seen."""
    up = up_axis(level)
    upright = [0.0, 0.0, 0.0]
    upright["xyz".index(up[1])] = -1.0 if up[0] == "-" else 1.0
    most = LEVEL_RAD if up[1] == "z" else LEVEL_ON_EDGE_RAD
    return lean_rad((upright[0], upright[1], upright[2]), level) <= most


def risen(level: Vector, lifted: Vector) -> Axis | None:
    """The chip's axis that points to the edge which was lifted; None between two edges."""
    up = "xyz".index(up_axis(level)[1])
    change = [b - a for a, b in zip(_unit(level), _unit(lifted), strict=True)]
    change[up] = 0.0
    along = max(range(3), key=lambda index: abs(change[index]))
    across = hypot(*(value for index, value in enumerate(change) if index != along))
    return None if across > ASKEW_SHARE * abs(change[along]) else _axis(along, change)


def refusal(edge: str, level: Vector, forces: Mapping[str, Vector]) -> Message | None:
    """Why the answer to ``edge`` in ``forces`` (by edge) cannot be; None if it can."""
    axis = risen(level, forces[edge])
    if axis is None:
        return text(
            "A corner was lifted, or the tilt sensor lies askew. Lift the whole lit edge; if this"
            " comes again, turn the sensor until its sides lie along the rows."
        )
    if edge == EAST and NORTH in forces and mounting_of(level, forces) is None:
        return text(
            "The two edges contradict each other: another edge than the lit one was lifted. Both"
            " are asked for again."
        )
    return None


def mounting_of(level: Vector, forces: Mapping[str, Vector]) -> Mounting | None:
    """How the chip lies, once both edges were lifted; None if no chip can lie so."""
    north, east = (risen(level, forces[edge]) for edge in EDGES)
    if north is None or east is None:
        return None
    found = mounting(north, up_axis(level))
    return found if found.east == east else None


def describe(orientation: Mounting) -> Message:
    """How the chip lies, in words for somebody who looks at it and its printed arrows."""
    if orientation == FLAT:
        return text("The tilt sensor lies as the wiring page shows.")
    return text(
        "The tilt sensor lies with its face {face} and its x arrow {arrow}.",
        face=_WHERE[_points(orientation, "+z")],
        arrow=_WHERE[_points(orientation, "+x")],
    )


_WHERE = {
    "east": text("to the east"),
    "west": text("to the west"),
    "north": text("to the north"),
    "south": text("to the south"),
    "up": text("up"),
    "down": text("down"),
}
_BACK = {"east": "west", "north": "south", "up": "down"}


def _points(orientation: Mounting, axis: Axis) -> str:
    """Where one of the chip's axes points."""
    along = {"east": orientation.east, "north": orientation.north, "up": orientation.up}
    where = next(way for way, known in along.items() if known[1] == axis[1])
    return where if along[where] == axis else _BACK[where]


def _axis(index: int, vector: Vector | list[float]) -> Axis:
    return AXES[2 * index + (vector[index] < 0)]


def _unit(vector: Vector) -> Vector:
    length = hypot(*vector) or 1.0
    return vector[0] / length, vector[1] / length, vector[2] / length


def force_on_chip(frame: Frame, orientation: Mounting) -> Vector:
    """What the tilt sensor feels, in its own axes; nothing without one."""
    motion = frame.motion
    return (0.0, 0.0, 0.0) if motion is None else orientation.on_chip(motion.specific_force_m_s2)


class Tilting(Attempt):
    """The plate lies level, or one edge of it is lifted, and is held still.

    ``orientation``: of the tilt sensor, as it is read.
    """

    def __init__(
        self, profile: Profile, task: Task, progress: Progress, orientation: Mounting
    ) -> None:
        super().__init__(profile, task, progress)
        self._rest = Window(maxlen=scans(profile, REST_S))
        self._orientation = orientation
        self._since_s: float | None = None
        self._levelled = False
        north = range(profile.size - profile.columns, profile.size)
        east = range(profile.columns - 1, profile.size, profile.columns)
        along, self.say = {NORTH: (north, LIFT_NORTH), EAST: (east, LIFT_EAST)}.get(
            task.name, (range(0), LEVEL_IT)
        )
        self._lights = dict.fromkeys(along, Light.LIFT)

    def update(self, frame: Frame) -> Outcome:
        """Done once it is held still."""
        self._since_s = frame.time_s if self._since_s is None else self._since_s
        late = frame.time_s > self._since_s + HINT_AFTER_S
        now = force_on_chip(frame, self._orientation)
        self._rest.append(now)
        rests = self._rest.full and max(map(self._rest.swing, range(3))) <= REST_SWING_M_S2
        if self.task.ask is Ask.LEVEL:
            return self._level(rests=rests, late=late)
        level = self._progress.level or (0.0, 0.0, 1.0)
        self._levelled = self._levelled or lean_rad(level, now) < LIFTED_RAD
        if not self._levelled or not rests:
            return Outcome(lights=self._lights)
        return self._lifted(self.task.name, level, late=late)

    def _level(self, *, rests: bool, late: bool) -> Outcome:
        if rests:
            x, y, z = self._rest.means()
            if is_level((x, y, z)):
                return Outcome(replace(self._progress, level=(x, y, z), edges={}))
            return Outcome(refused=NOT_LEVEL, choices=(GO_ON,))
        if late:
            return Outcome(refused=text("The tilt sensor does not come to rest."), choices=(GO_ON,))
        return Outcome()

    def _lifted(self, edge: str, level: Vector, *, late: bool) -> Outcome:
        progress, (x, y, z) = self._progress, self._rest.means()
        if lean_rad(level, (x, y, z)) < LIFTED_RAD:
            if not late:
                return Outcome(lights=self._lights)
            missed = text("The tilt sensor has not noticed the {edge} edge.", edge=edge)
            return Outcome(None, missed, self._lights, (GO_ON,))
        known = progress.edges | {edge: (x, y, z)}
        why = refusal(edge, level, known)
        if why is None:
            return Outcome(replace(progress, edges=known), lights=self._lights)
        if edge == EAST and risen(level, (x, y, z)) is not None:
            # which of the two was wrong, nobody knows
            return Outcome(replace(progress, edges={}), why, self._lights)
        return Outcome(None, why, self._lights, (GO_ON,))

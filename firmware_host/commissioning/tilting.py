"""Tasks of the tilt sensor: the level plate, and two edges lifted."""

from __future__ import annotations

from msgspec.structs import replace

from drivers.attitude import Mounting, Vector
from drivers.frame import Frame
from firmware_host.commissioning import mounting, places, reasons
from firmware_host.commissioning.mounting import EAST, Edge
from firmware_host.commissioning.progress import Progress
from firmware_host.commissioning.sampling import HINT_AFTER_S, REST_S, Window, scans
from firmware_host.commissioning.step import Answer, Choice, Light, Outcome
from firmware_host.config.profile import Profile
from firmware_host.messages import text

REST_SWING_M_S2 = 0.35  # two degrees, and the noise of a window's readings
SKIP = Choice(Answer.SKIP, text("Go on without the tilt sensor"))


def force_on_chip(frame: Frame, orientation: Mounting) -> Vector:
    """What the tilt sensor feels, in its own axes; nothing without one."""
    motion = frame.motion
    return (0.0, 0.0, 0.0) if motion is None else orientation.on_chip(motion.specific_force_m_s2)


class Levelling:
    """The plate is level and at rest. ``say``: what to do; ``orientation``: as it is read."""

    def __init__(self, profile: Profile, orientation: Mounting) -> None:
        self._rest = Window(scans(profile, REST_S))
        self._orientation = orientation
        self._since_s: float | None = None
        self.say = text("Take everything off the plate, level it, and leave it alone.")

    def update(self, frame: Frame, progress: Progress) -> Outcome:
        """Done once it rests."""
        self._since_s = frame.time_s if self._since_s is None else self._since_s
        self._rest.push(force_on_chip(frame, self._orientation))
        if self._rest.full and max(map(self._rest.swing, range(3))) < REST_SWING_M_S2:
            x, y, z = self._rest.means()
            if mounting.is_level((x, y, z)):
                return Outcome(replace(progress, level=(x, y, z), edges={}))
            return Outcome(refused=reasons.NOT_LEVEL, choices=(SKIP,))
        if frame.time_s > self._since_s + HINT_AFTER_S:
            return Outcome(refused=text("The tilt sensor does not come to rest."), choices=(SKIP,))
        return Outcome()

    def answer(self, value: str, progress: Progress) -> Progress:
        """There is nothing to say."""
        del value
        return progress


class Lifting:
    """One edge is lifted. ``say``: which."""

    def __init__(self, profile: Profile, edge: Edge, orientation: Mounting) -> None:
        self._rest = Window(scans(profile, REST_S))
        self._edge = edge
        self._orientation = orientation
        self._lights = dict.fromkeys(places.along(profile, edge), Light.LIFT)
        self._since_s: float | None = None
        self._levelled = False
        self.say = reasons.lift_edge(edge)

    def update(self, frame: Frame, progress: Progress) -> Outcome:
        """Done once it is held still."""
        self._since_s = frame.time_s if self._since_s is None else self._since_s
        level, now = progress.level or (0.0, 0.0, 1.0), force_on_chip(frame, self._orientation)
        self._levelled = self._levelled or not mounting.is_lifted(level, now)
        self._rest.push(now)
        if (
            not self._levelled
            or not self._rest.full
            or max(map(self._rest.swing, range(3))) > REST_SWING_M_S2
        ):
            return Outcome(lights=self._lights)
        x, y, z = self._rest.means()
        if not mounting.is_lifted(level, (x, y, z)):
            if frame.time_s < self._since_s + HINT_AFTER_S:
                return Outcome(lights=self._lights)
            missed = text("The tilt sensor has not noticed the {edge} edge.", edge=self._edge.name)
            return Outcome(None, missed, self._lights, (SKIP,))
        known = progress.edges | {self._edge.name: (x, y, z)}
        why = mounting.refusal(self._edge, level, known)
        if why is None:
            return Outcome(replace(progress, edges=known), lights=self._lights)
        if self._edge is EAST and mounting.risen(level, (x, y, z)) is not None:
            # which of the two was wrong, nobody knows
            return Outcome(replace(progress, edges={}), why, self._lights)
        return Outcome(None, why, self._lights, (SKIP,))

    def answer(self, value: str, progress: Progress) -> Progress:
        """There is nothing to say."""
        del value
        return progress

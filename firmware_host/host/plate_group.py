"""The snapshot's group `plate`: sensors, pieces and lights, and their calibration."""

from __future__ import annotations

import math

import msgspec

from tiltboard.drivers.frame import Motion
from tiltboard.firmware_host.commissioning.tasks import TaskChoice
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.host.modes import Modes
from tiltboard.firmware_host.host.output import Output
from tiltboard.firmware_host.host.sensing import ScanResult
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.hands import BrokenInfo, HandsPort, LoosePiece
from tiltboard.firmware_host.table.problem_messages import unread
from tiltboard.firmware_host.table.snapshot_groups import in_degrees


class CalibrationInfo(msgspec.Struct, frozen=True):
    """A calibration that is running or was interrupted."""

    running: bool
    """True if the calibration is running. An interrupted calibration can be continued."""
    done: int
    """Number of completed steps of the calibration."""
    total: int
    """Total number of steps of the calibration."""
    stage: str = ""
    """Stage of the calibration: lights, buttons, edges, empty, places, kinds or done."""
    say: Message | None = None
    """The calibration's present instruction to people, or None."""
    refused: Message | None = None
    """The reason why the last measurement was rejected, or None."""
    place: str | None = None
    """The place of the plate to measure now, or None."""
    choices: list[TaskChoice] = []
    """The possible answers. The button confirm gives the first answer, and back the second."""

    @classmethod
    def of(cls, modes: Modes, profile: Profile) -> CalibrationInfo | None:
        """Return the running or interrupted calibration, or None."""
        if modes.sweep is None:
            return None if modes.left is None else cls(False, *modes.left)
        step = modes.sweep.step
        place = None if step.task is None else step.task.place
        return cls(
            running=True,
            done=step.done,
            total=step.total,
            stage=step.stage,
            say=step.say,
            refused=step.refused,
            place=None if place is None else profile.places[place],
            choices=list(step.choices),
        )


class MotionInfo(msgspec.Struct, frozen=True):
    """Readings of the tilt sensor along east, north and up."""

    force_m_s2: tuple[float, float, float]
    """Specific force along east, north and up, in m/s^2."""
    rate_rad_s: tuple[float, float, float]
    """Rate of turn about east, north and up, in rad/s."""

    @classmethod
    def of(cls, motion: Motion) -> MotionInfo:
        """Return the readings of ``motion``, rounded."""
        fx, fy, fz = (round(each, 2) for each in motion.specific_force_m_s2)
        rx, ry, rz = (round(each, 3) for each in motion.rate_rad_s)
        return cls((fx, fy, fz), (rx, ry, rz))


class Sensors(msgspec.Struct, frozen=True):
    """Readings of the sensors, in the order of the plate's places."""

    field_mt: list[float]
    """Magnetic field at each sensor in mT, positive for a south pole."""
    confidence: list[float]
    """Confidence in the magnet class of each place, from 0 to 1."""
    magnets: list[str]
    """Magnet class of each place."""
    unsure: list[int]
    """Indices of the places whose magnet class is uncertain."""
    masked: dict[str, Message] = {}
    """Place -> reason why the readings of its sensor are ignored."""
    motion: MotionInfo | None = None
    """Readings of the tilt sensor, or None if there is no tilt sensor."""
    spin_deg: int = 0
    """Angle of a spinning plate in degrees, counted from east towards north."""

    @classmethod
    def of(cls, look: ScanResult, profile: Profile) -> Sensors:
        """Return the readings of a scan."""
        observation, motion = look.observation, look.frame.motion
        masked = {profile.places[index]: why for index, why in observation.faulty.items()}
        return cls(
            field_mt=[round(value, 2) for value in observation.field_mt],
            confidence=[round(value, 2) for value in observation.confidence],
            magnets=[magnet.value for magnet in observation.magnets],
            unsure=sorted(observation.unsure),
            masked={place: unread(why, place) for place, why in masked.items()},
            motion=None if motion is None else MotionInfo.of(motion),
            spin_deg=round(math.degrees(motion.spin_rad)) if motion and profile.spins else 0,
        )


class PlateGroup(msgspec.Struct, frozen=True):
    """The part of a snapshot with readings, pieces and lights."""

    cells: dict[str, str]
    """Place -> piece that the sensors detect."""
    offsets: dict[str, tuple[float, float, float]]
    """Place of the plate -> position of the piece on that place, as three numbers in mm. The first
    two are the distances east and north of the place's centre. The third is the radius of the
    circle that contains the piece in 95 of 100 cases.
    """
    stillness: str
    """Motion of the plate: still, moving, tilted or unknown."""
    tilt_deg: tuple[float, float]
    """Tilt about x and y in degrees, right-handed."""
    lights: str
    """Colours of the lights in hex, three bytes (red, green, blue) for each place. The colours are
    those last written to the strip, after gamma, brightness and current limit. All lights are dark
    while they show a code.
    """
    dimmed: float
    """Fraction of the full brightness to which the power supply limits the lights, from 0 to 1."""
    pieces: list[LoosePiece]
    """The pieces and their positions, on a table whose pieces the page can move."""
    broken: list[BrokenInfo]
    """Injected faults that have not been removed."""
    calibration: CalibrationInfo | None
    """The running or interrupted calibration, or None."""
    sensors: Sensors | None
    """Readings of the sensors, or None if the page does not show the readings."""

    @classmethod
    def of(
        cls,
        profile: Profile,
        look: ScanResult,
        output: Output,
        modes: Modes,
        hands: HandsPort | None,
    ) -> PlateGroup:
        """Return the group after the scan ``look``. ``hands``: the simulated hands of a table whose
        pieces the page can move, or None.
        """
        seen = look.observation
        return cls(
            cells=dict(look.sight.cells),
            offsets={
                profile.places[index]: (
                    round(at.east_mm, 1),
                    round(at.north_mm, 1),
                    round(at.within_mm, 1),
                )
                for index, at in seen.positions.items()
            },
            stillness=seen.stillness.value,
            tilt_deg=in_degrees(seen.tilt_rad),
            lights=output.lights().hex(),
            dimmed=round(output.dimmed, 3),
            pieces=[] if hands is None else list(hands.loose()),
            broken=[] if hands is None else list(hands.broken()),
            calibration=CalibrationInfo.of(modes, profile),
            sensors=Sensors.of(look, profile),
        )

"""Reads and interprets one scan: from sensor values to the pieces on the plate, and faults."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tiltboard.drivers.errors import PartError, PartReadingError
from tiltboard.drivers.frame import Frame
from tiltboard.drivers.plate import LAST_RETRY_S, Plate
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.perception.calibration import Calibration, CalibrationStore
from tiltboard.firmware_host.perception.perception import Perception
from tiltboard.firmware_host.table.buttons import BACK, ButtonPress, Buttons
from tiltboard.firmware_host.table.commands import GameRequest
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.scan_timing import ScanWatch
from tiltboard.firmware_host.table.sight import Observation, Sight
from tiltboard.games.base import Position
from tiltboard.ground.clock import Clock

# Minimum upward force in m/s^2 that an upright tilt sensor measures. A plate that is tilted by less
# than 45 degrees measures at least this force.
UPRIGHT_M_S2 = 7.0
ASKEW_S = 3.0
# Minimum duration, in seconds, of a fault that follows another fault of the same part, for the
# second fault to be logged. The duration is longer than the delay before a retry, so a part that
# has just been plugged in causes no log entry.
LASTS_S = LAST_RETRY_S + 0.5

_log = logging.getLogger(__name__)


_ASKEW = PartReadingError(
    "imu",
    "The tilt sensor does not lie as the table thinks.",
    remedy="If the plate is level, run the sweep: it finds out how the sensor lies.",
)


class FrameWatch:
    """Detects two faults that occur although every part answers: late scans, and a wrongly mounted
    tilt sensor. The sensor counts as wrongly mounted if the measured gravity contradicts the
    sensor's mounting for longer than a person holds a plate on its edge.
    """

    def __init__(self) -> None:
        self._scans = ScanWatch()
        self._askew_since_s: float | None = None

    def update(self, frame: Frame) -> Sequence[PartError]:
        """Process one scan, and return the present faults."""
        now_s, motion, busy = frame.time_s, frame.motion, self._scans.update(frame)
        if motion is None or motion.specific_force_m_s2[2] > UPRIGHT_M_S2:
            self._askew_since_s = None
        elif self._askew_since_s is None:
            self._askew_since_s = now_s
        found = [] if busy is None else [busy]
        askew_since_s = self._askew_since_s
        if askew_since_s is not None and now_s - askew_since_s >= ASKEW_S:
            found.append(_ASKEW)
        return found


@dataclass(slots=True)
class _Trouble:
    fault: PartError
    since_s: float
    reported: bool


class FaultLog:
    """Logs each fault once when it appears and once when it is over. A fault is logged only once
    even if it affects many parts or the numbers in its message change.

    If a fault follows another fault of the same part, it is logged only if it lasts. The reason is
    that a part that has just been plugged in does not answer immediately.
    """

    def __init__(self) -> None:
        self._known: dict[str, _Trouble] = {}
        self._ill: set[str] = set()

    def update(self, faults: Sequence[PartError], now_s: float) -> None:
        """Process the faults of one scan, and log the changes."""
        if not faults and not self._known:
            return
        before, self._known = self._known, {}
        ill, self._ill = self._ill, {fault.part for fault in faults}
        for problem, fault in {fault.problem: fault for fault in faults}.items():
            # Compare faults without their numbers, because the numbers in a message can change.
            kind = fault.part, fault.template
            known = (t for t in before.values() if (t.fault.part, t.fault.template) == kind)
            trouble = before.get(problem) or next(known, _Trouble(fault, now_s, reported=False))
            trouble.fault = fault
            if not trouble.reported and (
                fault.part not in ill or now_s - trouble.since_s >= LASTS_S
            ):
                trouble.reported = True
                _log.warning("%s", fault)
            self._known[problem] = trouble
        going_on = [id(trouble) for trouble in self._known.values()]
        for trouble in before.values():
            if trouble.reported and id(trouble) not in going_on:
                _log.warning("Over: %s", trouble.fault.problem)


@dataclass(frozen=True, slots=True)
class ScanResult:
    """One scan at the time ``now_s``: the sensor readings (frame), their interpretation
    (observation), and the resulting places and pieces of the game (sight).
    """

    frame: Frame
    observation: Observation
    sight: Sight
    presses: tuple[ButtonPress, ...]
    now_s: float
    back_held_s: float
    """Time for which the button back has been held, in seconds."""
    done: tuple[GameRequest, ...]
    """Requests that were carried out since the previous scan."""


class Sensing:
    """The sensors of one table, and the calibration that improves with each reading."""

    perception: Perception
    """Interprets the readings of the sensors; created by ``start``."""

    def __init__(
        self,
        profile: Profile,
        plate: Plate,
        calibration: CalibrationStore,
        clock: Clock,
        scanned: Callable[[], None],
    ) -> None:
        """Set up the sensing. ``scanned``: called at the start of each scan."""
        self._scanned = scanned
        self._profile = profile
        self._plate = plate
        self._clock = clock
        self.calibration = calibration
        self._watch = FrameWatch()
        self._fault_log = FaultLog()
        self._buttons = Buttons()
        plate.mount(calibration.orientation)

    def start(self, overlay: Overlay, position: Position) -> None:
        """Start perception with the calibration, expecting the pieces of ``position``."""
        self._classes = overlay.classes
        self.perception = Perception(
            self._profile,
            self.calibration.loaded,
            classes=overlay.classes,
            expected=overlay.magnets(position.cells),
        )

    def recalibrate(self, found: Calibration, overlay: Overlay, position: Position) -> None:
        """Use the calibration ``found`` from now on."""
        self.calibration.replace(found)
        self._plate.mount(found.orientation)
        self.start(overlay, position)

    def look(self, overlay: Overlay, done: tuple[GameRequest, ...], *, tilted: bool) -> ScanResult:
        """Read and interpret one scan. ``done``: requests that were carried out since the previous
        scan. ``tilted``: True if the plate is tilted on purpose, so that a piece slides.
        """
        self._scanned()
        frame = self._plate.scan()
        now_s = self._clock.now()
        perception = self.perception
        if overlay.classes != self._classes:  # The new game uses other classes of magnets.
            self._classes = overlay.classes
            perception.set_classes(overlay.classes)
        observation = perception.observe(frame, tilted=tilted)
        if observation.ready and self.calibration.is_due(perception.revision, now_s):
            self.calibration.save(perception.calibration, perception.revision, now_s)
        faults = (*frame.faults, *self._watch.update(frame))
        self._fault_log.update(faults, now_s)
        presses = tuple(self._buttons.update(frame.pressed, frame.time_s))
        held_s = self._buttons.held_s(BACK, frame.time_s)
        sight = overlay.sight(observation, faults)
        return ScanResult(frame, observation, sight, presses, now_s, held_s, done)

"""From the plate to what stands where: one scan through perception, in the words of the game."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.clock import Clock
from drivers.errors import PartError
from drivers.frame import Frame
from drivers.plate import Plate
from firmware_host.config.profile import Profile
from firmware_host.host.fault_watch import FaultLog, MountingWatch, ScanWatch
from firmware_host.perception import Perception
from firmware_host.perception.calibration import Calibration
from firmware_host.perception.calibration_store import CalibrationStore
from firmware_host.table.buttons import Buttons, Press
from firmware_host.table.observation import Magnet, Observation
from firmware_host.table.overlay import Overlay
from firmware_host.table.sight import Sight
from games.base import Position


@dataclass(frozen=True, slots=True)
class Look:
    """One scan, at ``now_s``: as read, as perceived, and as the game has it."""

    frame: Frame
    observation: Observation
    sight: Sight
    presses: tuple[Press, ...]
    now_s: float


class Sensing:
    """The sensors of one table, and the calibration that it learns as it reads them."""

    def __init__(
        self, profile: Profile, plate: Plate, calibration: CalibrationStore, clock: Clock
    ) -> None:
        self._profile = profile
        self._plate = plate
        self._clock = clock
        self.calibration = calibration
        self._perception: Perception | None = None
        self._watches = (ScanWatch(), MountingWatch())
        self._fault_log = FaultLog()
        self._buttons = Buttons()
        plate.mount(calibration.orientation)

    @property
    def perception(self) -> Perception:
        """What reads the sensors."""
        if self._perception is None:
            raise RuntimeError("the host has no game yet")
        return self._perception

    def expect(self, overlay: Overlay, position: Position) -> None:
        """The pieces of another game. At first, ``position`` is expected to stand there."""
        if self._perception is None:
            self._perception = Perception(
                self._profile,
                self.calibration.loaded,
                classes=overlay.classes,
                expected=overlay.magnets(position.cells),
            )
        else:
            self._perception.set_classes(overlay.classes)

    def recalibrate(self, found: Calibration, overlay: Overlay, position: Position) -> None:
        """Read the sensors by ``found`` from now on."""
        self.calibration.replace(found)
        self._plate.mount(found.orientation)
        self._perception = None
        self.expect(overlay, position)

    def believe(self, index: int, magnet: Magnet) -> None:
        """What a person says stands on a place that no sensor sees."""
        self.perception.believe(index, magnet)

    def look(self, overlay: Overlay, *, tilted: bool) -> Look:
        """Scan once. ``tilted``: the plate is tilted on purpose, so that a piece slides."""
        frame = self._plate.scan()
        now_s = self._clock.now()
        perception = self.perception
        observation = perception.observe(frame, tilted=tilted)
        self.calibration.keep(perception, ready=observation.ready, now_s=now_s)
        watched = (watch.update(frame) for watch in self._watches)
        faults: tuple[PartError, ...] = (*frame.faults, *(each for each in watched if each))
        self._fault_log.update(faults, now_s)
        presses = tuple(self._buttons.update(frame.pressed, frame.time_s))
        return Look(frame, observation, overlay.sight(observation, faults), presses, now_s)

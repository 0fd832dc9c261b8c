"""Keeps the calibration on disk as it improves, without writing all the time."""

from __future__ import annotations

import logging
from pathlib import Path

from drivers.attitude import FLAT, Mounting
from firmware_host.config.errors import ConfigError
from firmware_host.config.profile import Profile
from firmware_host.perception import Perception
from firmware_host.perception.calibration import (
    Calibration,
    read_calibration,
    write_calibration,
)

SAVE_EVERY_S = 300.0

_log = logging.getLogger(__name__)


class CalibrationStore:
    """One calibration file. A damaged one is logged and replaced: sensors are zeroed anyway."""

    def __init__(self, path: Path, profile: Profile) -> None:
        self._path = path
        self._profile = profile
        self._saved_s: float | None = None
        self._failed = False
        self._learnt = 0
        self.loaded: Calibration | None = None
        try:
            self.loaded = read_calibration(path, profile)
        except ConfigError as error:
            _log.warning("%s", error)

    @property
    def orientation(self) -> Mounting:
        """How the tilt sensor lies; as the wiring page asks for where that is not known."""
        return FLAT if self.loaded is None else self.loaded.orientation

    @property
    def light_at(self) -> tuple[int, ...]:
        """The light on the strip under each place."""
        own = tuple(map(self._profile.light_of, range(self._profile.size)))
        return own if self.loaded is None else self.loaded.lights or own

    def replace(self, calibration: Calibration) -> None:
        """From now on this one is the table's."""
        self.loaded = calibration
        self._write(calibration)

    def keep(self, perception: Perception, *, ready: bool, now_s: float) -> None:
        """Save when the sensors have just been zeroed, every few minutes from then on, and at once
        what was learnt about sensors that fail.
        """
        saved_s = self._saved_s
        due = saved_s is None or now_s >= saved_s + SAVE_EVERY_S
        if not ready or not (due or perception.learnt != self._learnt):
            return
        self._saved_s = now_s
        self._learnt = perception.learnt
        self._write(perception.calibration)

    def _write(self, calibration: Calibration) -> None:
        try:
            write_calibration(self._path, calibration)
            self._failed = False
        except OSError as error:
            if not self._failed:
                _log.warning("The calibration cannot be saved: %s", error)
            self._failed = True

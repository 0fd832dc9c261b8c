"""What the game waits for: while the table is calibrated, or played with freely."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from firmware_host.commissioning.running import TableSweep, unfinished
from firmware_host.config.errors import NotPossibleError
from firmware_host.config.profile import Profile
from firmware_host.host.free import FreePlay
from firmware_host.host.sensing import Look, Sensing
from firmware_host.perception.calibration import Calibration
from firmware_host.table.commands import Calibrate
from firmware_host.table.overlay import Overlay
from firmware_host.table.standing import Asked, Sound, Standing
from games.base import Game


class Upkeep:
    """``sweep``: the calibration that goes on, and ``left``: how much of an interrupted one is
    done, and of how much. ``free``: while people play without rules. ``asked``: what somebody is to
    do besides playing; may be set.
    """

    def __init__(self, profile: Profile, folder: Path) -> None:
        self._profile = profile
        self._folder = folder
        self.sweep: TableSweep | None = None
        self.left = unfinished(profile, folder)
        self.free: FreePlay | None = None
        self.asked: Asked | None = None

    @property
    def why(self) -> NotPossibleError | None:
        """Why the game waits; None where it does not."""
        if self.sweep is not None:
            return NotPossibleError(
                "The game waits while the table is calibrated.", remedy="End the calibration first."
            )
        if self.free is not None:
            return NotPossibleError(
                "The game waits while you play freely.", remedy="Go back to the game first."
            )
        return None

    def calibrate(self, command: Calibrate, sensing: Sensing) -> None:
        """Begin a sweep, or measure something again in the one that goes on."""
        self.free = None
        if self.sweep is not None and command.again is not None:
            self.sweep.measure_again(command.again)
        elif self.sweep is None or command.fresh:
            self.sweep = TableSweep(
                self._profile,
                self._folder,
                command.again,
                fresh=command.fresh,
                known=sensing.calibration.loaded,
            )

    def stop_calibrating(self) -> None:
        """What has been measured is kept for the next time."""
        self.sweep = self.asked = None
        self.left = unfinished(self._profile, self._folder)

    def step(
        self, look: Look, standing: Standing, game: Game, overlay: Overlay, calendar_s: float
    ) -> tuple[Standing, Calibration | None]:
        """One scan of what goes on; the calibration that a sweep has found, once it is done."""
        if self.sweep is not None:
            accepted = self.sweep.update(look.frame).accepted
            self.asked = self.sweep.asked(overlay)
            found = self.sweep.calibration(calendar_s)
            return replace(standing, sounds=(Sound.MOVE,) if accepted else ()), found
        if self.free is not None:
            return self.free.standing(standing, look.sight, game, overlay), None
        return standing, None

"""A sweep while the service runs: the game waits, the page and the lights lead."""

from __future__ import annotations

import logging
from pathlib import Path

from drivers.frame import Frame
from drivers.lights import Colour
from firmware_host.commissioning.account import calibration_of
from firmware_host.commissioning.begin import begin, measured_again
from firmware_host.commissioning.progress import PROGRESS_NAME, write_progress
from firmware_host.commissioning.step import Light, Step
from firmware_host.commissioning.sweep import Sweep
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import Calibration, uncalibrated
from firmware_host.table.overlay import Overlay
from firmware_host.table.standing import Asked, Role

_log = logging.getLogger(__name__)

ROLES = {
    Light.TARGET: Role.PUT,
    Light.DONE: Role.LEGAL,
    Light.WRONG: Role.WRONG,
    Light.LIFT: Role.LIFT,
}


class TableSweep:
    """A Sweep that is fed with the host's scans. ``folder``: where its progress is kept.

    ``again``, ``fresh``: as for ``begin``, whose errors it raises. ``known``: what is known of the
    table, as its plate is scanned.
    """

    def __init__(
        self,
        profile: Profile,
        folder: Path,
        again: str | None = None,
        *,
        fresh: bool = False,
        known: Calibration | None,
    ) -> None:
        self._profile = profile
        self._path = folder / PROGRESS_NAME
        progress = begin(profile, folder, again=again, fresh=fresh)
        self._proven = set(progress.wanted)
        self._before = known = known or uncalibrated(profile)
        self._sweep = Sweep(profile, progress, orientation=known.orientation, lights=known.lights)

    @property
    def step(self) -> Step:
        """How it stands after the last scan."""
        return self._sweep.step

    def update(self, frame: Frame, overlay: Overlay) -> Asked:
        """Take one scan in; what to show. ``overlay`` names the places, as the page knows them."""
        step = self._sweep.update(frame)
        if step.accepted or step.task is None:
            self._keep()
        say = step.say if step.refused is None else _both(step.refused, step.say)
        counted = text(
            "Sweep, {count} of {total}: {say}", count=step.done, total=step.total, say=say
        )
        lights = step.lights.items()
        return Asked(counted, {overlay.places[i]: ROLES[x] for i, x in lights if x in ROLES})

    def answer(self, value: str) -> None:
        """One of the choices of the last step. Raises NotPossibleError."""
        self._sweep.answer(value)

    def measure_again(self, again: str) -> None:
        """That place, or that part, next. Raises NotPossibleError."""
        progress = measured_again(self._profile, self._sweep.progress, again)
        self._proven |= set(progress.wanted)
        self._sweep.go_on_from(progress)

    @property
    def strip(self) -> list[Colour]:
        """What the lights show, by position on the strip."""
        return self._sweep.strip

    def result(self, made_s: float) -> Calibration | None:
        """What is known of the table, once the sweep has come to its end."""
        if not self._sweep.done:
            return None
        progress = self._sweep.progress
        return calibration_of(
            self._profile, progress, made_s, before=self._before, proven=self._proven
        )

    def _keep(self) -> None:
        try:
            write_progress(self._path, self._sweep.progress)
        except OSError as error:
            _log.warning("The sweep's progress cannot be saved: %s", error)


def _both(why: Message, say: Message) -> Message:
    return text("{why} {say}", why=why, say=say)

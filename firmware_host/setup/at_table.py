"""A calibration while the service runs: the game waits, the page and the lights lead."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drivers.frame import Frame
from drivers.mounting import Mounting
from firmware_host.buttons import CONFIRM, Press
from firmware_host.messages import Message, text
from firmware_host.overlay import Overlay
from firmware_host.perception.calibration import Calibration
from firmware_host.profile import Profile
from firmware_host.setup.advice import Advice, Light
from firmware_host.setup.progress import PROGRESS_NAME, write_progress
from firmware_host.setup.starting import begin, measure_again
from firmware_host.standing import Asked, Role

_log = logging.getLogger(__name__)

ROLES = {
    Light.TARGET: Role.PUT,
    Light.DONE: Role.LEGAL,
    Light.WRONG: Role.WRONG,
    Light.LIFT: Role.LIFT,
}


@dataclass(frozen=True, slots=True)
class Step:
    """How a calibration stands after a scan: so many things of ``total`` are ``done``."""

    advice: Advice
    done: int
    total: int


class TableCalibration:
    """Feeds a Calibrator with the host's scans. ``folder``: where its progress is kept.

    ``again``, ``fresh``, ``lies``: as for ``starting.begin``, whose errors it raises. ``last``: how
    it stands.
    """

    def __init__(
        self,
        profile: Profile,
        folder: Path,
        again: str | None = None,
        *,
        fresh: bool = False,
        lies: Mounting,
    ) -> None:
        self._profile = profile
        self._path = folder / PROGRESS_NAME
        self._calibrator = begin(profile, folder, again=again, fresh=fresh, lies=lies)
        self.last: Step | None = None

    def step(self, frame: Frame, presses: Sequence[Press], overlay: Overlay) -> Asked:
        """Take one scan in; what to show. ``overlay`` names the places, as the page knows them."""
        if any(press.button == CONFIRM for press in presses):
            self.confirm()
        advice = self._calibrator.step(frame)
        if advice.accepted or advice.done:
            self._keep()
        total = self._calibrator.total
        self.last = step = Step(advice, total - self._calibrator.remaining, total)
        say = text(
            "Calibration, {count} of {total}: {say}", count=step.done, total=total, say=both(advice)
        )
        return Asked(say, {overlay.places[i]: ROLES[light] for i, light in advice.lights.items()})

    def confirm(self) -> None:
        """What ``Advice.confirm`` says is so."""
        self._calibrator.confirm()

    def measure_again(self, again: str) -> None:
        """That place, or the edges, next. Raises NotPossibleError."""
        measure_again(self._calibrator, self._profile, again)

    def result(self, made_s: float) -> Calibration | None:
        """The calibration, once it has come to its end."""
        if self.last is None or not self.last.advice.done:
            return None
        return self._calibrator.result(made_s)

    def _keep(self) -> None:
        try:
            write_progress(self._path, self._calibrator.progress)
        except OSError as error:
            _log.warning("The calibration's progress cannot be saved: %s", error)


def both(advice: Advice) -> Message:
    """What to do; and why the last try was not taken."""
    if advice.refused is None:
        return advice.say
    return text("{why} {say}", why=advice.refused, say=advice.say)

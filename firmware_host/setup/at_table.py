"""A calibration while the service runs: the game waits, the page and the lights lead."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from drivers.frame import Frame
from firmware_host.buttons import CONFIRM, Press
from firmware_host.errors import NotPossibleError
from firmware_host.messages import Message, text
from firmware_host.overlay import Overlay
from firmware_host.perception.calibration import Calibration
from firmware_host.profile import Profile
from firmware_host.setup.calibrate import Advice, Calibrator, Light
from firmware_host.setup.progress import PROGRESS_NAME, read_progress, write_progress
from firmware_host.standing import Asked, Role

_log = logging.getLogger(__name__)

ROLES = {
    Light.TARGET: Role.PUT,
    Light.DONE: Role.LEGAL,
    Light.WRONG: Role.WRONG,
    Light.LIFT: Role.LIFT,
}


class TableCalibration:
    """Feeds a Calibrator with the host's scans. ``folder``: where its progress is kept.

    ``again``: the only place to be measured. Raises NotPossibleError for one that is not there, or
    before the first whole calibration. ``advice``: the last.
    """

    def __init__(self, profile: Profile, folder: Path, again: str | None = None) -> None:
        self._path = folder / PROGRESS_NAME
        progress = read_progress(self._path, profile)
        place: int | None = None
        if again is not None:
            if again not in profile.places:
                raise NotPossibleError("There is no place {place!r} on this plate.", place=again)
            if progress is None:
                raise NotPossibleError(
                    "The table has not been calibrated yet.", remedy="Calibrate the whole table."
                )
            place = profile.places.index(again)
        elif progress is not None and Calibrator(profile, progress).remaining == 1:
            progress = None  # the last one came to its end
        self._calibrator = Calibrator(profile, progress, again=place)
        self.advice: Advice | None = None

    def step(self, frame: Frame, presses: Sequence[Press], overlay: Overlay) -> Asked:
        """Take one scan in; what to show. ``overlay`` names the places, as the page knows them."""
        if any(press.button == CONFIRM for press in presses):
            self._calibrator.skip()
        self.advice = advice = self._calibrator.step(frame)
        if advice.accepted:
            self._keep()
        total = self._calibrator.total
        say = text(
            "Calibration, {count} of {total}: {say}",
            count=total - self._calibrator.remaining,
            total=total,
            say=_both(advice),
        )
        return Asked(say, {overlay.places[i]: ROLES[light] for i, light in advice.lights.items()})

    def result(self, made_s: float) -> Calibration | None:
        """The calibration, once it has come to its end."""
        if self.advice is None or not self.advice.done:
            return None
        return self._calibrator.result(made_s)

    def _keep(self) -> None:
        try:
            write_progress(self._path, self._calibrator.progress)
        except OSError as error:
            _log.warning("The calibration's progress cannot be saved: %s", error)


def _both(advice: Advice) -> Message:
    """What to do; and why the last try was not taken."""
    if advice.refused is None:
        return advice.say
    return text("{why} {say}", why=advice.refused, say=advice.say)

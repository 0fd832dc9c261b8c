"""How a sweep begins, and runs: on a plate of its own, or while the service runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from drivers.attitude import FLAT
from drivers.frame import Frame
from drivers.plate import Plate
from firmware_host.commissioning.account import to_mend
from firmware_host.commissioning.progress import (
    FORMAT,
    PROGRESS_NAME,
    Part,
    Progress,
    read_progress,
    write_progress,
)
from firmware_host.commissioning.sweep import Sweep
from firmware_host.commissioning.tasks import EDGES, Light, Step, tasks
from firmware_host.config.errors import NotPossibleError
from firmware_host.config.profile import Profile
from firmware_host.messages import nearest, text
from firmware_host.perception.calibration import Calibration
from firmware_host.table.overlay import Overlay
from firmware_host.table.standing import Asked, Role

ALL = tuple(Part)
ACCEPTED_HZ = 1046.5
TRIED_HZ = 880.0  # the buzzer
TONE_S = 0.08
_log = logging.getLogger(__name__)
ROLES = {
    Light.TARGET: Role.PUT,
    Light.DONE: Role.LEGAL,
    Light.WRONG: Role.WRONG,
    Light.LIFT: Role.LIFT,
}


def begin(
    profile: Profile,
    folder: Path,
    parts: Sequence[Part] = ALL,
    *,
    again: str | None = None,
    fresh: bool = False,
    practice: Sequence[str] = (),
) -> Progress:
    """What a sweep of ``parts`` begins with, of what is kept in ``folder``.

    One that was interrupted goes on; of one that has come to its end, what did not come out well is
    done again; if all did, everything is. ``again``: that place, or that part, and nothing else.
    ``fresh``: forget everything. ``practice``: how the simulated table is wired wrongly. Raises
    NotPossibleError.
    """
    known = None if fresh else read_progress(folder / PROGRESS_NAME, profile)
    nothing = Progress(FORMAT, profile.name, practice=tuple(practice))
    if again is not None:
        return measured_again(profile, replace(known or nothing, wanted=()), again)
    if known is None or known.practice != nothing.practice:
        known = nothing
    if profile.imu is not None and len(known.edges) < len(EDGES):
        parts = [part for part in ALL if part in parts or part is Part.EDGES]
    going_on = {part for part in known.wanted if part in parts}
    todo = {part for part in to_mend(known) if part in parts} - going_on
    for part in todo if todo or going_on else parts:
        # of the places, only those that were left out
        left_out = part is Part.PLACES and known.broken
        known = replace(known, broken=()) if left_out else known.without(part)
        going_on.add(part)
    return _anew(replace(known, wanted=tuple(part for part in ALL if part in going_on)))


def measured_again(profile: Profile, progress: Progress, again: str) -> Progress:
    """``progress`` with one place, or one part, to be done next. Raises NotPossibleError."""
    check_again(profile, again)
    if again in profile.places:
        if not progress.inputs:
            raise NotPossibleError(
                "The places of this table have not been measured yet.",
                remedy="Measure all of them: tiltboard calibrate",
            )
        part = Part.PLACES
        progress = progress.without_place(profile.places.index(again))
    else:
        part = Part(again)
        progress = progress.without(part)
    wanted = tuple(p for p in ALL if p is part or p in progress.wanted)
    return _anew(replace(progress, wanted=wanted))


def unfinished(profile: Profile, folder: Path) -> tuple[int, int] | None:
    """How much of an interrupted sweep is done, and of how much; None if there is none."""
    progress = read_progress(folder / PROGRESS_NAME, profile)
    if progress is None:
        return None
    done = [known for _, known in tasks(progress, profile)]
    return (sum(done), len(done)) if any(done) and not all(done) else None


def check_again(profile: Profile, again: str) -> None:
    """Raise NotPossibleError for a place or a part that the table does not have."""
    there = {
        Part.LIGHTS: profile.lights,
        Part.BUTTONS: profile.panel,
        Part.EDGES: profile.imu,
        Part.PLACES: profile.hall,
    }
    known = [*profile.places, *(part for part, config in there.items() if config is not None)]
    if again not in known:
        raise NotPossibleError(
            "There is no place and no part {place!r} on this table; {hint}",
            place=again,
            hint=nearest(again, known),
        )


def _anew(progress: Progress) -> Progress:
    """The empty plate is always measured anew before a piece is put on it."""
    if Part.PLACES not in progress.wanted:
        return progress
    return replace(progress, offset_mt=(), noise_mt=(), last=None)


def run_sweep(
    sweep: Sweep,
    plate: Plate,
    wait: Callable[[], None],
    tell: Callable[[Step], str | None],
    save: Callable[[], None],
) -> None:
    """Until everything is done. ``wait``: until the next scan is due; ``tell``: after each scan,
    the answer to it, if there is one; ``save``: keep the sweep's progress.
    """
    silent_s = 0.0
    while True:
        frame = plate.scan()
        step = sweep.update(frame)
        if step.accepted or sweep.done:
            save()
        plate.show(sweep.strip)
        if step.accepted:
            silent_s = frame.time_s + TONE_S
        accepted_hz = ACCEPTED_HZ if frame.time_s < silent_s else None
        plate.tone(TRIED_HZ if step.sounds else accepted_hz)
        value = tell(step)
        if sweep.done:
            return
        if value is not None:
            sweep.answer(value)
        wait()


class TableSweep(Sweep):
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
        progress = begin(profile, folder, again=again, fresh=fresh)
        orientation = FLAT if known is None else known.orientation
        super().__init__(profile, progress, before=known, orientation=orientation)
        self._path = folder / PROGRESS_NAME

    def update(self, frame: Frame) -> Step:
        """Take one scan in, and keep what it brings."""
        step = super().update(frame)
        if step.accepted or self.done:
            try:
                write_progress(self._path, self.progress)
            except OSError as error:
                _log.warning("The sweep's progress cannot be saved: %s", error)
        return step

    def asked(self, overlay: Overlay) -> Asked:
        """What to show. ``overlay`` names the places, as the page knows them."""
        step, say = self.step, self.step.say
        if step.refused is not None:
            say = text("{why} {say}", why=step.refused, say=say)
        counted = text(
            "Sweep, {count} of {total}: {say}", count=step.done, total=step.total, say=say
        )
        lights = step.lights.items()
        return Asked(counted, {overlay.places[i]: ROLES[x] for i, x in lights if x in ROLES})

    def measure_again(self, again: str) -> None:
        """That place, or that part, next. Raises NotPossibleError."""
        self.go_on_from(measured_again(self._profile, self.progress, again))

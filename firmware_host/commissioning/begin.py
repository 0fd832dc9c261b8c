"""How a sweep begins: anew, where one was interrupted, or with one thing measured again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from firmware_host.commissioning.account import to_mend
from firmware_host.commissioning.mounting import EDGES
from firmware_host.commissioning.progress import (
    FORMAT,
    PROGRESS_NAME,
    Part,
    Progress,
    read_progress,
)
from firmware_host.commissioning.tasks import tasks
from firmware_host.config.errors import NotPossibleError
from firmware_host.config.profile import Profile
from firmware_host.messages.hints import nearest

ALL = tuple(Part)


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

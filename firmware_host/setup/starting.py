"""How a calibration begins: anew, where one was interrupted, or with one thing measured again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from drivers.mounting import FLAT, Mounting
from firmware_host.config import nearest
from firmware_host.errors import NotPossibleError
from firmware_host.perception.observation import Magnet
from firmware_host.profile import Profile
from firmware_host.setup.calibrate import KINDS, Calibrator
from firmware_host.setup.progress import PROGRESS_NAME, read_progress

EDGES_AGAIN = "edges"


def begin(
    profile: Profile,
    folder: Path,
    *,
    again: str | None = None,
    fresh: bool = False,
    kinds: Iterable[Magnet] = KINDS,
    lies: Mounting = FLAT,
) -> Calibrator:
    """A calibrator whose progress is kept in ``folder``.

    ``again``: a place, or "edges", to measure again and nothing else; ``fresh``: forget what was
    interrupted. Raises NotPossibleError.
    """
    check_again(profile, again)
    progress = None if fresh else read_progress(folder / PROGRESS_NAME, profile)
    if again is None:
        if progress is not None and progress.finished:
            progress = None
        return Calibrator(profile, progress, kinds=kinds, lies=lies)
    if progress is None:
        raise NotPossibleError(
            "The table has not been calibrated yet.", remedy="Calibrate the whole table."
        )
    found = Calibrator(profile, progress, kinds=kinds, lies=lies)
    measure_again(found, profile, again)
    return found


def measure_again(calibrator: Calibrator, profile: Profile, again: str) -> None:
    """Have a place, or the edges, measured next. Raises NotPossibleError."""
    check_again(profile, again)
    if again == EDGES_AGAIN:
        calibrator.redo_edges()
    else:
        calibrator.redo(profile.places.index(again))


def unfinished(profile: Profile, folder: Path) -> tuple[int, int] | None:
    """How much of an interrupted calibration is done, and of how much; None if there is none."""
    progress = read_progress(folder / PROGRESS_NAME, profile)
    if progress is None or progress.finished:
        return None
    calibrator = Calibrator(profile, progress)
    done = calibrator.total - calibrator.remaining
    return (done, calibrator.total) if done else None


def check_again(profile: Profile, again: str | None) -> None:
    """Raise NotPossibleError for a place that is not there, or edges of a plate that is fixed."""
    if again is None or again in profile.places:
        return
    if again == EDGES_AGAIN and profile.imu is not None:
        return
    raise NotPossibleError(
        "There is no place {place!r} on this plate; {hint}",
        place=again,
        hint=nearest(again, profile.places),
    )

"""How a calibration begins: anew, where one was interrupted, or with one thing measured again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from drivers.mounting import FLAT, Mounting
from firmware_host.config import nearest
from firmware_host.errors import ConfigError, NotPossibleError
from firmware_host.perception.calibration import Calibration, read_calibration
from firmware_host.perception.observation import Magnet
from firmware_host.profile import Profile
from firmware_host.setup.calibrate import Calibrator
from firmware_host.setup.progress import PROGRESS_NAME, read_progress
from firmware_host.setup.recovered import progress_of
from firmware_host.setup.tasks import KINDS
from firmware_host.state import CALIBRATION_NAME

EDGES_AGAIN = "edges"


def begin(
    profile: Profile,
    folder: Path,
    *,
    again: str | None = None,
    fresh: bool = False,
    without: Sequence[str] = (),
    kinds: Iterable[Magnet] = KINDS,
    lies: Mounting = FLAT,
) -> Calibrator:
    """A calibrator whose progress is kept in ``folder``.

    ``again``: a place, or "edges", to measure again and nothing else; ``fresh``: forget what was
    interrupted; ``without``: places whose sensors are broken. Raises NotPossibleError.
    """
    check_again(profile, again)
    progress = None if fresh else read_progress(folder / PROGRESS_NAME, profile)
    if again is None:
        if progress is not None and progress.finished:
            progress = None
        found = Calibrator(profile, progress, kinds=kinds, lies=lies)
        for place in without:
            check_place(profile, place)
            found.leave_out(profile.places.index(place))
        return found
    if progress is None:
        # What it was made from is lost; the calibration itself says enough.
        calibration = _stored(folder / CALIBRATION_NAME, profile)
        progress = None if calibration is None else progress_of(profile, calibration)
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
    if again is None or (again == EDGES_AGAIN and profile.imu is not None):
        return
    check_place(profile, again)


def check_place(profile: Profile, place: str) -> None:
    """Raise NotPossibleError for one that is not on the plate."""
    if place not in profile.places:
        raise NotPossibleError(
            "There is no place {place!r} on this plate; {hint}",
            place=place,
            hint=nearest(place, profile.places),
        )


def _stored(path: Path, profile: Profile) -> Calibration | None:
    try:
        return read_calibration(path, profile)
    except ConfigError:
        return None

"""The calibration of a table's sensors, and the file that keeps it between runs.

The file is written atomically and durably (temporary file, fsync, rename, fsync of the folder) and
checked strictly when it is read. While the table runs, the improved calibration is saved every few
minutes.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

import msgspec

from tiltboard.drivers.attitude import FLAT, Axis, Mounting
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import (
    Tell,
    convert,
    keep_aside,
    read_file,
    unsealed,
    write_kept,
)
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.perception.field import STRONG, WEAK, kernel_mt
from tiltboard.firmware_host.table.sight import SensorFault

# These limits are wider than any offset of a DRV5055A1 (+-1 mT and drift). A value outside them
# means that the file is damaged.
Offset = Annotated[float, msgspec.Meta(ge=-3, le=3)]
MIN_GAIN, MAX_GAIN = 0.5, 2.0
# A sensor that is mounted upside down has a negative gain.
Gain = Annotated[float, msgspec.Meta(ge=-MAX_GAIN, le=MAX_GAIN)]
Level = Annotated[float, msgspec.Meta(ge=-0.2, le=0.2)]
Noise = Annotated[float, msgspec.Meta(ge=0, le=50)]
Kernel = tuple[tuple[Annotated[float, msgspec.Meta(ge=-100, le=100)], ...], ...]

_REMOVE = "Remove the file; the table calibrates itself again while it is empty."
_AGAIN = "Remove the file, and calibrate the table again."


class Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Calibration of a table: at each place, the reading in mT is (raw - ``offset_mt``) * ``gain``.

    The absolute value of a gain is 0.5 to 2. A sensor that is mounted upside down has a negative
    gain.
    """

    format: Literal[1]
    profile: str
    offset_mt: tuple[Offset, ...]
    gain: tuple[Gain, ...]
    zeroed: tuple[bool, ...]
    """True for each sensor whose zero offset was measured, False if the offset is assumed."""
    strong_mt: Kernel
    """Entry [r][c] is the field in mT that a strong south magnet adds to a sensor r rows and c
    columns away.
    """
    weak_mt: Kernel
    """Entry [r][c] is the field in mT that a weak south magnet adds to a sensor r rows and c
    columns away.
    """
    level_rad: tuple[Level, Level] | None = None
    """The IMU's tilt in radians about x and y when the plate is level, or None if unknown."""
    made_s: Annotated[float, msgspec.Meta(ge=0, le=1e11)] = 0.0
    """Time of the calibration in seconds since 1970-01-01 UTC, or 0 if unknown."""
    mounting: tuple[Axis, Axis, Axis] = ("+x", "+y", "+z")
    """The axes of the IMU that point east, north and up."""
    noise_mt: tuple[Noise, ...] = ()
    """Standard deviation of each sensor's reading in mT, measured over the empty plate; empty if
    unknown.
    """
    carried_mt: Annotated[float, msgspec.Meta(ge=0, le=50)] = 0.0
    """Reading in mT that the strong piece used for calibration gives at a sensor of gain 1; 0 if
    unknown.
    """
    wire: tuple[int, ...] = ()
    """The sensor input from which each place is read; empty if the inputs are those of the profile.
    """
    lights: tuple[int, ...] = ()
    """The number of the light under each place; empty if the lights are numbered as in the profile.
    """
    failed: tuple[tuple[int, SensorFault], ...] = ()
    """Places whose sensors were found to be faulty during play, each with the fault. Readings of
    these sensors are ignored.
    """

    @property
    def orientation(self) -> Mounting:
        """The IMU's mounting, in the form that its driver expects."""
        return Mounting(*self.mounting)


def assumed_calibration(profile: Profile) -> Calibration:
    """Return a calibration computed only from data sheets and the table's dimensions."""
    size = (profile.gap_mm, profile.pitch_mm, profile.columns, profile.rows)
    strong, weak = kernel_mt(STRONG, *size), kernel_mt(WEAK, *size)
    if not profile.measures:  # A Hall switch detects only a magnet on its own place.
        nothing = (0.0,) * profile.columns
        strong, weak = (
            ((own, *nothing[1:]), *(nothing for _ in range(1, profile.rows)))
            for ((own, *_), *_) in (strong, weak)
        )
    return Calibration(
        format=1,
        profile=profile.name,
        offset_mt=(0.0,) * profile.size,
        gain=(1.0,) * profile.size,
        zeroed=(False,) * profile.size,
        strong_mt=strong,
        weak_mt=weak,
    )


def check_fits(calibration: Calibration, profile: Profile, *, source: str) -> None:
    """Raise ConfigError unless ``calibration`` belongs to the table that ``profile`` describes."""
    noise_mt = calibration.noise_mt or calibration.offset_mt
    per_sensor = (calibration.offset_mt, calibration.gain, calibration.zeroed, noise_mt)
    kernels = (calibration.strong_mt, calibration.weak_mt)
    if (
        calibration.profile != profile.name
        or any(len(values) != profile.size for values in per_sensor)
        or any(len(kernel) != profile.rows for kernel in kernels)
        or any(len(row) != profile.columns for kernel in kernels for row in kernel)
    ):
        raise ConfigError(
            "{source} is the calibration of another table ({theirs}), this one is {ours}.",
            remedy="Name that table with --profile, or calibrate this one: both are kept.",
            source=source,
            theirs=calibration.profile,
            ours=profile.name,
        )


def read_calibration(path: Path, profile: Profile) -> Calibration | None:
    """Return the stored calibration, or None if there is no file.

    If the file belongs to another table, the function reads the file that ``write_calibration``
    kept for this table. Raises a ConfigError that names the invalid key.
    """
    path = _own(path, profile)
    source = str(path)
    try:
        data = json.loads(unsealed(read_file(path)))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or text("it is not JSON")
        raise ConfigError(
            "{path} cannot be read: {why}.", remedy=_REMOVE, path=path, why=why
        ) from error
    if not isinstance(data, dict):
        raise ConfigError("{path} is not a calibration.", remedy=_REMOVE, path=path)
    calibration = convert(data, Calibration, source=source)
    try:
        Mounting(*calibration.mounting)
    except ValueError:
        raise ConfigError(
            "{source}: mounting: no chip can lie so.", remedy=_AGAIN, source=source
        ) from None
    check_fits(calibration, profile, source=source)
    if any(abs(gain) < MIN_GAIN for gain in calibration.gain):
        raise ConfigError(
            "{source}: gain: a sensor that reads nothing.", remedy=_AGAIN, source=source
        )
    places = list(range(profile.size))
    right = {
        "wire": sorted(calibration.wire or places) == places,
        "lights": sorted(calibration.lights or places) == places,
        "failed": all(index in places for index, _ in calibration.failed),
    }
    for key, is_right in right.items():
        if not is_right:
            raise ConfigError(
                "{source}: {key} names what this table does not have, or one twice.",
                remedy=_REMOVE,
                source=source,
                key=key,
            )
    return calibration


def _own(path: Path, profile: Profile) -> Path:
    aside = _aside(path, profile.name)
    return aside if aside.exists() and _profile_in(path) != profile.name else path


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Store the calibration so that after a power loss either the old or the new file is complete.

    If the file holds another table's calibration, the old file is first renamed to
    ``calibration-PROFILE.json``. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    theirs = _profile_in(path)
    if theirs is not None and theirs != calibration.profile:
        path.replace(_aside(path, theirs))
    write_kept(path, calibration, indent=1)


def _aside(path: Path, profile: str) -> Path:
    return path.with_name(f"{path.stem}-{quote(profile, safe=' ')}{path.suffix}")


def _profile_in(path: Path) -> str | None:
    """Return the profile name in the calibration file, or None if the file cannot be read."""
    try:
        return str(json.loads(read_file(path))["profile"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


SAVE_EVERY_S = 300.0

_log = logging.getLogger(__name__)


class CalibrationStore:
    """A table's calibration file. A damaged file is renamed and replaced. Little is lost, because
    the sensors are zeroed at each start.
    """

    def __init__(self, path: Path, profile: Profile, tell: Tell | None = None) -> None:
        """Read the calibration of ``profile`` from ``path``.

        ``tell`` is called with a message after a damaged file has been renamed. If ``tell`` is
        None, a damaged file keeps its name.
        """
        self._path = path
        self._profile = profile
        self._saved_s: float | None = None
        self._failed = False
        self._revision = 0
        self.loaded: Calibration | None = None
        try:
            self.loaded = read_calibration(path, profile)
        except ConfigError as error:
            _log.warning("%s", error)
            own = _own(path, profile)
            if tell is not None and _profile_in(own) in (None, profile.name):
                keep_aside(own, tell)

    @property
    def orientation(self) -> Mounting:
        """The mounting of the IMU. If there is no calibration, the IMU is assumed to lie flat, as
        on the wiring page.
        """
        return FLAT if self.loaded is None else self.loaded.orientation

    @property
    def light_at(self) -> tuple[int, ...]:
        """The number of the light under each place, counted along the strip."""
        own = tuple(map(self._profile.light_of, range(self._profile.size)))
        return own if self.loaded is None else self.loaded.lights or own

    def replace(self, calibration: Calibration) -> None:
        """Use this calibration for the table, and store it."""
        self.loaded = calibration
        self._write(calibration)

    def is_due(self, revision: int, now_s: float) -> bool:
        """Return whether the calibration should be saved now.

        True after the first zeroing, every ``SAVE_EVERY_S``, and when ``revision`` differs from the
        saved one because a sensor has failed or recovered.
        """
        saved_s = self._saved_s
        return saved_s is None or now_s >= saved_s + SAVE_EVERY_S or revision != self._revision

    def save(self, calibration: Calibration, revision: int, now_s: float) -> None:
        """Store the calibration, as measured until ``now_s``. If the file cannot be written, log a
        warning and continue.
        """
        self._saved_s = now_s
        self._revision = revision
        self._write(calibration)

    def _write(self, calibration: Calibration) -> None:
        try:
            write_calibration(self._path, calibration)
            self._failed = False
        except OSError as error:
            if not self._failed:
                _log.warning("The calibration cannot be saved: %s", error)
            self._failed = True

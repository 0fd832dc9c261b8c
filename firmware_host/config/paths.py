"""Where the host keeps what must survive: the journal, calibration, learnt values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from firmware_host.config.errors import ConfigError

JOURNAL_NAME = "journal.sqlite"
CALIBRATION_NAME = "calibration.json"


def default_state_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """The state folder where no ``--state`` is given.

    ``$STATE_DIRECTORY`` (systemd.exec: the first, where a unit names several), else
    ``$XDG_STATE_HOME/tiltboard`` (a relative one is ignored, as the XDG Base Directory
    Specification asks), else ``~/.local/state/tiltboard``.
    """
    of_unit = environ.get("STATE_DIRECTORY", "").split(":")[0]
    if of_unit:
        return Path(of_unit)
    of_user = Path(environ.get("XDG_STATE_HOME", ""))
    if of_user.is_absolute():
        return of_user / "tiltboard"
    try:
        return Path.home() / ".local" / "state" / "tiltboard"
    except RuntimeError as error:
        raise ConfigError(
            "This user has no home folder to keep the games in.",
            remedy="Choose a folder with --state.",
        ) from error


def ensure_state_directory(directory: Path) -> Path:
    """Make ``directory`` and its parents, private to this user (0700). Raises ConfigError."""
    try:
        missing = [path for path in (directory, *directory.parents) if not path.exists()]
        for path in reversed(missing):
            path.mkdir(mode=0o700, exist_ok=True)
        if not directory.is_dir():
            raise NotADirectoryError(None, "it is not a folder")
    except OSError as error:
        raise ConfigError(
            "The folder {path} for the games cannot be used: {why}.",
            remedy="Choose another one with --state, or let this user write there.",
            path=directory,
            why=error.strerror or str(error),
        ) from error
    return directory


def write_durably(path: Path, data: bytes) -> None:
    """Replace a file; a cut of power leaves the old or the new one, whole. Raises OSError."""
    fresh = path.with_name(path.name + ".new")
    with fresh.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)

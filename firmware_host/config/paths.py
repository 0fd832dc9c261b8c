"""Where the host keeps what must survive, how that is written, and how a file is read that somebody
else may have written or put there.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from firmware_host.config.errors import ConfigError, NotPossibleError
from firmware_host.messages import Message

JOURNAL_NAME = "journal.sqlite"
CALIBRATION_NAME = "calibration.json"
MATCH_NAME = "far.json"
MOST_BYTES = 1 << 24  # of a settings file, board, deck, scenario, calibration or trace

T = TypeVar("T")
_log = logging.getLogger(__name__)


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


def read_file(path: Path, most_bytes: int = MOST_BYTES, *, follow: bool = True) -> bytes:
    """What is in a plain file, whoever has put it there: never waits for a FIFO's other end, never
    reads a device or more than ``most_bytes``, however long a sparse file says it is.

    ``follow``: a link in the file's own place, too. Raises OSError.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    descriptor = os.open(path, flags | (0 if follow else os.O_NOFOLLOW))
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "It is not a plain file", str(path))
        content = b"" if found.st_size > most_bytes else file.read(most_bytes + 1)
        if max(found.st_size, len(content)) > most_bytes:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


def write_durably(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Replace a file; a cut of power leaves the old or the new one, whole. Raises OSError."""
    prepare(path, data, mode=mode).replace(path)
    sync_directory(path.parent)


def prepare(path: Path, data: bytes, *, mode: int = 0o600) -> Path:
    """The file that is to take the place of ``path``, whole on disk beside it, under a name that
    the next one takes again: a kill leaves no more than one. It is its folder's owner's, also where
    root writes it. Raises OSError.
    """
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    owner = path.parent.stat()
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(fresh, flags, mode), "wb") as file:
            # Not by its name, which may be a link by now
            if os.geteuid() == 0 and owner.st_uid != 0:
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    return fresh


def sync_directory(directory: Path) -> None:
    """Make the names in ``directory`` durable: fsync of a file does not (fsync(2))."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def keep(path: Path, kept: object, refused: Message) -> None:
    """Store it as JSON, durably. Raises NotPossibleError with ``refused``, which has a {why}."""
    try:
        write_durably(path, msgspec.json.encode(kept))
    except OSError as error:
        raise NotPossibleError(
            refused.template, remedy="Make room on the disk.", why=error.strerror or error
        ) from error


def read_kept(path: Path, kind: type[T], lost: str) -> T:
    """What was kept; an empty one where there is no file, or a damaged one, which the log says with
    what is ``lost`` by it.
    """
    try:
        return msgspec.json.decode(read_file(path), type=kind)
    except FileNotFoundError:
        return kind()
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        _log.warning("%s cannot be read (%s): %s", path, error, lost)
        return kind()

"""Paths, durable writing, and safe reading of files that people or other programs may have changed.

Files that people write are checked strictly: an unknown key is refused with a hint at the most
similar known key, and values must be in range.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import stat
import tomllib
import typing
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tiltboard.firmware_host import stop
from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError
from tiltboard.firmware_host.messages import Message, nearest, text
from tiltboard.games.base import GameType, OptionError

JOURNAL_NAME = "journal.sqlite"
CALIBRATION_NAME = "calibration.json"
MATCH_NAME = "far.json"
# Maximum size in bytes of any settings file, board, deck, scenario, calibration or trace.
MAX_BYTES = 1 << 24

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)
# Pattern of msgspec's error message for a value of the wrong length.
_LENGTH = re.compile(r"Expected `(\w+)` of length ([<>])= (\d+)")
_log = logging.getLogger(__name__)


def default_state_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the state folder that is used if ``--state`` is not given.

    The folder is ``$STATE_DIRECTORY`` (systemd.exec: the first folder, if a unit names several),
    otherwise ``$XDG_STATE_HOME/tiltboard`` (a relative path is ignored, as the XDG Base Directory
    Specification requires), otherwise ``~/.local/state/tiltboard``. Raises ConfigError if the user
    has no home folder.
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


def ensure_state_directory(directory: Path, *, make: bool = True) -> Path:
    """Return ``directory`` after checking that it can be used.

    If ``make`` is True, create the folder and its parents, accessible only to this user (0700).
    Raises ConfigError if the path is not a folder or not accessible.
    """
    try:
        missing = [path for path in (directory, *directory.parents) if not path.exists()]
        if make:
            for path in reversed(missing):
                path.mkdir(mode=0o700, exist_ok=True)
        if not directory.is_dir() and (make or directory not in missing):
            raise NotADirectoryError(None, "it is not a folder")
    except OSError as error:
        raise ConfigError(
            "The folder {path} for the games cannot be used: {why}.",
            remedy="Choose another one with --state, or let this user write there.",
            path=directory,
            why=error.strerror or str(error),
        ) from error
    return directory


def read_file(path: Path, most_bytes: int = MAX_BYTES, *, follow: bool = True) -> bytes:
    """Return the content of a regular file of at most ``most_bytes`` bytes.

    The function never waits for a FIFO and never reads a device. If ``follow`` is True, the file
    itself can be a symbolic link. Raises OSError, also if the file is too large.
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
    """Replace a file's content. After a power cut, either the old or the new content is complete.

    Raises OSError.
    """
    prepare(path, data, mode=mode).replace(path)
    sync_directory(path.parent)


def prepare(path: Path, data: bytes, *, mode: int = 0o600) -> Path:
    """Write new content for ``path`` durably to a file beside ``path``, and return the new file's
    path.

    The new file's name is always the same, so a process that is killed leaves at most one such
    file. The file belongs to the folder's owner, even if root writes it. Raises OSError.
    """
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    owner = path.parent.stat()
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(fresh, flags, mode), "wb") as file:
            # Change the owner through the file descriptor, because another process may have
            # replaced the file by a link.
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
    """Make the names of the files in ``directory`` durable, because the fsync of a file does not
    store the file's name (fsync(2)).
    """
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def keep(path: Path, kept: object, refused: Message) -> None:
    """Store a value durably.

    Raises NotPossibleError with the message ``refused``, which must contain {why}, if writing
    fails.
    """
    try:
        write_kept(path, kept)
    except OSError as error:
        raise NotPossibleError(
            refused.template, remedy="Make room on the disk.", why=error.strerror or error
        ) from error


def write_kept(path: Path, kept: object, *, indent: int = -1) -> None:
    """Store a value durably as JSON with a checksum. Raises OSError."""
    data = msgspec.json.encode(kept)
    write_durably(path, sealed(data if indent < 0 else msgspec.json.format(data, indent=indent)))


def read_kept(path: Path, kind: type[T], lost: str, tell: Tell | None = None) -> T:
    """Return the stored value, or ``kind()`` if the file is missing or damaged.

    ``lost`` describes, for the log, what is lost if the file is damaged. If ``tell`` is given, a
    damaged file is renamed, and ``tell`` is called with a message for people.
    """
    try:
        return msgspec.json.decode(unsealed(read_file(path)), type=kind)
    except FileNotFoundError:
        return kind()
    except (OSError, *DAMAGE) as error:
        why = getattr(error, "strerror", None) or error
        _log.warning("%s cannot be read (%s): %s", path, why, lost)
        if tell is not None:
            keep_aside(path, tell)
        return kind()


Tell = Callable[[Message], None]
DAMAGE = (ValueError, msgspec.DecodeError, RecursionError)
"""Errors that decoding a damaged file can raise."""


def sealed(content: bytes) -> bytes:
    """Return JSON content followed by its CRC-32 on a separate line, written as 32 blanks and tabs
    (one per bit).

    JSON allows white space at the end, so earlier versions and other programs can still read the
    file.
    """
    content = content.rstrip()
    bits = f"{zlib.crc32(content):032b}".replace("0", " ").replace("1", "\t")
    return content + f"\n{bits}\n".encode()


def unsealed(stored: bytes) -> bytes:
    """Return the JSON content of a file with or without the checksum of ``sealed``.

    A file without a checksum comes from a person or an earlier version. Raises ValueError if the
    checksum is wrong.
    """
    content = stored.rstrip(b" \t\r\n")
    if len(stored) - len(content) > len("\r\n") and stored != sealed(content):
        raise ValueError("its checksum is wrong")
    return content


def keep_aside(path: Path, tell: Tell) -> None:
    """Rename a damaged file so that it is not overwritten, and call ``tell`` with a message that
    contains the new name.
    """
    stop.check()
    aside = path.with_name(f"{path.name}.damaged")
    try:
        path.rename(aside)
    except OSError as error:
        _log.warning("%s cannot be renamed: %s", path, error)
        return
    tell(
        text(
            "{file} was damaged. It is kept as {kept}, and its content starts afresh.",
            file=path.name,
            kept=aside.name,
        )
    )


# Functions that read files written by people.


def is_path(name: str) -> bool:
    """Return whether ``name`` is the path of a user's profile rather than the name of a shipped
    profile.
    """
    return name.endswith(".toml") or "/" in name


def read_toml(path: Path, kind: type[S]) -> S:
    """Read the TOML file ``path`` as a ``kind``. Raises ConfigError that names the file, the key
    and the allowed values.
    """
    return parse_toml(read_text(path), kind, source=str(path))


def read_text(path: Path) -> str:
    """Return the content of a user's text file, with LF line ends and no byte order mark. Raises
    ConfigError.
    """
    try:
        content = read_file(path).decode("utf-8-sig")
        return content.replace("\r\n", "\n").replace("\r", "\n")
    # A ValueError means that the content is not text, or that the path contains a zero byte.
    except (OSError, ValueError) as error:
        raise ConfigError(
            "{path} cannot be read: {why}.",
            remedy="Check the path and that the file is text this user may read.",
            path=path,
            why=getattr(error, "strerror", None)
            or text("it is not UTF-8 text, or has no such name"),
        ) from error


def parse_toml(content: str, kind: type[S], *, source: str) -> S:
    """Parse TOML ``content`` as a ``kind``; ``source`` names the content in errors. Raises
    ConfigError.
    """
    try:
        data = tomllib.loads(content)
    # A ValueError means that the content is not TOML, or that it contains a number with thousands
    # of digits.
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            "{source} is not valid TOML: {why}.",
            remedy="Correct that line.",
            source=source,
            why=str(error),
        ) from error
    return convert(data, kind, source=source)


def convert(data: dict[str, Any], kind: type[S], *, source: str) -> S:
    """Convert ``data``, which consists of plain dicts, lists and values, to a ``kind``. Numbers
    with a limited range cannot be infinity or NaN.

    ``source`` names the data in errors. Raises ConfigError.
    """
    _refuse_unknown(data, kind, source, "")
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        why, _, where = str(error).partition(" - at `$.")
        length = _LENGTH.fullmatch(why)
        raise ConfigError(
            "{source}: {key}: {why}.",
            remedy="Correct that value."
            if length is None
            else "Add what is missing."
            if length[2] == ">"
            else "Make it shorter.",
            source=source,
            key=where.rstrip("`") or text("top level"),
            why=why if length is None else _wrong_length(*length.groups()),
        ) from error


def _wrong_length(kind: str, bound: str, limit: str) -> Message:
    if kind == "str":
        if bound == ">":
            return text("too few characters, {limit} is the least", limit=limit)
        return text("too many characters, {limit} is the most", limit=limit)
    if bound == ">":
        return text("too few entries, {limit} is the least", limit=limit)
    return text("too many entries, {limit} is the most", limit=limit)


def _refuse_unknown(data: object, kind: Any, source: str, prefix: str) -> None:
    """Raise ConfigError for the first key in ``data`` that no struct of ``kind`` has.

    The keys of a ``dict`` are not checked. ``prefix`` is the path of keys to ``data``.
    """
    if typing.get_origin(kind) is dict:
        of = typing.get_args(kind)[1]
        for key, value in data.items() if isinstance(data, dict) else ():
            _refuse_unknown(value, of, source, f"{prefix}.{key}".lstrip("."))
        return
    structs = [
        option
        for option in (kind, *typing.get_args(kind))
        if isinstance(option, type) and issubclass(option, msgspec.Struct)
    ]
    if not structs:
        return
    if isinstance(data, list | tuple):
        for index, item in enumerate(data):
            _refuse_unknown(item, structs[0], source, f"{prefix}[{index}]")
        return
    if not isinstance(data, dict):
        return
    chosen = _of_kind(data, structs, source, prefix)
    fields = _fields(chosen)
    tag_field = chosen.__struct_config__.tag_field
    for key, value in data.items():
        if key == tag_field:
            continue
        name = f"{prefix}.{key}".lstrip(".")
        if key not in fields:
            raise ConfigError(
                "{source}: {key} is not a known key; {hint}",
                remedy="Correct or remove it.",
                source=source,
                key=name,
                hint=nearest(key, fields),
            )
        _refuse_unknown(value, fields[key], source, name)


@cache
def _fields(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """Return the type of each key of a struct."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


def _of_kind(
    data: dict[str, Any], structs: list[type[msgspec.Struct]], source: str, prefix: str
) -> type[msgspec.Struct]:
    """Return the struct of ``structs`` whose tag is in ``data``. Raises ConfigError if the tag is
    missing or unknown.
    """
    config = structs[0].__struct_config__
    if config.tag_field is None:
        return structs[0]
    kinds = {str(option.__struct_config__.tag): option for option in structs}
    kind = data.get(config.tag_field)
    if kind is None:
        raise ConfigError(
            "{source}: {key} is missing; {hint}",
            remedy="Add it.",
            source=source,
            key=f"{prefix}.{config.tag_field}".lstrip("."),
            hint=nearest("", kinds),
        )
    if not isinstance(kind, str) or kind not in kinds:
        raise ConfigError(
            "{source}: {key}: {value!r} is not a known kind; {hint}",
            remedy="Correct that value.",
            source=source,
            key=f"{prefix}.{config.tag_field}".lstrip("."),
            value=kind,
            hint=nearest(str(kind), kinds),
        )
    return kinds[kind]


def read_board(kind: GameType, option: str, name: str) -> Mapping[str, Any]:
    """Read a board or deck file as the value of a game's ``option``. Raises OptionError."""
    try:
        return kind.board_of(read_text(Path(name)))
    except OptionError as error:
        problem = f"{name}: {error}"
        raise OptionError("{option}={problem}", option=option, problem=problem) from error
    except ConfigError as error:
        if Path(name).exists():
            raise OptionError("{option}={problem}", option=option, problem=error.problem) from error
        known = next((spec.choices for spec in kind.option_specs if spec.name == option), ())
        raise OptionError(
            "There is no {option} and no file {name}; there are the {option}s: {known}.",
            option=option,
            name=name,
            known=", ".join(known),
        ) from error

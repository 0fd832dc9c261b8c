"""One file with everything that a table has learnt and played, and the way back (docs/update.md).

A ZIP archive: ``manifest.json`` (its format, and size and SHA-256 of every other member), the
journal as SQLite's backup API copies it beside a running table, the calibration and what it was
made from, the settings.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated

import msgspec

from drivers.clock import Clock
from firmware_host.commissioning.progress import PROGRESS_NAME, Progress
from firmware_host.config.errors import BackupError, ConfigError, JournalError
from firmware_host.config.paths import CALIBRATION_NAME, JOURNAL_NAME
from firmware_host.config.reading import convert, parse_toml
from firmware_host.config.settings import Settings
from firmware_host.journal import JournalReader
from firmware_host.journal.failures import translated
from firmware_host.journal.files import sync_directory
from firmware_host.journal.schema import connect
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import Calibration

FORMAT = 1
MANIFEST = "manifest.json"
SETTINGS_NAME = "tiltboard.toml"
OLD_PROGRESS_NAME = "calibration-progress.json"  # of version 0.1: nothing can go on from it
NAMES = (JOURNAL_NAME, CALIBRATION_NAME, PROGRESS_NAME, OLD_PROGRESS_NAME, SETTINGS_NAME)
MOST_BYTES = 1 << 27  # of all files together, in memory: a journal of 40,000 games
_BROKEN_ZIP = (  # what zipfile raises, at last, for bytes that are no archive of its own
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)


class Member(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a backup."""

    name: str
    size: Annotated[int, msgspec.Meta(ge=0, le=MOST_BYTES)]
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Manifest(msgspec.Struct, frozen=True):
    """``made_s``: seconds since 1970-01-01 UTC. ``program``: the version that made it."""

    format: int
    program: str
    made_s: float
    files: list[Member]


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that has been read whole, and found whole."""

    manifest: Manifest
    contents: dict[str, bytes]


def make_backup(state: Path, settings: Path | None, out: Path, clock: Clock) -> Manifest:
    """Write ``out``, which must not exist. A table may be running meanwhile.

    ``settings``: the settings file to include. Raises BackupError, JournalError, OSError.
    """
    if out.exists():
        raise BackupError(
            "{path} exists already.",
            remedy="Choose another name; nothing is overwritten.",
            path=out,
        )
    contents: dict[str, bytes] = {}
    if (state / JOURNAL_NAME).exists():
        contents[JOURNAL_NAME] = _journal_copy(state / JOURNAL_NAME)
    others = (
        (CALIBRATION_NAME, state / CALIBRATION_NAME),
        (PROGRESS_NAME, state / PROGRESS_NAME),
        (SETTINGS_NAME, settings),
    )
    for name, path in others:
        if path is not None and path.exists():
            contents[name] = path.read_bytes()
    if sum(map(len, contents.values())) > MOST_BYTES:
        raise BackupError(
            "What is in {state} is too large for a backup.",
            remedy="Stop the table and copy that folder as it is.",
            state=state,
        )
    if not contents:
        raise BackupError(
            "There is nothing to back up in {state}.",
            remedy="Name the table's folder with --state, or use --sim.",
            state=state,
        )
    manifest = Manifest(
        format=FORMAT,
        program=metadata.version("tiltboard"),
        made_s=clock.calendar(),
        files=[
            Member(name, len(data), hashlib.sha256(data).hexdigest())
            for name, data in contents.items()
        ],
    )
    _write(out, Backup(manifest, contents))
    read_backup(out)
    return manifest


def read_backup(path: Path) -> Backup:
    """Read a backup and check all of it. Raises BackupError for a newer or damaged one; OSError."""
    if path.stat().st_size > MOST_BYTES:
        raise _damaged(path, text("it is too large"))
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            manifest = _manifest(path, archive)
            if sum(member.size for member in manifest.files) > MOST_BYTES:
                raise _damaged(path, text("what it holds is too large"))
            contents = {member.name: _member(path, archive, member) for member in manifest.files}
    except BackupError:
        raise
    except zipfile.BadZipFile as error:
        raise _damaged(path, text("it is no ZIP archive, or is cut off")) from error
    except _BROKEN_ZIP as error:
        raise _damaged(path, str(error) or text("it ends too soon")) from error
    for name, content in contents.items():
        _check(path, name, content)
    return Backup(manifest, contents)


def _journal_copy(path: Path) -> bytes:
    """The journal as it stands between two moves."""
    with tempfile.TemporaryDirectory(prefix="tiltboard-") as folder, translated(path):
        copy = Path(folder) / JOURNAL_NAME
        source = connect(path, read_only=True)
        try:
            target = sqlite3.connect(copy)
            try:
                source.backup(target)
            finally:
                target.close()
        finally:
            source.close()
        return copy.read_bytes()


def _write(out: Path, backup: Backup) -> None:
    """Whole and durable, or not at all."""
    fresh = out.with_name(out.name + ".new")
    try:
        with fresh.open("wb") as file:
            os.fchmod(file.fileno(), 0o600)
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(
                    MANIFEST, msgspec.json.format(msgspec.json.encode(backup.manifest))
                )
                for name, data in backup.contents.items():
                    archive.writestr(name, data)
            file.flush()
            os.fsync(file.fileno())
        fresh.rename(out)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_directory(out.absolute().parent)


def _manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    names = archive.namelist()
    if MANIFEST not in names or archive.getinfo(MANIFEST).file_size > 1_000_000:
        raise _damaged(path, text("it has no manifest"))
    try:
        data = json.loads(archive.read(MANIFEST))
    except ValueError as error:
        raise _damaged(path, text("its manifest is not JSON")) from error
    found = data.get("format") if isinstance(data, dict) else None
    if isinstance(found, int) and found > FORMAT:
        raise BackupError(
            "{path} is a backup of a newer tiltboard (format {format}).",
            remedy="Install the newer version first.",
            path=path,
            format=found,
        )
    try:
        manifest = convert(data, Manifest, source=str(path))
    except ConfigError as error:
        raise _damaged(path, error.problem.rstrip(".")) from error
    listed = [member.name for member in manifest.files]
    if manifest.format != FORMAT or sorted([*listed, MANIFEST]) != sorted(names):
        raise _damaged(path, text("it does not hold what its manifest lists"))
    if any(name not in NAMES for name in listed):
        raise _damaged(path, text("it holds files that are no table's"))
    return manifest


def _member(path: Path, archive: zipfile.ZipFile, member: Member) -> bytes:
    if archive.getinfo(member.name).file_size != member.size:
        raise _damaged(path, text("{file} has another size", file=member.name))
    with archive.open(member.name) as packed:
        data = packed.read(member.size)  # and no more, whatever its size is said to be
    if hashlib.sha256(data).hexdigest() != member.sha256:
        raise _damaged(path, text("{file} has another checksum", file=member.name))
    return data


def _check(path: Path, name: str, data: bytes) -> None:
    """Whether this version can use a file. Raises BackupError."""
    try:
        if name == JOURNAL_NAME:
            with tempfile.TemporaryDirectory(prefix="tiltboard-") as folder:
                copy = Path(folder) / JOURNAL_NAME
                copy.write_bytes(data)
                with JournalReader.open_read_only(copy) as reader:
                    reader.current()
        elif name == CALIBRATION_NAME:
            convert(json.loads(data), Calibration, source=name)
        elif name == PROGRESS_NAME:
            msgspec.convert(json.loads(data), Progress, strict=False)
        elif name != OLD_PROGRESS_NAME:
            parse_toml(data.decode("utf-8"), Settings, source=name)
    except (ConfigError, JournalError) as error:
        raise _damaged(path, error.problem.rstrip(".")) from error
    except (ValueError, AttributeError, RecursionError) as error:
        raise _damaged(path, f"{name}: {error}") from error


def _damaged(path: Path, why: Message | str) -> BackupError:
    return BackupError(
        "{path} is not a whole backup: {why}.",
        remedy="Take another copy of the file, or an earlier backup. Nothing has been changed.",
        path=path,
        why=why,
    )

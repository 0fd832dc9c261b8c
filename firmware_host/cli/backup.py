"""``tiltboard backup`` and ``restore``: copy a table's games, calibration and settings to a file,
and restore them from the file (docs/update.md).

A backup is a ZIP archive, with a CRC-32 for each file. The archive contains ``manifest.json``, the
journal, the calibration, the progress of bring-up, and the settings. SQLite's backup API copies the
journal, so the table can be running. Restoring moves the replaced files to a new folder and deletes
nothing.

If root runs the commands, they work with the rights of the user who owns the folder.
"""

from __future__ import annotations

import errno
import io
import json
import os
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib import metadata
from pathlib import Path

import click
import msgspec

from tiltboard.firmware_host.cli.cli_output import say, writing
from tiltboard.firmware_host.cli.options import CONFIG, SIMULATED, STATE, games_folder
from tiltboard.firmware_host.commissioning.progress import PROGRESS_NAME, Progress
from tiltboard.firmware_host.config.errors import BackupError, ConfigError, JournalError
from tiltboard.firmware_host.config.files import (
    CALIBRATION_NAME,
    JOURNAL_NAME,
    convert,
    parse_toml,
    prepare,
    read_file,
    sync_directory,
    unsealed,
    write_durably,
)
from tiltboard.firmware_host.config.settings import Settings, settings_file
from tiltboard.firmware_host.journal.database import (
    WriterLock,
    connect,
    leftovers,
    translate_errors,
    unused,
)
from tiltboard.firmware_host.journal.records import JournalReader
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.perception.calibration import Calibration
from tiltboard.ground.clock import Clock, SystemClock

FORMAT = 1
MANIFEST = "manifest.json"
SETTINGS_NAME = "tiltboard.toml"
WHEN = (1980, 1, 1, 0, 0, 0)
"""Date of each file in the archive. ZIP supports only dates from 1980 to 2107, so the manifest
contains the real date.
"""
OF_STATE = (JOURNAL_NAME, CALIBRATION_NAME, PROGRESS_NAME)
# Maximum total size of all files in bytes, because the files are held in memory. A journal with
# 40,000 games has this size.
MAX_BYTES = 1 << 27
SETTINGS_MODE = 0o644
_BROKEN_ZIP = (  # All exceptions that zipfile raises for a damaged archive.
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)


class _Numbered(msgspec.Struct, frozen=True):
    """The part of a manifest that every version of the program can read: the format number."""

    format: int


class Manifest(_Numbered, frozen=True):
    """The manifest of a backup. ``made_s`` is the time in seconds since 1970-01-01 UTC, ``program``
    is the version that wrote the backup, and ``files`` are the names of all other files.
    """

    program: str
    made_s: float
    files: list[str]


def make_backup(state: Path, settings: Path | None, out: Path, clock: Clock) -> list[str]:
    """Write the backup file ``out``, which must not exist yet, and return the names of the files in
    the backup. The table can be running.

    ``settings`` is the settings file to include, or None. If an error occurs, no file is written.
    Raises BackupError, JournalError or OSError.
    """
    if out.exists():
        raise BackupError(
            "{path} exists already.",
            remedy="Choose another name; nothing is overwritten.",
            path=out,
        )
    contents: dict[str, bytes] = {}
    if state.is_dir():
        with as_owner_of(state):
            for name in OF_STATE:
                with suppress(FileNotFoundError):
                    contents[name] = _plain(state / name)
            # The copy of the journal shows the state between two moves.
            if JOURNAL_NAME in contents:
                with (
                    translate_errors(state / JOURNAL_NAME),
                    closing(connect(state / JOURNAL_NAME, read_only=True)) as running,
                    closing(sqlite3.connect(":memory:")) as copy,
                ):
                    running.backup(copy)
                    contents[JOURNAL_NAME] = copy.serialize()
    if settings is not None and settings.exists():
        contents[SETTINGS_NAME] = _plain(settings, follow=True)
    if not contents:
        raise BackupError(
            "There is nothing to back up in {state}.",
            remedy="Name the table's folder with --state, or use --sim.",
            state=state,
        )
    manifest = Manifest(FORMAT, metadata.version("tiltboard"), clock.calendar(), [*contents])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {MANIFEST: msgspec.json.encode(manifest), **contents}.items():
            archive.writestr(zipfile.ZipInfo(name, WHEN), data, zipfile.ZIP_DEFLATED)
    _unpack(out, packed)
    write_durably(out, packed.getvalue())
    return list(contents)


def _plain(path: Path, *, follow: bool = False) -> bytes:
    """Return the content of one of a table's files. Raises BackupError if the path is not a regular
    file or cannot be read, and FileNotFoundError if the file does not exist.
    """
    try:
        return read_file(path, MAX_BYTES, follow=follow)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BackupError(
            "{path} cannot be read: {why}.",
            remedy="Stop the table and copy that folder as it is.",
            path=path,
            why=error.strerror or str(error),
        ) from error


def read_backup(path: Path) -> dict[str, bytes]:
    """Return the name and the content of each file in a backup, after checking the files. Raises
    BackupError if the backup is damaged or from a newer version, and OSError if the file cannot be
    read.
    """
    try:
        return _unpack(path, io.BytesIO(read_file(path, MAX_BYTES)))
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise _damaged_error(path, text("it is too large")) from error
        raise


def _unpack(path: Path, packed: io.BytesIO) -> dict[str, bytes]:
    """Return the checked files of an archive. ``path`` is the archive's name in error messages.
    Raises BackupError.
    """
    why = text("it is not a ZIP archive, or is incomplete or changed")
    try:
        archive = zipfile.ZipFile(packed)
        members = archive.infolist()
        if sum(each.file_size for each in members) > MAX_BYTES:
            why = text("its content is too large")
            raise zipfile.LargeZipFile
        # Read at most the declared size of each file, because a manipulated archive can unpack to
        # any size.
        contents = {each.filename: archive.open(each).read(each.file_size) for each in members}
    except _BROKEN_ZIP as error:
        raise _damaged_error(path, why) from error
    listed = _manifest(path, contents.pop(MANIFEST, b"")).files
    # A flipped bit in the archive's directory can hide some files.
    if sorted(listed) != sorted(contents):
        raise _damaged_error(path, text("its files differ from its manifest"))
    for name, content in contents.items():
        _check(path, name, content)
    return contents


def _manifest(path: Path, data: bytes) -> Manifest:
    try:
        found = msgspec.json.decode(data, type=_Numbered).format
        if found > FORMAT:
            raise BackupError(
                "{path} is a backup of a newer tiltboard (format {format}).",
                remedy="Install the newer version first.",
                path=path,
                format=found,
            )
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _damaged_error(path, text("it has no manifest")) from error
    if found != FORMAT:
        why = text("another version of tiltboard wrote it (format {version})", version=found)
        raise _damaged_error(path, why)
    return manifest


def _check(path: Path, name: str, data: bytes) -> None:
    """Raise BackupError if this version cannot use a file in the backup."""
    try:
        if name == JOURNAL_NAME:
            with tempfile.TemporaryDirectory(prefix="tiltboard-") as folder:
                copy = Path(folder) / JOURNAL_NAME
                copy.write_bytes(data)
                with JournalReader.open_read_only(copy) as reader:
                    reader.current()
        elif name == CALIBRATION_NAME:
            convert(json.loads(unsealed(data)), Calibration, source=name)
        elif name == PROGRESS_NAME:
            msgspec.convert(json.loads(unsealed(data)), Progress, strict=False)
        elif name == SETTINGS_NAME:
            parse_toml(data.decode("utf-8"), Settings, source=name)
        else:
            raise _damaged_error(path, text("it contains files that do not belong to a table"))
    except BackupError:
        raise
    except (ConfigError, JournalError) as error:
        raise _damaged_error(path, error.problem.rstrip(".")) from error
    except (ValueError, AttributeError, RecursionError) as error:
        raise _damaged_error(path, f"{name}: {error}") from error


def _damaged_error(path: Path, why: Message | str) -> BackupError:
    return BackupError(
        "{path} is not a whole backup: {why}.",
        remedy="Take another copy of the file, or an earlier backup. Nothing has been changed.",
        path=path,
        why=why,
    )


# Functions that restore a backup.


def put_back(
    contents: Mapping[str, bytes], state: Path, settings: Path | None, clock: Clock
) -> Path | None:
    """Restore the files that ``read_backup`` returned. Return the folder with the replaced files,
    or None if no file was replaced.

    ``settings`` is the path to which the settings are restored, or None to omit the settings. Each
    file is replaced in one step, so that after a power failure either the old or the new file
    exists. If an error occurs, all old files are restored.

    Raises JournalInUseError if a table is using the folder, and JournalFullError if the disk is
    full.
    """
    journal = state / JOURNAL_NAME
    before = None
    with translate_errors(journal), ExitStack() as undone:
        if settings is not None and SETTINGS_NAME in contents:
            with suppress(FileNotFoundError):
                before = _plain(settings, follow=True)
            write_durably(settings, contents[SETTINGS_NAME], mode=SETTINGS_MODE)
            if before is None:
                undone.callback(settings.unlink, missing_ok=True)
            else:
                undone.callback(write_durably, settings, before, mode=SETTINGS_MODE)
        with as_owner_of(state), closing(WriterLock(journal)):
            aside = _replace(contents, state, before, clock)
        undone.pop_all()
    return aside


@contextmanager
def as_owner_of(folder: Path) -> Iterator[None]:
    """Run the context with the rights of the folder's owner, if this process runs as root.

    The owner may have placed links in the folder. With the owner's rights, such links give access
    only to files that the owner can access.
    """
    owner = folder.lstat()
    # The folder can be a link that root owns, because systemd creates such a link for DynamicUser=.
    if owner.st_uid == 0:
        owner = folder.stat()
    if os.geteuid() != 0 or owner.st_uid == 0:
        yield
        return
    group, groups = os.getegid(), os.getgroups()
    os.setgroups([])
    os.setegid(owner.st_gid)
    os.seteuid(owner.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def _replace(
    contents: Mapping[str, bytes], state: Path, settings: bytes | None, clock: Clock
) -> Path | None:
    journal = state / JOURNAL_NAME
    fresh = {
        state / name: prepare(state / name, contents[name])
        for name in reversed(OF_STATE)  # The journal is replaced last.
        if name in contents
    }
    # The stored progress of bring-up belongs to the old calibration, so the progress is removed
    # with this calibration.
    other = CALIBRATION_NAME in contents and PROGRESS_NAME not in contents
    stale = [state / PROGRESS_NAME] if other else []
    journals = [journal, *leftovers(journal)] if journal in fresh else []
    old = list(filter(os.path.lexists, {*stale, *fresh, *journals}))
    aside = None
    if old or settings is not None:
        aside = _keep_aside(old, settings, state, clock)
    if journals and all(map(_is_plain, journals)):
        # Write the log (WAL) of the old journal into the journal file, so that the journal file is
        # complete without the log. If that fails, the journal was damaged or the disk is full.
        with suppress(sqlite3.Error), closing(connect(journal, read_only=False)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    with ExitStack() as undone:
        for path in (*stale, *fresh):
            if path == journal:
                # SQLite would apply a remaining log of the old journal to the new journal.
                for side in leftovers(path):
                    side.unlink()
                sync_directory(state)
            if path in fresh:
                fresh[path].replace(path)
            else:
                path.unlink(missing_ok=True)
            if aside is not None and path in old:
                undone.callback((aside / path.name).replace, path)
            else:
                undone.callback(path.unlink, missing_ok=True)
        undone.pop_all()
    sync_directory(state)
    return aside


def _is_plain(path: Path) -> bool:
    """Return whether a path is a regular file that is small enough to be one of a table's files."""
    return path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_BYTES


def _keep_aside(old: list[Path], settings: bytes | None, state: Path, clock: Clock) -> Path:
    """Copy the old files to a new folder and return the new folder. The files are copied because
    SQLite can still write to the originals. A path that is not a regular file is never read; the
    new folder only gets a hard link to the path.
    """
    folder = unused(state / "before-restore", clock.calendar())
    folder.mkdir(mode=0o700)
    for path in old:
        if _is_plain(path):
            write_durably(folder / path.name, _plain(path))
        else:
            os.link(path, folder / path.name, follow_symlinks=False)
    if settings is not None:
        write_durably(folder / SETTINGS_NAME, settings)
    sync_directory(folder)
    sync_directory(state)
    return folder


# The commands ``tiltboard backup`` and ``tiltboard restore``.


@click.command(name="backup", epilog="Example: tiltboard backup table-2026-05.backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@CONFIG
@STATE
@SIMULATED
def command(file: Path, config: Path | None, state: Path | None, simulated: bool) -> None:
    """Copy games, calibration and settings to FILE, which must not exist yet.

    The table can keep running. The copy shows the state between two moves. Paired devices are not
    copied and must be paired again.
    """
    folder = games_folder(state, simulated=simulated, make=False)
    with writing(file):
        names = make_backup(folder, settings_file(config), file, SystemClock())
    click.echo(f"{file}: {', '.join(names)}")


@click.command(name="restore", epilog="Example: tiltboard restore table-2026-05.backup")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to restore the settings to. Default: leave the settings unchanged.",
)
@STATE
@SIMULATED
def restore(file: Path, config: Path | None, state: Path | None, simulated: bool) -> None:
    """Put back what `tiltboard backup` wrote to FILE. Stop the table first.

    FILE is checked completely before any file is changed. The replaced files are moved to a folder
    that is named at the end.
    """
    folder = games_folder(state, simulated=simulated)
    contents = read_backup(file)
    aside = put_back(contents, folder, config, SystemClock())
    names = [name for name in contents if name != SETTINGS_NAME or config is not None]
    say(text("Put back in {folder}: {names}", folder=folder, names=", ".join(names)))
    if SETTINGS_NAME in contents and config is None:
        say(text("The backup holds settings too: --config FILE says where to put them."))
    if aside is not None:
        say(text("What was there is kept in {folder}", folder=aside))

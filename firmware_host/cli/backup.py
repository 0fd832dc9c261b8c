"""``tiltboard backup`` and ``restore``: everything that a table has learnt and played, in one file
(docs/update.md).

A ZIP archive: ``manifest.json`` (its format, and size and SHA-256 of every other member), the
journal as SQLite's backup API copies it beside a running table, the calibration and what it was
made from, the settings. What was there when it is put back is kept aside; nothing is ever deleted.

Root does both with the rights of the user whose folder it is.
"""

from __future__ import annotations

import datetime
import errno
import hashlib
import io
import json
import os
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated

import click
import msgspec

from drivers.clock import Clock, SystemClock
from firmware_host.cli.options import CONFIG, SIMULATED, STATE, games_folder
from firmware_host.cli.speech import not_written, problem, say
from firmware_host.commissioning.progress import PROGRESS_NAME, Progress
from firmware_host.config.errors import BackupError, ConfigError, JournalError
from firmware_host.config.paths import (
    CALIBRATION_NAME,
    JOURNAL_NAME,
    prepare,
    read_file,
    sync_directory,
    write_durably,
)
from firmware_host.config.reading import convert, parse_toml
from firmware_host.config.settings import Settings, settings_file
from firmware_host.journal.database import WriterLock, connect, leftovers, translated
from firmware_host.journal.reader import JournalReader
from firmware_host.journal.records import sound_date
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import Calibration

FORMAT = 1
MANIFEST = "manifest.json"
SETTINGS_NAME = "tiltboard.toml"
OF_STATE = (JOURNAL_NAME, CALIBRATION_NAME, PROGRESS_NAME)
MOST_BYTES = 1 << 27  # of all files together, in memory: a journal of 40,000 games
SETTINGS_MODE = 0o644
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

    ``settings``: the settings file to include. Nothing is left where it fails. Raises BackupError,
    JournalError, OSError.
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
            contents = _of_state(state)
    if settings is not None and settings.exists():
        contents[SETTINGS_NAME] = _plain(settings, follow=True)
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
    for name, content in contents.items():
        _check(state, name, content)
    manifest = Manifest(
        format=FORMAT,
        program=metadata.version("tiltboard"),
        made_s=clock.calendar(),
        files=[
            Member(name, len(data), hashlib.sha256(data).hexdigest())
            for name, data in contents.items()
        ],
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        for name, data in contents.items():
            archive.writestr(name, data)
    fresh = prepare(out, packed.getvalue())
    try:
        read_backup(fresh)
        fresh.replace(out)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_directory(out.absolute().parent)
    return manifest


def _of_state(state: Path) -> dict[str, bytes]:
    contents = {}
    for name in OF_STATE:
        with suppress(FileNotFoundError):
            contents[name] = _plain(state / name)
    if JOURNAL_NAME in contents:
        contents[JOURNAL_NAME] = _journal_copy(state / JOURNAL_NAME)
    return contents


def _plain(path: Path, *, follow: bool = False) -> bytes:
    """Raises BackupError where a file of the table's is none of its own; FileNotFoundError."""
    try:
        return read_file(path, MOST_BYTES, follow=follow)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BackupError(
            "{path} cannot be read: {why}.",
            remedy="Stop the table and copy that folder as it is.",
            path=path,
            why=error.strerror or str(error),
        ) from error


def _journal_copy(path: Path) -> bytes:
    """The journal as it stands between two moves."""
    with tempfile.TemporaryDirectory(prefix="tiltboard-") as folder, translated(path):
        copy = Path(folder) / JOURNAL_NAME
        with closing(connect(path, read_only=True)) as source, closing(sqlite3.connect(copy)) as to:
            source.backup(to)
        return copy.read_bytes()


def read_backup(path: Path) -> Backup:
    """Read a backup and check all of it. Raises BackupError for a newer or damaged one; OSError."""
    try:
        packed = io.BytesIO(read_file(path, MOST_BYTES))
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise _damaged(path, text("it is too large")) from error
        raise
    try:
        with zipfile.ZipFile(packed) as archive:
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
    if any(name not in (*OF_STATE, SETTINGS_NAME) for name in listed):
        raise _damaged(path, text("it holds files that belong to no table"))
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
        else:
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


# The way back


def put_back(backup: Backup, state: Path, settings: Path | None, clock: Clock) -> Path | None:
    """Put ``backup`` (read with ``read_backup``) in place; returns where the old files are kept.

    ``settings``: where its settings go, None: nowhere. Each file is replaced at once, so that a cut
    of power leaves the old one or the new one; where one cannot be, all are as they were.

    Raises JournalInUseError while a table runs there; JournalFullError.
    """
    journal = state / JOURNAL_NAME
    written = settings is not None and SETTINGS_NAME in backup.contents
    with translated(journal):
        before = None
        if settings is not None and written:
            with suppress(FileNotFoundError):
                before = _plain(settings, follow=True)
            write_durably(settings, backup.contents[SETTINGS_NAME], mode=SETTINGS_MODE)
        try:
            with as_owner_of(state):
                lock = WriterLock(journal)
                try:
                    return _replace(backup, state, before, clock)
                finally:
                    lock.release()
        except BaseException:
            if settings is not None and written:
                if before is None:
                    settings.unlink(missing_ok=True)
                else:
                    write_durably(settings, before, mode=SETTINGS_MODE)
            raise


@contextmanager
def as_owner_of(folder: Path) -> Iterator[None]:
    """Do what follows with the rights of the user whose folder it is, where root does it.

    That user may have put links there, and they are then followed no further than it could itself.
    """
    owner = folder.lstat()
    if owner.st_uid == 0:  # root's own link, as systemd's DynamicUser= makes one
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


def _replace(backup: Backup, state: Path, settings: bytes | None, clock: Clock) -> Path | None:
    targets = {name: state / name for name in OF_STATE if name in backup.contents}
    journal = targets.get(JOURNAL_NAME)
    fresh = {path: prepare(path, backup.contents[name]) for name, path in targets.items()}
    stale = _stale(targets, state)
    journals = [] if journal is None else [journal, *leftovers(journal)]
    copied = [path for path in journals if _is_plain(path)]
    linked = {*targets.values(), *stale, *journals}.difference(copied)
    aside = None
    if copied or settings is not None or any(map(_is_there, linked)):
        aside = _keep_aside(copied, linked, settings, state, clock)
    if journal is not None and copied == journals:
        _checkpoint(journal)
    done: list[Path] = []
    try:
        for path in stale:
            path.unlink()
            done.append(path)
        for path in sorted(fresh, key=lambda path: path == journal):  # it comes last
            if path == journal:
                # A log that belongs to the old file would be played into the new one.
                for side in leftovers(path):
                    side.unlink()
                sync_directory(state)
            fresh[path].replace(path)
            done.append(path)
    except OSError:
        for path in done:
            _take_back(path, aside)
        raise
    sync_directory(state)
    return aside


def _take_back(path: Path, aside: Path | None) -> None:
    """Put ``path`` back as it is kept in ``aside``; remove it if it is not kept there."""
    kept = None if aside is None else aside / path.name
    if kept is None or not _is_there(kept):
        path.unlink(missing_ok=True)
        return
    again = path.with_name(path.name + ".new")
    again.unlink(missing_ok=True)
    os.link(kept, again, follow_symlinks=False)
    again.replace(path)


def _is_plain(path: Path) -> bool:
    """Whether it can be a journal, which is copied."""
    return path.is_file() and not path.is_symlink() and path.stat().st_size <= MOST_BYTES


def _is_there(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def _stale(targets: Mapping[str, Path], state: Path) -> list[Path]:
    """What another calibration than the restored one was made from."""
    progress = state / PROGRESS_NAME
    kept = CALIBRATION_NAME not in targets or PROGRESS_NAME in targets
    return [] if kept or not progress.exists() else [progress]


def _checkpoint(journal: Path) -> None:
    """Have the old journal's newest moves in its main file, so that it is whole without its log
    until the new one takes its place. Where that fails it was damaged, or the disk is full.
    """
    with suppress(sqlite3.Error), closing(connect(journal, read_only=False)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _keep_aside(
    copied: list[Path], linked: set[Path], settings: bytes | None, state: Path, clock: Clock
) -> Path:
    """A folder with copies of a journal and its log, into which SQLite may yet write. Of the others
    only with second names: whatever they are, nothing of them is read.
    """
    date = datetime.datetime.fromtimestamp(sound_date(clock.calendar()), datetime.UTC)
    stem = f"before-restore-{date:%Y%m%dT%H%M%SZ}"
    number = 1
    folder = state / stem
    while _is_there(folder):
        number += 1
        folder = state / f"{stem}-{number}"
    folder.mkdir(mode=0o700)
    for path in copied:
        write_durably(folder / path.name, _plain(path))
    for path in filter(_is_there, linked):
        os.link(path, folder / path.name, follow_symlinks=False)
    if settings is not None:
        write_durably(folder / SETTINGS_NAME, settings)
    sync_directory(folder)
    sync_directory(state)
    return folder


# The commands


@click.command(name="backup", epilog="Example: tiltboard backup table-2026-05.backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@CONFIG
@STATE
@SIMULATED
def command(file: Path, config: Path | None, state: Path | None, simulated: bool) -> None:
    """Copy games, calibration and settings to FILE, which must not exist yet.

    The table may go on running: the copy is of one moment, between two moves. Paired devices are
    not copied; they pair again.
    """
    folder = games_folder(state, simulated=simulated, make=False)
    try:
        manifest = make_backup(folder, settings_file(config), file, SystemClock())
    except OSError as error:
        if error.strerror is None:
            raise
        raise not_written(file, error) from error
    names = ", ".join(member.name for member in manifest.files)
    click.echo(f"{file}: {names}")


@click.command(name="restore", epilog="Example: tiltboard restore table-2026-05.backup")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the settings go. Default: they stay as they are.",
)
@STATE
@SIMULATED
def restore(file: Path, config: Path | None, state: Path | None, simulated: bool) -> None:
    """Put back what `tiltboard backup` wrote to FILE. Stop the table first.

    FILE is checked whole before anything is touched. What was there is kept aside, in a folder
    that is named at the end.
    """
    folder = games_folder(state, simulated=simulated)
    try:
        kept = read_backup(file)
        aside = put_back(kept, folder, config, SystemClock())
    except OSError as error:
        if error.strerror is None:
            raise
        why = error.strerror
        raise problem(text("It could not be put back: {why}.", why=why)) from error
    names = [name for name in kept.contents if name != SETTINGS_NAME or config is not None]
    say(text("Put back in {folder}: {names}", folder=folder, names=", ".join(names)))
    if SETTINGS_NAME in kept.contents and config is None:
        say(text("The backup holds settings too: --config FILE says where to put them."))
    if aside is not None:
        say(text("What was there is kept in {folder}", folder=aside))

"""Puts a backup back. What was there is copied aside first; nothing is ever deleted."""

from __future__ import annotations

import datetime
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from drivers.clock import Clock
from firmware_host.backup.backup import SETTINGS_NAME, Backup
from firmware_host.commissioning.progress import PROGRESS_NAME
from firmware_host.config.paths import CALIBRATION_NAME, JOURNAL_NAME
from firmware_host.journal.failures import translated
from firmware_host.journal.files import WriterLock, leftovers, sync_directory
from firmware_host.journal.schema import connect


def restore(backup: Backup, state: Path, settings: Path | None, clock: Clock) -> Path | None:
    """Put ``backup`` (read with ``read_backup``) in place; returns where the old files are kept.

    ``settings``: where its settings go, None: nowhere. Each file is replaced at once, so that a cut
    of power leaves the old one or the new one; where one cannot be, all are as they were.

    Raises JournalInUseError while a table runs there;
    JournalFullError.
    """
    journal = state / JOURNAL_NAME
    settings_there = None if settings is None else _read(settings)
    written = settings is not None and SETTINGS_NAME in backup.contents
    with translated(journal):
        if settings is not None and written:
            _put(settings, backup.contents[SETTINGS_NAME])
        try:
            with as_owner_of(state):
                lock = WriterLock(journal)
                try:
                    return _replace(backup, state, settings_there if written else None, clock)
                finally:
                    lock.release()
        except BaseException:
            if settings is not None and written:
                _take_back(settings, settings_there)
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
    places = {name: state / name for name in (JOURNAL_NAME, CALIBRATION_NAME, PROGRESS_NAME)}
    targets = {name: path for name, path in places.items() if name in backup.contents}
    journal = targets.get(JOURNAL_NAME)
    fresh = {path: _prepared(path, backup.contents[name]) for name, path in targets.items()}
    stale = _stale(targets, state)
    present = [path for path in (*targets.values(), *stale) if path.exists()]
    if journal is not None:
        present += leftovers(journal)
    aside = None
    if present or settings is not None:
        aside = _copy_aside(present, settings, state, clock)
    if journal is not None and journal.exists():
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
            fresh[path].rename(path)
            done.append(path)
    except OSError:
        for path in done:
            _take_back(path, None if aside is None else _read(aside / path.name))
        raise
    sync_directory(state)
    return aside


def _prepared(path: Path, content: bytes) -> Path:
    """The file that is to be ``path``, whole on disk beside it."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with fresh.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return fresh


def _put(path: Path, content: bytes) -> None:
    _prepared(path, content).rename(path)
    sync_directory(path.absolute().parent)


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _take_back(path: Path, before: bytes | None) -> None:
    """Have ``path`` as it was before; None: not there."""
    if before is None:
        path.unlink(missing_ok=True)
    else:
        _put(path, before)


def _stale(targets: Mapping[str, Path], state: Path) -> list[Path]:
    """What another calibration than the restored one was made from."""
    progress = state / PROGRESS_NAME
    kept = CALIBRATION_NAME not in targets or PROGRESS_NAME in targets
    return [] if kept or not progress.exists() else [progress]


def _checkpoint(journal: Path) -> None:
    """Have the old journal's newest moves in its main file, so that it is whole without its log
    until the new one takes its place. Where that fails it was damaged, or the disk is full.
    """
    with suppress(sqlite3.Error):
        database = connect(journal, read_only=False)
        try:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            database.close()


def _copy_aside(files: list[Path], settings: bytes | None, state: Path, clock: Clock) -> Path:
    date = datetime.datetime.fromtimestamp(clock.calendar(), datetime.UTC)
    stem = f"before-restore-{date:%Y%m%dT%H%M%SZ}"
    number = 1
    folder = state / stem
    while folder.exists():
        number += 1
        folder = state / f"{stem}-{number}"
    folder.mkdir(mode=0o700)
    for path in files:
        copy = folder / path.name
        shutil.copy2(path, copy)
        with copy.open("rb") as file:
            os.fsync(file.fileno())
    if settings is not None:
        _put(folder / SETTINGS_NAME, settings)
    sync_directory(folder)
    sync_directory(state)
    return folder

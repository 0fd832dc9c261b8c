"""Puts a backup back. What was there is copied aside first; nothing is ever deleted."""

from __future__ import annotations

import datetime
import os
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from drivers.clock import Clock
from firmware_host.journal.failures import translated
from firmware_host.journal.files import WriterLock, leftovers, sync_directory
from firmware_host.journal.schema import connect
from firmware_host.setup.backup import SETTINGS_NAME, Backup
from firmware_host.setup.progress import PROGRESS_NAME
from firmware_host.state import CALIBRATION_NAME, JOURNAL_NAME


def restore(backup: Backup, state: Path, settings: Path | None, clock: Clock) -> Path | None:
    """Put ``backup`` (read with ``read_backup``) in place; returns where the old files are kept.

    ``settings``: where its settings go, None: nowhere. Each file is replaced at once, so that a cut
    of power leaves the old one or the new one. Raises JournalInUseError while a table runs there;
    JournalFullError.
    """
    journal = state / JOURNAL_NAME
    with translated(journal):
        lock = WriterLock(journal)
        try:
            return _replace(backup, state, settings, clock)
        finally:
            lock.release()


def _replace(backup: Backup, state: Path, settings: Path | None, clock: Clock) -> Path | None:
    places = {name: state / name for name in (JOURNAL_NAME, CALIBRATION_NAME, PROGRESS_NAME)}
    if settings is not None:
        places[SETTINGS_NAME] = settings
    targets = {name: path for name, path in places.items() if name in backup.contents}
    journal = targets.get(JOURNAL_NAME)
    present = [path for path in targets.values() if path.exists()]
    stale = _stale(targets, state)
    present += stale
    if journal is not None:
        present += leftovers(journal)
    aside = _copy_aside(present, state, clock) if present else None
    if journal is not None and journal.exists():
        _take_in_log(journal)
    for name, path in targets.items():
        fresh = path.with_name(path.name + ".new")
        with fresh.open("wb") as file:
            file.write(backup.contents[name])
            file.flush()
            os.fsync(file.fileno())
        if path == journal:
            # A log that belongs to the old file would be played into the new one.
            for side in leftovers(path):
                side.unlink()
            sync_directory(state)
        fresh.rename(path)
        sync_directory(path.absolute().parent)
    for path in stale:
        path.unlink()
    return aside


def _stale(targets: Mapping[str, Path], state: Path) -> list[Path]:
    """What another calibration than the restored one was made from."""
    progress = state / PROGRESS_NAME
    kept = CALIBRATION_NAME not in targets or PROGRESS_NAME in targets
    return [] if kept or not progress.exists() else [progress]


def _take_in_log(journal: Path) -> None:
    """Have the old journal's newest moves in its main file, so that it is whole without its log
    until the new one takes its place. Where that fails it was damaged, or the disk is full.
    """
    with suppress(sqlite3.Error):
        database = connect(journal, read_only=False)
        try:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            database.close()


def _copy_aside(files: list[Path], state: Path, clock: Clock) -> Path:
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
    sync_directory(folder)
    sync_directory(state)
    return folder

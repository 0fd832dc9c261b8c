"""The journal's files: one writer at a time, atomic creation, and damaged ones kept aside."""

from __future__ import annotations

import datetime
import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from firmware_host.config.errors import JournalDamagedError
from firmware_host.journal.failures import in_use
from firmware_host.messages import Message, text

WAL_SUFFIXES = ("-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was sound in a damaged journal: how many games, some perhaps without their ends, and how
    many entries (rows that are known to have been there) were not.
    """

    games: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class SetAside:
    """A damaged journal was renamed to ``kept``; ``problem`` says what was wrong with it.

    ``salvaged``: what the new one was begun with.
    """

    kept: Path
    problem: JournalDamagedError
    salvaged: Salvaged

    def message(self) -> Message:
        """What to tell people, once."""
        if self.salvaged.games:
            return text(
                "The journal was damaged and is kept as {name}. Games saved from it: {games};"
                " entries lost: {lost}.",
                name=self.kept.name,
                games=self.salvaged.games,
                lost=self.salvaged.lost,
            )
        return text(
            "The journal could not be read. It is kept as {name}, and a new one has begun.",
            name=self.kept.name,
        )


class WriterLock:
    """One writing process per journal, by flock(2) on a file beside it.

    The kernel drops the lock with the process, however that ends. The journal itself is not locked
    this way because closing a second descriptor of it would drop SQLite's own locks
    (https://www.sqlite.org/howtocorrupt.html, 2.2).
    """

    def __init__(self, journal: Path) -> None:
        """Take the lock. Raises JournalInUseError at once where another process has it; OSError."""
        path = journal.with_name(journal.name + ".lock")
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._descriptor, 20).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            raise in_use(journal, holder) from None
        except OSError:
            os.close(self._descriptor)
            raise
        self._sign()

    def _sign(self) -> None:
        """Write who holds the lock. Only a courtesy: on a full disk the lock holds without it."""
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError:
            return

    def release(self) -> None:
        """Let others write. The file stays: removing it would race with the next taker."""
        os.close(self._descriptor)


def sync_directory(directory: Path) -> None:
    """Make the names in ``directory`` durable: fsync of a file does not (fsync(2))."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def leftovers(path: Path) -> tuple[Path, ...]:
    """SQLite's side files of ``path`` that exist."""
    sides = (path.with_name(path.name + suffix) for suffix in WAL_SUFFIXES)
    return tuple(side for side in sides if side.exists())


def set_aside(path: Path, at_s: float) -> Path:
    """Rename ``path`` and its side files, out of the way but unchanged; returns the new name.

    The main file goes first. If the power is cut before its WAL has followed, what is left is a WAL
    without a database, which opening recognises as damage; the other way round would leave a
    database without its newest moves, which nothing could recognise. Raises OSError.
    """
    date = datetime.datetime.fromtimestamp(at_s, datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    stem = f"{path.name}.damaged-{date}"
    taken = {entry.name for entry in path.parent.iterdir()}
    number = 1
    name = stem
    while any(name + suffix in taken for suffix in ("", *WAL_SUFFIXES)):
        number += 1
        name = f"{stem}-{number}"
    if path.exists():
        path.rename(path.with_name(name))
        sync_directory(path.parent)
    for side in leftovers(path):
        side.rename(path.with_name(name + side.name.removeprefix(path.name)))
    sync_directory(path.parent)
    return path.with_name(name)

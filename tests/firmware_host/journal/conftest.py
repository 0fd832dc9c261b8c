"""Fixtures for the journal's tests: a calendar that a test sets, and a new journal."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltboard.firmware_host.journal.writer import Journal


class ToldClock:
    """A clock whose calendar changes only when a test sets it."""

    def __init__(self) -> None:
        self.date_s = 1_700_000_000.0

    def now(self) -> float:
        return self.date_s

    def sleep(self, duration_s: float) -> None:
        self.date_s += duration_s

    def calendar(self) -> float:
        return self.date_s


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, if the system has one. These tests sync a thousand files, and model the
    effect of a sync themselves.
    """
    memory = Path("/dev", "shm")
    if memory.is_dir() and os.access(memory, os.W_OK):
        with tempfile.TemporaryDirectory(dir=memory, prefix="tiltboard-") as folder:
            yield Path(folder)
    else:
        yield tmp_path


@pytest.fixture
def clock() -> ToldClock:
    return ToldClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(path: Path, clock: ToldClock) -> Iterator[Journal]:
    with Journal.open(path, clock) as opened:
        yield opened

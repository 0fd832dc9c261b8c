"""Tests of firmware_host/journal/writer.py, records.py and database.py: files that cannot be
trusted, disks that refuse, and a second process: what is said and kept.
"""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tiltboard.firmware_host.config.errors import (
    JournalDamagedError,
    JournalFullError,
    JournalInUseError,
)
from tiltboard.firmware_host.journal.database import WriterLock, connect
from tiltboard.firmware_host.journal.records import JournalReader, checksum
from tiltboard.firmware_host.journal.writer import Journal

OPTIONS = {"size": 7}
RESULT = {"winner": "red", "reason": "complete"}


def with_games(path: Path, clock: Any, games: int = 40) -> None:
    with Journal.open(path, clock) as journal:
        for _ in range(games):
            number = journal.start("momentum", OPTIONS)
            journal.append(number, 1, "d4")


def crashed_copy(path: Path, clock: Any) -> None:
    """A journal whose last moves are in the WAL only, as a power cut leaves it."""
    with_games(path, clock)
    with Journal.open(path, clock) as journal:
        journal.append(1, 2, "e5")
        files = {name: name.read_bytes() for name in (path, path.with_name(path.name + "-wal"))}
    for name, content in files.items():
        name.write_bytes(content)


def edit(path: Path, at: int, new: bytes) -> None:
    content = bytearray(path.read_bytes())
    content[at : at + len(new)] = new
    path.write_bytes(bytes(content))


def kept_files(folder: Path) -> dict[str, bytes]:
    return {
        entry.name: entry.read_bytes()
        for entry in folder.iterdir()
        if not entry.name.endswith((".lock", "-shm"))
        and not (entry.name.endswith("-wal") and entry.stat().st_size == 0)  # says nothing
    }


# fileformat2, 1.3: the header's fields and where they are.
HEADER_VERSION = 60
HEADER_APPLICATION = 68

DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda path: path.write_bytes(b""), "it is empty"),
    "no database": (lambda path: path.write_bytes(b"moves: d4 e5\n" * 500), "not a database"),
    "cut short": (lambda path: os.truncate(path, 4096), "malformed|cannot be read"),
    "rubbish in a page": (lambda path: edit(path, 4096, bytes(range(256)) * 4), "cannot be read"),
    "another program's": (lambda path: edit(path, HEADER_APPLICATION, b"GPKG"), "another program"),
    "newer": (
        lambda path: edit(path, HEADER_VERSION, (8).to_bytes(4, "big")),
        r"another version of tiltboard wrote it \(format 8\).*that version again",
    ),
    "older than any": (lambda path: edit(path, HEADER_VERSION, bytes(4)), r"format 0\)"),
    "main file gone": (lambda path: path.unlink(), "-wal file is there"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_journal_is_kept_aside_unchanged(path: Path, clock: Any, damage: str) -> None:
    crashed_copy(path, clock)
    if damage == "cut short" or damage.startswith("rubbish"):
        path.with_name(path.name + "-wal").unlink()  # it would mend the page
    do_damage, said = DAMAGES[damage]
    do_damage(path)
    before = kept_files(path.parent)

    with pytest.raises(JournalDamagedError, match=said) as caught:
        Journal.open(path, clock)
    assert "keeps the file aside" in caught.value.remedy
    assert kept_files(path.parent) == before

    opened = Journal.open(path, clock, or_set_aside=True)
    with opened as journal:
        assert opened.set_aside is not None
        assert opened.set_aside.kept.name == "journal.sqlite.damaged-20231114T221320Z"
        assert opened.set_aside.kept.name in str(opened.set_aside.message())
        assert str(opened.set_aside.problem) == str(caught.value)
        # The header alone is not what it was, or one page is lost: what is sound goes on.
        kept_games = {"another program's": 40, "older than any": 40, "rubbish in a page": 0}
        assert len(journal.games()) == kept_games.get(damage, 0)
        journal.append(journal.start("momentum", OPTIONS), 1, "d4")
    moved = {
        name.replace(".damaged-20231114T221320Z", ""): content
        for name, content in kept_files(path.parent).items()
        if "damaged" in name
    }
    assert moved == before

    again = Journal.open(path, clock, or_set_aside=True)
    again.close()
    assert again.set_aside is None


def test_nothing_kept_aside_is_ever_overwritten(path: Path, clock: Any) -> None:
    for content in (b"first" * 1000, b"second" * 1000, b"third" * 1000):
        path.write_bytes(content)
        Journal.open(path, clock, or_set_aside=True).close()
    kept = {name: c for name, c in kept_files(path.parent).items() if "damaged" in name}
    assert kept == {
        "journal.sqlite.damaged-20231114T221320Z": b"first" * 1000,
        "journal.sqlite.damaged-20231114T221320Z-2": b"second" * 1000,
        "journal.sqlite.damaged-20231114T221320Z-3": b"third" * 1000,
    }


def test_a_damaged_current_game_is_found_when_opening(path: Path, clock: Any) -> None:
    with_games(path, clock, games=1)
    stranger = sqlite3.connect(path)
    row = (1, 2, "move", 7, "a1", 0.0, None)
    stranger.execute("INSERT INTO events VALUES (9, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, checksum(row)))
    stranger.commit()
    stranger.close()
    with pytest.raises(JournalDamagedError, match="event 2 of game 1 does not follow"):
        Journal.open(path, clock)


def test_a_creation_that_was_cut_short_is_begun_again(path: Path, clock: Any) -> None:
    for suffix in ("", "-journal", "-wal"):
        path.with_name(f"{path.name}.new{suffix}").write_bytes(b"half" * 999)
    with_games(path, clock, games=1)
    assert {entry.name for entry in path.parent.iterdir()} == {path.name, f"{path.name}.lock"}


@contextmanager
def disk_full_at(size: int) -> Iterator[None]:
    """No file grows beyond ``size`` bytes: a real refusal from the kernel, also for root."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize(
    "call",
    [
        lambda journal: journal.start("momentum", OPTIONS),
        lambda journal: journal.append(1, 2, "e5"),
        lambda journal: journal.take_back(1, 1, 0),
        lambda journal: journal.finish(1, RESULT),
        lambda journal: journal.resume(1),
    ],
)
def test_a_full_disk_confirms_nothing_and_is_overcome(
    path: Path, clock: Any, call: Callable[[Journal], object]
) -> None:
    codes = set()
    with Journal.open(path, clock) as journal:
        for _ in range(2):
            journal.append(journal.start("momentum", OPTIONS), 1, "d4")
        wal = path.with_name(path.name + "-wal")
        room = wal.stat().st_size
        before = [journal.load(1), journal.load(2), journal.current(), journal.games()]
        for extra in (0, 1, 24, 2000, 4120, 4130, 8000):  # a call appends two pages, start three
            with disk_full_at(room + extra), pytest.raises(JournalFullError) as caught:
                call(journal)
            assert "Make room on the disk" in str(caught.value)
            assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
            codes.add(caught.value.__cause__.sqlite_errorcode & 0xFF)
            now = [journal.load(1), journal.load(2), journal.current(), journal.games()]
            assert now == before
        call(journal)
        after = [journal.load(1), journal.load(2), journal.current(), journal.games()]
        assert after != before
    assert codes <= {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
    with JournalReader.open_read_only(path) as reader:
        assert [reader.load(1), reader.load(2), reader.current(), reader.games()] == after


def test_no_room_for_a_new_journal(path: Path, clock: Any) -> None:
    with disk_full_at(5000), pytest.raises(JournalFullError):
        Journal.open(path, clock)
    assert not path.exists()
    Journal.open(path, clock).close()


def test_a_read_only_disk(path: Path, clock: Any) -> None:
    with_games(path, clock)
    lock = WriterLock(path)
    with (
        Journal(path, connect(path, read_only=True), lock, clock) as journal,
        pytest.raises(JournalFullError, match="readonly"),
    ):
        journal.append(1, 2, "e5")


READER = """
import os, sys
import urllib.parse  # by a Path later on, when nobody may read a Python in another home
from pathlib import Path
from tiltboard.firmware_host.journal.records import JournalReader
if os.geteuid() == 0:
    os.setuid(65534)
with JournalReader.open_read_only(Path(sys.argv[1])) as reader:
    print(len(reader.games()), *reader.load(1).moves)
"""


def test_a_clean_journal_on_a_read_only_card_can_be_read(path: Path, clock: Any) -> None:
    """As somebody who may not write there: SQLite cannot make its -shm file."""
    with_games(path, clock)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        told = subprocess.run(
            [sys.executable, "-c", READER, str(path)],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[3],
        )
    finally:
        path.parent.chmod(0o755)
    assert (told.stdout, told.stderr) == ("40 d4\n", "")


def test_a_missing_folder_and_a_folder_in_the_way(tmp_path: Path, clock: Any) -> None:
    with pytest.raises(JournalFullError, match="No such file"):
        Journal.open(tmp_path / "nowhere" / "journal.sqlite", clock)
    with pytest.raises(JournalFullError):
        JournalReader.open_read_only(tmp_path / "journal.sqlite")
    (tmp_path / "journal.sqlite").mkdir()
    with pytest.raises(JournalDamagedError, match="not a file"):
        Journal.open(tmp_path / "journal.sqlite", clock)


HOLDER = """
import sys
from pathlib import Path
from tiltboard.ground.clock import SystemClock
from tiltboard.firmware_host.journal.writer import Journal
journal = Journal.open(Path(sys.argv[1]), SystemClock())
journal.append(journal.start("momentum", {}), 1, "d4")
print("open", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_refused_until_the_first_is_dead(path: Path, clock: Any) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        for or_set_aside in (False, True):
            with pytest.raises(JournalInUseError, match=rf"\(process {holder.pid}\)\. Stop"):
                Journal.open(path, clock, or_set_aside=or_set_aside)
        with JournalReader.open_read_only(path) as reader:
            assert reader.load(1).moves == ("d4",)
        holder.kill()
        holder.wait()
        with Journal.open(path, clock) as journal:
            assert journal.load(1).moves == ("d4",)


def test_another_program_that_writes_is_named_as_the_cause(path: Path, clock: Any) -> None:
    """A person with the sqlite3 shell in a transaction: the table says so and may try again."""
    with_games(path, clock)
    with Journal.open(path, clock) as journal:
        stranger = sqlite3.connect(path, isolation_level=None)
        stranger.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalInUseError, match="in use by another program"):
            journal.append(1, 2, "e5")
        stranger.execute("ROLLBACK")
        stranger.close()
        journal.append(1, 2, "e5")


def test_the_connection_is_set_for_power_cuts(path: Path, clock: Any) -> None:
    """What the crash tests rest on (sqlite.org/pragma.html#pragma_synchronous: 2 is FULL)."""
    with Journal.open(path, clock):
        database = connect(path, read_only=False)
        try:
            assert database.execute("PRAGMA synchronous").fetchone() == (2,)
            assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        finally:
            database.close()

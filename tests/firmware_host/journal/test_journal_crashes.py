"""Tests of firmware_host/journal/writer.py and database.py: kill the process or cut the power at
any instant: nothing confirmed is lost.

After each death the journal must equal the calls that had returned, or those and the one that was
under way; then the call under way is repeated and play goes on to the same end.
"""

from __future__ import annotations

import itertools
import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import astuple

from tiltboard.firmware_host.journal.database import VERSION
from tiltboard.firmware_host.journal.records import PlayedGame
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.table.move_line import PendingMove

OPTIONS = {"size": 7, "holes": ["e5"]}
WON = {"winner": "red", "reason": "complete"}
OPS: list[tuple[str, list[Any]]] = [
    ("start", ["momentum", OPTIONS]),
    ("append", [1, 1, "d4"]),
    ("append", [1, 2, "swap"]),
    ("take_back", [1, 2, 1]),
    ("hold", [1, ["e6", False, {"c1": "red"}]]),
    ("append", [1, 2, "e6"]),
    ("start", ["momentum", OPTIONS]),
    ("hold", [2, ["b1", True, {}]]),
    ("hold", [2, None]),
    ("append", [2, 1, "a1"]),
    ("finish", [2, WON]),
    ("resume", [1]),
    ("store", ["momentum", OPTIONS, 5.0, "", ["c3", "c4", "c5"], WON]),
    ("take_back", [1, 2, 0]),
    ("append", [1, 1, "f6"]),
]


@dataclass
class Model:
    """What the calls mean, without a database."""

    games: list[tuple[list[str], Any]] = field(default_factory=list)
    pending: dict[int, Any] = field(default_factory=dict)
    current: int | None = None

    def call(self, method: str, arguments: list[Any]) -> None:
        if method == "hold":
            self.pending[arguments[0]] = arguments[1]
        elif method in ("append", "take_back"):
            self.pending[arguments[0]] = None
        if method == "hold":
            pass
        elif method == "start":
            self.games.append(([], None))
            self.current = len(self.games)
        elif method == "store":
            self.games.append((list(arguments[4]), arguments[5]))
        elif method == "append":
            self.games[arguments[0] - 1][0].append(arguments[2])
        elif method == "take_back":
            del self.games[arguments[0] - 1][0][arguments[2] :]
        elif method == "finish":
            moves, _ = self.games[arguments[0] - 1]
            self.games[arguments[0] - 1] = (moves, arguments[1])
        else:
            self.current = arguments[0]


State = tuple[list[tuple[list[str], Any, Any]], int | None]


def model_after(calls: int) -> State:
    model = Model()
    for op in OPS[:calls]:
        model.call(*op)
    games = enumerate(model.games, start=1)
    return [(*game, model.pending.get(number)) for number, game in games], model.current


def state_of(journal: Journal) -> State:
    current = journal.current()
    records = [journal.load(game.id) for game in reversed(journal.games())]
    assert all(record.options == OPTIONS for record in records)
    return (
        [
            (
                list(record.moves),
                record.result,
                None if record.pending is None else list(astuple(record.pending)),
            )
            for record in records
        ],
        None if current is None else current.id,
    )


def call(journal: Journal, op: tuple[str, list[Any]]) -> None:
    method, arguments = op
    if method == "store":
        journal.store(PlayedGame(*arguments))
    elif method == "hold":
        journal.hold(arguments[0], arguments[1] and PendingMove(*arguments[1]))
    else:
        getattr(journal, method)(*arguments)


def recovered(path: Path, clock: Any, confirmed: int) -> int:
    """Open, compare, repeat what was under way and play to the end; how many calls were there."""
    with Journal.open(path, clock) as journal:
        state = state_of(journal)
        present = confirmed
        if state != model_after(confirmed):
            present = confirmed + 1
            assert state == model_after(present), f"neither {confirmed} calls nor one more"
            if OPS[confirmed][0] not in ("start", "store"):
                call(journal, OPS[confirmed])
                assert state_of(journal) == state
        for op in OPS[present:]:
            call(journal, op)
        assert state_of(journal) == model_after(len(OPS))
    return present


def kill_children(folder: Path, ops: list[Any], limits: list[int] | None = None) -> list[Path]:
    """Folders of the children, in order of their deaths."""
    task = {"folder": str(folder), "ops": ops, "limits": limits}
    subprocess.run(
        [sys.executable, str(Path(__file__).with_name("victim.py"))],
        input=json.dumps(task),
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
        timeout=120,
    )
    return sorted(
        (entry for entry in folder.iterdir() if entry.is_dir()), key=lambda p: int(p.name)
    )


def test_killed_at_every_step(tmp_path: Path, clock: Any) -> None:
    folders = kill_children(tmp_path, OPS)
    confirmed = [(folder / "log").stat().st_size for folder in folders]
    present = [
        recovered(folder / "journal.sqlite", clock, calls)
        for folder, calls in zip(folders, confirmed, strict=True)
    ]
    # Deaths cover the whole game: before the file exists, inside each call, and after the last.
    assert confirmed == sorted(confirmed)
    assert set(confirmed) == set(range(len(OPS) + 1))
    assert all(confirmed.count(calls) >= 3 for calls in range(len(OPS)))
    assert all(there in (calls, calls + 1) for there, calls in zip(present, confirmed, strict=True))


CALLS_ASIDE = 100  # more than the steps up to the renames


@dataclass(frozen=True)
class Files:
    """The bytes of the journal's files at one instant; None: not there."""

    main: bytes | None
    wal: bytes | None

    @classmethod
    def of(cls, path: Path) -> Files:
        wal = path.with_name(path.name + "-wal")
        return cls(path.read_bytes(), wal.read_bytes() if wal.exists() else None)

    def restore(self, path: Path) -> None:
        if path.parent.exists():
            shutil.rmtree(path.parent)
        path.parent.mkdir()
        for name, content in ((path.name, self.main), (path.name + "-wal", self.wal)):
            if content is not None:
                path.with_name(name).write_bytes(content)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> list[Files]:
    """The files after 0, 1, 2, ... calls, and after closing."""
    path = tmp_path_factory.mktemp("history") / "journal.sqlite"

    class Calendar:
        def now(self) -> float:
            return 0.0

        def sleep(self, duration_s: float) -> None:
            pass

        def calendar(self) -> float:
            return 1_700_000_000.0

    taken = []
    with Journal.open(path, Calendar()) as journal:
        taken.append(Files.of(path))
        for op in OPS:
            call(journal, op)
            taken.append(Files.of(path))
    taken.append(Files.of(path))
    return taken


def frame_ends(wal: bytes) -> list[int]:
    """Where SQLite's writes into a WAL end (fileformat2, 4.1: 32 bytes, then 24 + a page each)."""
    ends = [32]
    while ends[-1] < len(wal):
        ends += [ends[-1] + 24, ends[-1] + 24 + 4096]
    return ends


def test_killed_inside_every_write(tmp_path: Path, clock: Any, history: list[Files]) -> None:
    final = history[-2].wal
    assert final is not None
    ends = [0, *frame_ends(final)]
    writes = list(itertools.pairwise(ends))
    limits = [limit for start, end in writes for limit in (start, (start + end) // 2)]
    folders = kill_children(tmp_path, OPS, limits)
    assert len(folders) == len(limits)
    confirmed = [(folder / "log").stat().st_size for folder in folders]
    for folder, calls, limit in zip(folders, confirmed, limits, strict=True):
        torn = folder / "journal.sqlite-wal"
        assert torn.stat().st_size == limit  # the child did die in the middle of a write
        assert recovered(folder / "journal.sqlite", clock, calls) == calls
    assert set(confirmed) == set(range(len(OPS)))


def torn(old: bytes, new: bytes, draw: random.Random) -> Iterator[bytes]:
    """What a file may hold when the power fails before the sync that ends a change of it.

    Sectors arrive in any order or not at all; a sector that was appended and did not arrive is
    missing, zero or rubbish.
    """
    yield old
    yield new
    for cut in sorted({draw.randrange(len(new) + 1) for _ in range(6)}):
        if cut >= len(old):
            yield new[:cut]
    for _ in range(10):
        mixed = bytearray(new)
        for start in range(0, len(new), 512):
            end = min(start + 512, len(new))
            kind = draw.randrange(4)
            if new[start:end] == old[start:end] or kind == 0:
                continue
            if end <= len(old):
                mixed[start:end] = old[start:end]
            elif kind == 1:
                # Up to where the file was before, its bytes are on disk whatever happens.
                kept = old[start:end]
                mixed[start:end] = kept + bytes(end - start - len(kept))
            elif kind == 2:
                kept = old[start:end]
                mixed[start:end] = kept + draw.randbytes(end - start - len(kept))
        yield bytes(mixed)


def test_power_cut_during_every_call(tmp_path: Path, clock: Any, history: list[Files]) -> None:
    path = tmp_path / "copy" / "journal.sqlite"
    draw = random.Random(1)
    seen = set()
    for calls in range(len(OPS)):
        before, after = history[calls], history[calls + 1]
        assert before.main == after.main  # a call touches the WAL alone
        assert before.wal is not None
        assert after.wal is not None
        for wal in torn(before.wal, after.wal, draw):
            Files(before.main, wal).restore(path)
            seen.add(recovered(path, clock, calls) - calls)
        after.restore(path)
        assert recovered(path, clock, calls + 1) == calls + 1
    assert seen == {0, 1}


def test_power_cut_while_closing(tmp_path: Path, clock: Any, history: list[Files]) -> None:
    """Closing carries the WAL's pages into the main file, syncs it, and removes the WAL."""
    path = tmp_path / "copy" / "journal.sqlite"
    before, after = history[-2], history[-1]
    assert before.main is not None
    assert after.main is not None
    assert before.main != after.main
    assert after.wal is None
    for main in torn(before.main, after.main, random.Random(2)):
        Files(main, before.wal).restore(path)
        assert recovered(path, clock, len(OPS)) == len(OPS)
    after.restore(path)
    assert recovered(path, clock, len(OPS)) == len(OPS)


def test_power_cut_when_the_wal_begins_again(tmp_path: Path, clock: Any) -> None:
    """After a checkpoint the WAL is overwritten from its beginning: old frames lie behind new."""
    path = tmp_path / "live" / "journal.sqlite"
    copy = tmp_path / "copy" / "journal.sqlite"
    path.parent.mkdir()
    draw = random.Random(3)
    taken = []
    with Journal.open(path, clock) as journal:
        for op in OPS[:-3]:
            call(journal, op)
        other = sqlite3.connect(path)
        assert other.execute("PRAGMA wal_checkpoint(FULL)").fetchone()[0] == 0
        other.close()
        taken.append(Files.of(path))
        for op in OPS[-3:]:
            call(journal, op)
            taken.append(Files.of(path))
    assert taken[0].wal is not None
    assert taken[1].wal is not None
    assert taken[0].wal[:32] != taken[1].wal[:32]  # a new header, the same length
    assert len(taken[0].wal) == len(taken[1].wal)
    for calls, (before, after) in enumerate(itertools.pairwise(taken), len(OPS) - 3):
        assert before.main == after.main
        assert before.wal is not None
        assert after.wal is not None
        for wal in torn(before.wal, after.wal, draw):
            Files(before.main, wal).restore(copy)
            recovered(copy, clock, calls)
        after.restore(copy)
        assert recovered(copy, clock, calls + 1) == calls + 1


def test_the_power_cut_model_can_fail(tmp_path: Path, clock: Any, history: list[Files]) -> None:
    """Without the sync, the last call is lost: the tests above would see it."""
    path = tmp_path / "copy" / "journal.sqlite"
    Files(history[5].main, history[5].wal).restore(path)
    with pytest.raises(AssertionError, match="neither 6 calls"):
        recovered(path, clock, 6)


def test_killed_while_setting_a_damaged_journal_aside(tmp_path: Path, clock: Any) -> None:
    """Whatever happens, every byte of the damaged files stays, and the table can begin anew."""
    newer = sqlite3.connect(tmp_path / "newer")
    newer.execute(f"PRAGMA user_version = {VERSION + 1}")
    newer.execute("CREATE TABLE future (is_unknown)")
    newer.close()
    main, wal = (tmp_path / "newer").read_bytes(), b"nor its log " * 500
    (tmp_path / "newer").unlink()
    for k in range(CALLS_ASIDE):
        (tmp_path / str(k)).mkdir()
        (tmp_path / str(k) / "journal.sqlite").write_bytes(main)
        (tmp_path / str(k) / "journal.sqlite-wal").write_bytes(wal)
    kill_children(tmp_path, OPS[:1])
    halfway = 0
    touched = 0
    for k in range(CALLS_ASIDE):
        folder = tmp_path / str(k)
        names = {entry.name for entry in folder.iterdir()}
        halfway += "journal.sqlite" not in names and "journal.sqlite-wal" in names
        touched += names != {"journal.sqlite", "journal.sqlite-wal"}
        opened = Journal.open(folder / "journal.sqlite", clock, or_set_aside=True)
        with opened as journal:
            journal.append(journal.start("momentum", OPTIONS), 1, "d4")
        kept = [entry.read_bytes() for entry in folder.iterdir() if ".damaged-" in entry.name]
        assert main in kept
        assert wal in kept
    assert halfway >= 1  # between the two renames
    assert touched >= 10

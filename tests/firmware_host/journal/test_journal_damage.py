"""Flipped bits: each is found and said, what it struck is set aside, and the rest is played on."""

from __future__ import annotations

import random
import resource
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firmware_host.config.errors import (
    JournalDamagedError,
    JournalError,
    JournalFullError,
    NoSuchGameError,
)
from firmware_host.journal import Journal, JournalReader
from firmware_host.journal.records import Event, GameRecord, Row, event_of
from firmware_host.journal.writer import STAND_EVERY
from firmware_host.table.pending import PendingMove
from tests.firmware_host.journal.old_formats import in_format

OPTIONS = {"size": 7}
RESULT = {"winner": "red", "reason": "complete"}
FLIPS = 200


def stages(path: Path, clock: Any) -> dict[int, list[GameRecord]]:
    """Make a small journal; every state that each of its games passed through, in order."""
    passed: dict[int, list[GameRecord]] = {}
    with Journal.open(path, clock) as journal:

        def do(step: Callable[..., object], *arguments: Any) -> None:
            step(*arguments)
            for game in journal.games():
                passed.setdefault(game.id, []).append(journal.load(game.id))

        for game in (1, 2, 3):
            do(journal.start, "momentum", OPTIONS)
            do(journal.append, game, 1, "d4")
            do(journal.append, game, 2, "swap")
            do(journal.take_back, game, 2, 1)
            do(journal.hold, game, PendingMove("e6", extras={"c1": "red"}))
            do(journal.append, game, 2, "e6")
            if game == 2:
                do(journal.finish, game, RESULT)
        do(journal.resume, 1)
        do(journal.hold, 1, PendingMove("a1"))
    return passed


def checked(journal: JournalReader, passed: dict[int, list[GameRecord]], *, cut: bool) -> int:
    """Look at everything in ``journal``; how many of its games are whole.

    What is not as it was must be refused; with ``cut``, a game may have lost its newest events.
    """
    listed = {game.id: game for game in journal.games()}
    refused = set(journal.damaged())
    whole = 0
    for number, states in passed.items():
        try:
            record = journal.load(number)
        except JournalError as error:
            assert "\n" not in str(error)
            continue
        except NoSuchGameError:
            assert cut or refused - set(passed)  # its number is what changed
            continue
        assert record in (states if cut else states[-1:])
        if number not in refused:
            summary = listed[number]
            assert summary.moves == len(record.moves)
            assert summary.result == record.result
            assert summary.started_s == record.started_s
            whole += record == states[-1]
    assert set(listed) <= set(passed)
    current = journal.current()
    assert current is None or current in passed[current.id]
    return whole


def flip(content: bytes, bit: int) -> bytes:
    flipped = bytearray(content)
    flipped[bit // 8] ^= 1 << bit % 8
    return bytes(flipped)


def bits_to_try(content: bytes, count: int) -> list[int]:
    """Some anywhere, and most where something is written."""
    chance = random.Random(11)
    written = [place for place, byte in enumerate(content) if byte]
    places = chance.sample(range(len(content)), count // 6) + chance.sample(written, count)
    return [place * 8 + chance.randrange(8) for place in places]


def test_no_flipped_bit_ends_the_table_or_changes_a_game(
    path: Path, clock: Any, tmp_path: Path
) -> None:
    passed = stages(path, clock)
    content = path.read_bytes()
    found = saved = 0
    for number, bit in enumerate(bits_to_try(content, FLIPS)):
        folder = tmp_path / str(number)
        folder.mkdir()
        struck = folder / path.name
        struck.write_bytes(flip(content, bit))
        try:
            with JournalReader.open_read_only(struck) as reader:
                checked(reader, passed, cut=False)
        except JournalError as error:
            assert "\n" not in str(error)
        opened = Journal.open_or_set_aside(struck, clock)
        with opened.journal as journal:
            whole = checked(journal, passed, cut=opened.set_aside is not None)
            if opened.set_aside is not None:
                found += 1
                saved += whole
                assert opened.set_aside.kept.read_bytes() == flip(content, bit)
                assert "\n" not in str(opened.set_aside.message())
            fresh = journal.start("momentum", OPTIONS)
            journal.append(fresh, 1, "a1")
        again = Journal.open_or_set_aside(struck, clock)
        with again.journal as journal:
            assert again.set_aside is None, f"bit {bit} is found each time"
            current = journal.current()
            assert current is not None and current.moves == ("a1",)
    assert found > FLIPS / 2
    assert saved > 2.5 * found  # of three games each


def test_a_full_disk_while_games_are_saved_leaves_everything_as_it_was(
    path: Path, clock: Any
) -> None:
    stages(path, clock)
    content = path.read_bytes()
    struck = flip(content, content.rindex(b"move") * 8)
    path.write_bytes(struck)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, limit[1]))
    try:
        with pytest.raises(JournalFullError):
            Journal.open_or_set_aside(path, clock)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == struck
    opened = Journal.open_or_set_aside(path, clock)
    opened.journal.close()
    assert opened.set_aside is not None
    assert opened.set_aside.salvaged.games == 3


def test_a_flip_in_another_game_than_the_current_one_takes_that_game_alone(
    path: Path, clock: Any
) -> None:
    stages(path, clock)
    stranger = sqlite3.connect(path, isolation_level=None)
    stranger.execute("DROP TRIGGER events_update")
    stranger.execute("DROP TRIGGER games_update")
    stranger.execute("UPDATE games SET started_s = 1e300 WHERE id = 2")
    stranger.execute("UPDATE events SET kind = cast(x'6dff7665' AS TEXT) WHERE game_id = 3")
    stranger.close()
    with JournalReader(path, sqlite3.connect(path)) as reader:
        reader._database.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        assert [game.id for game in reader.games()] == [1]
        assert reader.damaged() == (3, 2)
        for number in (2, 3):
            with pytest.raises(JournalDamagedError, match=f"game {number} is damaged"):
                reader.load(number)
    opened = Journal.open_or_set_aside(path, clock)  # somebody has changed its tables, too
    with opened.journal as journal:
        assert opened.set_aside is not None
        assert opened.set_aside.salvaged.games == 1
        assert [game.id for game in journal.games()] == [1]


def everything_in(path: Path) -> list[list[Any]]:
    """Plain SQLite's view: format, tables, triggers and rows with their checksums."""
    database = sqlite3.connect(path)
    try:
        return [
            database.execute("PRAGMA user_version").fetchall(),
            sorted(database.execute("SELECT type, name, sql FROM sqlite_schema"), key=str),
            database.execute("SELECT * FROM games").fetchall(),
            database.execute("SELECT * FROM events ORDER BY id").fetchall(),
        ]
    finally:
        database.close()


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_a_journal_of_an_older_format_becomes_one_of_this_in_place(
    path: Path, clock: Any, version: int
) -> None:
    passed = stages(path, clock)
    made = everything_in(path)
    in_format(version, path)
    with JournalReader.open_read_only(path) as reader:
        assert checked(reader, passed, cut=False) == 3
    with Journal.open(path, clock) as journal:
        assert checked(journal, passed, cut=False) == 3
    assert everything_in(path) == made


@pytest.mark.parametrize("version", [1, 2])
def test_damage_from_before_there_were_checksums(path: Path, clock: Any, version: int) -> None:
    stages(path, clock)
    in_format(version, path)
    content = path.read_bytes()
    place = content.rindex(b"move")
    path.write_bytes(flip(content, place * 8 + 7))  # no UTF-8 any more
    with pytest.raises(JournalDamagedError):
        Journal.open(path, clock)
    opened = Journal.open_or_set_aside(path, clock)
    with opened.journal as journal:
        assert opened.set_aside is not None
        assert opened.set_aside.salvaged.lost > 0
        assert len(journal.games()) == 3


def test_a_power_cut_while_what_is_sound_is_put_in_place(path: Path, clock: Any) -> None:
    """Between the damaged file's new name and the saved one's."""
    stages(path, clock)
    saved = path.with_name("journal.sqlite.salvaged")
    path.rename(saved)
    path.with_name("journal.sqlite-wal").write_bytes(b"of the damaged one")
    opened = Journal.open_or_set_aside(path, clock)
    with opened.journal as journal:
        assert len(journal.games()) == 3
    assert not saved.exists()


def test_a_long_game_is_read_from_its_last_stand(path: Path, clock: Any) -> None:
    with Journal.open(path, clock) as journal:
        number = journal.start("momentum", OPTIONS)
        for _ in range(600):
            journal.append(number, 1, "d4")
            journal.take_back(number, 1, 0)
        journal.append(number, 1, "e5")
        record = journal.load(number)
        assert (record.moves, record.taken_back) == (("e5",), None)
        with pytest.MonkeyPatch.context() as patch:
            read: list[int] = []

            def counted(row: Row) -> Event:
                read.append(row[1])
                return event_of(row)

            patch.setattr("firmware_host.journal.reader.event_of", counted)
            assert journal.load(number) == record
        assert 1 <= len(read) <= STAND_EVERY + 1

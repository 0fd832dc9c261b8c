"""Tests of firmware_host/journal/records.py and database.py: flipped bits: each is found and
said, what it struck is set aside, and the rest is played on.
"""

from __future__ import annotations

import os
import random
import re
import resource
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiltboard.firmware_host.config.errors import (
    JournalDamagedError,
    JournalError,
    JournalFullError,
    NoSuchGameError,
)
from tiltboard.firmware_host.journal.database import VERSION
from tiltboard.firmware_host.journal.records import Event, JournalGame, JournalReader, Row, event_of
from tiltboard.firmware_host.journal.writer import STAND_EVERY, Journal
from tiltboard.firmware_host.table.move_line import PendingMove

OPTIONS = {"size": 7}
RESULT = {"winner": "red", "reason": "complete"}
FLIPS = 200


def stages(path: Path, clock: Any) -> dict[int, list[JournalGame]]:
    """Make a small journal; every state that each of its games passed through, in order."""
    passed: dict[int, list[JournalGame]] = {}
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


def checked(journal: JournalReader, passed: dict[int, list[JournalGame]], *, cut: bool) -> int:
    """Look at everything in ``journal``; how many of its games are whole.

    What is not as it was must be refused; with ``cut``, a game may have lost its newest events.
    """
    games, damaged = journal.games_and_damaged(limit=100)
    listed, refused = {game.id: game for game in games}, set(damaged)
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
        opened = Journal.open(struck, clock, or_set_aside=True)
        with opened as journal:
            whole = checked(journal, passed, cut=opened.set_aside is not None)
            if opened.set_aside is not None:
                found += 1
                saved += whole
                assert opened.set_aside.kept.read_bytes() == flip(content, bit)
                assert "\n" not in str(opened.set_aside.message())
            fresh = journal.start("momentum", OPTIONS)
            journal.append(fresh, 1, "a1")
        again = Journal.open(struck, clock, or_set_aside=True)
        with again as journal:
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
    struck = flip(content, content.rindex(b"moved4") * 8)
    path.write_bytes(struck)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, limit[1]))
    try:
        with pytest.raises(JournalFullError):
            Journal.open(path, clock, or_set_aside=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == struck
    opened = Journal.open(path, clock, or_set_aside=True)
    opened.close()
    assert opened.set_aside is not None
    assert opened.set_aside.games == 3


def test_a_flip_in_another_game_than_the_current_one_takes_that_game_alone(
    path: Path, clock: Any
) -> None:
    stages(path, clock)
    stranger = sqlite3.connect(path, isolation_level=None)
    stranger.execute("DROP TRIGGER events_update")
    stranger.execute("UPDATE events SET at_s = 1e300 WHERE game_id = 2")
    stranger.execute("UPDATE events SET kind = cast(x'6dff7665' AS TEXT) WHERE game_id = 3")
    stranger.close()
    with JournalReader(path, sqlite3.connect(path)) as reader:
        reader._database.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        assert [game.id for game in reader.games()] == [1]
        assert reader.games_and_damaged(limit=100)[1] == (3, 2)
        for number in (2, 3):
            with pytest.raises(JournalDamagedError, match=f"event 0 of game {number} is damaged"):
                reader.load(number)
    opened = Journal.open(path, clock, or_set_aside=True)  # somebody has changed its tables, too
    with opened as journal:
        assert opened.set_aside is not None
        assert opened.set_aside.games == 1
        assert [game.id for game in journal.games()] == [1]


def test_a_journal_from_before_the_first_version_is_kept_aside_and_its_games_are_saved(
    path: Path, clock: Any
) -> None:
    stages(path, clock)
    stranger = sqlite3.connect(path, isolation_level=None)
    stranger.execute(f"PRAGMA user_version = {VERSION - 1}")
    stranger.close()
    old = path.read_bytes()
    with pytest.raises(JournalDamagedError, match=r"format 6.*start the table"):
        Journal.open(path, clock)
    assert path.read_bytes() == old
    opened = Journal.open(path, clock, or_set_aside=True)
    with opened as journal:
        assert len(journal.games()) == 3
        assert opened.set_aside is not None
        assert opened.set_aside.kept.read_bytes() == old


@pytest.mark.parametrize("date_s", [-5e9, -1.0, 4e11, 1e300])
def test_a_game_that_is_begun_while_the_clock_is_absurd_can_be_read(
    path: Path, clock: Any, date_s: float
) -> None:
    with Journal.open(path, clock) as journal:
        clock.date_s = date_s
        number = journal.start("momentum", OPTIONS)
        journal.append(number, 1, "d4")
        assert journal.load(number).moves == ("d4",)
        assert [game.id for game in journal.games()] == [number]


def test_the_journal_is_for_its_user_alone_whatever_the_umask(path: Path, clock: Any) -> None:
    before = os.umask(0o022)
    try:
        with Journal.open(path, clock) as journal:
            journal.start("momentum", OPTIONS)
            made = [each for each in path.parent.iterdir() if each.name.startswith(path.name)]
            assert len(made) == 4
            assert {each.stat().st_mode & 0o777 for each in made} == {0o600}
    finally:
        os.umask(before)


def test_a_power_cut_while_what_is_sound_is_put_in_place(path: Path, clock: Any) -> None:
    """Between the damaged file's new name and the saved one's."""
    stages(path, clock)
    saved = path.with_name("journal.sqlite.salvaged")
    path.rename(saved)
    path.with_name("journal.sqlite-wal").write_bytes(b"of the damaged one")
    opened = Journal.open(path, clock, or_set_aside=True)
    with opened as journal:
        assert len(journal.games()) == 3
    assert not saved.exists()


def table_leaves(content: bytes) -> list[int]:
    """The pages that hold rows of a table and nothing else (fileformat2, 1.6: type 13)."""
    pages = range(1, len(content) // 4096)  # without the first, which has a header before its type
    return [page for page in pages if content[page * 4096] == 13]


def test_a_journal_can_be_damaged_and_saved_again_and_again(path: Path, clock: Any) -> None:
    """Five times a page of rows is wiped; each time that costs the games that stood on it, and no
    other, though what was saved before has gaps in its numbers.
    """
    with Journal.open(path, clock) as journal:
        for number in range(1, 201):
            journal.start("momentum", OPTIONS, note=f"<{number}>" + "." * 180)
            journal.append(number, 1, f"<{number}>d4")
            journal.append(number, 2, f"<{number}>e5")
    whole = set(range(1, 201))
    chance = random.Random(3)
    for time in range(5):
        content = bytearray(path.read_bytes())
        leaves = [slice(4096 * page, 4096 * page + 4096) for page in table_leaves(content)]
        of_games = [leaf for leaf in leaves if b'{"size":7}' in content[leaf]]
        leaf = chance.choice(leaves if time % 2 else of_games)
        wiped, content[leaf] = content[leaf], bytes(4096)
        path.write_bytes(content)
        struck = {int(found) for found in re.findall(rb"<(\d+)>", wiped)}
        opened = Journal.open(path, clock, or_set_aside=True)
        with opened as journal:
            assert opened.set_aside is not None
            clock.sleep(1.0)
            whole -= struck
            for number in whole:
                assert journal.load(number).moves == (f"<{number}>d4", f"<{number}>e5"), time
            new = journal.start("momentum", OPTIONS, note="<1000>")
            journal.append(new, 1, "<1000>d4")
    assert len(whole) > 20
    assert len(list(path.parent.glob("*.damaged-*"))) >= 5


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

            patch.setattr("tiltboard.firmware_host.journal.records.event_of", counted)
            assert journal.load(number) == record
        assert 1 <= len(read) <= STAND_EVERY + 1


def test_a_folder_of_the_journal_s_name_is_kept_aside(tmp_path, clock):
    path = tmp_path / "journal.sqlite"
    path.mkdir()
    (path / "kept").write_text("whatever it is")
    with pytest.raises(JournalDamagedError):
        Journal.open(path, clock)
    with Journal.open(path, clock, or_set_aside=True) as journal:
        assert (journal.set_aside.kept / "kept").read_text() == "whatever it is"
        assert journal.current() is None

"""Tests of firmware_host/journal/records.py and writer.py: what a game is after what was done to
it: the fold, idempotence, conflicts, append-only.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tiltboard.firmware_host.config.errors import (
    JournalConflictError,
    JournalDamagedError,
    JournalInUseError,
    NoSuchGameError,
)
from tiltboard.firmware_host.journal.records import JournalReader, PlayedGame, checksum
from tiltboard.firmware_host.journal.writer import Journal

OPTIONS = {"size": 7, "pie": True, "holes": ["e5"], "round_limit": None}
RESULT = {"winner": "red", "reason": "complete"}


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    """Looks into the file with plain SQLite, past the code under test."""
    database = sqlite3.connect(path)
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def test_an_empty_journal_has_no_game(journal: Journal) -> None:
    assert journal.current() is None
    assert journal.games() == ()


def test_a_game_is_its_events(journal: Journal, path: Path, clock: Any) -> None:
    number = journal.start("momentum", OPTIONS, note="on the balcony")
    clock.date_s += 60
    for ply, move in enumerate(("d4", "swap", "e5"), start=1):
        journal.append(number, ply, move)
    journal.take_back(number, 3, 2)
    journal.append(number, 3, "a1")
    clock.date_s += 60
    journal.finish(number, RESULT)

    record = journal.load(number)
    assert record.moves == ("d4", "swap", "a1")
    assert (record.game, record.options, record.note) == ("momentum", OPTIONS, "on the balcony")
    assert record.result == RESULT
    assert (record.started_s, record.changed_s) == (1_700_000_000.0, 1_700_000_120.0)
    assert rows(path, "SELECT sequence, kind, ply, move FROM events ORDER BY id") == [
        (0, "start", 0, None),
        (1, "move", 1, "d4"),
        (2, "move", 2, "swap"),
        (3, "move", 3, "e5"),
        (4, "takeback", 2, None),
        (5, "move", 3, "a1"),
        (6, "finish", 3, None),
    ]


def test_everything_is_there_after_closing(path: Path, clock: Any) -> None:
    with Journal.open(path, clock) as journal:
        number = journal.start("momentum", OPTIONS)
        journal.append(number, 1, "0,-1")
        before = journal.load(number)
    with Journal.open(path, clock) as journal:
        assert journal.current() == before


def test_the_current_game_is_the_one_started_or_resumed_last(journal: Journal, clock: Any) -> None:
    first = journal.start("momentum", OPTIONS)
    second = journal.start("momentum", OPTIONS)
    assert journal.current() == journal.load(second)
    journal.append(first, 1, "d4")  # does not change which one is current
    assert journal.current() == journal.load(second)
    clock.date_s += 60
    journal.resume(first)
    assert journal.load(first).changed_s == 1_700_000_000.0  # nothing was played
    assert journal.current() == journal.load(first)
    third = journal.store(PlayedGame("momentum", OPTIONS, 5.0, "", ("d4",), RESULT))
    assert journal.current() == journal.load(first)
    assert [(game.id, game.moves, game.current) for game in journal.games()] == [
        (third, 1, False),
        (second, 0, False),
        (first, 1, True),
    ]
    for summary in journal.games():
        record = journal.load(summary.id)
        assert (summary.game, summary.options) == (record.game, record.options)
        assert (summary.moves, summary.result) == (len(record.moves), record.result)
        assert (summary.started_s, summary.changed_s) == (record.started_s, record.changed_s)
    assert [game.id for game in journal.games(limit=1)] == [third]


def test_resuming_the_current_game_writes_nothing(journal: Journal, path: Path) -> None:
    number = journal.start("momentum", OPTIONS)
    journal.resume(number)
    assert rows(path, "SELECT kind FROM events") == [("start",)]


def test_a_stored_game_keeps_its_own_date(journal: Journal) -> None:
    played = PlayedGame("momentum", OPTIONS, 5.0, "a friend's", ("d4", "e5"), RESULT)
    number = journal.store(played)
    record = journal.load(number)
    assert (record.started_s, record.changed_s) == (5.0, 1_700_000_000.0)
    assert (record.moves, record.result, record.note) == (("d4", "e5"), RESULT, "a friend's")


def test_several_moves_are_taken_back_in_one_entry(journal: Journal, path: Path) -> None:
    number = journal.start("momentum", OPTIONS)
    for ply, move in enumerate(("d4", "swap", "e5", "a1"), start=1):
        journal.append(number, ply, move)
    journal.take_back(number, 4, 1)
    record = journal.load(number)
    assert (record.moves, record.taken_back) == (("d4",), "swap")
    assert rows(path, "SELECT kind, ply FROM events ORDER BY id")[-2:] == [
        ("move", 4),
        ("takeback", 1),
    ]


def test_a_game_that_is_stored_as_the_current_one_is_that(journal: Journal) -> None:
    journal.start("momentum", OPTIONS)
    number = journal.store(PlayedGame("momentum", OPTIONS, 0.0, "", ("d4",), None), current=True)
    assert journal.current() == journal.load(number)


@pytest.mark.parametrize("started_s", [-1.0, 253_402_300_799.0, float("nan")])
def test_a_game_that_could_not_be_read_again_is_not_stored(
    journal: Journal, started_s: float
) -> None:
    number = journal.start("momentum", OPTIONS)
    with pytest.raises(JournalDamagedError):
        journal.store(PlayedGame("momentum", OPTIONS, started_s, "", ("d4",), None), current=True)
    assert [game.id for game in journal.games()] == [number]
    assert journal.current() == journal.load(number)


def test_repeating_a_call_changes_nothing(journal: Journal, path: Path) -> None:
    number = journal.start("momentum", OPTIONS)
    for _ in range(2):
        journal.append(number, 1, "d4")
    for _ in range(2):
        journal.append(number, 2, "e5")
    journal.append(number, 1, "d4")
    for _ in range(2):
        journal.take_back(number, 2, 1)
    for places in (("a1", "b2"), ["a1", "b2"]):  # JSON has one kind of list
        journal.finish(number, {**RESULT, "places": places})
    assert rows(path, "SELECT kind, ply FROM events ORDER BY id") == [
        ("start", 0),
        ("move", 1),
        ("move", 2),
        ("takeback", 1),
        ("finish", 1),
    ]


def test_a_finished_game_goes_on_after_a_takeback(journal: Journal) -> None:
    number = journal.start("momentum", OPTIONS)
    journal.append(number, 1, "d4")
    journal.finish(number, RESULT)
    journal.take_back(number, 1, 0)
    assert journal.load(number).result is None
    journal.append(number, 1, "e5")
    assert journal.load(number).moves == ("e5",)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("append", (1, 1, "e5")),  # another move stands there
        ("append", (1, 3, "e5")),  # the second is missing
        ("append", (1, 0, "e5")),
        ("append", (2, 2, "e5")),  # finished
        ("take_back", (1, 2, 1)),
        ("take_back", (1, 0, -1)),
        ("take_back", (1, 1, 1)),
        ("take_back", (1, 1, -1)),
        ("take_back", (3, 0, 0)),  # nothing played yet
        ("finish", (2, {"winner": None, "reason": "full"})),
    ],
)
def test_contradictions_are_refused(
    journal: Journal, path: Path, call: str, arguments: tuple[Any, ...]
) -> None:
    for finished in (False, True):
        number = journal.start("momentum", OPTIONS)
        journal.append(number, 1, "d4")
        if finished:
            journal.finish(number, RESULT)
    journal.start("momentum", OPTIONS)
    before = rows(path, "SELECT * FROM events")
    with pytest.raises(JournalConflictError):
        getattr(journal, call)(*arguments)
    assert rows(path, "SELECT * FROM events") == before


@pytest.mark.parametrize("move", ["", "d4 e5", " d4", "d4\n", "\x00"])
def test_a_move_is_one_word(journal: Journal, move: str) -> None:
    number = journal.start("momentum", OPTIONS)
    with pytest.raises(ValueError, match="one word"):
        journal.append(number, 1, move)


@pytest.mark.parametrize(
    "call",
    [
        lambda journal: journal.load(7),
        lambda journal: journal.append(7, 1, "d4"),
        lambda journal: journal.take_back(7, 1, 0),
        lambda journal: journal.finish(7, RESULT),
        lambda journal: journal.resume(7),
    ],
)
def test_an_unknown_game_is_named(journal: Journal, call: Any) -> None:
    with pytest.raises(NoSuchGameError, match=r"no game 7 .*tiltboard games"):
        call(journal)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET move = 'a1' WHERE kind = 'move'",
        "DELETE FROM events WHERE kind = 'move'",
        "REPLACE INTO events VALUES (2, 1, 2, 'move', 1, 'a1', 0, NULL, 0)",
        "REPLACE INTO events VALUES (9, 1, 1, 'move', 1, 'a1', 0, NULL, 0)",
        "INSERT INTO events VALUES (9, 1, 3, 'move', 1, 'a1', 0, NULL, 0)",  # leaves 2 out
        "INSERT INTO events VALUES (9, 5, 1, 'move', 1, 'a1', 0, NULL, 0)",  # of no game
    ],
)
def test_history_cannot_be_rewritten(journal: Journal, path: Path, statement: str) -> None:
    """Not even by another program, or by a mistake of ours."""
    journal.append(journal.start("momentum", OPTIONS), 1, "d4")
    before = rows(path, "SELECT * FROM events")
    stranger = sqlite3.connect(path, isolation_level=None)
    stranger.execute("PRAGMA recursive_triggers = OFF")  # REPLACE then skips DELETE's triggers
    try:
        with pytest.raises(sqlite3.IntegrityError):
            stranger.execute(statement)
    finally:
        stranger.close()
    assert rows(path, "SELECT * FROM events") == before


@pytest.mark.parametrize(
    "event",
    [
        ("move", 3, "a1", None),
        ("move", 2, None, None),
        ("takeback", 1, None, None),
        ("start", 1, None, None),
        ("finish", 1, None, "[1"),
        ("teleport", 1, None, None),
        ("stand", 1, None, "{}"),
    ],
)
def test_events_that_do_not_follow_are_damage(
    journal: Journal, path: Path, event: tuple[Any, ...]
) -> None:
    """Not bits that flipped: their checksums are right."""
    journal.append(journal.start("momentum", OPTIONS), 1, "d4")
    kind, ply, move, payload = event
    row = (1, 2, kind, ply, move, 0.0, payload)
    stranger = sqlite3.connect(path, isolation_level=None)
    stranger.execute("INSERT INTO events VALUES (9, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, checksum(row)))
    stranger.close()
    with pytest.raises(JournalDamagedError, match="game 1"):
        journal.load(1)


def test_there_is_one_writer_and_any_number_of_readers(
    journal: Journal, path: Path, clock: Any
) -> None:
    with pytest.raises(JournalInUseError, match=r"in use by another program \(process \d+\)"):
        Journal.open(path, clock)
    with JournalReader.open_read_only(path) as first, JournalReader.open_read_only(path) as second:
        number = journal.start("momentum", OPTIONS)
        assert first.current() == second.current() == journal.load(number)
    journal.append(number, 1, "d4")
    journal.close()
    Journal.open(path, clock).close()


def test_a_number_larger_than_any(journal: Journal) -> None:
    with pytest.raises(NoSuchGameError, match="no game 9223372036854775808"):
        journal.load(2**63)

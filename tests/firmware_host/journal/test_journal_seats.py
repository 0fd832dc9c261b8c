"""Tests of firmware_host/journal/records.py and text_format.py: which engines played is in the
journal and in the exported text.
"""

import pytest

from tiltboard.firmware_host.config.errors import GameTextError
from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.journal.records import EventKind
from tiltboard.firmware_host.journal.text_format import read_game, write_game
from tiltboard.firmware_host.journal.writer import STAND_EVERY, Journal

BLUE = {"blue": EngineSeat(level=3)}
NAMED = {"blue": EngineSeat(level=3, version="tiltboard 0.1.0")}
OPTIONS = {"size": 5, "marbles": 4}


def test_seats_are_kept_and_the_last_word_counts(journal, path, clock):
    game = journal.start("momentum", OPTIONS, engines=BLUE)
    assert journal.load(game).engines == BLUE
    journal.append(game, 1, "c3")
    journal.note(game, NAMED, EventKind.ENGINES)
    journal.note(game, NAMED, EventKind.ENGINES)  # once is enough
    journal.append(game, 2, "c4")
    journal.close()
    with Journal.open(path, clock) as again:
        record = again.load(game)
        assert (record.engines, record.moves) == (NAMED, ("c3", "c4"))
        again.note(game, {}, EventKind.ENGINES)
        assert again.load(game).engines == {}


def test_a_game_of_people_has_none(journal):
    assert journal.load(journal.start("momentum", OPTIONS)).engines == {}


def test_a_stand_keeps_them(journal):
    game = journal.start("momentum", OPTIONS, engines=BLUE)
    for _ in range(STAND_EVERY // 2):
        journal.append(game, 1, "c3")
        journal.take_back(game, 1, 0)
    assert journal.load(game).engines == BLUE


def test_a_finished_game_stays_as_it_is(journal):
    game = journal.start("momentum", OPTIONS, engines=BLUE)
    journal.append(game, 1, "c3")
    journal.finish(game, {"winner": "red", "reason": "complete"})
    journal.note(game, NAMED, EventKind.ENGINES)
    assert journal.load(game).engines == BLUE


def test_the_text_names_engine_level_and_version(journal):
    mixed = {"red": EngineSeat("other", 10, "Other 2"), **NAMED}
    game = journal.start("momentum", OPTIONS, engines=mixed)
    journal.append(game, 1, "c3")
    written = write_game(journal.load(game))
    assert 'Engine red: {"engine":"other","level":10,"version":"Other 2"}\n' in written
    assert 'Engine blue: {"level":3,"version":"tiltboard 0.1.0"}\n' in written
    assert read_game(written).engines == mixed
    stored = journal.store(read_game(written))
    assert journal.load(stored).engines == mixed


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Engine pink: {}", "red, blue"),
        ("Engine blue: 7", "an engine and its level"),
        ('Engine blue: {"level": 11}', "an engine and its level"),
    ],
)
def test_an_engine_that_cannot_be_is_refused(journal, line, expected):
    game = journal.start("momentum", OPTIONS)
    journal.append(game, 1, "c3")
    written = write_game(journal.load(game)).replace("Result", f"{line}\nResult")
    with pytest.raises(GameTextError, match=expected):
        read_game(written)

"""Games that the host is asked for, where that cannot be: nothing may have changed."""

import pytest

from firmware_host.config.errors import BoardDoesNotFitError, JournalFullError, NotPossibleError
from firmware_host.config.profile import load_profile
from firmware_host.journal import read_game
from firmware_host.table.commands import Calibrate, ImportGame, NewGame, ResumeGame, TakeBack
from hw_sim.session import SimSession

TOO_LARGE = """tiltboard game 1

Game: attraktion
Date: 2026-03-01T18:20:00Z
Players: white, black
Option size: 10
Option pieces: 50
Result: *

1. a1
"""


@pytest.fixture
def session(tmp_path):
    with SimSession(load_profile("plate-7"), tmp_path) as session:
        yield session


def test_an_imported_game_that_does_not_fit_is_not_kept(session):
    assert read_game(TOO_LARGE).moves == ("a1",)
    before = session.host.journal.games()
    with pytest.raises(BoardDoesNotFitError):
        session.host.do(ImportGame(TOO_LARGE))
    assert session.host.journal.games() == before


def test_a_game_that_cannot_be_made_the_current_one_is_not_begun(session):
    host = session.host
    first = host.journal.current().id
    host.do(NewGame("momentum", {"size": 5, "marbles": 4}))
    session.run_until(1.0)
    session.faults.inject("disk-full")
    with pytest.raises(JournalFullError):
        host.do(ResumeGame(first))
    assert host.standing.game_id == host.journal.current().id != first
    session.faults.heal("disk-full")
    session.run_until(4.0)
    assert host.standing.game is host.game
    assert host.standing.game_id == host.journal.current().id != first


def test_what_is_asked_of_the_game_during_a_calibration_is_refused_and_not_kept_for_later(session):
    session.host.do(Calibrate())
    with pytest.raises(NotPossibleError, match="calibrated"):
        session.host.do(TakeBack())


def test_a_take_back_is_told_done_when_it_is_on_disk_and_refused_where_it_cannot_be(session):
    host = session.host
    game = host.journal.start("momentum", {**host.game.options})
    host.journal.append(game, 1, "d4")
    host.do(ResumeGame(game))
    session.run_until(1.0)
    session.faults.inject("disk-full")
    refused = host.submit(TakeBack())
    assert not refused.done()
    session.tick()
    assert isinstance(refused.exception(0), JournalFullError)
    session.faults.heal("disk-full")
    session.run_until(5.0)
    assert host.standing.moves == host.journal.load(game).moves == ("d4",)
    done = host.submit(TakeBack())
    assert not done.done()
    session.tick()
    assert done.result(0) is None
    assert host.standing.moves == host.journal.load(game).moves == ()


def test_what_was_asked_just_before_a_calibration_is_answered(session):
    first, begun = session.host.submit(NewGame("momentum")), session.host.submit(Calibrate())
    session.tick()
    assert first.result(0) is begun.result(0) is None
    late = session.host.submit(TakeBack())
    session.tick()
    assert isinstance(late.exception(0), NotPossibleError)

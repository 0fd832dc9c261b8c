"""Tests of firmware_host/host/host.py and playing.py: games that the host is asked for, where
that cannot be: nothing may have changed.
"""

from concurrent.futures import Future

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import (
    BoardDoesNotFitError,
    JournalFullError,
    NotPossibleError,
)
from tiltboard.firmware_host.journal.records import JournalReader
from tiltboard.firmware_host.journal.text_format import read_game, write_game
from tiltboard.firmware_host.table.commands import (
    Assist,
    Calibrate,
    ImportGame,
    MakeMove,
    NewGame,
    Resign,
    ResumeGame,
    TakeBack,
)
from tiltboard.games.momentum.rules import MomentumRules
from tiltboard.hw_sim.session import SimSession

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
    with SimSession(unhurried("plate-7"), tmp_path) as session:
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
    assert host.status.game_id == host.journal.current().id != first
    session.faults.heal("disk-full")
    session.run_until(4.0)
    assert host.status.game is host.game
    assert host.status.game_id == host.journal.current().id != first


def test_what_a_full_disk_does_not_take_is_tried_again_now_and_then_and_logged_once(
    session, caplog
):
    host, number = session.host, session.host.journal.current().id
    session.run_until(1.0)
    session.faults.inject("disk-full")
    host.do(Assist("red", 2))
    session.run_until(6.0)
    told = [
        each for each in caplog.records if each.name.startswith("tiltboard.firmware_host.journal")
    ]
    assert len(told) == 1
    session.faults.heal("disk-full")
    session.run_until(8.0)
    assert host.journal.load(number).assist["red"].amount == 2


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
    assert host.status.moves == host.journal.load(game).moves == ("d4",)
    done = host.submit(TakeBack())
    assert not done.done()
    session.tick()
    assert done.result(0) is None
    assert host.status.moves == host.journal.load(game).moves == ()


def test_what_was_asked_just_before_a_calibration_is_answered(session):
    first, begun = session.host.submit(NewGame("momentum")), session.host.submit(Calibrate())
    session.tick()
    assert first.result(0) is begun.result(0) is None
    assert session.host.status.game is session.host.game  # what waits is the new one
    late = session.host.submit(TakeBack())
    session.tick()
    assert isinstance(late.exception(0), NotPossibleError)


MOVES = ("d4", "a1", "g7", "c1", "e6", "b5")


@pytest.fixture
def elsewhere(session, monkeypatch):
    """What another thread is asked to read: how each is answered as that would; and after how many
    moves the rules were asked what follows.
    """
    asked, played_after = [], []
    apply = MomentumRules.apply

    def noted(rules, state, move):
        played_after.append(state.turn)
        return apply(rules, state, move)

    def ask(question):
        future = Future()

        def answer():
            with JournalReader.open_read_only(session.host.journal.path) as journal:
                future.set_result(question(journal))

        asked.append(answer)
        return future

    monkeypatch.setattr(MomentumRules, "apply", noted)
    submit = session.host.submit
    monkeypatch.setattr(session.host, "submit", lambda command: submit(command, ask))
    return asked, played_after


def played(session, moves=MOVES):
    journal = session.host.journal
    game = journal.start("momentum", {**session.host.game.options, "pie": False})
    for ply, move in enumerate(moves, start=1):
        journal.append(game, ply, move)
    return game


@pytest.mark.parametrize("command", ["resume", "import"])
def test_a_long_game_is_replayed_in_no_scan(session, elsewhere, command):
    asked, played_after = elsewhere
    host, game = session.host, played(session)
    text = write_game(host.journal.load(game))
    done = host.submit(ResumeGame(game) if command == "resume" else ImportGame(text))
    session.tick()
    session.tick()
    assert (len(asked), done.done(), host.status.moves) == (1, False, ())
    asked[0]()
    assert 0 in played_after
    played_after.clear()
    session.tick()
    assert done.result(0) is None
    assert min(played_after) >= len(MOVES) - 1  # the last move, to be shown, and what may follow
    record = host.journal.current()
    assert record.moves == host.status.moves == MOVES
    assert (record.id == game) == (command == "resume")


def test_a_game_that_went_on_while_it_was_read_is_taken_up_as_it_is(session, elsewhere):
    asked, _ = elsewhere
    host, game = session.host, played(session)
    done = host.submit(ResumeGame(game))
    session.tick()
    asked[0]()
    host.journal.take_back(game, len(MOVES), 3)
    host.journal.append(game, 4, "a2")
    session.tick()
    assert done.result(0) is None
    assert host.status.moves == ("d4", "a1", "g7", "a2")
    assert (
        host.status.position.cells
        == host.game.start().after("d4").after("a1").after("g7").after("a2").cells
    )


def test_what_is_asked_after_a_long_game_is_done_after_it_and_of_the_game_that_was_meant(
    session, elsewhere
):
    asked, _ = elsewhere
    host, game = session.host, played(session)
    resumed = host.submit(ResumeGame(game))
    taken_back, of_before = host.submit(TakeBack(game=game)), host.submit(TakeBack())
    session.tick()
    assert not taken_back.done()
    asked[0]()
    session.tick()
    session.tick()
    assert resumed.result(0) is taken_back.result(0) is None
    with pytest.raises(NotPossibleError, match="game has moved on"):
        of_before.result(0)
    assert host.status.moves == host.journal.load(game).moves == MOVES[:-1]


def test_an_import_that_the_disk_refuses_leaves_nothing(session, elsewhere):
    asked, _ = elsewhere
    host, game = session.host, played(session)
    text = write_game(host.journal.load(game))
    before, current = host.journal.games(), host.journal.current()
    done = host.submit(ImportGame(text))
    session.tick()
    asked[0]()
    session.faults.inject("disk-full")
    session.tick()
    assert isinstance(done.exception(0), JournalFullError)
    session.faults.heal("disk-full")
    assert (host.journal.games(), host.journal.current()) == (before, current)


def test_what_is_asked_at_once_is_done_in_order_each_in_the_game_that_it_was_meant_for(session):
    host = session.host
    game = host.journal.current().id
    first = [host.submit(Resign("red")), host.submit(Resign("blue"))]
    others = [host.submit(NewGame("attraktion", {"size": 7})), host.submit(Resign("red"))]
    session.run_until(1.0)
    assert first[0].result(0) is None
    assert isinstance(first[1].exception(0), NotPossibleError)
    assert host.journal.load(game).result["by"] == "red"
    assert others[0].result(0) is None
    assert isinstance(others[1].exception(0), NotPossibleError)
    assert host.game.name == "attraktion"


def test_a_move_after_the_end_is_told_that_and_how_to_begin_another(session):
    session.host.do(Resign("red"))
    with pytest.raises(
        NotPossibleError, match=r"The game is over\. Begin another one: press confirm"
    ):
        session.host.do(MakeMove("d4"))
    session.hands.press("confirm", 0.1)
    session.run_until(2.0)
    assert session.host.status.outcome is None

"""Tests of firmware_host/host/game_clock.py: the players' clocks: they run in the table's time
while somebody thinks, and outlive a kill.
"""

from __future__ import annotations

import msgspec
import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import GameTextError, NotPossibleError
from tiltboard.firmware_host.config.players import ClockTime
from tiltboard.firmware_host.host.game_clock import start_clocks
from tiltboard.firmware_host.journal.text_format import read_game, write_game
from tiltboard.firmware_host.table.commands import ImportGame, NewGame, TakeBack
from tiltboard.firmware_host.table.status import Phase
from tiltboard.firmware_host.web.requests import PageCommand
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.session import SimSession

OPTIONS = {"size": 5, "marbles": 5, "pie": False}
TIME = ClockTime(1, 10)


@pytest.fixture
def session(tmp_path):
    with SimSession(unhurried("plate-7"), tmp_path) as session:
        session.run_until(3.0)
        session.host.do(NewGame("momentum", OPTIONS, clock=TIME))
        yield session


def run(session, duration_s):
    session.run_until(session.clock.now() + duration_s)


def play(session, piece, place):
    """A person's drop, until the next player is to move; how long it took from the call on."""
    session.hands.put(piece, session.host.overlay.index_of(place))
    made = len(session.host.status.moves)
    while len(session.host.status.moves) == made:
        session.tick()


def left(session):
    return {p: round(s) for p, s in session.host.session.clock.state.left_s.items()}


def test_it_runs_for_the_one_to_move_from_the_first_move_on(session):
    run(session, 20)
    assert left(session) == {"red": 60, "blue": 60}
    play(session, "red", "a1")
    run(session, 15)
    assert left(session) == {"red": 60 + 10, "blue": 45}
    play(session, "blue", "e5")
    at_blue = left(session)["blue"]
    run(session, 5)
    assert left(session) == {"red": 65, "blue": at_blue}
    assert 50 <= at_blue <= 55  # 45, less the hand's way, and ten more


def test_nothing_runs_while_a_move_is_carried_out_taken_back_or_put_right(session):
    play(session, "red", "b2")
    session.hands.put("blue", session.host.overlay.index_of("c2"))  # pushes b2 to a2
    while session.host.status.phase is not Phase.SETTLE:
        session.tick()
    before = left(session)
    run(session, 10)
    assert left(session) == before
    session.host.do(TakeBack())
    run(session, 10)
    assert session.host.status.phase is Phase.FIX
    assert left(session) == before


def test_time_that_is_up_ends_the_game_with_a_sentence_and_can_be_taken_back(session):
    play(session, "red", "a1")
    run(session, 61)
    status = session.host.status
    assert status.outcome.as_json() == {"winner": "red", "reason": "time", "by": "blue"}
    assert str(status.say) == "Red wins – Blue ran out of time!"
    assert session.host.journal.current().result == status.outcome.as_json()
    session.kill()
    assert session.host.status.outcome == status.outcome
    session.host.do(TakeBack())
    run(session, 1)
    assert session.host.status.outcome is None
    assert left(session)["blue"] > 50  # a minute more


def test_a_kill_takes_none_of_the_time_that_was_used_before_the_last_move(session):
    play(session, "red", "a1")
    run(session, 15)
    play(session, "blue", "e5")
    before = left(session)
    session.kill()
    assert left(session) == before
    run(session, 5)
    assert left(session)["red"] < before["red"]


def test_the_export_tells_it_and_an_import_goes_on_with_it(session):
    play(session, "red", "a1")
    run(session, 15)
    play(session, "blue", "e5")
    record = session.host.journal.current()
    told = write_game(record)
    assert read_game(told).clock == record.clock
    session.host.do(ImportGame(told))
    assert session.host.session.clock.state == record.clock
    with pytest.raises(GameTextError, match="what each player has left"):
        read_game(told.replace('"blue":', '"green":'))


def test_a_game_of_three_sides_has_no_clock():
    game = game_type("momentum").create({"players": 3, "marbles": 5})
    assert start_clocks(game, None) is None
    with pytest.raises(NotPossibleError, match="two sides"):
        start_clocks(game, TIME)


def test_a_page_cannot_say_that_somebodys_time_is_up():
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"type": "time-up", "player": "red"}', type=PageCommand)

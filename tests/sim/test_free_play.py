"""Tests of firmware_host/host/modes.py: playing without rules: the game waits on disk, and the
host says what it sees.
"""

from pathlib import Path

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.table.commands import (
    Calibrate,
    NewGame,
    SetFreePlay,
    StartLesson,
    StopCalibration,
    StopLearning,
    TakeBack,
)
from tiltboard.firmware_host.table.status import Phase
from tiltboard.hw_sim.session import SimSession


@pytest.fixture
def session(tmp_path: Path):
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        session.host.do(NewGame("momentum", {"size": 7}))
        session.run_until(session.clock.now() + 2.0)  # the empty plate is seen first
        yield session


def until(session, action):
    session.run_until(action.end_s + 0.5)


def index(session, place):
    return session.host.overlay.index_of(place)


def said(session):
    return [str(each.say) for each in session.host.modes.free.happened]


def test_what_is_seen_is_said_and_glows_in_its_pole_while_the_game_waits(session):
    host = session.host
    until(session, session.hands.put("red", index(session, "d4")))
    assert host.status.moves == ("d4",)
    host.do(SetFreePlay())
    until(session, session.hands.put("red", index(session, "e5")))
    until(session, session.hands.put("blue", index(session, "f6")))
    until(session, session.hands.take(index(session, "f6")))
    assert host.status.phase is Phase.FREE
    assert host.status.moves == ("d4",)
    assert said(session) == ["On e5: red marble.", "On f6: blue marble.", "f6 is empty."]
    assert host.status.tint == {"d4": ("orange",), "e5": ("orange",)}  # north poles face down
    with pytest.raises(NotPossibleError, match="play freely"):
        host.do(TakeBack())
    until(session, session.hands.take(index(session, "e5")))
    host.do(SetFreePlay(on=False))
    session.tick()
    assert (host.status.phase, host.status.to_move) == (Phase.TURN, "blue")


@pytest.mark.parametrize("begun", [False, True], ids=["first turn", "after a move"])
@pytest.mark.parametrize("end", [SetFreePlay(on=False), Calibrate()], ids=["left", "calibrated"])
def test_what_is_left_on_the_plate_is_no_move(session, begun, end):
    host = session.host
    if begun:
        until(session, session.hands.put("red", index(session, "d4")))
    before = ("d4",) if begun else ()
    host.do(SetFreePlay())
    until(session, session.hands.put("blue" if begun else "red", index(session, "e5")))
    host.do(end)
    if host.modes.sweep is not None:
        host.do(StopCalibration())
    session.run_until(session.clock.now() + 3.0)
    assert (host.status.phase, host.status.moves) == (Phase.SETUP, before)
    until(session, session.hands.take(index(session, "e5")))
    assert (host.status.phase, host.status.moves) == (Phase.TURN, before)


def test_it_ends_with_another_game_a_calibration_or_the_service(session):
    session.host.do(SetFreePlay())
    session.host.do(NewGame("momentum"))
    session.tick()
    assert session.host.status.phase is not Phase.FREE
    session.host.do(StartLesson("gravity-trap"))
    session.host.do(SetFreePlay())
    session.tick()
    assert session.host.status.game is session.host.game  # the one that waits
    session.host.do(StopLearning())
    session.tick()
    assert session.host.status.phase is not Phase.FREE
    session.host.do(SetFreePlay())
    session.tick()
    session.kill()
    assert session.host.status.phase is not Phase.FREE
    session.host.do(SetFreePlay())
    session.host.do(Calibrate())
    assert session.host.modes.free is None
    with pytest.raises(NotPossibleError, match="calibrated"):
        session.host.do(SetFreePlay())

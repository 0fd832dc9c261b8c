"""Playing freely, and the way back to the game that waited."""

import pytest

from firmware_host.config.profile import load_profile
from firmware_host.table.commands import MakeMove, PlayFreely
from firmware_host.table.standing import Phase
from hw_sim.session import SimSession


@pytest.fixture
def session(tmp_path):
    with SimSession(load_profile("plate-7"), tmp_path) as session:
        session.run_until(1.0)
        yield session


def runs(session, seconds):
    session.run_until(session.clock.now() + seconds)


@pytest.mark.parametrize("begun", [False, True], ids=["first turn", "after a move"])
def test_what_was_left_on_the_plate_is_no_move(session, begun):
    host, hands, places = session.host, session.hands, load_profile("plate-7").places
    if begun:
        host.do(MakeMove("d4"))
        hands.put("red", places.index("d4"))
        runs(session, 3.0)
    before = host.standing.moves
    assert len(before) == begun
    host.do(PlayFreely(True))
    hands.put("blue" if begun else "red", places.index("b2"))
    runs(session, 3.0)
    assert (host.standing.phase, host.standing.moves) == (Phase.FREE, before)
    host.do(PlayFreely(False))
    runs(session, 3.0)
    assert (host.standing.phase, host.standing.moves) == (Phase.SETUP, before)
    hands.take(places.index("b2"))
    runs(session, 3.0)
    assert (host.standing.phase, host.standing.moves) == (Phase.TURN, before)

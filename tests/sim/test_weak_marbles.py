"""Tests of firmware_host/perception/bands.py and firmware_host/referee/guidance.py: a third or
fourth player's marble, whose magnet is weak, put out of turn: the table says whose turn it
is, and never that it cannot read the place, however near to its band's edge it reads.
"""

from __future__ import annotations

from math import hypot

import pytest

from tests.sim.own_hand import OwnHand
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.registry import GAMES
from tiltboard.hw_sim.session import SimSession

# East and north in mm: in the middle, and where it reads so little that it is watched for longer,
# down to the 0.8 mT that a weak magnet has to read (docs/add-a-board.md).
OFFSETS_MM = ((0.0, 0.0), (4.8, 6.1), (6.1, -5.3))
EDGE_MT = (0.78, 1.3)  # An average of four scans has noise of 0.02 mT.
BOARDS = [dict(each.options) for each in GAMES["momentum"].presets if each.options["players"] > 2]


@pytest.mark.parametrize("number", range(len(BOARDS)))
def test_a_weak_marble_out_of_turn_is_told_whose_turn_it_is(tmp_path, number):
    """Each marble of each board, at one of the offsets in turn."""
    options = BOARDS[number]
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        table = OwnHand(session)
        table.wait(table.host.submit(NewGame("momentum", options)))
        table.until(lambda: table.status.phase is Phase.TURN)
        places = table.status.position.legal()
        middle = min(places, key=lambda place: hypot(*_from(table, places, place)))
        index = table.host.overlay.index_of(middle)
        for turn, colour in enumerate(table.status.game.players[2:], number):
            for offset_mm in OFFSETS_MM[turn % 3 :][:1]:
                session.hands.put(colour, index, offset_mm)
                said = []
                end_s = session.hands.busy_until_s + 2.0
                while session.clock.now() < end_s:
                    table.tick()
                    said += [table.said] if table.said not in said[-1:] else []
                reads_mt = abs(table.host.look.observation.field_mt[index])
                assert offset_mm == (0.0, 0.0) or EDGE_MT[0] < reads_mt < EDGE_MT[1]
                [told] = said[1:]
                assert told == str(table.status.say)
                assert {"Red's", colour, f"{middle}."} <= set(told.split())
                session.hands.take(index)
                table.until(lambda: table.status.phase is Phase.TURN)
                table.run(1.0)


def _from(table, places, place):
    """Columns and rows from the middle of what may be played on."""
    board = table.status.game.board
    columns, rows = zip(*(board[each] for each in places), strict=True)
    column, row = board[place]
    return column - sum(columns) / len(columns), row - sum(rows) / len(rows)


@pytest.mark.parametrize("off_mm", [9.0, 10.0])
def test_a_weak_marble_far_off_the_middle_is_asked_to_be_pushed_there(tmp_path, off_mm):
    """Beyond what a weak magnet has to read, and before what light and warmth do to a zero."""
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        table = OwnHand(session)
        options = {"size": 7, "marbles": 6, "pie": False, "players": 4}
        table.wait(table.host.submit(NewGame("momentum", options)))
        for piece, place in (("red", "d4"), ("blue", "f6")):
            session.hands.put(piece, table.host.overlay.index_of(place))
            table.run(2.0)
        index = table.host.overlay.index_of("f2")
        session.hands.put("white", index, (off_mm, 0.0))
        table.run(4.0)
        assert 0.45 < abs(table.host.look.observation.field_mt[index]) < 0.8
        assert table.said == (
            "The table cannot read f2. Move the piece there to the middle of its space, or take it "
            "off."
        )
        assert table.status.moves == ("d4", "f6")
        session.hands.take(index)
        table.run(2.0)
        session.hands.put("white", index)
        table.run(2.0)
        assert table.status.moves == ("d4", "f6", "f2")

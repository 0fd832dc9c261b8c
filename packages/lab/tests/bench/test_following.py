"""Tests of tiltboard_lab/bench/following.py: whole random games by what is published alone;
the big run is ``tiltboard bench following``.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.said import move
from tiltboard.firmware_host.table.status import Phase, Role
from tiltboard.games.base import Shift
from tiltboard.games.registry import game_type
from tiltboard_lab.bench.following import GAMES, WAYS, StrandedError, Tabletop, act, by_list, play

COUNT = 4
BOARDS = [
    *GAMES,
    ("momentum", {"players": 4, "size": 6, "marbles": 4, "holes": ["c3"], "cushions": ["d5"]}),
    ("momentum", {"hex": 4, "marbles": 5}),
    ("attraktion", {"size": 5}),
    ("gravity-connect", {"size": 4, "line": 3}),
]
# Black on d6 pulls d2, d3 and d4 (black each) one place up, and other runs besides.
RUNS = "h2 f2 d2 b2 f1 c4 a4 d4 g2 i2 i4 j5 i1"


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(("name", "options"), BOARDS, ids=str)
def test_what_is_published_leads_through_whole_games(name, options, how):
    game = game_type(name).create(options)
    for seed in range(COUNT):
        assert play(game, WAYS[how], Random(seed)) > 0


def test_a_run_of_like_pieces_is_one_carry():
    tabletop = Tabletop(game_type("attraktion").create({}), Random(0))
    for played in RUNS.split():
        turn = tabletop.status.position.play(played)
        act(tabletop, turn)
        tabletop.cells = dict(turn.position.cells)
        tabletop.look()
    turn = tabletop.status.position.play("d6")
    act(tabletop, turn)
    pulled = [Shift("black", "d2", "d3"), Shift("black", "d3", "d4"), Shift("black", "d4", "d5")]
    assert list(turn.consequences) == pulled
    assert str(tabletop.status.say).endswith(move("black piece", "d2", "d5"))
    assert tabletop.status.roles == {"d2": Role.LIFT, "d5": Role.PUT}
    assert tabletop.status.shifts == (Shift("black", "d2", "d5"),)
    by_list(tabletop)
    assert tabletop.status.phase is Phase.TURN
    assert tabletop.cells == dict(turn.position.cells)


def test_the_robot_notices_what_cannot_be_carried_out():
    tabletop = Tabletop(game_type("momentum").create({}), Random(0))
    tabletop.cells["d4"] = "red"
    tabletop.look()
    with pytest.raises(StrandedError, match="no blue is in the hand"):
        tabletop.carry(Shift("blue", None, "d5"))
    with pytest.raises(StrandedError, match="no blue stands on d4"):
        tabletop.carry(Shift("blue", "d4", "d5"))
    tabletop.hand["red"] = 1
    with pytest.raises(StrandedError, match="d4 is occupied"):
        tabletop.carry(Shift("red", None, "d4"))

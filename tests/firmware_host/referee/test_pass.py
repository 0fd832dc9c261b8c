"""Tests of firmware_host/referee/move_matching.py, state.py, view.py and guidance.py: a move that
changes nothing on the board is offered, played and taken back like any other.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tiltboard.firmware_host.referee.state import TAKE_BACK_S
from tiltboard.firmware_host.table.commands import MakeMove
from tiltboard.firmware_host.table.status import Phase, Role
from tiltboard.games.conformance import check_type

sys.path.append(str(Path(__file__).parents[2] / "reversi"))
from reversi import REVERSI, SKIP

# On a board of 4 x 4, found by playing at random: after these blue has no move, and red has.
TO_A_PASS = ("b4", "c4", "d1", "a3", "a4", "a2", "d2", "c1", "d4")


@pytest.fixture
def desk(new_desk, refereed):
    """Reversi at the point where blue has to pass."""
    table = type(refereed())(REVERSI.create({"size": 4}))
    table.cells = dict(table.game.start().cells)
    table.wait(0.1)
    table.play(*TO_A_PASS)
    assert table.journal.moves == list(TO_A_PASS)
    return table


def test_the_game_keeps_every_promise_and_passes_are_met():
    assert [*check_type(REVERSI, random.Random(1), 5)]
    position = REVERSI.create({"size": 4}).start()
    for move in TO_A_PASS:
        position = position.play(move).position
    assert (position.mover, position.legal()) == ("blue", (SKIP,))


def test_a_forced_pass_is_offered_in_words_and_on_the_lights(desk):
    status = desk.status
    assert (status.phase, status.to_move) == (Phase.TURN, "blue")
    assert status.question.offer
    assert [choice.value for choice in status.question.choices] == [SKIP]
    assert "pass" in status.say.template
    blue = {place for place, piece in desk.cells.items() if piece == "blue"}
    assert desk.lights(Role.LEGAL) == blue


@pytest.mark.parametrize("way", ["press", "answer", "page"])
def test_it_is_played_once_somebody_says_so_and_is_not_taken_back(desk, way):
    desk.wait(2 * TAKE_BACK_S)
    assert len(desk.journal.moves) == len(TO_A_PASS)
    if way == "press":
        desk.press("confirm")
    elif way == "answer":
        desk.answer(SKIP)
    else:
        desk.scan(requests=[MakeMove(SKIP)])
    desk.wait(4 * TAKE_BACK_S)
    assert desk.journal.moves == [*TO_A_PASS, SKIP]
    assert (desk.status.to_move, desk.status.question) == ("red", None)


def test_back_takes_the_pass_back_and_then_the_move_before_it(desk):
    desk.answer(SKIP)
    desk.press("back")
    desk.wait(TAKE_BACK_S)
    assert desk.journal.moves == list(TO_A_PASS)
    assert (desk.status.to_move, desk.status.phase) == ("blue", Phase.TURN)
    desk.press("back")
    assert desk.journal.moves == list(TO_A_PASS[:-1])
    assert desk.status.phase is Phase.FIX


def test_a_piece_put_down_in_place_of_a_pass_is_refused(desk):
    (empty, *_) = desk.game.board.keys() - desk.cells.keys()
    desk.put("blue", empty)
    assert desk.wait(1.0).phase is Phase.FIX
    desk.take(empty)
    desk.wait(1.0)
    assert desk.status.question is not None
    assert desk.journal.moves == list(TO_A_PASS)


def test_a_pass_asked_for_while_the_plate_is_tilted_waits(desk):
    desk.tilts = True
    desk.tilt(8.0, 0.0)
    desk.scan(requests=[MakeMove(SKIP)])
    assert desk.journal.moves == list(TO_A_PASS)
    desk.tilt(0.0, 0.0)
    desk.wait(1.0)
    assert desk.journal.moves == [*TO_A_PASS, SKIP]

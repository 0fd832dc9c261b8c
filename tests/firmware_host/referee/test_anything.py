"""Tests of firmware_host/referee/referee.py: whatever is seen, pressed and refused: the referee
answers, and its answer holds together.
"""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.drivers.errors import PartAbsentError
from tiltboard.firmware_host.config.errors import JournalFullError, NotPossibleError
from tiltboard.firmware_host.table.commands import Answer, Swap, TakeBack
from tiltboard.firmware_host.table.sight import UNKNOWN_PIECE, Stillness
from tiltboard.firmware_host.table.status import Phase, Role

OPTIONS = [
    {"size": 3, "marbles": 3},
    {"size": 4, "marbles": 4, "holes": ["b2"]},
    {"hex": 2, "marbles": 3},
    {"size": 3, "players": 3, "marbles": 2},
    {"game": "attraktion", "size": 3},
    {"game": "gravity-connect", "size": 3, "line": 3},
    {"game": "gravity-trap", "board": {"tracks": [[1, 2, 3], [3, 4, 1], [2, 5]]}},
]
ANSWERS = ["left", "right", "top", "purple", "A", "2", "momentum", "nothing"]


def upset(table, rng):
    """One random change of everything that can change."""
    places = [*table.game.board, "k9"]
    kinds = [*table.game.pieces, UNKNOWN_PIECE]
    presses, requests = [], []
    for _ in range(rng.choice([0, 1, 1, 1, 2, 6])):
        place = rng.choice(places)
        if place in table.cells and rng.random() < 0.6:
            del table.cells[place]
        else:
            table.cells[place] = rng.choice(kinds)
    match rng.randrange(14):
        case 0:
            table.stillness = rng.choice(list(Stillness))
            table.tilt_rad = (rng.uniform(-0.2, 0.2), rng.choice([0.0, 0.08, -0.08]))
        case 1 | 2 | 3:
            table.stillness, table.ready, table.faults = Stillness.STILL, True, ()
        case 4:
            table.unsure = frozenset(rng.sample(places, rng.choice([0, 0, 1, 2])))
        case 5:
            table.journal.full = rng.random() < 0.5
        case 6:
            table.faults = (PartAbsentError("imu", "No answer.", remedy="Look."),)
        case 7:
            requests = [rng.choice([TakeBack(), Swap(), Answer(rng.choice(ANSWERS))])]
        case 8 | 9 if table.status.position is not None:
            table.cells = dict(table.status.position.cells)
        case 10:
            table.hide(*rng.sample(places, rng.choice([1, 1, 2, 3])))
        case 11:
            table.unobserved.clear()
        case 12 if table.status.question is not None:
            requests = [Answer(rng.choice(table.status.question.choices).value)]
        case _:
            pass
    for request in requests:
        with suppress(NotPossibleError, JournalFullError):
            table.referee.carry_out(request)
    table.scan(presses)
    if rng.random() < 0.1:
        table.press(rng.choice(["back", "confirm"]), rng.choice([0.1, 2.0]))
    table.wait(rng.choice([0.02, 0.02, 0.3, 1.1, 3.2]))


def holds_together(table):
    status = table.status
    roles = status.roles
    assert str(status.say)
    assert set(status.piece_for) == {p for p, role in roles.items() if role is Role.PUT}
    assert Role.OFF not in roles.values()
    assert list(status.moves) == table.journal.moves
    assert status.position is not None
    assert (status.to_move is None) == (status.outcome is not None)
    for place, role in roles.items():
        if place in table.unsure or place in table.unobserved:
            continue
        if role in (Role.LIFT, Role.REMOVE):
            assert place in table.cells
        if role is Role.PUT:
            assert place not in table.cells
        if role is Role.LEGAL and place in table.cells:
            movable = table.game.name == "gravity-trap"
            assert status.question is not None or movable
    asking = {r for r in roles.values() if r not in (Role.LAST, Role.WIN)}
    if status.question is not None and not status.question.offer:
        assert asking <= {Role.LEGAL}
        assert status.phase is not Phase.PAUSED
        assert 0 <= status.question.at < len(status.question.choices)
        return
    match status.phase:
        case Phase.PAUSED:
            assert not roles
        case Phase.TURN:
            assert asking <= {Role.LEGAL}
            assert asking
        case Phase.SETTLE:
            assert asking <= {Role.LIFT, Role.PUT, Role.REMOVE}
            assert asking or table.unsure
        case Phase.FIX:
            assert asking & {Role.WRONG, Role.PUT}
            assert Role.LEGAL not in asking
        case Phase.SETUP:
            assert asking <= {Role.PUT, Role.REMOVE}
            assert asking
        case Phase.OVER:
            assert not asking
            assert status.outcome is not None


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("resumed", [False, True])
@few(7)
@given(seed=st.integers(0, 2**32))
def test_it_always_answers_and_the_answer_holds_together(new_desk, options, resumed, seed):
    rng = Random(seed)
    table = new_desk(begin={"resumed": resumed}, **options)
    table.scan()
    for _ in range(40):
        upset(table, rng)
        holds_together(table)

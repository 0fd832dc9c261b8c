"""Tests of firmware_host/referee/view.py and guidance.py: a robot that knows no rules and does
only what roles and ``piece_for`` say, in any order, always gets back to a turn, whatever
hands and elbows did before; and the journal holds the played moves.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.firmware_host.table.sight import Stillness
from tiltboard.firmware_host.table.status import Phase, Role, Sound

SETTINGS = [
    {},
    {"pie": False},
    {"size": 5, "marbles": 6},
    {"width": 6, "height": 4, "marbles": 6, "holes": ["c2"], "cushions": ["d3"]},
    {"hex": 3, "marbles": 5},
    {"players": 3},
    {"players": 4, "marbles": 5},
    {"game": "attraktion", "size": 6},
    {"game": "attraktion", "size": 4, "pieces": 5},
    {"game": "gravity-connect"},
    {"game": "gravity-connect", "size": 4, "line": 3},
    {"game": "gravity-trap", "board": {"tracks": [[1, 2, 3, 4, 5], [6, 3, 7], [1, 7, 8, 6]]}},
]


def obey(table, rng):
    """One light, obeyed. Returns False when none asks for anything."""
    asked = [(p, r) for p, r in table.status.roles.items() if r not in (Role.LEGAL, Role.LAST)]
    if not asked:
        return False
    place, role = rng.choice(sorted(asked))
    if role is Role.PUT:
        table.put(table.status.piece_for[place], place)
    else:
        table.take(place)
    return True


def back_to_a_turn(table, rng):
    for _ in range(300):
        if table.status.phase in (Phase.TURN, Phase.OVER):
            if table.status.question is None:
                return
            table.answer(rng.choice(table.status.question.choices).value)
            continue
        assert obey(table, rng), f"{table.status.phase}, but no light: {table.status.say}"
        table.wait(rng.choice([0, 0, 0.1, 0.5]))
    raise AssertionError("the lights lead nowhere")


def disturb(table, rng):
    """What elbows do: marbles aside, away, upside down, beside the board; the plate tilted. Never a
    marble more of the mover's, because that is a move.
    """
    kinds = [k for k in table.game.pieces if k != table.status.to_move]
    for _ in range(rng.choice([1, 1, 2, 5])):
        free = sorted(set(table.game.board) - table.cells.keys())
        what = rng.choice(["aside", "aside", "away", "over", "more", "beside", "tilt"])
        if what == "tilt":
            table.stillness = Stillness.TILTED
            table.wait(0.5)
            table.stillness = Stillness.STILL
        elif what == "more" and free:
            table.cells[rng.choice(free)] = rng.choice(kinds)
        elif what == "beside":
            table.cells["k1"] = rng.choice(table.game.pieces)
        elif table.cells:
            place = rng.choice(sorted(table.cells))
            piece = table.cells.pop(place)
            if what == "aside" and free:
                table.cells[rng.choice(free)] = piece
            elif what == "over":
                table.cells[place] = rng.choice(kinds)
    table.scan()


def move(table, rng):
    """Whatever the lit places offer. Returns the move, or None where its name is not a place."""
    status = table.status
    mover, position = status.to_move, status.position
    place = rng.choice(sorted(table.lights(Role.LEGAL)))
    if table.cells.get(place) == mover:  # a piece that may be carried
        table.take(place)
        place = rng.choice(sorted(table.lights(Role.LEGAL)))
    if place in table.cells:  # what a landing captures
        table.take(place)
    table.put(mover, place)
    if position.legal() and not set(position.legal()) & set(table.game.board):
        return None
    # The only lit place of a lifted marble: its exchange.
    return "swap" if "swap" in position.legal() and place in position.cells else place


def play(refereed, options, seed):
    rng = Random(seed)
    table = refereed(**options)
    played = []
    for _ in range(14):
        if table.status.phase is Phase.OVER:
            break
        assert table.status.phase is Phase.TURN
        assert list(table.status.moves) == table.journal.moves == played
        before = table.status
        if rng.random() < 0.4:
            disturb(table, rng)
            back_to_a_turn(table, rng)
            if table.status.moves != before.moves:
                # Elbows can make a legal board; then it is a move like any other.
                assert table.status.moves[:-1] == before.moves
                played.append(table.status.moves[-1])
                continue
        if rng.random() < 0.1 and played:
            table.press("back")
            played.pop()
            back_to_a_turn(table, rng)
            continue
        made = move(table, rng)
        if rng.random() < 0.3 and table.status.phase is Phase.SETTLE:
            disturb(table, rng)
        back_to_a_turn(table, rng)
        assert table.journal.moves[:-1] == played
        played.append(made or table.journal.moves[-1])
    assert table.journal.moves == played
    assert table.cells == dict(table.status.position.cells)
    return table


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@few(10)
@given(seed=st.integers(0, 2**32))
def test_no_dead_end(refereed, options, seed):
    play(refereed, options, seed)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_undisturbed_games_never_sound_wrong(refereed, options):
    for seed in range(8):
        rng = Random(seed)
        table = refereed(**options)
        count = 0
        while table.status.phase is not Phase.OVER and count < 30:
            assert len(table.journal.moves) == count
            made = move(table, rng)
            count += 1
            back_to_a_turn(table, rng)
            assert made in (None, table.journal.moves[-1])
        assert Sound.WRONG not in table.sounds
        assert {s.phase for s in table.log} <= {Phase.TURN, Phase.SETTLE, Phase.OVER}

"""Tests of firmware_host/referee/view.py and firmware_host/table/status.py: what scenarios
cannot say of games at the table: pieces upside down, boards that do not fit, what the page is
told.
"""

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import BoardDoesNotFitError, NotPossibleError
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.firmware_host.table.commands import Answer, NewGame
from tiltboard.firmware_host.table.snapshot_groups import PathInfo
from tiltboard.firmware_host.table.status import Phase, Role
from tiltboard.hw_sim.session import SimSession

BOARD = "'board={\"tracks\": [[1, 2, 3, 4, 5], [6, 3, 7], [1, 6]]}'"
SET_UP = f"""
game gravity-trap {BOARD}
put red 1
put blue 5
put pod 2
put pod 3
put pod 4
put pod 6
put pod 7
expect phase turn
"""


def test_a_pod_upside_down_reads_as_no_piece_of_the_game(session, play):
    play(SET_UP)
    index = session.host.overlay.index_of("6")
    session.run_until(session.hands.take(index).end_s + 1)
    status = session.host.status
    assert (status.phase, dict(status.roles)) == (Phase.FIX, {"6": Role.PUT})
    session.run_until(session.hands.put("pod", index, turned_over=True).end_s + 1)
    status = session.host.status
    assert (status.phase, dict(status.roles)) == (Phase.FIX, {"6": Role.WRONG})
    assert "turn it over" in str(status.say)
    play("take 6\nput pod 6\nexpect phase turn\nexpect to-move red")


@pytest.mark.parametrize(
    "game, options, why",
    [
        ("attraktion", {"size": 12}, "12 x 12 does not fit this plate of 10 x 10"),
        ("gravity-connect", {"size": 13}, "13 x 13"),
        (
            "gravity-trap",
            {
                "board": {
                    "tracks": [[1, 2, 3]],
                    "positions": {"1": [0, 0], "2": [5, 5], "3": [10, 2]},
                }
            },
            "11 x 6",
        ),
    ],
)
def test_a_board_that_does_not_fit_is_refused_and_the_game_goes_on(
    session, play, game, options, why
):
    play("game momentum\nput red d4\nexpect to-move blue")
    with pytest.raises(BoardDoesNotFitError, match=why):
        session.host.do(NewGame(game, options))
    play("expect to-move blue\nput blue a1\nexpect to-move red")
    assert session.host.game.name == "momentum"


def test_a_smaller_board_lies_toward_the_low_corner(session, play):
    play("game gravity-connect size=4 line=4\nput red A4\nexpect phase turn")
    assert session.host.overlay.index_of("A4") == 0  # row 1 is at the top
    assert session.host.overlay.index_of("D1") == 33


def test_the_page_is_told_what_is_asked_and_where_the_tile_goes(session, play):
    publisher = Publisher(session.host)
    play("game gravity-connect\nexpect phase turn")
    snapshot = publisher.snapshot()
    assert snapshot.guidance.question is None
    assert snapshot.guidance.tint["A1"] == ["#e69f00", "#009e73"]  # left orange, top green
    assert snapshot.guidance.tint["I5"] == ["#999999"]
    info = publisher.layout().game
    assert info is not None
    assert {piece: str(name) for piece, name in info.names.items()} == {
        "red": "red tile",
        "blue": "blue tile",
    }
    slots = {slot.name: slot for slot in info.slots}
    assert len(slots) == 36
    assert (slots["12"].side, slots["12"].colour) == ("right", "gray")
    assert slots["12"].cells == [f"{column}3" for column in "IHGFEDCBA"]
    play("put red I3\nexpect say side")
    asked = publisher.snapshot().guidance.question
    assert asked is not None
    assert [(c.value, c.colour, c.places) for c in asked.choices] == [
        ("right", "#999999", ["I3"]),
        ("left", "#e69f00", ["A3"]),
    ]
    assert asked.choices[0].path == slots["12"].cells
    with pytest.raises(NotPossibleError):
        session.host.do(Answer("top"))
    play("answer right\nexpect phase settle")
    snapshot = publisher.snapshot()
    assert snapshot.guidance.question is None
    assert snapshot.guidance.path == PathInfo([*slots["12"].cells], "#999999")


def test_the_page_is_told_how_tracks_are_drawn(session, play):
    publisher = Publisher(session.host)
    play("game gravity-trap\nexpect phase turn")
    info = publisher.layout().game
    assert info is not None
    assert info.drawing is not None
    assert len(info.board) == 22
    assert info.drawing.hole == (4.5, 4.5)
    assert all(len(track) % 3 == 1 for track in info.drawing.tracks)
    assert {piece: str(name) for piece, name in info.names.items()} == {
        "red": "red ship",
        "blue": "blue ship",
        "pod": "pod",
    }
    assert info.slots == []
    play("game momentum\nexpect phase turn")
    other = publisher.layout().game
    assert other is not None
    assert (other.drawing, other.slots) == (None, [])


def choose(session, name):
    """By the menu, as far as the buttons' part of it is concerned."""
    session.run_until(session.hands.press("back", 2.1).end_s + 0.2)
    session.host.do(Answer(name))
    session.tick()
    session.tick()


def test_the_menu_begins_games_as_large_as_the_plate_and_refuses_with_the_reason(tmp_path):
    with SimSession(unhurried("matrix-gpio"), tmp_path) as session:
        session.run_until(session.clock.now() + 2)
        assert session.host.status.phase is Phase.TURN
        choose(session, "gravity-trap")
        assert "does not fit" in str(session.host.status.say)
        assert session.host.game.name == "momentum"
        session.run_until(session.clock.now() + 3.5)
        assert "does not fit" not in str(session.host.status.say)
        for name in ("attraktion", "gravity-connect", "momentum"):
            choose(session, name)
            assert session.host.game.name == name
            assert session.host.game.options["size"] == 5
            session.run_until(session.clock.now() + 1)
            assert session.host.status.phase is Phase.TURN

"""Tests of firmware_host/referee/seats.py and firmware_host/host/game_session.py: phones at the
seats of board games, on the simulated table.
"""

from __future__ import annotations

import pytest

from tests.sim.own_hand import OwnHand
from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.table.commands import (
    ClaimSeat,
    MakeMove,
    NewGame,
    OfferDraw,
    Resign,
    SeatBot,
    Swap,
    TakeBack,
)
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.registry import GAMES
from tiltboard.hw_sim.session import SimSession

BOARDS = [name for name, kind in GAMES.items() if not kind.seated]


@pytest.fixture
def table(tmp_path):
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        yield OwnHand(session)


def begin(table, game, options=None, **more):
    table.wait(table.host.submit(NewGame(game, options or {}, **more)))
    table.until(lambda: table.status.phase is Phase.TURN)


def ask(table, command):
    table.wait(table.host.submit(command))
    table.run(0.3)


def plays(table, player, move):
    """A phone's move, until the table has carried it out with its own hand."""
    made = len(table.status.moves)
    ask(table, MakeMove(move, player=player))
    if len(table.status.moves) == made and table.status.phase is Phase.SETTLE:
        assert "from a phone" in table.said
    table.until(lambda: len(table.status.moves) > made and table.status.phase is not Phase.SETTLE)
    assert table.status.moves[-1] == move


def seats(table):
    return table.host.playing.seats


@pytest.mark.parametrize("game", BOARDS)
def test_phones_play_every_board_game_and_the_pieces_go_by_themselves(table, game):
    """With the codes that the table shows, and six moves, some of which push other pieces."""
    begin(table, game)
    players = table.host.game.players
    assert set(seats(table).codes) == set(players)
    for player in players:
        ask(table, ClaimSeat(f"phone of {player}", code=seats(table).codes[player]))
    assert not seats(table).codes
    for _ in range(6):
        position = table.status.position
        middle = len(table.host.game.board) // 2
        legal = [move for move in position.legal() if move != "swap"]
        plays(table, position.to_move, legal[middle % len(legal)])
    assert table.host.sight.cells == table.status.position.cells


def test_a_seat_moves_its_own_colour_and_only_in_its_turn(table):
    begin(table, "momentum")
    with pytest.raises(NotPossibleError, match="Blue's turn"):
        ask(table, MakeMove("d4", player="blue"))
    plays(table, "red", "d4")
    with pytest.raises(NotPossibleError, match="Red's turn"):
        ask(table, Swap(player="red"))
    plays(table, "blue", "swap")


def test_a_seat_takes_back_its_own_last_move_and_no_other(table):
    begin(table, "momentum")
    plays(table, "red", "d4")
    for refused in (TakeBack(player="blue"), TakeBack(0, player="red")):
        with pytest.raises(NotPossibleError, match="your own last move"):
            ask(table, refused)
    ask(table, TakeBack(player="red"))
    table.until(lambda: table.status.phase is Phase.TURN)
    assert (table.status.moves, table.host.sight.cells) == ((), {})
    with pytest.raises(NotPossibleError, match="your own last move"):
        ask(table, TakeBack(player="red"))
    plays(table, "red", "d4")
    ask(table, Resign("red"))
    with pytest.raises(NotPossibleError, match="your own last move"):
        ask(table, TakeBack(player="red"))


def test_a_bot_has_no_seat_and_a_seated_phone_keeps_its_own(table):
    begin(table, "momentum", engines={"blue": EngineSeat(level=1)})
    assert set(seats(table).codes) == {"red"}
    ask(table, ClaimSeat("phone", code=seats(table).codes["red"]))
    with pytest.raises(NotPossibleError, match="no such seat"):
        ask(table, ClaimSeat("phone", "blue"))
    begin(table, "gravity-connect")
    assert dict(seats(table).holders) == {"red": "phone"}
    assert set(seats(table).codes) == {"blue"}


def test_the_bots_of_a_game_of_cards_take_no_seat_of_a_board(table):
    table.wait(table.host.submit(NewGame("gravity-warfare", {"players": 2})))
    ask(table, SeatBot("blue", "easy"))
    begin(table, "momentum")
    assert (set(seats(table).codes), dict(seats(table).computers)) == ({"red", "blue"}, {})
    with pytest.raises(NotPossibleError, match="no such seat"):
        ask(table, SeatBot("red", "easy"))
    ask(table, ClaimSeat("phone", code=seats(table).codes["blue"]))
    table.wait(table.host.submit(NewGame("gravity-warfare", {"players": 2})))
    assert (dict(seats(table).holders), dict(seats(table).computers)) == ({"blue": "phone"}, {})


def test_two_phones_agree_to_a_draw(table):
    begin(table, "momentum")
    plays(table, "red", "d4")
    for player in ("blue", "red"):
        ask(table, OfferDraw(player))
    assert table.status.outcome.reason == "agreed"


def test_at_a_real_table_people_put_the_piece_that_a_phone_plays(tmp_path):
    """No hand of the table's own is there: a person puts it, and then it counts."""
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        session.run_until(3.0)
        host, hands = session.host, session.hands
        host.do(MakeMove("d4", player="red"))
        session.run_until(session.clock.now() + 1.0)
        assert host.status.phase is Phase.SETTLE
        assert str(host.status.say).startswith("Red plays from a phone. ")
        assert "d4" in str(host.status.say)
        hands.put("red", host.overlay.index_of("d4"))
        session.run_until(session.clock.now() + 2.0)
        assert (host.status.moves, host.status.phase) == (("d4",), Phase.TURN)
        assert "phone" not in str(host.status.say)

"""Tests of firmware_host/referee/progress.py: a game that its players end: by resigning, and by
a draw that every side has offered.
"""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.table.commands import OfferDraw, Resign, TakeBack
from tiltboard.firmware_host.table.referee_protocol import AGAIN
from tiltboard.firmware_host.table.status import Phase, Sound


def ask(table, request):
    return table.scan(requests=[request])


def test_who_resigns_has_lost_and_it_is_on_disk_shown_and_sounded_once(refereed):
    table = refereed("d4", "a1", pie=False)
    status = ask(table, Resign("red"))
    result = {"winner": "blue", "reason": "resigned", "by": "red"}
    assert status.outcome.as_json() == result
    assert (status.phase, status.to_move) == (Phase.OVER, None)
    assert str(status.say) == "Blue wins – Red resigned!"
    table.cells.clear()  # the board is cleared away: no move is taken back by that
    table.wait(5.0)
    assert table.status.moves == ("d4", "a1")
    assert (table.journal.results, table.heard()) == ([result], [Sound.WIN])
    table.press("confirm")
    assert table.referee.menu_choice == AGAIN


def test_back_takes_only_the_end_back(refereed):
    table = refereed("d4", "a1", pie=False)
    ask(table, Resign("blue"))
    status = ask(table, TakeBack())
    assert (status.outcome, status.moves) == (None, ("d4", "a1"))
    assert table.journal.results == []
    status = table.wait(0.2)
    assert (status.phase, status.to_move) == (Phase.TURN, "red")
    assert table.play("g7").moves == ("d4", "a1", "g7")


def test_a_draw_needs_every_side_and_an_offer_lapses_with_the_next_move(refereed):
    table = refereed("d4", pie=False)
    assert ask(table, OfferDraw("red")).draw_offers == ("red",)
    assert table.status.phase is Phase.TURN
    table.play("a1")
    assert table.status.draw_offers == ()
    assert ask(table, OfferDraw("blue")).outcome is None
    status = ask(table, OfferDraw("red"))
    assert status.outcome.as_json() == {"winner": None, "reason": "agreed"}
    assert str(status.say) == "A draw – everyone agreed."
    assert table.heard()[-1] is Sound.DRAW


def test_teams_win_and_agree_as_one_side(refereed):
    table = refereed("d4", players=4, marbles=5)
    ask(table, OfferDraw("red"))
    assert ask(table, OfferDraw("white")).outcome is None  # both of one team
    assert ask(table, OfferDraw("green")).outcome.reason == "agreed"
    table = refereed("d4", players=4, marbles=5)
    outcome = ask(table, Resign("white")).outcome
    assert outcome.as_json() == {
        "winner": None, "reason": "resigned", "team": ["blue", "green"], "by": "white",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "request_", "words"),
    [
        ({"pie": False}, Resign("green"), "players are: red, blue"),
        ({"pie": False}, OfferDraw("green"), "players are: red, blue"),
        ({"players": 3}, Resign("red"), "more than two sides"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(refereed, options, request_, words):
    table = refereed("d4", **options)
    with pytest.raises(NotPossibleError, match=words):
        table.referee.carry_out(request_)


def test_not_while_a_move_is_carried_out_nor_after_the_end(refereed):
    table = refereed("d4", pie=False)
    table.put("blue", "d5")
    with pytest.raises(NotPossibleError, match="carried out"):
        table.referee.carry_out(Resign("blue"))
    table = refereed("d4", pie=False)
    ask(table, Resign("blue"))
    with pytest.raises(NotPossibleError, match="no game to end"):
        table.referee.carry_out(Resign("red"))

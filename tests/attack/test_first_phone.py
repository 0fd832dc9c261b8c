"""Tests of firmware_host/web/pairing.py: who would be let in in the place of the first phone, or
keep it out.
"""

from __future__ import annotations

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.hands import Press
from tiltboard.firmware_host.web.pairing import (
    JOIN_LASTS_S,
    MAX_SENT_AWAY,
    Pairing,
    Tokens,
    TooManyTriesError,
    digest_of,
)
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.live import PageHands, at_once

PHONE, STRANGER = "192.168.1.77", "192.168.1.99"


class Table:
    """Its lights and its button."""

    def __init__(self, folder):
        self.clock = VirtualClock()
        self.tokens = Tokens(folder, self.clock.calendar)
        self.pairing = Pairing(self.tokens, self.clock)
        self.pairing.confirming.show = lambda *asked: self.shown.append(asked)
        self.shown = []

    def press(self, *, confirm=True):
        self.shown.pop()[2](confirm)

    def knows(self, token):
        return self.tokens.knows(digest_of(token))


@pytest.fixture
def table(tmp_path):
    return Table(tmp_path)


def test_who_asks_second_is_not_let_in_by_the_press_for_the_first(table):
    token, number = table.pairing.join("phone", PHONE)
    with pytest.raises(NotPossibleError, match="Another device asks for a press"):
        table.pairing.join("phone", STRANGER)
    assert [(what.params["name"], shown) for what, shown, _ in table.shown] == [("phone", number)]
    table.press()
    assert table.knows(token)


def test_who_asks_first_is_known_by_another_number_and_back_sends_it_away(table):
    stolen, _ = table.pairing.join("phone", STRANGER)
    table.press(confirm=False)
    token, _ = table.pairing.join("phone", PHONE)
    table.press()
    assert (table.knows(stolen), table.knows(token)) == (False, True)


def test_nobody_is_let_in_once_a_device_is_paired_not_even_who_had_asked_before(table):
    late, _ = table.pairing.join("phone", STRANGER)
    code = table.pairing.open(at_table=False)
    table.pairing.redeem(code, "phone", PHONE)
    table.press()
    assert not table.knows(late)
    with pytest.raises(NotPossibleError, match="knows a device already"):
        table.pairing.join("phone", STRANGER)


def test_nobody_asks_without_end(table):
    """Three by one address a minute; then the lights rest."""
    asked = 0
    with pytest.raises(TooManyTriesError):
        for _ in range(10):
            table.pairing.join("phone", STRANGER)
            asked += 1
            table.press(confirm=False)
    assert asked == 3
    table.pairing.join("phone", PHONE)
    table.press()
    assert len(table.tokens.devices()) == 1


def test_who_is_sent_away_again_and_again_leaves_the_lights_to_the_game(table):
    for number in range(MAX_SENT_AWAY):
        table.pairing.join("phone", f"192.168.1.{number}")
        table.press(confirm=False)
        table.clock.sleep(60)
    assert not table.pairing.takes_first
    with pytest.raises(NotPossibleError, match="Nobody let in"):
        table.pairing.join("phone", PHONE)
    table.pairing.open()  # somebody at the table asks for a code
    table.pairing.join("phone", PHONE)
    table.press()
    assert len(table.tokens.devices()) == 1


def test_a_press_that_was_meant_for_the_game_lets_nobody_in(tmp_path):
    """A stranger asks just before somebody confirms something else."""
    answers = []
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        hands = PageHands(session, at_once)
        session.host.ask_for_press(Message("phone"), "42", answers.append)
        session.host.step()
        hands.do(Press("confirm"))
        session.run_until(session.clock.now() + 1)
        assert answers == []
        session.run_until(session.clock.now() + 1.5)
        hands.do(Press("confirm"))
        session.run_until(session.clock.now() + 1)
        assert answers == [True]


def test_what_a_stranger_calls_itself_draws_nothing_on_a_terminal(table):
    table.pairing.join("\x1b[2Jphone\n", STRANGER)
    assert table.shown[0][0].params == {"name": " [2Jphone "}


def test_a_request_that_nobody_answers_ends(table):
    table.pairing.join("phone", STRANGER)
    table.clock.sleep(JOIN_LASTS_S)
    table.pairing.join("phone", PHONE)
    assert len(table.shown) == 2

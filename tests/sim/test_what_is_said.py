"""Tests of firmware_host/table/problem_messages.py: what people are told while a sensor fails under
their pieces: what is true, once, and never to do what does not help; and nothing that was
played is lost.
"""

from __future__ import annotations

import pytest

from tests.sim.own_hand import OwnHand
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.hands import Press
from tiltboard.hw_sim.session import SimSession

TWO = {"size": 5, "marbles": 5, "pie": False}
FOUR = {"size": 7, "marbles": 6, "pie": False, "players": 4}


class Listener(OwnHand):
    """Hears every sentence once, as it begins to be said."""

    def __init__(self, session, options):
        super().__init__(session)
        self.heard = []
        self.wait(self.host.submit(NewGame("momentum", options)))
        self.run(2.0)

    def tick(self):
        super().tick()
        if self.said not in self.heard[-1:]:
            self.heard.append(self.said)

    def put(self, piece, place):
        self.session.hands.put(piece, self.host.overlay.index_of(place))
        self.run(2.0)

    def breaks(self, fault, place):
        self.heard = [self.said]
        self.session.faults.inject(fault, (place,))


@pytest.mark.parametrize("occupied", [True, False], ids=["under a marble", "on an empty place"])
def test_of_a_noisy_sensor_one_thing_is_said(tmp_path, occupied):
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        table = Listener(session, TWO)
        table.put("red", "c3")
        table.breaks("sensor-noisy", place := "c3" if occupied else "e5")
        table.run(8.0)
        turn = str(table.status.say)
        noisy = f"The sensor of {place} is too noisy. Its neighbours watch {place} now"
        assert table.heard == [turn, f"{noisy}, and play goes on. {turn}", turn]


@pytest.mark.parametrize("after_s", [0.0, 0.5, 1.0, 2.0, 4.0])
def test_nobody_is_asked_to_move_a_weak_marble_that_lies_on_a_noisy_sensor(tmp_path, after_s):
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        table = Listener(session, FOUR)
        table.breaks("sensor-noisy", "d4")
        table.run(after_s)
        table.put("white", "d4")
        table.run(6.0)
        assert not [said for said in table.heard if "middle" in said]
        assert _noisy_in(table.heard) == {"d4"}
        assert table.status.moves == ()


def test_a_move_that_a_dying_switch_took_back_counts_again_by_one_press(tmp_path):
    with SimSession(load_profile("plate-7"), tmp_path) as session:
        table = Listener(session, TWO)
        table.put("red", "c3")
        turn = table.said
        table.put("blue", "e2")
        assert table.status.moves == ("c3", "e2")
        table.breaks("sensor-dead", "e2")
        table.run(4.0)
        assert table.status.moves == ("c3",)
        offer = "If the piece on e2 is still there, press confirm."
        assert table.said == f"{turn} {offer}"
        table.wait(table.hands.do(Press("confirm")))
        table.run(1.0)
        assert table.status.moves == ("c3", "e2")
        table.put("red", "a1")
        assert table.status.moves == ("c3", "e2", "a1")


def test_after_a_marble_was_really_taken_back_play_goes_on_without_an_answer(tmp_path):
    with SimSession(load_profile("plate-7"), tmp_path) as session:
        table = Listener(session, TWO)
        table.put("red", "c3")
        session.hands.take(table.host.overlay.index_of("c3"))
        table.run(5.0)
        assert table.status.moves == ()
        table.put("red", "b2")
        assert table.status.moves == ("b2",)
        assert table.status.question is None


def test_a_failed_sensor_is_told_of_once_and_not_again_in_each_new_game(tmp_path):
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        table = Listener(session, TWO)
        table.breaks("sensor-noisy", "j10")  # outside that board: it is told where it is played on
        table.run(6.0)
        table.breaks("sensor-noisy", "c3")
        table.run(6.0)
        assert _noisy_in(table.heard) == {"c3"}
        for size, told in ((5, set()), (10, {"j10"}), (10, set()), (5, set())):
            table.heard = []
            table.wait(table.host.submit(NewGame("momentum", {**TWO, "size": size})))
            table.run(6.0)
            assert _noisy_in(table.heard) == told
        session.faults.heal("sensor-noisy")
        table.run(12.0)
        assert not table.host.look.sight.faulty
        table.breaks("sensor-noisy", "c3")
        table.run(6.0)
        assert _noisy_in(table.heard) == {"c3"}


def _noisy_in(heard):
    words = [said.partition("The sensor of ")[2] for said in heard]
    return {said.partition(" is too noisy")[0] for said in words if " is too noisy" in said}

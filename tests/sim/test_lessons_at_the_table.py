"""Tests of firmware_host/host/lessons.py and games/lesson.py: lessons at the simulated table:
the learner follows the sentence, the table's own hand does the rest, and the game that was
being played comes back as it was.
"""

from __future__ import annotations

import pytest

from tests.sim.own_hand import OwnHand
from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.table.commands import NewGame, StartLesson, StopLearning
from tiltboard.firmware_host.table.hands import CarryOut, Move, Put, Take
from tiltboard.firmware_host.table.status import Phase, Role
from tiltboard.games.registry import GAMES
from tiltboard.hw_sim.session import SimSession


class Table(OwnHand):
    """One table with its page's hands, which are waited for."""

    def do(self, command):
        self.wait(self.hands.do(command))
        self.run(0.5)

    def ask(self, command):
        self.host.do(command)
        self.run(0.5)

    def make(self, turn):
        """A person's move, with the hands of the page: what leaves the board first."""
        for shift in sorted(turn.act, key=lambda shift: shift.target is not None):
            if shift.target is None:
                self.do(Take(shift.source))
            elif shift.source is None:
                self.do(Put(shift.piece, shift.target))
            else:
                self.do(Move(shift.source, shift.target))


@pytest.fixture
def table(tmp_path):
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        yield Table(session)


@pytest.mark.parametrize("name", [name for name, kind in GAMES.items() if kind.lesson])
def test_a_lesson_is_played_to_its_end(table, name):
    lesson = GAMES[name].lesson
    table.ask(StartLesson(name))
    table.do(CarryOut())  # the opening
    for number, step in enumerate(lesson.steps):
        assert table.status.phase is Phase.TURN, table.said
        assert table.said == step.say
        if number % 2:  # the other side: the table's own hand makes it
            assert table.status.shifts
            table.do(CarryOut())
        else:
            assert table.status.shifts == ()
            table.make(table.status.position.play(step.move))
            if table.status.phase is Phase.SETTLE:
                table.do(CarryOut())
    assert table.status.phase is Phase.OVER
    assert table.said == lesson.end
    assert table.status.outcome.winner == table.host.game.players[0]


def test_only_the_next_step_is_lit_and_another_place_is_not_taken(table):
    table.ask(StartLesson("momentum"))
    lit = [place for place, role in table.status.roles.items() if role is Role.LEGAL]
    assert lit == ["c3"]
    table.do(Put("red", "a1"))
    assert table.status.phase is Phase.FIX
    assert table.said.startswith("Not yet: this lesson goes another way.")
    assert table.status.moves == ()
    table.do(CarryOut())
    assert table.said == GAMES["momentum"].lesson.steps[0].say


def test_a_piece_to_fly_to_is_lit_as_the_sentence_names_it(table):
    table.ask(StartLesson("gravity-trap"))
    table.do(CarryOut())
    assert "the pod on 8" in table.said
    lit = {place for place, role in table.status.roles.items() if role is Role.LEGAL}
    assert lit == {"19", "8"}  # the ship, and where it goes


def test_the_game_put_aside_comes_back_as_it_was(table):
    table.ask(NewGame("attraktion", {"size": 8}))
    table.make(table.status.position.play("d4"))
    before, games = table.status, table.host.journal.games()
    table.ask(StartLesson("momentum"))
    table.do(CarryOut())
    table.make(table.status.position.play("c3"))
    assert table.status.moves == ("c3",)
    table.ask(StopLearning())
    table.do(CarryOut())
    assert table.host.session.lesson is None
    assert (table.status.game_id, table.status.moves) == (before.game_id, before.moves)
    assert table.status.position.cells == before.position.cells
    assert table.status.phase is Phase.TURN
    assert [(game.id, game.moves) for game in table.host.journal.games()] == [
        (game.id, game.moves) for game in games
    ]


def test_one_lesson_after_the_other_and_a_new_game_end_the_first(table):
    table.ask(StartLesson("momentum"))
    first = table.status.game_id
    table.ask(StartLesson("gravity-connect"))
    assert table.host.game.name == "gravity-connect"
    assert table.status.game_id != first
    table.ask(NewGame("momentum", {}))
    assert table.host.session.lesson is None


def test_stopping_what_is_no_lesson_changes_nothing(table):
    before = table.status.game_id
    table.ask(StopLearning())
    assert table.status.game_id == before


def test_a_game_of_seats_has_no_lesson(table):
    without = [name for name, kind in GAMES.items() if kind.lesson is None]
    for name in without:
        with pytest.raises(NotPossibleError, match="no lesson"):
            table.ask(StartLesson(name))

"""Tests of firmware_host/host/lessons.py and firmware_host/engines/puzzles.py: puzzles at the
simulated table: set up, tried wrongly and told why, taken back, solved; the game that was
being played comes back as it was.
"""

from __future__ import annotations

import pytest

from tests.sim.own_hand import OwnHand
from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import NoSuchPuzzleError, NotPossibleError
from tiltboard.firmware_host.engines.puzzles import ExerciseGame, exercises
from tiltboard.firmware_host.table.commands import (
    Assist,
    Hint,
    MakeMove,
    SolvePuzzle,
    StopLearning,
    TakeBack,
)
from tiltboard.firmware_host.table.hands import CarryOut
from tiltboard.firmware_host.table.status import Phase, Role
from tiltboard.games.base import UnknownGameError
from tiltboard.games.registry import GAMES
from tiltboard.hw_sim.session import SimSession

WITH_PUZZLES = [name for name in GAMES if exercises(name)]


class Table(OwnHand):
    """One table whose own hand does all that is asked for, in virtual time."""

    @property
    def progress(self):
        return self.host.session.lesson.progress(self.status)

    def rests(self):
        """The hand does what is asked for until somebody is to think again."""
        self.session.tick()
        while self.status.phase not in (Phase.TURN, Phase.OVER):
            self.wait(self.hands.do(CarryOut()))
            self.run(1.2)

    def solve(self, game, number):
        self.host.do(SolvePuzzle(game, number))
        self.rests()

    def make(self, move):
        made = len(self.status.moves)
        self.host.do(MakeMove(move))
        self.until(lambda: self.status.phase is Phase.SETTLE)
        self.rests()
        assert len(self.status.moves) == made + 1

    def take_back(self):
        self.host.do(TakeBack())
        self.until(lambda: not self.status.moves)
        self.rests()


@pytest.fixture
def table(tmp_path):
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        yield Table(session)


def first_of(game, *kinds):
    """Return the first puzzle of these kinds."""
    for number, each in enumerate(exercises(game), start=1):
        if (each.kind, each.turns) in kinds:
            return number, each
    raise LookupError(f"{game}: none of {kinds}")


@pytest.mark.parametrize("game", WITH_PUZZLES)
def test_a_win_in_two_is_tried_wrongly_told_why_and_solved(table, game):
    number, asked = first_of(game, ("win", 2))
    before = table.host.journal.current()
    table.solve(game, number)
    assert table.status.position.cells == ExerciseGame(asked, number).start().cells
    assert "wins in two turns, whatever" in table.said
    wrong, reply = next(iter(asked.holds.items()))
    table.make(wrong)
    labels = table.host.game.labels
    assert f"holds with {labels.get(reply, reply)}. Take it back" in table.said
    assert table.progress.wrong
    with pytest.raises(NotPossibleError):
        table.host.do(MakeMove(reply))
    table.take_back()
    table.make(asked.solution)
    assert f"answers {labels.get(asked.following[0], asked.following[0])}." in table.said
    assert table.progress.by_hand
    assert table.status.shifts
    table.make(asked.following[0])
    assert table.said == "Now win!"
    position = table.status.position
    ends = {m: position.after(m).outcome for m in position.legal() if position.after(m).over}
    table.make(next(m for m, end in ends.items() if end.winner == position.mover))
    assert table.said.startswith("Solved! ")
    assert (table.progress.done, table.progress.wrong) == (3, False)
    table.host.do(StopLearning())
    table.session.tick()
    assert table.host.session.lesson is None
    assert table.host.journal.current() == before  # nothing of it is on disk


@pytest.mark.parametrize("game", WITH_PUZZLES)
def test_whoever_falls_into_it_is_told_what_wins(table, game):
    number, asked = first_of(game, ("save", 1), ("save", 2))
    table.solve(game, number)
    assert "After every move but one" in table.said
    wrong, answer = next((m, a) for m, a in asked.proof.items() if a is not None)
    table.make(wrong)
    labels = table.host.game.labels
    assert f"wins with {labels.get(answer.move, answer.move)}. Take it back" in table.said
    table.take_back()
    table.make(asked.solution)
    assert table.said.startswith("Solved! After every other move")
    assert not table.progress.wrong


@pytest.mark.parametrize("game", WITH_PUZZLES)
def test_after_a_wrong_move_the_right_one_is_shown(table, game):
    number, asked = first_of(game, ("win", 2))
    table.solve(game, number)
    wrong = next(iter(asked.holds))
    table.make(wrong)
    table.host.do(Hint())
    table.until(lambda: not table.status.moves)
    table.rests()
    labels = table.host.game.labels
    assert table.said.endswith(f" {labels.get(asked.solution, asked.solution)}.")
    lit = {place for place, role in table.status.roles.items() if role is Role.LEGAL}
    position = table.status.position
    act = position.play(asked.solution).act
    assert lit == {place for s in act for place in (s.source, s.target) if place is not None}
    table.make(asked.solution)
    table.make(asked.following[0])
    position = table.status.position
    ends = {m: position.after(m).outcome for m in position.legal()}
    wrong = next(
        (m for m, end in ends.items() if end is None or end.winner != position.mover), None
    )
    if wrong is None:
        return  # whatever wins
    table.make(wrong)
    assert table.progress.wrong
    table.host.do(Hint())
    table.until(lambda: len(table.status.moves) == 2)
    table.rests()
    winning = {labels.get(m, m) for m, end in ends.items() if end and end.winner == position.mover}
    assert table.said.split()[-1].removesuffix(".") in winning


def test_nobody_helps_in_a_puzzle_and_there_are_no_others(table):
    table.solve("gravity-trap", 1)
    with pytest.raises(NotPossibleError, match="nothing to hint"):
        table.host.do(Hint())
    with pytest.raises(NotPossibleError, match="no assist"):
        table.host.do(Assist("red", 2))
    for number in (0, 10**6):
        with pytest.raises(NoSuchPuzzleError):
            table.host.do(SolvePuzzle("gravity-trap", number))
    with pytest.raises(UnknownGameError, match="There is no game chess"):
        table.host.do(SolvePuzzle("chess", 1))


@pytest.mark.parametrize("game", ["gravity-connect", "gravity-trap"])
def test_a_win_in_three_or_more_is_solved_move_by_move(table, game):
    number, asked = first_of(game, ("win", 3), ("win", 4), ("win", 5))
    line = [asked.solution, *asked.line]
    table.solve(game, number)
    assert f"wins in {asked.turns} turns" in str(table.host.shown.say)
    assert table.progress.steps == 2 * asked.turns - 1
    for at, move in enumerate(line):
        assert table.progress.by_hand == (at % 2 == 1)
        table.make(move)
        assert not table.progress.wrong
    position = table.status.position
    wins = [m for m in position.legal() if position.play(m).position.over]
    assert str(table.host.shown.say) == "Now win!"
    table.make(next(m for m in wins if position.play(m).position.outcome.winner == position.mover))
    assert (table.progress.done, table.progress.wrong) == (table.progress.steps, False)


def test_a_hint_in_one_breath_with_a_puzzle_takes_no_move_of_the_game_before_back(table):
    table.make(table.status.position.legal()[0])
    asked = [table.host.submit(SolvePuzzle("momentum", 1)), table.host.submit(Hint())]
    table.session.tick()
    begun, hint = (each.exception(0) for each in asked)
    # The puzzle's board has not been seen yet, so there is nothing to hint at.
    assert begun is None and isinstance(hint, NotPossibleError)

"""Tests of firmware_host/host/game_session.py and firmware_host/host/playing.py: what each game has
of its own, and what goes on to the next one.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import BoardDoesNotFitError, NotPossibleError
from tiltboard.firmware_host.config.players import AssistLevel, ClockTime, EngineSeat
from tiltboard.firmware_host.config.settings import FarSettings
from tiltboard.firmware_host.engines.engine_pool import Purpose
from tiltboard.firmware_host.host.lobby import usual_options
from tiltboard.firmware_host.host.playing import Playing
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table.move_line import agreed_end
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.registry import HOSTED, game_type
from tiltboard.hw_sim.clock import VirtualClock

PLATE = unhurried("plate-10")
FIRST = c.NewGame("momentum", {"size": 5, "marbles": 5, "pie": False})
MOVES = ("a1", "e5", "c3")


class Engines:
    """Engines that never come to an end; keeps what each is asked."""

    names = ("tiltboard",)

    def __init__(self):
        self.asked = []

    def think(self, task):
        self.asked.append(task)

    def close(self):
        pass


@pytest.fixture
def engines():
    return Engines()


@pytest.fixture
def playing(tmp_path, engines):
    """What is played with ``FIRST`` begun; ``playing.journal`` is its journal."""
    with Journal.open(tmp_path / "journal.sqlite", VirtualClock()) as journal:
        playing = Playing(PLATE, journal, engines, FarSettings())
        playing.journal = journal
        playing.open(FIRST)
        yield playing


def at_turn(session, moves=()):
    """The game of ``session`` after ``moves``, its first player's turn."""
    position = session.game.start()
    for move in moves:
        position = position.after(move)
    return replace(
        session.status,
        phase=Phase.TURN,
        position=position,
        moves=tuple(moves),
        to_move=position.to_move,
    )


def play(playing, moves):
    """Put ``moves`` on disk as the referee does."""
    for ply, move in enumerate(moves, start=1):
        playing.journal.append(playing.session.game_id, ply, move)


def test_a_new_game_has_what_it_was_asked_for_and_the_journal_the_same(playing):
    bot = EngineSeat(level=3)
    playing.start(replace(FIRST, engines={"blue": bot}, clock=ClockTime(2, 5), assist={"red": 2}))
    session, record = playing.session, playing.journal.current()
    assert session.opponents.seats == record.engines == {"blue": bot}
    assert session.clock.state == record.clock
    assert session.clock.state.left_s == {"red": 120, "blue": 120}
    assert session.opponents.advice.assist == record.assist == {"red": AssistLevel(2)}
    assert session.game_id == record.id


@pytest.mark.parametrize("name", HOSTED)
def test_before_the_first_scan_a_session_tells_of_its_own_game_alone(playing, name):
    before = playing.session
    play(playing, MOVES)
    playing.start(c.NewGame(name, usual_options(HOSTED[name], PLATE)))
    session, status = playing.session, playing.session.status
    assert session is not before
    assert status.game is session.game and status.game_id == session.game_id
    assert (status.moves, status.outcome, status.question) == ((), None, None)
    assert status.position.cells == session.begun.cells == session.game.start().cells
    assert status.to_move is None  # nobody is asked for a move before the board was seen


def test_nothing_that_was_asked_in_a_game_is_thought_of_in_the_next(playing, engines):
    """Both games have the same moves, so that only the object tells them apart."""
    first = playing.session
    first.status = at_turn(first)
    first.opponents.ask_hint(first.status, 0.0)
    first.requests(0.1, tells_ahead=False)
    assert engines.asked[-1].purpose is Purpose.HINT
    playing.start(FIRST)
    assert engines.asked[-1] is None  # what was thought of has been called off
    second = playing.session
    second.status = at_turn(second)
    second.requests(0.2, tells_ahead=False)
    assert engines.asked[-1] is None
    assert not second.opponents.advice.hinting


def test_a_clock_runs_for_its_own_game(playing):
    playing.start(replace(FIRST, clock=ClockTime(1, 0)))
    first = playing.session
    first.status = at_turn(first, MOVES[:2])
    for now_s in (0.0, 0.5, 1.0):
        first.requests(now_s, tells_ahead=False)
    assert first.clock.state.left_s == {"red": 59, "blue": 60}
    playing.start(replace(FIRST, clock=ClockTime(1, 0)))
    second = playing.session
    second.status = at_turn(second)
    second.requests(1.5, tells_ahead=False)
    assert second.clock.state.left_s == {"red": 60, "blue": 60}


def test_a_resumed_game_is_where_its_rules_lead(playing):
    number = playing.session.game_id
    play(playing, MOVES)
    playing.start(c.NewGame("attraktion", {"size": 5}))
    playing.take_up(c.ResumeGame(number))
    session, position = playing.session, game_type("momentum").create(FIRST.options).start()
    for move in MOVES:
        position = position.after(move)
    assert (session.game_id, session.status.moves) == (number, MOVES)
    assert session.begun.cells == position.cells
    assert session.begun.to_move == position.to_move


@pytest.mark.parametrize(
    "command",
    [c.StartLesson("momentum"), c.SolvePuzzle("momentum", 1), c.SolvePuzzle("gravity-connect", 1)],
)
def test_a_lesson_leaves_the_journal_alone_and_returns_to_the_game(playing, command):
    number = playing.session.game_id
    play(playing, MOVES)
    kept = playing.journal.games()
    playing.take_up(command)
    lesson = playing.session
    assert lesson.lesson is not None and lesson.game_id < 0 and lesson.keeps_awake
    lesson.opponents.grant(lesson.game, lesson.game.players[0], 0, sure=False)
    lesson.requests(0.0, tells_ahead=False)
    assert playing.journal.games() == kept
    playing.take_up(c.StopLearning())
    assert (playing.session.game_id, playing.session.status.moves) == (number, MOVES)
    assert playing.session.lesson is None and not playing.session.keeps_awake


def test_lessons_have_numbers_of_their_own(playing):
    numbers = []
    for _ in range(3):
        playing.take_up(c.StartLesson("momentum"))
        numbers.append(playing.session.game_id)
    assert all(later < earlier < 0 for earlier, later in pairwise(numbers))


def test_a_game_that_cannot_begin_leaves_the_session_as_it_is(playing):
    before, kept = playing.session, playing.journal.games()
    with pytest.raises(BoardDoesNotFitError):
        playing.start(c.NewGame("attraktion", {"size": 11}))
    with pytest.raises(NotPossibleError):
        playing.start(replace(FIRST, engines={"green": EngineSeat()}))
    with pytest.raises(NotPossibleError):
        playing.start(replace(FIRST, engines={"red": EngineSeat("nobody")}))
    with pytest.raises(NotPossibleError):
        playing.start(replace(FIRST, names={"green": "Ada"}))
    assert playing.session is before and playing.journal.games() == kept
    assert playing.people.seated == {}


def test_the_same_game_again_keeps_bots_time_and_who_is_asked(playing):
    seats = {"blue": EngineSeat(level=4)}
    playing.start(replace(FIRST, engines=seats, clock=ClockTime(3, 2)))
    first = playing.session
    first.opponents.grant(first.game, "red", 1, sure=True)
    first.clock.state = replace(first.clock.state, left_s={"red": 1.0, "blue": 2.0})
    assert playing.start_requested(c.Again())
    again = playing.session
    assert again.game_id != first.game_id and again.game.options == first.game.options
    assert again.opponents.seats == seats
    assert again.opponents.advice.assist == {"red": AssistLevel(1, (), sure=True)}
    assert again.clock.state.left_s == {"red": 180, "blue": 180}


def test_again_deals_anew_what_chance_has_decided(playing):
    playing.start(c.NewGame("gravity-warfare"))
    first = playing.session
    assert first.seat_referee is first.referee and first.keeps_awake
    assert playing.start_requested(c.Again())
    secret = first.game.secret_options
    seeds = [[each.game.options[name] for name in secret] for each in (first, playing.session)]
    assert secret and seeds[0] != seeds[1]


@pytest.mark.parametrize("name", HOSTED)
def test_sensors_that_were_told_of_are_not_told_of_again_in_the_next_game(playing, name):
    """Whatever kind of game comes between."""
    playing.session.referee._state = replace(
        playing.session.referee._state, failed=frozenset({"a1"})
    )
    index = playing.session.overlay.index_of("a1")
    playing.start(c.NewGame(name, usual_options(HOSTED[name], PLATE)))
    assert playing.session.failed == {index}
    playing.start(FIRST)
    assert playing.session.referee.failed == {"a1"}


def test_a_result_counts_once_and_not_for_who_resumes_it(playing):
    playing.people.sit("red", "Ada")
    session = playing.session
    play(playing, MOVES)
    session.referee.carry_out(c.Resign("blue"))
    record = playing.journal.current()
    assert record.result is not None
    session.status = replace(at_turn(session, MOVES), outcome=_outcome(record))
    playing.count()
    playing.count()
    assert playing.people.person("Ada")["momentum"].games == 1
    playing.people.sit("red", "Ben")
    playing.take_up(c.ResumeGame(record.id))
    resumed = playing.session
    resumed.status = replace(at_turn(resumed, MOVES), outcome=_outcome(record))
    playing.count()
    assert playing.people.person("Ben") == {}


def _outcome(record):
    return agreed_end(game_type(record.game).create(record.options), record.result)

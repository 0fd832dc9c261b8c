"""Tests of firmware_host/host/inbox.py and host.py: several requests in one step, of people,
engines, clocks, buttons and the menu: each is found possible as it is done, and whoever asked
is told the truth.
"""

from __future__ import annotations

import os
from concurrent.futures import Future
from random import Random

import pytest

from tests.sim.own_hand import OwnHand
from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import ClockTime, EngineSeat
from tiltboard.firmware_host.engines import ugi
from tiltboard.firmware_host.engines.engine_pool import Thought
from tiltboard.firmware_host.table.commands import (
    Answer,
    MakeMove,
    NewGame,
    OfferDraw,
    Resign,
    ResumeGame,
    Swap,
    TakeBack,
)
from tiltboard.firmware_host.table.hands import CarryOut
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.base import RulesError
from tiltboard.ground.errors import TiltboardError
from tiltboard.hw_sim.session import SimSession

OPTIONS = {"size": 5, "marbles": 4, "pie": False}
STEPS = int(os.environ.get("TILTBOARD_REQUESTS", "300"))  # of the random walk; 30,000 in a campaign
BLUE = {"blue": EngineSeat(level=3)}
EITHER = pytest.mark.parametrize("before", [False, True])


class WhenTold:
    """An engine that answers when it is let."""

    names = ("tiltboard",)
    info = ugi.NOTHING_YET

    def __init__(self, commands=None, *, ponders=True):
        self.answers = False
        self.thinks_about = None

    def think(self, task):
        self.thinks_about = task
        if task is None or not self.answers:
            return None
        seat = EngineSeat(task.seat.engine, task.seat.level, "When told 1.0")
        move = task.position.legal()[-1]
        return Thought(task, move, seat, ugi.NOTHING_YET, None, {}, 0.25)

    def close(self):
        pass


class Table(OwnHand):
    @property
    def engine(self):
        return self.host.session.opponents._pool

    def begin(self, **more):
        given = {"engines": BLUE, **more}
        self.wait(self.host.submit(NewGame("momentum", OPTIONS, **given)))
        self.until(lambda: self.status.phase is Phase.TURN)

    def moved(self, *moves):
        """Moves of the one who is to move, each carried out."""
        for move in moves:
            made = len(self.status.moves)
            asked = self.host.submit(MakeMove(move))
            self.session.tick()
            asked.result(0)
            self.carried_out(made + 1)

    def carried_out(self, count):
        self.hands.do(CarryOut())
        self.until(lambda: len(self.status.moves) == count)
        self.until(lambda: self.status.phase in (Phase.TURN, Phase.OVER))

    def engine_is_about_to_answer(self, *, before):
        """Its move arrives in the step in which people ask, or in the one before."""
        self.until(lambda: self.engine.thinks_about is not None)
        self.engine.answers = True
        if before:
            self.session.tick()

    def agrees_with_disk(self):
        status, game = self.status, self.status.game_id
        record = self.host.journal.load(game)
        assert record.moves == status.moves
        assert (record.result is None) == (status.outcome is None)
        if status.outcome is not None:
            assert record.result == status.outcome.as_json()


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setattr("tiltboard.firmware_host.host.assemble.EnginePool", WhenTold)
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        yield Table(session)


def asked(table, *commands):
    """What becomes of each, all of them asked for in one step."""
    futures = [table.host.submit(command) for command in commands]
    table.session.tick()
    table.engine.answers = False
    for _ in range(5):
        table.session.tick()
    return [each.exception(0) for each in futures]


@EITHER
def test_resigning_as_the_engines_move_arrives(table, before):
    """Either it is resigned and the move is dropped, or the move is made and that is said."""
    table.begin()
    table.moved("c3")
    table.engine_is_about_to_answer(before=before)
    [why] = asked(table, Resign("red"))
    table.agrees_with_disk()
    if why is None:
        assert table.status.outcome.reason == "resigned"
        assert table.status.phase is Phase.OVER
    else:
        assert isinstance(why, NotPossibleError)
        assert table.status.outcome is None
    assert table.status.phase is not Phase.PAUSED
    table.session.run_until(table.session.clock.now() + 5.0)
    assert table.status.phase is not Phase.PAUSED
    table.agrees_with_disk()


@EITHER
def test_time_up_as_the_engines_move_arrives(table, before):
    table.begin(clock=ClockTime(1))
    table.moved("c3")
    clock = table.host.session.clock
    clock._add("blue", -clock.state.left_s["blue"] + 0.03)
    table.engine_is_about_to_answer(before=before)
    for _ in range(10):
        table.session.tick()
    assert table.status.phase is not Phase.PAUSED
    table.agrees_with_disk()


@EITHER
def test_taking_back_as_the_engines_move_arrives(table, before):
    """No move of blue's is ever carried out for red."""
    table.begin()
    table.moved("c3")
    table.engine_is_about_to_answer(before=before)
    asked(table, TakeBack())
    pending = table.host.journal.load(table.status.game_id).pending
    assert pending is None or table.status.to_move == "blue"
    table.agrees_with_disk()


def test_time_that_is_up_ends_the_game_it_was_of_and_no_other(table):
    table.begin(clock=ClockTime(1), engines={})
    table.moved("c3")
    before = table.status.game_id
    clock = table.host.session.clock
    clock._add("blue", -clock.state.left_s["blue"] + 0.01)
    table.session.tick()  # it is up, and the next step hears of it
    asked(table, NewGame("attraktion", {"size": 8}))
    assert table.status.game_id != before
    assert table.status.outcome is None
    table.agrees_with_disk()


@EITHER
def test_a_person_who_plays_for_the_engine_has_played_it(table, before):
    table.begin()
    table.moved("c3")
    table.engine_is_about_to_answer(before=before)
    [why] = asked(table, MakeMove("a1"))
    assert why is None or isinstance(why, NotPossibleError)
    record = table.host.journal.load(table.status.game_id)
    by_engine = record.engines["blue"].version == "When told 1.0"
    assert record.pending.move == ("e5" if by_engine else "a1")
    assert by_engine == (why is not None)


def test_a_decision_that_meant_another_position_is_refused(table):
    table.begin(engines={})
    step = table.status.step
    refused = asked(
        table,
        MakeMove("c3", game=table.status.game_id, step=step),
        MakeMove("a1", game=table.status.game_id, step=step),
        TakeBack(game=table.status.game_id + 1),
    )
    assert refused[0] is None
    assert all("game has moved on" in str(why) for why in refused[1:])


def random_requests(rng, table):
    """What people, on pages that may be late, might ask for in one step."""
    status = table.status
    legal = status.position.legal() if status.position is not None else ()
    late = {"game": status.game_id, "step": status.step - rng.choice([0, 0, 0, 1, 2])}
    if late["step"] < 0 or rng.random() < 0.4:
        late = {}
    games = [each.id for each in table.host.journal.games()]
    every = [
        lambda: TakeBack(**late),
        lambda: TakeBack(to=rng.randrange(4), **late),
        lambda: MakeMove(rng.choice(legal or ("a1",)), **late),
        lambda: MakeMove(rng.choice(legal or ("a1",))),
        lambda: Resign(rng.choice(["red", "blue"])),
        lambda: OfferDraw(rng.choice(["red", "blue"])),
        Swap,
        lambda: Answer(rng.choice(["left", "a1", "momentum"]), **late),
        lambda: NewGame("momentum", {**OPTIONS, "pie": rng.random() < 0.5}, engines=BLUE),
        lambda: NewGame("momentum", OPTIONS, clock=ClockTime(1)),
        lambda: NewGame("attraktion", {"size": 8}, engines={"black": EngineSeat(level=1)}),
        lambda: ResumeGame(rng.choice(games)),
    ]
    weights = [4, 1, 6, 4, 2, 2, 1, 1, 1, 1, 1, 1]
    return [each() for each in rng.choices(every, weights, k=rng.choice([0, 1, 1, 2, 3]))]


def truth_of(command, why, table):
    """What was refused was refused for a reason; never for one that the table does not have."""
    assert why is None or isinstance(why, TiltboardError | RulesError), (command, why)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_asked_at_once_memory_is_the_journal_and_nothing_stops(table, seed):
    rng = Random(seed)
    table.begin()
    waiting: list[tuple[object, Future[None]]] = []
    for _ in range(STEPS // 3):
        table.engine.answers = rng.random() < 0.3
        waiting += [(each, table.host.submit(each)) for each in random_requests(rng, table)]
        match rng.randrange(40):
            case 0:
                table.hands.do(CarryOut())
            case 1 | 2:
                button, held_s = rng.choice(["confirm", "back"]), rng.choice([0.1, 2.1])
                table.session.hands.press(button, held_s)
            case 3 if table.host.session.clock.state is not None:
                clock = table.host.session.clock
                clock._add(rng.choice(["red", "blue"]), -100.0)
            case 4 if rng.random() < 0.2:
                table.session.kill()
                waiting.clear()
        for _ in range(rng.choice([1, 1, 2, 30])):
            table.session.tick()
        done = [(command, each) for command, each in waiting if each.done()]
        waiting = [(command, each) for command, each in waiting if not each.done()]
        for command, each in done:
            truth_of(command, each.exception(0), table)
        table.agrees_with_disk()
        status = table.status
        record = table.host.journal.load(status.game_id)
        if record.pending is not None:
            assert record.pending.move in status.position.legal()
        if status.outcome is not None and status.outcome.reason == "time":
            assert record.clock is not None
    table.session.run_until(table.session.clock.now() + 4.0)
    assert table.status.phase is not Phase.PAUSED, str(table.status.say)

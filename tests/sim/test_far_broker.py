"""Tests of tiltboard_online/far/match_session.py and link.py: two whole tables over a real broker:
both are killed, and it is restarted with and without its store.
"""

from __future__ import annotations

from queue import Queue
from types import SimpleNamespace

import pytest

from tests.broker import NEEDS_MOSQUITTO, Mosquitto
from tests.sim.far_tables import FarTable, begin, chance_of
from tiltboard.firmware_host.config.settings import FarSettings, Settings
from tiltboard.games.registry import game_type
from tiltboard_online.far import link

GAMES = {
    "momentum": {"size": 5, "marbles": 4},
    "attraktion": {},
    "gravity-connect": {},
    "gravity-trap": {},
}
EVENTS = ("kill 0", "restart", "kill 1", "forget")  # one after every other move


@pytest.fixture
def broker(tmp_path):
    (tmp_path / "broker").mkdir()
    with Mosquitto(tmp_path / "broker") as running:
        yield running


@pytest.fixture
def pair(tmp_path, broker):
    settings = Settings(far=FarSettings(broker.url))
    tables = [FarTable(tmp_path / name, name, settings=settings) for name in "ab"]
    yield tables
    for table in tables:
        table.close()


def until(tables, holds, *, ticks=20_000):
    for _ in range(ticks):
        if holds():
            return
        for table in tables:
            table.tick()
    raise AssertionError([(table.said, table.host.notices) for table in tables])


@NEEDS_MOSQUITTO
def test_a_broker_that_is_switched_on_after_the_table_is_found(tmp_path, broker, monkeypatch):
    timers, announced = Queue(), []
    monkeypatch.setattr(link, "find_broker", lambda: announced[0] if announced else None)
    monkeypatch.setattr(
        link,
        "Timer",
        lambda _, call: SimpleNamespace(start=lambda: timers.put(call), cancel=lambda: None),
    )
    table = FarTable(tmp_path / "a", "a")
    try:
        begin([table], "momentum", {}, {"blue": 1})
        until([table], lambda: "no message broker" in str(table.host.notices))
        announced.append(link.Broker("127.0.0.1", broker.port, False))
        timers.get(timeout=20)()
        until([table], lambda: table.host.playing.far.connected)
        assert "no message broker" not in str(table.host.notices)
    finally:
        table.close()


@NEEDS_MOSQUITTO
@pytest.mark.parametrize("game", GAMES)
def test_each_game_goes_on_after_kills_and_restarts(pair, broker, game):
    chance = chance_of(5)
    other = game_type(game).create(GAMES[game]).players[1]
    begin(pair, game, GAMES[game], {other: 1})
    until(pair, lambda: all(t.match and t.match.state.agreed.complete for t in pair))
    for number, event in enumerate(EVENTS):
        goal = 2 * number + 2

        def played(goal=goal):
            for table in pair:
                if table.may_move and len(table.moves) < goal:
                    table.move(chance)
            return all(len(table.moves) >= goal == len(table.match.course.moves) for table in pair)

        until(pair, played)
        what, _, which = event.partition(" ")
        if what == "kill":
            pair[int(which)].kill()
        else:
            broker.stop(forgets=what == "forget")
            broker.start()
    until(pair, lambda: all(table.host.playing.far.connected for table in pair))
    a, b = (table.host.journal.load(table.host.playing.far.kept.game_id).moves for table in pair)
    assert a == b and len(a) == 2 * len(EVENTS)

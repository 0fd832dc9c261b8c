"""Tests of firmware_host/host/player_records.py and hints.py: people by name at the simulated
table: levels that follow them, what makes a game even, what is asked after a blunder, and what is
known of whom.
"""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tests.sim.test_sim_opponents import OPTIONS, FirstMove, Table
from tests.unhurried import unhurried
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.host.player_records import BEGINS, People
from tiltboard.firmware_host.table.commands import (
    Again,
    Assist,
    DismissWarning,
    Forget,
    NewGame,
    PlayAs,
    PracticePosition,
    Resign,
    TakeBack,
)
from tiltboard.firmware_host.table.hands import CarryOut
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.session import SimSession

FOLLOWS = {"blue": EngineSeat(level=5, follows=True)}


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setattr("tiltboard.firmware_host.host.assemble.EnginePool", FirstMove)
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        yield Table(session)


def doubting(table):
    return table.host.session.opponents.advice.doubting


def test_after_a_blunder_who_wants_it_is_asked_once_and_the_engine_waits(table):
    table.begin({"blue": EngineSeat(level=3)})
    table.host.do(Assist("red", 0, sure=True))
    table.person("e5")  # the last of the legal ones: worth -200, where the first is worth 200
    table.until(lambda: doubting(table))
    assert str(table.host.shown.say) == (
        "Are you sure, Red? e5 gives away 76 % of the game. Take it back, or go on."
    )
    table.run(5)
    assert len(table.status.moves) == 1
    table.host.do(TakeBack())
    table.until(lambda: table.status.phase is Phase.FIX)
    table.hands.do(CarryOut())
    table.until(lambda: not table.status.moves and table.status.phase is Phase.TURN)
    assert not doubting(table)
    table.person("e5")  # not asked again
    table.until(lambda: len(table.status.moves) == 2)


def test_whoever_is_sure_plays_on_and_good_moves_are_not_asked_about(table):
    table.begin({"blue": EngineSeat(level=3)})
    table.host.do(Assist("red", 0, sure=True))
    table.person("a1")  # the best
    table.until(lambda: len(table.status.moves) == 2)
    table.person("e5")
    table.until(lambda: doubting(table))
    table.host.do(DismissWarning())
    table.until(lambda: len(table.status.moves) == 4)
    assert table.host.journal.load(table.status.game_id).assist["red"].sure


def test_a_level_follows_the_person_and_says_so(table):
    host = table.host
    host.do(NewGame("momentum", OPTIONS, engines=FOLLOWS, names={"red": "Ada"}))
    table.until(lambda: table.status.position is not None)
    assert host.session.opponents.seats["blue"].level == BEGINS
    table.person("c3")
    table.until(lambda: len(table.status.moves) == 2)
    host.do(Resign("red"))
    table.until(lambda: table.status.outcome is not None)
    assert str(host.shown.say).endswith("Next time the bot plays at level 1.")
    host.do(Again())
    assert host.session.opponents.seats["blue"] == EngineSeat(level=1, follows=True)
    known = People(host.journal.path.parent)
    [(game, done)] = known.person("Ada").items()
    assert (game, done.games, done.openings) == ("momentum", 1, ["c3 a1"])
    assert host.journal.load(table.status.game_id).engines["blue"].follows
    stored = json.dumps(str(host.journal.load(table.status.game_id)))
    assert "Ada" not in stored


def test_a_game_in_which_nobody_has_moved_is_none(table):
    table.host.do(NewGame("momentum", OPTIONS, engines=FOLLOWS, names={"red": "Ada"}))
    table.until(lambda: table.status.position is not None)
    table.host.do(Resign("red"))
    table.until(lambda: table.status.outcome is not None)
    assert table.host.playing.people.person("Ada") == {}


def test_a_name_can_be_forgotten(table):
    host = table.host
    host.do(PlayAs("red", "Ada"))
    host.do(PlayAs("blue", "Ben"))
    host.do(PlayAs("blue", "Ada"))  # one person, one colour
    assert host.playing.people.seated == {"blue": "Ada"}
    host.do(Forget("Ada"))
    assert host.playing.people.names == ["Ben"]
    assert b"Ada" not in (host.journal.path.parent / "people.json").read_bytes()
    with pytest.raises(NotPossibleError):
        host.do(Forget("Ada"))


def test_two_of_different_strength_get_what_makes_it_even(tmp_path):
    momentum, four = (
        game_type("momentum").create(options) for options in ({}, {"players": 4, "marbles": 4})
    )
    people = People(tmp_path)
    people.sit("red", "Ada")
    people.sit("blue", "Ben")
    for number in range(1, 9):
        people.count(momentum, number, ["d4"], {"blue": EngineSeat(level=4)}, ["red"])
        people.count(momentum, number, ["d4"], {}, ["blue"])  # the same game counts once
    people.sit("blue", "Ben")
    ada, ben = people.rating("Ada", "momentum"), people.rating("Ben", "momentum")
    assert (ada > 4, ben) == (True, BEGINS)
    assert people.person("Ada")["momentum"].beaten == 4
    assert people.assist(momentum, {}) == {"red": 0, "blue": 2 if ada - ben < 4 else 3}
    people.first_for(momentum)
    assert people.seated == {"red": "Ben", "blue": "Ada"}
    seats = {"white": EngineSeat(follows=True), "green": EngineSeat(follows=True)}
    assert people.level(four, "white", seats, 5) == round(ada)  # Ben's partner
    assert people.level(four, "green", seats, 5) == round(ben)
    assert People(tmp_path).rating("Ada", "momentum") == ada


def test_a_rating_finds_the_level_that_is_as_strong(tmp_path):
    """Whoever wins three of four games against level four is a five."""
    game, people = game_type("momentum").create({}), People(tmp_path)
    people.sit("red", "Ada")
    for number in range(1, 81):
        won = ["red"] if number % 4 else ["blue"]
        people.count(game, number, [], {"blue": EngineSeat(level=4)}, won)
    assert 4.5 < people.rating("Ada", "momentum") < 5.5


def test_the_command_lists_and_forgets(tmp_path):
    people = People(tmp_path)
    people.sit("red", "Ada")
    people.count(game_type("momentum").create({}), 1, ["d4"], {"blue": EngineSeat()}, ["red"])
    people.count_solved_puzzle("red", "momentum", 3)

    def told(*words):
        ran = CliRunner().invoke(cli, ["games", "people", "--state", str(tmp_path), *words])
        assert ran.exit_code == 0, ran.output
        return ran.output

    found = json.loads(told("--json"))
    assert found["name"] == "Ada"
    assert (found["beaten"], found["openings"], found["puzzles"]) == (5, 1, 1)
    assert told("--forget", "Ada") == "Ada is forgotten.\n"
    assert told() == "This table knows nobody by name yet.\n"


def test_a_position_of_a_game_that_is_kept_is_solved_as_a_puzzle(table):
    host = table.host
    options = {"size": 4, "line": 3}
    host.do(NewGame("gravity-connect", options))
    table.until(lambda: table.status.game is host.game)
    game = table.status.game_id
    for at, move in enumerate(("2", "3")):
        host.journal.append(game, at + 1, move)
    with pytest.raises(NotPossibleError, match="no single best move"):
        host.do(PracticePosition(game, 0))
    host.do(PracticePosition(game, 2))
    assert host.session.lesson.game.exercise.solution == "B"

"""Tests of tiltboard/testing/game.py: a table with its service, by the scenario language and by
methods of the same names.
"""

import pytest

import tiltboard
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.scenario.by_hand import Console
from tiltboard.firmware_host.scenario.person import Person
from tiltboard.firmware_host.scenario.trace import read_trace
from tiltboard.hw_sim.table import SimTable
from tiltboard.testing import (
    ExpectationError,
    GameTable,
    NotPossibleHereError,
    SimulationError,
)


@pytest.mark.tiltboard("plate-10", "plate-7", "node", seed=3)
def test_a_push_is_carried_out_and_outlives_a_kill(tiltboard_game):
    table = tiltboard_game.game("momentum", size=5, marbles=5).put("red", "c3").put("blue", "c4")
    assert (table.phase, table.lit("lift"), table.lit("put")) == ("settle", ["c3"], ["c2"])
    table.move("c3", "c2").expect("to-move red")
    assert (table.to_move, table.moves) == ("red", ("c3", "c4"))
    table.kill().expect("cells c2=red c4=blue").power_cut().expect("to-move red")
    assert table.cells == {"c2": "red", "c4": "blue"}


def test_a_game_starts_with_the_options_that_the_rules_take(tiltboard_game):
    options = tiltboard.rules(
        "momentum", size=5, marbles=4, pie=False, missing=["a1", "e5"]
    ).options
    tiltboard_game.game("momentum", **options)
    assert tiltboard_game.host.game.options == options


def test_it_is_ready_for_the_first_hand(tiltboard_game):
    tiltboard_game.put("red", "d4").expect("cells d4=red", within=2)


def test_a_pulled_plug_pauses_the_game_and_it_goes_on(tiltboard_game):
    table = tiltboard_game.do("game momentum")
    with table.unplugged("hall"):
        table.until(lambda table: table.phase == "paused", within=3)
        assert "sensors" in table.says
    table.expect("phase turn", within=8)


def test_a_dead_sensor_is_named(tiltboard_game):
    table = tiltboard_game.do("game momentum\nput red d4")
    with table.fault("sensor-dead", "d4"):
        table.until(lambda table: "d4" in table.says, within=10)


def test_tilt_press_slide_knock_and_take(tiltboard_game):
    table = tiltboard_game.do("game momentum")
    table.tilt(x_deg=8, for_s=2).until(lambda table: table.phase == "paused", within=2)
    table.expect("phase turn", within=6)
    table.put("red", "d4", east_mm=2).put("blue", "a1")
    table.slide("a1", "b1").expect("phase fix").slide("b1", "a1").expect("phase turn")
    table.knock("a1").expect("phase fix")
    [knocked] = [place for place, piece in table.cells.items() if piece == "blue"]
    table.move(knocked, "a1").press("confirm", for_s=0.2).advance(1).expect("phase turn")
    assert table.take("a1").expect("phase fix").lit("put") == ["a1"]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda table: table.do("put"),
        lambda table: table.do(3),
        lambda table: table.do("game momentum\nput red d4\ntake e5"),
        lambda table: table.put("red", "D4"),
        lambda table: table.put("green", "d4"),
        lambda table: table.put(),
        lambda table: table.put("red", "d4", east_mm="far"),
        lambda table: table.take("d4"),
        lambda table: table.game("momentun"),
        lambda table: table.game("momentum", sise=3),
        lambda table: table.expect("phase"),
        lambda table: table.expect("cells z9=red"),
        lambda table: table.expect("phase turn", within="soon"),
        lambda table: table.tilt(x_deg=800),
        lambda table: table.press("ok"),
        lambda table: table.advance(-2),
        lambda table: table.until(lambda table: True, within=-1),
        lambda table: table.until("quiet"),
        lambda table: table.until(lambda: True),
        lambda table: table.lit("legl"),
        lambda table: table.__enter__(),
        lambda table: table.fault("sensor-ded", "d4").__enter__(),
        lambda table: table.unplugged("cable").__enter__(),
        lambda table: GameTable("plate-10").do("wait 1s"),
    ],
)
def test_every_misuse_is_a_simulation_error(tiltboard_game, wrong):
    with pytest.raises(SimulationError) as caught:
        wrong(tiltboard_game)
    assert not isinstance(caught.value, ExpectationError)
    assert str(caught.value)


def test_an_expectation_that_does_not_hold_is_an_assertion_with_all_steps_in_the_report(
    tiltboard_game,
):
    with pytest.raises(AssertionError, match="expected phase turn, but it is fix"):
        tiltboard_game.do("game momentum\nput red d4\nput red d5\nexpect phase turn")
    with pytest.raises(ExpectationError, match=r"within 0\.5 s; fix"):
        tiltboard_game.until(lambda table: table.phase == "turn", within=0.5)
    told = tiltboard_game.report()
    for line in ("s  put red d5", "fix: Blue's turn", "lights: d5 wrong", "faults: none"):
        assert line in told
    tiltboard_game.close()
    assert f"tiltboard replay {tiltboard_game.trace}" in told
    assert read_trace(tiltboard_game.trace).header.game == "momentum"


def test_at_a_real_table_a_person_acts_and_what_nobody_can_do_is_not_possible(tmp_path):
    """The parts are simulated here; the actor does not know."""
    asked = []
    with (
        SimTable(load_profile("plate-10")) as parts,
        Person(parts.profile, parts.buses, tmp_path, Console(asked.append)) as person,
        GameTable(parts.profile, actor=person) as table,
    ):
        table.do("wait 3s\nkill").expect("phase turn", within=5)
        for never in ("spin d4", "fault sensor-dead d4"):
            with pytest.raises(NotPossibleHereError):
                table.do(never)
        assert "plate-10, real" in table.report()
    assert any("started again" in line for line in asked)

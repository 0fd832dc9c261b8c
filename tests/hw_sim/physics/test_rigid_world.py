"""Tests of hw_sim/physics/__init__.py, world.py and pins.py: the world with physics, where it
must be the other one and where it must not.
"""

import math
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("mujoco")

from tiltboard.firmware_host.cli.scenario import command
from tiltboard.firmware_host.cli.serve import sim as sim_command
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind
from tiltboard.hw_sim.world.world import World

RED, BLUE = MagnetKind("N-strong"), MagnetKind("S-weak")


def table_in(kind):
    table = SimTable(load_profile("plate-10"), 1, world=kind)
    table.world.trays = {"red": RED, "blue": BLUE}
    return table


@pytest.fixture
def table():
    return table_in(world_class(physics=True))


def until(table, action, spare_s=0.5):
    while table.clock.now() < action.end_s + spare_s:
        table.clock.sleep(0.02)
        table.world.settle(table.clock.now())


def fields_mt(table):
    now_s = table.clock.now()
    return [table.world.field_mt(sensor, now_s) for sensor in range(table.profile.size)]


def test_hands_leave_the_same_field_in_both_worlds(table):
    other = table_in(World)
    for each in (table, other):
        until(each, each.hands.put("red", 33))
        until(each, each.hands.put("blue", 34, (2.0, -3.0)))
        until(each, each.hands.move(33, 44))
        until(each, each.hands.slide(34, 36))
    assert fields_mt(table) == pytest.approx(fields_mt(other), abs=0.03)


def test_a_steep_plate_empties_itself(table):
    until(table, table.hands.put("red", 33))
    until(table, table.hands.tilt(0.0, math.radians(15.0)), 1.0)
    assert len(table.world.pieces) == 1
    until(table, table.hands.tilt(0.0, math.radians(28.0)), 3.0)
    assert not table.world.pieces
    assert max(map(abs, fields_mt(table))) == 0.0


def test_the_tilt_sensor_feels_the_plate_turn(table):
    action = table.hands.tilt(math.radians(8.0), 0.0)
    turned, before_s = 0.0, table.clock.now()
    while table.clock.now() < action.end_s + 0.2:
        table.clock.sleep(0.005)
        now_s = table.clock.now()
        turned += table.world.plate.rate_rad_s(now_s)[0] * (now_s - before_s)
        before_s = now_s
    assert math.degrees(turned) == pytest.approx(8.0, abs=0.2)
    felt = table.world.plate.specific_force_m_s2(table.clock.now())
    assert math.degrees(math.atan2(felt[1], felt[2])) == pytest.approx(8.0, abs=0.05)


def test_the_host_sees_what_comes_of_hands_that_are_not_exact():
    file = Path(__file__).parent / "scenarios" / "gestures.scenario"
    one, again = (CliRunner().invoke(command, ["--physics", "--json", str(file)]) for _ in "ab")
    assert one.exit_code == 0, one.output
    assert one.stdout == again.stdout


def test_without_physics_a_stack_is_refused_in_one_line(tmp_path):
    file = tmp_path / "stack.scenario"
    file.write_text("game momentum\nput red d4\nstack red d4\n")
    done = CliRunner().invoke(command, [str(file)])
    assert done.exit_code == 2
    assert done.output.splitlines()[-1].endswith(
        "stack.scenario:3: Pieces cannot stand on each other here. "
        "Use the table with physics: --physics."
    )


@pytest.mark.parametrize(("installed", "kind"), [(True, "RigidWorld"), (False, "World")])
def test_the_table_has_physics_where_it_is_installed_and_says_where_not(
    installed, kind, monkeypatch, tmp_path
):
    opened = []
    monkeypatch.setattr("tiltboard.hw_sim.physics.has_physics", lambda: installed)
    monkeypatch.setattr(
        "tiltboard.firmware_host.cli.serve.serve",
        lambda table, *_, **__: opened.append(table) and 0,
    )
    done = CliRunner().invoke(sim_command, ["--state", str(tmp_path), "--port", "0"])
    assert done.exit_code == 0, done.output
    (table,) = opened
    assert type(table._hands._session.table.world).__name__ == kind
    lines = (
        []
        if installed
        else ["Pieces do not slide or fall here: the extra physics is not installed."]
    )
    assert done.output.splitlines() == lines

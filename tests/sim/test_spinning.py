"""Tests of drivers/attitude.py and firmware_host/host/sensing.py: a plate that is spun: what the
table counts, through chips, node, driver and fusion.
"""

import math

import msgspec
import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.scenario.parse import parse_scenario
from tiltboard.firmware_host.scenario.run import ScenarioRunner
from tiltboard.firmware_host.table.hands import SpinPlate
from tiltboard.firmware_host.table.status import Phase
from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.scripted_hands import Deeds, SimulatedHands

STARTED_S = 4.0  # gyroscope and bias


@pytest.fixture(params=[False, True], ids=["quick", "physics"])
def table(request):
    """Return a profile, a world and a seed; without physics it scans as often as a Pico."""
    if request.param:
        pytest.importorskip("mujoco")
    profile = unhurried("node") if request.param else load_profile("node")
    return profile, world_class(physics=request.param), 4 if request.param else 1


def spun_deg(session, turns):
    """What the table says of so many turns."""
    before = session.host.sight.spin_rad
    session.run_until(Deeds(session).begin(SpinPlate(turns)) + 1.0)
    return math.degrees(session.host.sight.spin_rad - before)


def test_five_turns_are_counted_within_two_degrees_each(tmp_path, table):
    """Once the chip's scale was told by turns back to where the plate was, as the docs say."""
    profile, world, seed = table
    with SimSession(profile, tmp_path, seed=seed, world=world) as session:
        session.run_until(STARTED_S)
        told_deg = spun_deg(session, 5)
        plate = session.table.world.plate
        assert plate.attitude_rad(session.clock.now())[2] == pytest.approx(5 * math.tau, abs=0.001)
        # the simulated chip's scale is off by more than 2 %, the data sheet allows 3
        assert told_deg == pytest.approx(1800.0, rel=0.03)
        assert abs(told_deg - 1800.0) > 5 * 2.0
    imu = msgspec.structs.replace(profile.imu, spin_gain=told_deg / 1800.0)
    profile = msgspec.structs.replace(profile, imu=imu)
    with SimSession(profile, tmp_path, seed=seed, world=world) as session:
        session.run_until(STARTED_S)
        for turns in (-5, 0.5):
            assert spun_deg(session, turns) == pytest.approx(360.0 * turns, abs=10.0)
        assert session.host.sight.tilt_rad == pytest.approx((0.0, 0.0), abs=math.radians(0.5))


def test_pieces_go_round_with_the_plate_and_the_game_waits(tmp_path, table):
    steps = parse_scenario(
        "spin.scenario",
        """
        game momentum size=7 pie=false
        put red d4
        expect to-move blue
        meanwhile spin-plate 2
        wait 2s
        expect within 0.1s phase paused
        expect within 9s phase turn
        expect cells d4=red
        """,
    )
    profile, world, seed = table
    with SimSession(profile, tmp_path, seed=seed, world=world) as session:
        reports = [*ScenarioRunner(SimulatedHands(session)).run(steps)]
        assert [report.failure for report in reports if report.failure] == []
        assert session.host.status.phase is Phase.TURN


def test_a_plate_that_does_not_spin_says_so(tmp_path):
    with (
        SimSession(load_profile("plate-10"), tmp_path) as session,
        pytest.raises(HandsError, match="does not spin"),
    ):
        Deeds(session).begin(SpinPlate(1))

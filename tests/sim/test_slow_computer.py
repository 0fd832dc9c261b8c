"""Tests of firmware_host/host/pacer.py and firmware_host/table/scan_timing.py: a computer that
cannot keep the profile's rate: the table scans less often, and plays on.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.scenario.parse import parse_scenario
from tiltboard.firmware_host.scenario.run import ScenarioRunner
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.scripted_hands import SimulatedHands

SCENARIOS = Path(__file__).parent / "scenarios"
LATE_S = 0.06  # of each wait for the next scan: 80 ms in the place of 20


@pytest.mark.parametrize("name", ["gravity-trap-over", "over"])
def test_a_whole_game_at_a_quarter_of_the_rate(tmp_path, name):
    steps = parse_scenario(name, (SCENARIOS / f"{name}.scenario").read_text())
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        session.clock.late_s = lambda: LATE_S
        reports = list(ScenarioRunner(SimulatedHands(session)).run(steps))
        times = [session.clock.now()]
        for _ in range(5):
            session.tick()
            times.append(session.clock.now())
    assert [report.failure for report in reports] == [None] * len(steps)
    assert times[-1] - times[0] == pytest.approx(5 * 0.08)

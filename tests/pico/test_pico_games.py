"""Whole games through the real host, over the line to the emulated Pico, and what befalls it.

What the strip shows is compared with what the page says that it shows, after each step.
"""

from pathlib import Path

import pytest

from firmware_host.config.profile import load_profile
from firmware_host.scenario.parse import parse_scenario
from firmware_host.scenario.run import ScenarioRunner
from firmware_host.table.standing import Phase
from hw_sim.session import SimSession
from hw_sim.session.deeds import SimulatedHands

SCENARIOS = Path(__file__).parents[1] / "sim" / "scenarios"
LOOKS = 40  # scans for which the strip may lag behind the page: a blink is nine of them at least


@pytest.fixture
def session(emulated, tmp_path):
    with SimSession(load_profile("node"), tmp_path, seed=1) as running:
        yield running


def play(session, text: str) -> None:
    """The scenario holds, and after each step in play the strip shows what the page says."""
    runner = ScenarioRunner(SimulatedHands(session))
    compared = 0
    for report in runner.run(parse_scenario("test", text)):
        assert report.failure is None, f"line {report.step.line}: {report.failure}"
        for _ in range(LOOKS):
            session.tick()
            paused = session.host.standing.phase is Phase.PAUSED
            strip = bytes(level for rgb in session.table.lights for level in rgb)
            if paused or strip == session.host.plate.shown:
                break
        else:
            pytest.fail(f"line {report.step.line}: the strip shows other than the page says")
        compared += not paused
    assert compared > len(text.splitlines()) / 4
    assert session.table.node.whole


def test_a_game_of_momentum_under_every_fault_of_a_node(session):
    play(session, (SCENARIOS / "node" / "game.scenario").read_text())


@pytest.mark.parametrize(
    "name", ["over", "attraktion-over", "gravity-connect-over", "gravity-trap-over"]
)
def test_a_whole_game(session, name):
    play(session, (SCENARIOS / f"{name}.scenario").read_text())

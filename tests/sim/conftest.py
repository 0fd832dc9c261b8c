"""Whole tables in virtual time."""

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.scenario.parse import parse_scenario
from tiltboard.firmware_host.scenario.run import ScenarioRunner, StepReport
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.deeds import SimulatedHands


@pytest.fixture
def session(request, tmp_path):
    """A simulated table with the host running on it: plate-10, or the parameter."""
    profile = unhurried(getattr(request, "param", "plate-10"))
    with SimSession(profile, tmp_path, seed=1) as running:
        yield running


@pytest.fixture
def play(session):
    """Runs scenario text on the table; fails the test where an expectation does not hold."""
    runner = ScenarioRunner(SimulatedHands(session))

    def run(text: str, source: str = "test") -> list[StepReport]:
        reports = list(runner.run(parse_scenario(source, text)))
        for report in reports:
            assert report.failure is None, f"{source}:{report.step.line}: {report.failure}"
        return reports

    return run

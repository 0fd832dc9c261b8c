"""Tables whose games have spectators."""

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.scenario.parse import parse_scenario
from tiltboard.firmware_host.scenario.run import ScenarioRunner
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.scripted_hands import SimulatedHands


class Played:
    """A simulated table that plays the lines of a scenario."""

    def __init__(self, session):
        self.session = session
        self.host = session.host
        self._publisher = Publisher(session.host)
        self._runner = ScenarioRunner(SimulatedHands(session))

    def play(self, text):
        for report in self._runner.run(parse_scenario("test", text)):
            assert report.failure is None, f"{report.step.line}: {report.failure}"

    def run(self, for_s):
        self.session.run_until(self.session.clock.now() + for_s)

    def shown(self):
        return self._publisher.layout(), self._publisher.snapshot()


@pytest.fixture
def table(tmp_path):
    with SimSession(unhurried("plate-10"), tmp_path, seed=1) as session:
        yield Played(session)

"""The suites of tests/conformance over the emulated Pico; tests/campaigns/hil has a real one."""

import pytest

from tests.conformance.conftest import SimBench
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.hw_sim.table import SimTable


@pytest.fixture
def bench(emulated):
    with SimTable(load_profile("node"), 3) as table:
        opened = SimBench(table)
        yield opened
        opened.plate.close()

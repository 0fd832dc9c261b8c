"""Tables on simulated chips."""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.hw_sim.table import SimTable


@pytest.fixture(scope="session")
def plate_10():
    return load_profile("plate-10")


@pytest.fixture
def sim(plate_10):
    with SimTable(plate_10, 1) as table:
        yield table

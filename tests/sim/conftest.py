"""Whole tables in virtual time."""

import pytest

from tests.unhurried import unhurried
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.scripted_hands import SimulatedHands
from tiltboard.testing import GameTable


@pytest.fixture
def session(request, tmp_path):
    """A simulated table with a running host: plate-10, or the profile in the parameter."""
    profile = unhurried(getattr(request, "param", "plate-10"))
    with SimSession(profile, tmp_path, seed=1) as running:
        yield running


@pytest.fixture
def play(session):
    """A function that runs scenario text on the table, and fails if an expectation fails."""
    with GameTable(session.profile, actor=SimulatedHands(session)) as table:
        yield table.run

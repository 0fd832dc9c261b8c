"""Runs the suites of tiltboard/testing/conformance on the emulated Pico."""

import pytest

from tiltboard.testing import Bench


@pytest.fixture
def bench(emulated):
    with Bench("node", seed=3) as opened:
        yield opened

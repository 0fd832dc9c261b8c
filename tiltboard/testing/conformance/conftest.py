"""The bench of the suites."""

import pytest

from tiltboard.testing.bench import AnyBench


@pytest.fixture
def bench(tiltboard_bench: AnyBench) -> AnyBench:
    """One table: simulated, or the board wired to this machine."""
    return tiltboard_bench

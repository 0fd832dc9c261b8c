"""The bench (a table under test) for the conformance suites."""

import pytest

from tiltboard.testing.bench import AnyBench


@pytest.fixture
def bench(tiltboard_bench: AnyBench) -> AnyBench:
    """A table under test: simulated, or the board that is wired to this machine."""
    return tiltboard_bench

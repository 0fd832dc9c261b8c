"""Tests of hw_sim/clock.py, rng.py and tiltboard/ground/clock.py: virtual time, and random
numbers that are the same again.
"""

import math
from datetime import UTC, datetime

import pytest

from tiltboard.ground.clock import Clock
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.errors import SimulationError
from tiltboard.hw_sim.rng import Streams


def test_time_moves_only_when_told() -> None:
    clock: Clock = VirtualClock()
    assert [clock.now(), clock.now()] == [0.0, 0.0]
    clock.sleep(1.5)
    clock.sleep(-3.0)
    clock.sleep(0.0)
    assert clock.now() == 1.5


def test_calendar_starts_at_a_fixed_date_and_runs_with_the_clock() -> None:
    clock = VirtualClock()
    clock.advance(90.0)
    assert datetime.fromtimestamp(clock.calendar(), UTC) == datetime(
        2026, 1, 1, 12, 1, 30, tzinfo=UTC
    )


def test_time_cannot_be_turned_back() -> None:
    clock = VirtualClock()
    with pytest.raises(SimulationError, match="0 or more seconds"):
        clock.advance(-1e-9)


def test_streams_depend_on_seed_and_name_but_not_on_order() -> None:
    one, other = Streams(7), Streams(7)
    other.stream("something else").random()
    draw = [one.stream("noise").random() for _ in range(5)]
    assert draw == [other.stream("noise").random() for _ in range(5)]
    assert draw != [Streams(8).stream("noise").random() for _ in range(5)]
    assert one.stream("noise") is one.stream("noise")


def test_noise_has_the_tails_of_a_normal_distribution() -> None:
    draws = 200_000
    stream = Streams(1).stream("noise")
    values = [stream.gauss(0.0, 2.0) for _ in range(draws)]
    mean = sum(values) / draws
    sigma = math.sqrt(sum(v * v for v in values) / draws)
    beyond = sum(abs(v) > 6.0 for v in values) / draws  # three sigma
    assert abs(mean) < 4 * 2.0 / math.sqrt(draws)
    assert sigma == pytest.approx(2.0, rel=0.01)
    assert beyond == pytest.approx(math.erfc(3 / math.sqrt(2)), rel=0.15)

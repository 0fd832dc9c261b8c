"""Tests of tiltboard_lab/studies/intervals.py: intervals against tables, and by how often
they miss.
"""

import math
import random

import pytest

from tiltboard_lab.studies.intervals import Watched, elo, wilson


def test_wilsons_interval_of_7_in_10_is_that_of_tables():
    assert wilson(0.7, 10) == (
        pytest.approx(0.397, abs=0.001),
        pytest.approx(0.892, abs=0.001),
    )
    assert wilson(1.0, 20)[1] == pytest.approx(1.0)
    assert wilson(1.0, 20)[0] > 0.8
    assert wilson(0.5, 0) == (0.0, 1.0)


def test_elo_is_a_logistic_scale():
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1.0) == math.inf
    assert elo(0.0) == -math.inf


def test_an_interval_that_is_watched_misses_at_no_time_in_95_of_100():
    """Looked at after each of 100 pairs, as whoever stops a match does. Wilson's misses more."""
    rng = random.Random(5)
    missed = fixed = 0
    for _ in range(60):
        watched, total, out = Watched(), 0.0, False
        for count in range(1, 101):
            value = float(rng.random() < 0.4)
            watched.add(value)
            total += value
            low, high = wilson(total / count, count)
            out |= not low <= 0.4 <= high
        missed += not watched.low <= 0.4 <= watched.high
        fixed += out
    assert missed <= 3
    assert fixed > 6
    assert watched.high - watched.low < 0.4


def test_it_decides_where_there_is_a_difference_and_with_certainty_too():
    rng = random.Random(8)
    watched = Watched()
    count = 0
    while watched.low <= 0.5:
        watched.add(rng.choice((0.5, 0.5, 1.0, 1.0, 0.0)))
        count += 1
        assert count < 100
    sure = Watched()
    for _ in range(20):
        sure.add(1.0)
    assert sure.low > 0.7
    assert sure.high == 1.0

"""Tests of drivers/attitude.py: a dead axis is noticed, a still table is not taken for one."""

import random

import pytest

from tiltboard.drivers.attitude import STUCK_READINGS, AxisWatch
from tiltboard.drivers.errors import PartReadingError


def readings(seed, sigma, dead=None):
    """Words with noise in steps; MPU-6050 15, LSM6DSOX 4 (their datasheets)."""
    rng = random.Random(seed)
    while True:
        words = [round(rng.gauss(centre, sigma)) for centre in (120, -80, 8192)]
        if dead is not None:
            words[dead] = 0
        yield words


@pytest.mark.parametrize("sigma", [15, 4])
def test_noise_alone_never_looks_dead(sigma):
    watch = AxisWatch()
    for _, words in zip(range(20_000), readings(1, sigma), strict=False):
        watch.update(words)
    assert watch.trusted


@pytest.mark.parametrize(("axis", "name"), [(0, "x"), (1, "y"), (2, "z")])
def test_a_dead_axis_is_named_and_trusted_again_only_after_it_has_moved(axis, name):
    watch = AxisWatch()
    source = readings(2, 15, dead=axis)
    with pytest.raises(PartReadingError, match=f"its {name} axis"):
        for _ in range(2 * STUCK_READINGS):
            watch.update(next(source))
    watch.restart()  # the driver opens the chip anew
    with pytest.raises(PartReadingError):
        for _ in range(2 * STUCK_READINGS):
            watch.update(next(source))
            assert not watch.trusted
    watch.restart()
    healed = readings(3, 15)
    for _ in range(5):
        watch.update(next(healed))
    assert watch.trusted


def test_a_sample_that_is_read_twice_says_nothing():
    watch = AxisWatch()
    for _ in range(10 * STUCK_READINGS):
        watch.update((1, 2, 3))
    assert watch.trusted

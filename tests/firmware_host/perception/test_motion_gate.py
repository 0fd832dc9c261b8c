"""Tests of firmware_host/perception/motion_gate.py: when the plate may be read."""

from __future__ import annotations

from math import cos, radians, sin

import pytest

from tiltboard.drivers.frame import Motion
from tiltboard.firmware_host.perception.motion_gate import MotionGate
from tiltboard.firmware_host.table.sight import Happening, Stillness

G = 9.80665


def motion(degrees: float = 0.0, rate: float = 0.0, push: float = 0.0) -> Motion:
    a = radians(degrees)
    return Motion((a, 0.0), (push, G * sin(a), G * cos(a)), (rate, 0.0, 0.0), 25.0)


@pytest.fixture
def run():
    clock = [0.0]

    def go(count: int, reading: Motion | None) -> list[Happening]:
        happened: list[Happening] = []
        for _ in range(count):
            clock[0] += 0.02
            happened.extend(go.gate.update(clock[0], reading))
        return happened

    go.gate = MotionGate((0.0, 0.0))
    return go


def test_the_first_rest_takes_0_4_s_and_tells_nothing(run):
    assert run(20, motion()) == []
    assert run.gate.state is Stillness.UNKNOWN
    assert run(2, motion()) == []
    assert run.gate.state is Stillness.STILL


def test_tilted_and_settled(run):
    run(25, motion())
    assert run(1, motion(2.4)) == []
    assert run.gate.state is Stillness.STILL
    assert run(5, motion(2.6)) == [Happening.TILTED]
    assert run.gate.state is Stillness.TILTED
    assert run(100, motion(2.0)) == []  # hysteresis: below 1.5 degrees only
    assert run.gate.state is Stillness.TILTED
    assert run(50, motion(1.4)) == [Happening.SETTLED]
    assert run.gate.state is Stillness.STILL


def test_turning_pauses_without_being_tilted(run):
    run(25, motion())
    assert run(1, motion(0.5, rate=0.4)) == []
    assert run.gate.state is Stillness.MOVING
    assert run(20, motion(0.5)) == []
    assert run(5, motion(0.5)) == [Happening.BUMPED, Happening.SETTLED]


def test_a_blow_is_told_at_once_and_once(run):
    run(25, motion())
    assert run(1, motion(push=3.0)) == [Happening.BUMPED]
    assert run(1, motion(push=-3.0)) == []
    assert run.gate.state is Stillness.MOVING
    assert run(19, motion()) == []
    assert run(5, motion()) == [Happening.SETTLED]


def test_a_lost_imu_is_unknown_until_a_new_rest(run):
    run(25, motion())
    assert run(3, None) == []
    assert run.gate.state is Stillness.UNKNOWN
    run(10, motion())
    assert run.gate.state is Stillness.UNKNOWN
    assert run(15, motion()) == []
    assert run.gate.state is Stillness.STILL


def test_an_uncalibrated_imu_is_3_degrees_off_on_a_level_plate():
    gate = MotionGate(None)
    for n in range(30):
        gate.update(0.02 * n, motion(2.9))
    assert gate.state is Stillness.STILL
    assert gate.level_rad == (radians(2.9), 0.0)
    assert gate.tilt_rad == (0.0, 0.0)
    assert gate.update(0.62, motion(2.9 + 2.6)) == (Happening.TILTED,)


def test_a_level_that_was_learnt_in_somebodys_hands_is_not_kept():
    """Found by the soak: a first start on a tilted plate, and no later one could be played on."""
    gate = MotionGate(None)
    times = iter(range(10_000))

    def go(seconds: float, degrees: float) -> None:
        for _ in range(round(seconds * 50)):
            gate.update(0.02 * next(times), motion(degrees))

    go(1.0, 4.0)
    assert gate.level_rad == (radians(4.0), 0.0)
    go(1.0, 0.5)
    assert gate.state is Stillness.TILTED
    assert gate.proven_rad is None
    go(10.0, 0.5)
    assert gate.state is Stillness.STILL
    assert gate.proven_rad == gate.level_rad == (radians(0.5), 0.0)
    assert MotionGate((0.1, 0.2)).proven_rad == (0.1, 0.2)


def test_a_table_without_an_imu_stands_still():
    gate = MotionGate(None, watched=False)
    happened = gate.update(0.0, None)
    assert happened == ()
    assert gate.state is Stillness.STILL

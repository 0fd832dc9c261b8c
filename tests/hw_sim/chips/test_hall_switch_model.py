"""Tests of hw_sim/chips/hall.py: the dual switch: truth table, hysteresis, spread, response."""

import pytest

from tiltboard.hw_sim.chips.hall import AH1889, DualSwitch, SwitchPoints
from tiltboard.hw_sim.rng import Streams

POINTS = SwitchPoints(operate_mt=2.5, release_mt=2.0)


class Field:
    def __init__(self) -> None:
        self.mt = 0.0
        self.asked_s: list[float] = []

    def __call__(self, now_s: float) -> float:
        self.asked_s.append(now_s)
        return self.mt


@pytest.fixture
def field():
    return Field()


@pytest.fixture
def switch(field):
    return DualSwitch(field, POINTS, POINTS)


def both(switch, now_s: float = 1.0) -> tuple[bool, bool]:
    return switch.closed(now_s, south=False), switch.closed(now_s, south=True)


def test_each_pole_has_its_output(switch, field):
    assert both(switch) == (False, False)
    field.mt = 12.1  # a south pole above reads positive
    assert both(switch) == (False, True)
    field.mt = -12.1
    assert both(switch) == (True, False)
    field.mt = 0.0
    assert both(switch) == (False, False)


@pytest.mark.parametrize("sign", [1, -1])
def test_it_stays_between_release_and_operate(switch, field, sign):
    seen = []
    for mt in (1.9, 2.4, 2.6, 2.4, 2.1, 1.9, 2.4):
        field.mt = sign * mt
        seen.append(switch.closed(1.0, south=sign > 0))
    assert seen == [False, False, True, True, True, False, False]


def test_copies_differ_within_the_spread_and_keep_their_hysteresis():
    stream = Streams(1).stream("x")
    drawn = [AH1889.drawn(stream) for _ in range(500)]
    assert 0.70 <= min(p.operate_mt for p in drawn) / 2.5 < 0.72
    assert 1.28 < max(p.operate_mt for p in drawn) / 2.5 <= 1.30
    assert all(p.operate_mt / p.release_mt == pytest.approx(1.25) for p in drawn)


def test_it_answers_for_the_field_of_a_moment_ago(field):
    DualSwitch(field, POINTS, POINTS, response_s=0.5e-3).closed(2.0, south=True)
    assert field.asked_s == [pytest.approx(1.9995)]

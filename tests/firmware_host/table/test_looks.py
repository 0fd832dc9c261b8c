"""Tests of firmware_host/table/lights.py: lights go through their looks as the patterns say,
whoever draws them.
"""

from __future__ import annotations

import math

import pytest

from tiltboard.firmware_host.table.lights import GLOW, LOOKS_S, PATTERNS, PAUSED, RUNNER, TRAIL

ALL = [*PATTERNS.values(), PAUSED, GLOW, TRAIL, RUNNER]
STEP = 1.6 / 16  # a breath's levels are half a step apart, and taken in the middle of another grid


def brightness(pattern, now_s):
    """As its words say: a level a quarter second; or a swing between two, brightest at 0."""
    if pattern.breath_s is None:
        return pattern.levels[int(now_s * 4 + 1e-6) % len(pattern.levels)]
    bright, dim = pattern.levels
    return dim + (bright - dim) * (1 + math.cos(math.tau * now_s / pattern.breath_s)) / 2


@pytest.mark.parametrize("pattern", ALL, ids=str)
def test_a_look_is_its_pattern(pattern):
    look = pattern.look((200, 100, 0))
    for tick in range(int(LOOKS_S * 100)):
        now_s = tick / 100
        red, green, blue = look.now(now_s)
        bound = 2.0 if pattern.breath_s is None else 200 * STEP
        assert abs(red - 200 * brightness(pattern, now_s)) <= bound
        assert abs(green - red / 2) <= 1
        assert blue == 0


@pytest.mark.parametrize("pattern", ALL, ids=str)
def test_every_look_begins_again_with_the_others_and_fits_the_protocol(pattern):
    look = pattern.look((255, 255, 255))
    period_s = len(look.levels) * look.step_s
    assert LOOKS_S / period_s == pytest.approx(round(LOOKS_S / period_s))
    ticks = look.step_s * 32  # docs/node-protocol.md: steps are counted in 1/32 s, 1 to 255
    assert ticks == round(ticks)
    assert 1 <= ticks <= 255
    assert len(look.levels) <= 64


def test_a_node_keeps_as_many_patterns_as_there_are():
    assert len({(look.levels, look.step_s) for look in (p.look((1, 1, 1)) for p in ALL)}) <= 31

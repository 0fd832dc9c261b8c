"""Tests of hw_sim/world/plate.py and world.py: how the plate moves, and what it feels."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from tiltboard.drivers.hall import temperature_c
from tiltboard.hw_sim.rng import Streams
from tiltboard.hw_sim.world.plate import BUMP_S, G_M_S2, SLEW_RAD_S, TiltingPlate
from tiltboard.hw_sim.world.world import BOUNCE_S, WORN_BOUNCE_S, Button, Climate, ntc_share


@pytest.fixture
def plate():
    return TiltingPlate(Streams(1).stream("bumps"))


@pytest.mark.parametrize(
    ("x_deg", "y_deg", "force"),
    [  # level (0, 0, +g); at (a, 0) (0, g sin a, g cos a); at (0, b) (-g sin b, 0, g cos b)
        (0, 0, (0.0, 0.0, 1.0)),
        (8, 0, (0.0, math.sin(math.radians(8)), math.cos(math.radians(8)))),
        (0, 8, (-math.sin(math.radians(8)), 0.0, math.cos(math.radians(8)))),
    ],
)
def test_specific_force_at_rest(plate, x_deg, y_deg, force):
    _, end = plate.tilt(math.radians(x_deg), math.radians(y_deg), 0.0)
    expected = tuple(G_M_S2 * part for part in force)
    assert plate.specific_force_m_s2(end + 0.1) == pytest.approx(expected, abs=1e-9)
    assert plate.rate_rad_s(end + 0.1) == (0, 0, 0)


def rotation(plate, t):
    """Plate axes in the room's, columns of Rx(a) Ry(b), as the docstring says."""
    a, b = plate.attitude_rad(t)[:2]
    ca, sa, cb, sb = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
    return ((cb, 0.0, sb), (sa * sb, ca, -sa * cb), (-ca * sb, sa, ca * cb))


def test_force_is_gravity_turned_into_the_plate_and_rates_are_its_turning(plate):
    _, end = plate.tilt(0.2, -0.15, 0.0)
    step = 1e-5
    for k in range(1, 20):
        t = end * k / 20
        matrix = rotation(plate, t)
        assert plate.specific_force_m_s2(t) == pytest.approx(
            [G_M_S2 * part for part in matrix[2]], abs=1e-9
        )
        later, before = rotation(plate, t + step), rotation(plate, t - step)
        change = [[(later[i][j] - before[i][j]) / (2 * step) for j in range(3)] for i in range(3)]
        turning = [
            [sum(matrix[k][i] * change[k][j] for k in range(3)) for j in range(3)] for i in range(3)
        ]  # R^T R' is the cross product with the rates in the plate's axes
        assert plate.rate_rad_s(t) == pytest.approx(
            (turning[2][1], turning[0][2], turning[1][0]), abs=1e-5
        )


def test_the_slew_is_limited_smooth_and_lasts(plate):
    reached, end = plate.tilt(math.radians(8), 0.0, 0.0, for_s=2.0)
    assert reached == pytest.approx(1.875 * 8 / 30)
    assert end == pytest.approx(2 * reached + 2.0)
    assert plate.busy_until_s == end
    times = [end * k / 2000 for k in range(2001)]
    angles = [plate.attitude_rad(t)[0] for t in times]
    rates = [plate.rate_rad_s(t)[0] for t in times]
    assert max(abs(rate) for rate in rates) <= SLEW_RAD_S * 1.001
    assert max(abs(b - a) for a, b in pairwise(angles)) < 0.001
    assert max(abs(b - a) for a, b in pairwise(rates)) < 0.01
    assert plate.attitude_rad(reached + 1.0)[0] == math.radians(8)
    assert plate.attitude_rad(end)[:2] == (0.0, 0.0)


def test_a_new_command_in_mid_swing_neither_jumps_nor_jerks(plate):
    plate.tilt(0.2, 0.0, 0.0)
    before, speed = plate.attitude_rad(0.3)[:2], plate.rate_rad_s(0.3)
    plate.tilt(-0.1, 0.1, 0.3)
    assert plate.attitude_rad(0.3)[:2] == pytest.approx(before)
    assert plate.rate_rad_s(0.3 + 1e-9)[0] == pytest.approx(speed[0], rel=1e-4)
    assert plate.rate_rad_s(0.3 - 0.03)[0] > 0.1  # the past stays what it was
    step = 1e-4
    swing = (speed[0] - plate.rate_rad_s(0.3 - step)[0]) / step
    assert (plate.rate_rad_s(0.3 + step)[0] - speed[0]) / step == pytest.approx(swing, abs=0.05)
    assert plate.attitude_rad(5.0)[:2] == (-0.1, 0.1)


def test_a_bump_is_short_and_leaves_the_plate_level(plate):
    end = plate.bump(1.0)
    pushes = [
        math.dist(plate.specific_force_m_s2(1.0 + k / 1000), (0, 0, G_M_S2)) for k in range(400)
    ]
    assert end == 1.0 + BUMP_S
    assert 1.0 < max(pushes) < 5.0
    assert pushes[260] == 0.0
    assert plate.attitude_rad(1.05)[:2] == (0, 0)


# What holds in both worlds: with physics, hands hold a body with its weight, and steps are 2 ms.


def test_the_plate_is_where_it_is_tilted_to_and_feels_gravity_from_there(scene):
    plate = scene.world.plate
    for x_deg, y_deg in ((8.0, 0.0), (0.0, 8.0), (-5.0, 3.0), (0.0, 0.0)):
        there = plate.tilt(math.radians(x_deg), math.radians(y_deg), scene.clock.now())[1]
        scene.run(there + 0.3)
        now_s = scene.clock.now()
        tilt_deg = [math.degrees(each) for each in plate.attitude_rad(now_s)[:2]]
        assert tilt_deg == pytest.approx([x_deg, y_deg], abs=0.05)
        felt = [G_M_S2 * part for part in rotation(plate, now_s)[2]]
        assert plate.specific_force_m_s2(now_s) == pytest.approx(felt, abs=0.02)
        assert plate.rate_rad_s(now_s) == pytest.approx((0.0, 0.0, 0.0), abs=0.005)
        assert plate.attitude_rad(now_s)[2] == pytest.approx(0.0, abs=0.001)


def test_a_tilt_for_a_while_lasts_and_is_over_when_it_says(scene):
    plate = scene.world.plate
    there, end = plate.tilt(math.radians(8), 0.0, 0.0, for_s=2.0)
    assert (end - there, plate.busy_until_s) == (pytest.approx(2.0 + there), end)
    turned, fastest = 0.0, 0.0
    while scene.clock.now() < there:
        scene.clock.advance(0.005)
        rate = plate.rate_rad_s(scene.clock.now())[0]
        turned, fastest = turned + rate * 0.005, max(fastest, rate)
    assert math.degrees(turned) == pytest.approx(8.0, abs=0.3)
    assert fastest <= SLEW_RAD_S * 1.05
    scene.run(there + 1.9)
    assert math.degrees(plate.attitude_rad(scene.clock.now())[0]) == pytest.approx(8.0, abs=0.05)
    scene.run(end + 0.1)
    assert math.degrees(plate.attitude_rad(scene.clock.now())[0]) == pytest.approx(0.0, abs=0.05)


def test_a_knock_is_felt_and_over(scene):
    plate = scene.world.plate
    end, pushes = plate.bump(scene.clock.now()), []
    while scene.clock.now() < end:
        scene.clock.advance(0.004)
        pushes.append(math.dist(plate.specific_force_m_s2(scene.clock.now()), (0, 0, G_M_S2)))
    assert 1.0 < max(pushes) < 5.0
    assert pushes[-1] < 0.05


def test_temperature_drifts_slowly_and_the_ntc_follows():
    climate = Climate(Streams(3).stream("climate"))
    assert 19 <= climate.temperature_c(0.0) <= 23
    assert 3.5 < climate.temperature_c(3600.0) - climate.temperature_c(0.0) < 9
    assert abs(climate.temperature_c(101.0) - climate.temperature_c(100.0)) < 0.02
    assert ntc_share(25.0) == pytest.approx(0.5)
    for celsius in (-10.0, 15.0, 35.0, 60.0):  # against the driver's inverse, written apart
        assert temperature_c(ntc_share(celsius)) == pytest.approx(celsius)


def changes(button, start_s, end_s):
    """How often the contact changes in that time, looked at every 2 us."""
    looks = range(round((end_s - start_s) / 2e-6))
    levels = [button.closed(start_s + 2e-6 * look) for look in looks]
    return sum(one is not other for one, other in pairwise(levels))


@pytest.mark.parametrize(("worn", "length"), [(False, BOUNCE_S), (True, WORN_BOUNCE_S)])
def test_contacts_bounce_at_both_edges_and_are_quiet_between(worn, length):
    button = Button(Streams(1).stream("button"))
    button.worn = worn
    first, last = button.press(1.0, 0.2)
    assert (first, last <= 1.2 + length) == (1.0, True)
    assert not button.closed(0.999)
    assert button.closed(1.0)
    assert button.closed(1.0 + length + 1e-6)
    assert changes(button, 1.0 + length, 1.1999) == 0
    assert changes(button, 0.999, 1.1) >= 3
    assert not button.closed(last)
    button.press(2.0, 10.0)
    button.press(3.0, 0.1)
    assert not button.closed(3.2)

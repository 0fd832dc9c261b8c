"""Tests of drivers/attitude.py: the complementary filter against motions whose true tilt is
known.
"""

import math
import random

import numpy as np
import pytest

from tiltboard.drivers.attitude import Attitude

G = 9.80665
DT = 0.02


def force_at(about_x: float, about_y: float):
    """Specific force of a still plate, from the brief's definition of the tilt."""
    return (
        -G * math.sin(about_y),
        G * math.sin(about_x) * math.cos(about_y),
        G * math.cos(about_x) * math.cos(about_y),
    )


class Rig:
    """Feeds true motion plus the sensor's bias and noise (PS-MPU-6000A 6.1 and 6.2)."""

    def __init__(self, bias_deg_s=(0.0, 0.0, 0.0), noise=0.0) -> None:
        self.attitude = Attitude()
        self.bias = [math.radians(rate) for rate in bias_deg_s]
        self.noise = noise
        self.random = random.Random(7)
        self.time_s = 50.0

    def step(self, tilt=(0.0, 0.0), rate=(0.0, 0.0, 0.0), bump=(0.0, 0.0, 0.0)):
        self.time_s += DT
        draw = self.random.gauss
        force = [
            a + b + draw(0, 0.018) * self.noise for a, b in zip(force_at(*tilt), bump, strict=True)
        ]
        seen = [
            a + b + draw(0, math.radians(0.03)) * self.noise
            for a, b in zip(rate, self.bias, strict=True)
        ]
        pose = self.attitude.update(self.time_s, tuple(force), tuple(seen))
        return pose.tilt_rad, pose.rate_rad_s

    def rest(self, seconds: float, tilt=(0.0, 0.0)):
        for _ in range(round(seconds / DT)):
            seen = self.step(tilt)
        return seen


@pytest.mark.parametrize("tilt_deg", [(0, 0), (8, 0), (0, -8), (5, 3), (-20, 15)])
def test_a_still_plate(tilt_deg) -> None:
    true = tuple(math.radians(angle) for angle in tilt_deg)
    tilt, _ = Rig().rest(0.1, true)
    assert tilt == pytest.approx(true, abs=1e-9)


def test_bias_is_found_at_rest() -> None:
    rig = Rig(bias_deg_s=(20, -15, 9), noise=1)
    _, before = rig.rest(0.5)
    assert before[0] == pytest.approx(math.radians(20), abs=math.radians(0.2))
    tilt, rate = rig.rest(0.8)
    assert rate == pytest.approx((0, 0, 0), abs=math.radians(0.15))
    assert tilt == pytest.approx((0, 0), abs=math.radians(0.2))


def test_an_unknown_bias_does_not_bend_the_tilt() -> None:
    rig = Rig(bias_deg_s=(20, -20, 0), noise=1)
    worst = max(max(map(abs, rig.step()[0])) for _ in range(200))
    assert worst < math.radians(0.5)


def test_a_turn_is_followed_without_delay() -> None:
    rig = Rig(bias_deg_s=(3, -2, 1))
    rig.rest(1.5)
    whole, took_s = math.radians(8), 0.2
    for step in range(1, 11):
        turn = math.pi * DT * step / took_s
        true, speed = (
            whole * (1 - math.cos(turn)) / 2,
            whole * math.pi / took_s * math.sin(turn) / 2,
        )
        tilt, rate = rig.step((true, 0.0), (speed, 0.0, 0.0))
        assert tilt[0] == pytest.approx(true, abs=math.radians(0.05))
        assert rate[0] == pytest.approx(speed, abs=math.radians(0.1))


def test_a_bump_does_not_tilt_the_plate() -> None:
    rig = Rig()
    rig.rest(1.5)
    for _ in range(5):  # 0.1 s at 0.6 g sideways: gravity alone would say 31 degrees
        tilt, _ = rig.step(bump=(0.0, 0.6 * G, 0.0))
    assert tilt == pytest.approx((0, 0), abs=math.radians(0.1))


def test_scale_error_of_the_accelerometer_does_not_shut_gravity_out() -> None:
    # 3 % and 80 mg on z: |f| is off by 11 %, more than the gate around the nominal g.
    rig = Rig(bias_deg_s=(5, 0, 0))
    for _ in range(100):
        rig.step(bump=(0.0, 0.0, 0.11 * G))
    for _ in range(100):
        tilt, _ = rig.step((math.radians(8), 0.0), bump=(0.0, 0.0, 0.11 * G))
    assert math.degrees(tilt[0]) == pytest.approx(8 / 1.11, abs=0.3)


def test_motion_is_not_taken_for_bias() -> None:
    rig = Rig()
    rig.rest(1.5)
    for step in range(200):  # rocking, 5 degrees at 0.5 Hz
        phase = math.pi * step * DT
        speed = math.radians(5) * math.pi * math.cos(phase)
        rig.step((math.radians(5) * math.sin(phase), 0.0), (speed, 0.0, 0.0))
    _, rate = rig.step()
    assert rate == pytest.approx((0, 0, 0), abs=1e-9)


def test_a_fast_spin_is_not_taken_for_bias() -> None:
    rig = Rig()
    for _ in range(150):
        _, rate = rig.step(rate=(0.0, 0.0, math.radians(60)))
    assert rate[2] == pytest.approx(math.radians(60))


def test_a_gap_starts_again_from_gravity() -> None:
    rig = Rig()
    rig.rest(1.5)
    rig.time_s += 3.0
    true = math.radians(10)
    tilt, _ = rig.step((true, 0.0))
    assert tilt[0] == pytest.approx(true)


def test_a_second_reading_at_the_same_time_changes_nothing() -> None:
    rig = Rig()
    before, _ = rig.rest(2.0, (0.05, 0.0))
    again = rig.attitude.update(rig.time_s, (3.0, 0.0, 9.3), (0.0, 0.0, 0.0))
    assert again.tilt_rad == before


def test_restart_keeps_the_bias() -> None:
    rig = Rig(bias_deg_s=(20, 0, 0))
    rig.rest(1.5)
    rig.attitude.restart()
    _, rate = rig.step()
    assert rate == pytest.approx((0, 0, 0), abs=1e-9)


# A plate whose orientation at each time is a matrix; all that its sensor feels follows from that
# and from where it sits, by differences of its path, and by no formula of the filter's.


def about(axis: int, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turned = np.eye(3)
    turned[i, i] = turned[j, j] = c
    turned[j, i], turned[i, j] = s, -s
    return turned


def settling(t: float) -> np.ndarray:
    """Let go at 8 degrees after two seconds: swings about both axes and comes to rest."""
    t = max(0.0, t - 2)
    fades, fast, slow = math.exp(-t / 0.8), 2 * math.pi * 1.2 * t, 2 * math.pi * 0.9 * t
    about_x = 8 * fades * (math.cos(fast) + math.sin(fast) / (0.8 * 2 * math.pi * 1.2))
    about_y = 4 * fades * math.sin(slow) * min(1.0, 4 * t)
    return about(0, math.radians(about_x)) @ about(1, math.radians(about_y))


def turns(t: float) -> float:
    """Faster and faster until one a second."""
    t = max(0.0, t - 2)
    return t * t / 4 if t < 2 else t - 1


def spinning(t: float) -> np.ndarray:
    """On a table that stands 3 degrees out of level."""
    return about(0, math.radians(3)) @ about(2, 2 * math.pi * turns(t))


def followed(orientation, arm_m, seconds, known_arm_m=None):
    """The worst error of the tilt in degrees after the first rest, and the spin in turns."""
    draw, e, arm = random.Random(5).gauss, 1e-4, np.array(arm_m)
    bias = [math.radians(rate) for rate in (3, -2, 1.5)]
    attitude = Attitude(arm_m if known_arm_m is None else known_arm_m)
    worst = 0.0
    for step in range(round(seconds / DT)):
        t = step * DT
        here, before, after = orientation(t), orientation(t - e), orientation(t + e)
        path = (after @ arm - 2 * here @ arm + before @ arm) / e**2
        force = here.T @ (path + np.array([0, 0, G]))
        spins = here.T @ (after - before) / (2 * e)
        rate = zip((spins[2, 1], spins[0, 2], spins[1, 0]), bias, strict=True)
        pose = attitude.update(
            t,
            tuple(float(f) + draw(0, 0.018) for f in force),
            tuple(float(r) + b + draw(0, math.radians(0.03)) for r, b in rate),
        )
        x, y, z = here.T[:, 2]
        true = math.atan2(y, z), math.atan2(-x, math.hypot(y, z))
        if t > 1.5:
            worst = max(worst, *(abs(a - b) for a, b in zip(pose.tilt_rad, true, strict=True)))
    return math.degrees(worst), pose.spin_rad / (2 * math.pi)


ARMS_M = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.04), (0.05, 0.0, 0.02)]


@pytest.mark.parametrize("arm_m", ARMS_M)
def test_a_plate_that_swings_and_settles_is_followed_to_a_third_of_a_degree(arm_m):
    worst, spin = followed(settling, arm_m, 6.0)
    assert worst < 0.3
    assert abs(spin) < 0.01


@pytest.mark.parametrize("arm_m", ARMS_M)
def test_nine_turns_are_counted_within_two_degrees_each_and_none_reads_as_tilt(arm_m):
    worst, spin = followed(spinning, arm_m, 12.0)
    assert worst < 0.3
    assert spin == pytest.approx(turns(12.0 - DT), abs=9 * 2 / 360)


def test_a_sensor_off_the_pivot_that_nobody_told_of_takes_spin_for_tilt():
    worst, _ = followed(spinning, ARMS_M[-1], 12.0, known_arm_m=ARMS_M[0])
    assert worst > 2

"""The complementary filter against motions whose true tilt is known."""

import math
import random

import pytest

from drivers.attitude import Attitude

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
        return self.attitude.update(self.time_s, tuple(force), tuple(seen))

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
    speed = math.radians(40)
    for step in range(1, 11):  # 8 degrees in 0.2 s
        true = speed * DT * step
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


def test_restart_keeps_the_bias() -> None:
    rig = Rig(bias_deg_s=(20, 0, 0))
    rig.rest(1.5)
    rig.attitude.restart()
    _, rate = rig.step()
    assert rate == pytest.approx((0, 0, 0), abs=1e-9)

"""Tests of hw_sim/chips/lsm6dsox.py and inertial.py: LSM6DSOX's model against DS12814:
registers, scales, rates, noise, reset.
"""

import math
import statistics
import struct
from itertools import pairwise

import pytest

from tiltboard.hw_sim.chips.inertial import ImuSpread
from tiltboard.hw_sim.chips.lsm6dsox import Lsm6dsox
from tiltboard.hw_sim.rng import Streams

G = 9.80665
CTRL1_XL, CTRL2_G, CTRL3_C = 0x10, 0x11, 0x12


class Rig:
    def __init__(self, noise: float = 0.0) -> None:
        self.warm_c = 27.0
        self.force = (0.0, 0.0, G)
        self.rate = (0.0, 0.0, 0.0)
        self.chip = Lsm6dsox(
            lambda now_s: self.force,
            lambda now_s: self.rate,
            lambda now_s: self.warm_c,
            Streams(3).stream("n"),
            ImuSpread(noise=noise),
        )

    def set(self, register: int, *values: int, now_s: float = 0.0) -> None:
        assert self.chip.write(bytes([register, *values]), now_s)

    def get(self, register: int, count: int = 1, now_s: float = 0.0) -> bytes:
        assert self.chip.write(bytes([register]), now_s)
        return self.chip.read(count, now_s)

    def words(self, now_s: float) -> tuple[int, ...]:
        return struct.unpack("<7h", self.get(0x20, 14, now_s))


@pytest.fixture
def rig():
    return Rig()


def test_identity_and_reset_values(rig):
    assert rig.get(0x0F) == b"\x6c"
    assert rig.get(CTRL1_XL, 3) == b"\x00\x00\x04"  # powered down, IF_INC
    assert rig.words(1.0) == (0,) * 7
    assert rig.chip.accel_words(1.0) == [0.0] * 3


@pytest.mark.parametrize(("fs", "mg"), [(0b00, 0.061), (0b01, 0.488), (0b10, 0.122), (0b11, 0.244)])
def test_accelerometer_scales(rig, fs, mg):
    rig.set(CTRL1_XL, 0x40 | fs << 2)
    rig.force = (G / 2, -G / 4, G)
    x, y, z = rig.words(1.0)[4:]
    assert (x * mg, y * mg, z * mg) == pytest.approx((500, -250, 1000), abs=mg)


@pytest.mark.parametrize(("fs", "mdps"), [(0, 8.75), (1, 17.5), (2, 35.0), (3, 70.0)])
def test_gyroscope_scales(rig, fs, mdps):
    rig.set(CTRL2_G, 0x40 | fs << 2)
    rig.rate = (math.radians(100), math.radians(-50), 0.0)
    x, y, z = rig.words(1.0)[1:4]
    assert (x * mdps, y * mdps, z) == pytest.approx((100e3, -50e3, 0), abs=mdps)


def test_thermometer(rig):
    rig.set(CTRL1_XL, 0x40)
    assert rig.words(1.0)[0] == 2 * 256  # 25 C is 0, 256 steps a degree


@pytest.mark.parametrize(("odr", "hz"), [(0x10, 12.5), (0x20, 26), (0x40, 104), (0x50, 208)])
def test_output_data_rate(rig, odr, hz):
    noisy = Rig(noise=1.0)
    noisy.set(CTRL1_XL, odr)
    step_s = 1 / hz / 8
    seen = [noisy.words(0.5 + step_s * i)[4:] for i in range(801)]
    changes = sum(a != b for a, b in pairwise(seen))
    assert changes == pytest.approx(100, abs=3)


def test_noise_is_the_density_times_the_root_of_the_bandwidth():
    rig = Rig(noise=1.0)
    rig.set(CTRL1_XL, 0x4A, 0x44)  # 104 Hz; LPF2 at ODR / 4 = 26 Hz; 4 g; 500 deg/s
    words = [rig.words(0.5 + i / 104)[1:] for i in range(3000)]
    gyro = statistics.pstdev(w[0] for w in words) * 17.5e-3
    accel = statistics.pstdev(w[3] for w in words) * 0.122e-3
    # 3.8 mdps and 75 ug per root hertz; a step of rounding adds 0.29 of it.
    assert gyro == pytest.approx(math.hypot(3.8e-3 * math.sqrt(33.5), 0.29 * 17.5e-3), rel=0.05)
    assert accel == pytest.approx(math.hypot(75e-6 * math.sqrt(26), 0.29 * 0.122e-3), rel=0.05)


def test_without_if_inc_a_burst_stays(rig):
    rig.set(CTRL1_XL, 0x4A)
    rig.set(CTRL3_C, 0x00)
    assert rig.get(CTRL1_XL, 3) == b"\x4a" * 3


def test_software_reset(rig):
    rig.set(CTRL1_XL, 0x4A, 0x44, 0x44)
    rig.set(CTRL3_C, 0x05, now_s=1.0)
    assert rig.get(CTRL3_C, now_s=1.001)[0] & 1  # busy
    rig.set(CTRL1_XL, 0x4A, now_s=1.001)  # not taken
    assert rig.get(CTRL1_XL, 3, now_s=1.05) == b"\x00\x00\x04"
    assert rig.chip.is_reset


def test_it_is_deaf_while_it_boots(rig):
    rig.chip.power_on(5.0)
    assert not rig.chip.write(b"\x0f", 5.005)
    assert rig.chip.read(1, 5.005) is None
    assert rig.get(0x0F, now_s=5.02) == b"\x6c"


def test_offsets_drift_with_the_temperature(rig):
    rig.chip.spread = ImuSpread(
        accel_drift_g_c=(1e-4, 0.0, -1e-4), gyro_drift_deg_s_c=(0.01, -0.01, 0.0), noise=0.0
    )
    rig.set(CTRL1_XL, 0x40, 0x40)  # 2 g, 250 degrees a second
    found = []
    for rig.warm_c in (25.0, 45.0):
        found.append(rig.words(rig.warm_c)[1:])
    drifts = [b - a for a, b in zip(*found, strict=True)]
    assert [steps * 8.75e-3 for steps in drifts[:3]] == pytest.approx([0.2, -0.2, 0.0], abs=0.01)
    assert [steps * 0.061e-3 for steps in drifts[3:]] == pytest.approx([2e-3, 0.0, -2e-3], abs=1e-4)

"""Tests of hw_sim/chips/mpu6050.py and inertial.py: MPU-6050 against RM-MPU-6000A rev. 4.2 (RM)
and PS-MPU-6000A rev. 3.4 (PS).
"""

import math
import struct
from collections.abc import Callable

import pytest

from tiltboard.hw_sim.chips.inertial import ImuSpread, Vector
from tiltboard.hw_sim.chips.mpu6050 import Mpu6050
from tiltboard.hw_sim.rng import Streams

G = 9.80665
LEVEL = (0.0, 0.0, G)
STILL = (0.0, 0.0, 0.0)
QUIET = ImuSpread(noise=0.0)


def _constant(vector: Vector) -> Callable[[float], Vector]:
    return lambda now_s: vector


def chip_in(
    force: Vector = LEVEL,
    rate: Vector = STILL,
    *,
    celsius: float = 25.0,
    spread: ImuSpread = QUIET,
) -> Mpu6050:
    return Mpu6050(
        _constant(force),
        _constant(rate),
        lambda now_s: celsius,
        Streams(5).stream("imu"),
        spread,
    )


def get(chip: Mpu6050, register: int, now_s: float, count: int = 1) -> bytes:
    assert chip.write(bytes([register]), now_s)
    answer = chip.read(count, now_s)
    assert answer is not None
    return answer


def put(chip: Mpu6050, register: int, value: int, now_s: float) -> None:
    assert chip.write(bytes([register, value]), now_s)


def burst(chip: Mpu6050, now_s: float) -> tuple[int, ...]:
    return struct.unpack(">7h", get(chip, 0x3B, now_s, 14))


def awake(chip: Mpu6050, now_s: float = 0.0) -> float:
    """Wakes it; returns a time at which there are samples."""
    put(chip, 0x6B, 0x00, now_s)
    return now_s + 0.1


def test_reset_values_are_zero_but_for_two_registers() -> None:
    chip = chip_in()
    values = get(chip, 0x00, 0.0, 128)
    assert {n: v for n, v in enumerate(values) if v} == {0x6B: 0x40, 0x75: 0x68}  # RM section 3


def test_asleep_after_power_up_and_reading_zero_until_woken() -> None:
    chip = chip_in()
    assert burst(chip, 5.0) == (0,) * 7
    assert get(chip, 0x3A, 5.0) == b"\x00"
    later_s = awake(chip, 5.0)
    assert burst(chip, 5.0 + 0.029) == (0,) * 7  # PS 6.1: gyroscope start-up 30 ms
    assert burst(chip, later_s)[2] == 16384


def test_sleeping_again_keeps_the_last_values() -> None:
    chip = chip_in()
    now_s = awake(chip)
    before = burst(chip, now_s)
    put(chip, 0x6B, 0x40, now_s)
    chip.spread = ImuSpread(noise=0.0, accel_offset_g=(0.5, 0.5, 0.5))
    assert burst(chip, now_s + 1.0) == before


@pytest.mark.parametrize(
    ("select", "accel_lsb", "gyro_lsb"),
    [(0, 16384, 131.0), (1, 8192, 65.5), (2, 4096, 32.8), (3, 2048, 16.4)],  # PS 6.1, 6.2
)
def test_scales_and_full_scale(select: int, accel_lsb: int, gyro_lsb: float) -> None:
    chip = chip_in((G / 2, -G, G), (math.radians(100), math.radians(-50), 0.0))
    now_s = awake(chip)
    put(chip, 0x1B, select << 3, now_s)
    put(chip, 0x1C, select << 3, now_s)
    x, y, z, _, gx, gy, gz = burst(chip, now_s + 0.1)
    assert (x, y, z) == (accel_lsb // 2, -accel_lsb, accel_lsb)
    assert (gx, gy, gz) == (round(100 * gyro_lsb), round(-50 * gyro_lsb), 0)


def test_saturates_at_full_scale() -> None:
    chip = chip_in((100.0, -100.0, G), (100.0, -100.0, 0.0))
    x, y, z, _, gx, gy, _ = burst(chip, awake(chip))
    assert (x, y, z) == (32767, -32768, 16384)
    assert (gx, gy) == (32767, -32768)


@pytest.mark.parametrize("celsius", [-10.0, 36.53, 60.0])
def test_temperature_formula(celsius: float) -> None:
    raw = burst(chip := chip_in(celsius=celsius), awake(chip))[3]
    assert raw / 340 + 36.53 == pytest.approx(celsius, abs=0.5 / 340)  # RM 4.19


def test_registers_follow_each_other_in_reads_and_writes() -> None:
    chip = chip_in()
    chip.write(bytes([0x19, 4, 3, 0x08, 0x10]), 0.0)
    assert get(chip, 0x19, 0.0, 4) == bytes([4, 3, 0x08, 0x10])
    assert get(chip, 0x1A, 0.0) == bytes([3])
    assert chip.read(1, 0.0) == bytes([0x08])  # the address has moved on


def test_read_only_registers_do_not_take_values() -> None:
    chip = chip_in()
    for register in (0x3A, 0x3B, 0x41, 0x48, 0x75):
        before = get(chip, register, 0.0)
        put(chip, register, 0x55, 0.0)
        assert get(chip, register, 0.0) == before


def test_clone_answers_with_its_own_identity() -> None:
    chip = chip_in()
    chip.who_am_i = 0x70
    assert get(chip, 0x75, 0.0) == b"\x70"


@pytest.mark.parametrize(
    ("dlpf", "divider", "period_s"),
    [(0, 7, 1e-3), (3, 0, 1e-3), (3, 9, 10e-3), (6, 4, 5e-3), (7, 0, 125e-6)],  # RM 4.2, 4.3
)
def test_data_ready_comes_at_the_sample_rate(dlpf: int, divider: int, period_s: float) -> None:
    chip = chip_in()
    put(chip, 0x1A, dlpf, 0.0)
    put(chip, 0x19, divider, 0.0)
    put(chip, 0x6B, 0x01, 0.0)
    ready = sum(get(chip, 0x3A, 0.5 + n * period_s / 8)[0] & 1 for n in range(80))
    assert ready in (10, 11)


def test_data_ready_clears_when_read() -> None:
    chip = chip_in()
    now_s = awake(chip)
    assert get(chip, 0x3A, now_s) == b"\x01"
    assert get(chip, 0x3A, now_s) == b"\x00"


def test_a_burst_is_one_sample_and_stays_until_the_next() -> None:
    chip = Mpu6050(
        lambda t: (G * math.sin(700 * t), G * math.sin(700 * t), G * math.sin(700 * t)),
        lambda t: (math.sin(700 * t),) * 3,
        lambda t: 25.0,
        Streams(5).stream("imu"),
        QUIET,
    )
    put(chip, 0x19, 9, 0.0)  # DLPF off: 8 kHz / 10
    put(chip, 0x6B, 0x01, 0.0)
    seen = {burst(chip, 0.2 + n * 1e-4) for n in range(100)}
    assert all(x == y == z and gx == gy == gz for x, y, z, _, gx, gy, gz in seen)
    assert len(seen) in (8, 9)  # 10 ms at 800 per second


@pytest.mark.parametrize(
    ("dlpf", "delay_s"),
    [(0, 0.0), (1, 2.0e-3), (2, 3.0e-3), (3, 4.9e-3), (4, 8.5e-3), (5, 13.8e-3), (6, 19.0e-3)],
)
def test_filter_delays_as_in_the_table(dlpf: int, delay_s: float) -> None:
    # A steady ramp comes through unchanged but late (RM 4.3).
    chip = Mpu6050(
        lambda t: (t, 0.0, G), lambda t: STILL, lambda t: 25.0, Streams(5).stream("imu"), QUIET
    )
    put(chip, 0x1A, dlpf, 0.0)
    put(chip, 0x6B, 0x01, 0.0)
    seen_m_s2 = burst(chip, 1.0)[0] / 16384 * G
    assert 1.0 - seen_m_s2 == pytest.approx(delay_s, abs=1.1e-3)  # and at most one sample


def test_filter_takes_away_what_is_too_fast() -> None:
    def amplitude(dlpf: int) -> float:
        chip = Mpu6050(
            lambda t: (G * math.sin(2 * math.pi * 100 * t), 0.0, G),
            lambda t: STILL,
            lambda t: 25.0,
            Streams(5).stream("imu"),
            QUIET,
        )
        put(chip, 0x1A, dlpf, 0.0)
        put(chip, 0x6B, 0x01, 0.0)
        return max(burst(chip, 1.0 + n * 1e-3)[0] for n in range(40)) / 16384

    assert amplitude(0) > 0.95  # 260 Hz
    assert amplitude(3) < 0.3  # 44 Hz


def test_noise_is_the_datasheets() -> None:
    # PS 6.1: 0.05 deg/s RMS at DLPF_CFG 2; PS 6.2: 400 ug per root hertz, 94 Hz wide.
    chip = chip_in(spread=ImuSpread())
    put(chip, 0x1A, 2, 0.0)
    put(chip, 0x6B, 0x01, 0.0)
    samples = [burst(chip, 1.0 + n * 1e-3) for n in range(2000)]
    accel_g = _rms([s[0] / 16384 for s in samples])
    gyro_deg_s = _rms([s[4] / 131 for s in samples])
    assert gyro_deg_s == pytest.approx(0.05, rel=0.1)
    assert accel_g == pytest.approx(400e-6 * math.sqrt(94), rel=0.1)


def _rms(values: list[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))


def test_offsets_and_gains_of_the_copy_show() -> None:
    spread = ImuSpread(
        accel_offset_g=(0.05, -0.05, 0.08),
        accel_gain=(1.0, 1.0, 1.03),
        gyro_offset_deg_s=(20.0, -20.0, 1.0),
        noise=0.0,
    )
    x, y, z, _, gx, gy, gz = burst(chip := chip_in(spread=spread), awake(chip))
    assert (x, y, z) == (round(0.05 * 16384), round(-0.05 * 16384), round(1.11 * 16384))
    assert (gx, gy, gz) == (2620, -2620, 131)


def test_device_reset_takes_its_time_and_forgets_everything() -> None:
    chip = chip_in()
    now_s = awake(chip)
    put(chip, 0x1B, 0x18, now_s)
    put(chip, 0x6B, 0x80, now_s)
    assert get(chip, 0x6B, now_s + 0.05) == b"\xc0"  # still resetting, asleep
    put(chip, 0x1B, 0x10, now_s + 0.05)  # lost
    assert get(chip, 0x6B, now_s + 0.11) == b"\x40"
    assert get(chip, 0x1B, now_s + 0.11) == b"\x00"
    assert burst(chip, now_s + 0.5) == (0,) * 7


def test_power_cycle_makes_it_deaf_for_a_moment_and_then_asleep() -> None:
    chip = chip_in()
    now_s = awake(chip)
    chip.power_on(now_s)
    assert not chip.write(bytes([0x75]), now_s + 0.01)
    assert chip.read(1, now_s + 0.01) is None
    assert get(chip, 0x6B, now_s + 0.1) == b"\x40"
    assert burst(chip, now_s + 0.5) == (0,) * 7

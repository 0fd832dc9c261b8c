"""Tests of drivers/mpu6050.py and inertial.py: MPU-6050: registers of RM-MPU-6000A, figures of
PS-MPU-6000A.
"""

import errno
import inspect
import math

import pytest
import smbus2

from tiltboard.drivers.errors import (
    LastingPartError,
    PartAbsentError,
    PartReadingError,
    WrongPartError,
)
from tiltboard.drivers.mpu6050 import Mpu6050

G = 9.80665


@pytest.fixture
def imu(buses):
    return Mpu6050(buses, 1, 0x68)


def started(imu, buses):
    """Scan at 50/s until the chip is up."""
    for _ in range(50):
        motion = imu.read()
        if motion is not None:
            return motion
        buses.clock.sleep(0.02)
    raise AssertionError("the chip never came up")


def test_the_fake_offers_smbus2s_own_calls(buses) -> None:
    bus = buses.i2c(1)
    for name in (
        "read_byte_data",
        "write_byte_data",
        "read_i2c_block_data",
        "write_i2c_block_data",
    ):
        real = list(inspect.signature(getattr(smbus2.SMBus, name)).parameters)
        fake = list(inspect.signature(getattr(bus, name)).parameters)
        assert [*fake, "force"] == real[1:]


def test_start_is_a_reset_a_pause_and_the_settings(imu, buses) -> None:
    assert imu.read() is None
    assert buses.mpu.log == [("r", 0x75, 1), ("w", 0x6B, b"\x80")]
    buses.clock.sleep(0.09)
    assert imu.read() is None
    assert len(buses.mpu.log) == 2  # section 4.28: 100 ms after a reset nothing is written
    buses.clock.sleep(0.011)
    assert imu.read() is None
    assert buses.mpu.log[2:] == [
        ("w", 0x6B, b"\x01\x00"),  # awake, PLL with the x gyroscope; no axis sleeps
        # SMPLRT_DIV 4: 200 Hz; DLPF 4: 21 Hz; FS_SEL 1: 500 deg/s; AFS_SEL 1: 4 g
        ("w", 0x19, b"\x04\x04\x08\x08"),
        ("r", 0x75, 1),
        ("r", 0x6B, 2),
        ("r", 0x19, 4),
    ]
    buses.clock.sleep(0.051)
    assert imu.read() is not None
    assert buses.mpu.log[7:] == [("r", 0x3B, 14)]
    assert buses.clock.waits == [0.09, 0.011, 0.051]  # the driver itself never waits


def test_a_reading_is_one_burst(imu, buses) -> None:
    started(imu, buses)
    buses.mpu.log.clear()
    buses.clock.sleep(0.02)
    imu.read()
    assert buses.mpu.log == [("r", 0x3B, 14)]


def test_scales(imu, buses) -> None:
    # 8192 steps per g (4 g), 65.5 per deg/s (500 deg/s), 340 per C and 36.53 C at 0.
    buses.mpu.values = (4096, -8192, 8192, -3400, 655, -1310, 6550)
    motion = started(imu, buses)
    assert motion.specific_force_m_s2 == pytest.approx((G / 2, -G, G), abs=0.005)
    assert motion.rate_rad_s == pytest.approx([math.radians(rate) for rate in (10.0, -20.0, 100.0)])
    assert motion.temperature_c == pytest.approx(26.53)


@pytest.mark.parametrize(("value", "g"), [(0x7FFF, 4.0), (-0x8000, -4.0)])
def test_full_scale(imu, buses, value: int, g: float) -> None:
    buses.mpu.values = (0, 0, value, 0, 0, 0, 0)
    assert started(imu, buses).specific_force_m_s2[2] == pytest.approx(g * G, rel=1e-4)


@pytest.mark.parametrize(
    ("force", "tilt_deg"),
    [
        ((0.0, math.sin(math.radians(8)), math.cos(math.radians(8))), (8.0, 0.0)),
        ((-math.sin(math.radians(8)), 0.0, math.cos(math.radians(8))), (0.0, 8.0)),
        ((0.0, 0.0, 1.0), (0.0, 0.0)),
    ],
)
def test_tilt_signs(imu, buses, force, tilt_deg) -> None:
    buses.mpu.values = (*(round(8192 * share) for share in force), 0, 0, 0, 0)
    motion = started(imu, buses)
    assert [math.degrees(angle) for angle in motion.tilt_rad] == pytest.approx(tilt_deg, abs=0.03)


@pytest.mark.parametrize(
    ("identity", "celsius"),
    [
        (0x68, 26.53),
        (0x72, 26.53),
        (0x70, 21 - 3400 / 333.87),
        (0x71, 21 - 3400 / 333.87),  # MPU-9250 and MPU-9255: RM-MPU-9250A, sections 3 and 4.23
        (0x73, 21 - 3400 / 333.87),
        (0x98, 25 - 3400 / 326.8),
    ],
)
def test_clones_serve(imu, buses, identity: int, celsius: float) -> None:
    buses.mpu.identity = identity
    buses.mpu.values = (0, 0, 8192, -3400, 0, 0, 0)
    assert started(imu, buses).temperature_c == pytest.approx(celsius)
    filters = [data for kind, register, data in buses.mpu.log if (kind, register) == ("w", 0x1D)]
    assert filters == ([] if identity in (0x68, 0x72) else [b"\x04"])


def test_another_chip_is_refused(imu, buses, fault) -> None:
    buses.mpu.identity = 0xEA  # an ICM-20948
    error = fault(imu.read)
    assert isinstance(error, WrongPartError)
    assert "0x68 on I2C bus 1 is no MPU-6050 (it calls itself 0xea)" in error.problem
    assert {kind for kind, _, _ in buses.mpu.log} == {"r"}  # nothing is written to a strange chip


def test_a_chip_exchanged_while_running_is_noticed(imu, buses, fault) -> None:
    started(imu, buses)
    buses.mpu.identity = 0xEA

    def half_a_second() -> None:
        for _ in range(26):
            buses.clock.sleep(0.02)
            imu.read()

    assert isinstance(fault(half_a_second), WrongPartError)


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_stuck_data(imu, buses, fault, level: int) -> None:
    started(imu, buses)
    buses.mpu.stuck = level
    buses.clock.sleep(0.02)
    assert isinstance(fault(imu.read), PartReadingError)
    assert isinstance(fault(imu.read), PartReadingError)  # WHO_AM_I too
    buses.mpu.stuck = None
    assert started(imu, buses) is not None


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (errno.EREMOTEIO, "does not answer at 0x68 on I2C bus 1"),
        (errno.ETIMEDOUT, "I2C bus 1 hangs"),
        (errno.EIO, "break off"),
    ],
)
def test_lost_and_back(imu, buses, fault, code: int, says: str) -> None:
    started(imu, buses)
    buses.mpu.error = code
    error = fault(imu.read)
    assert isinstance(error, PartAbsentError)
    assert says in error.problem
    fault(imu.read)
    buses.mpu.error = None
    buses.mpu.power_up()
    assert started(imu, buses).specific_force_m_s2[2] == pytest.approx(G, abs=0.01)


def test_wrong_address_names_ad0(imu, buses, fault) -> None:
    buses.mpu.address = 0x69
    assert "AD0" in fault(imu.read).remedy


def test_bus_that_does_not_exist(buses, fault) -> None:
    buses.missing["i2c"] = FileNotFoundError(errno.ENOENT, "No such file", "/dev/i2c-1")
    error = fault(Mpu6050(buses, 1, 0x68).read)
    assert error.params["device"] == "/dev/i2c-1"
    assert "dtparam=i2c_arm=on" in error.remedy


def test_chip_reset_in_between_is_noticed_at_once_and_mended(imu, buses, fault) -> None:
    started(imu, buses)
    buses.clock.sleep(0.02)
    buses.mpu.power_up()  # asleep: all values zero
    error = fault(imu.read)
    assert isinstance(error, PartReadingError)
    assert "lost its settings" in error.problem
    assert started(imu, buses) is not None
    assert buses.mpu.registers[0x19:0x1D] == b"\x04\x04\x08\x08"


def test_after_a_reset_the_tilt_begins_from_gravity(imu, buses, fault) -> None:
    started(imu, buses)
    buses.mpu.power_up()
    buses.clock.sleep(0.02)
    fault(imu.read)
    buses.mpu.values = (0, 4096, 7094, 0, 0, 0, 0)  # tilted to 30 degrees meanwhile
    assert math.degrees(started(imu, buses).tilt_rad[0]) == pytest.approx(30.0, abs=0.1)


def test_a_sleeping_chip_with_its_last_values_is_noticed(imu, buses, fault) -> None:
    started(imu, buses)
    buses.mpu.registers[0x6B] = 0x40
    buses.clock.sleep(0.02)
    assert "lost its settings" in fault(imu.read).problem


def test_lost_ranges_are_noticed_within_half_a_second(imu, buses, fault) -> None:
    started(imu, buses)
    buses.mpu.registers[0x1C] = 0x00  # 2 g: every force would read double

    def half_a_second() -> None:
        for _ in range(26):
            buses.clock.sleep(0.02)
            imu.read()

    assert "lost its settings" in fault(half_a_second).problem


def test_zeros_from_a_chip_that_is_awake_are_impossible(imu, buses, fault) -> None:
    started(imu, buses)
    buses.mpu.values = (0,) * 7
    buses.mpu.noise = iter([0] * 9)
    buses.clock.sleep(0.02)
    error = fault(imu.read)
    assert "impossible" in error.problem


# RM section 3: each register that the driver needs, and the second filter of the later chips.
@pytest.mark.parametrize("register", [0x6B, 0x6C, 0x19, 0x1A, 0x1B, 0x1C, 0x1D])
def test_a_glitch_in_any_setting_is_found_within_a_quarter_second(
    imu, buses, fault, register
) -> None:
    buses.mpu.identity = 0x71
    started(imu, buses)
    buses.mpu.registers[register] ^= 0x10

    def a_quarter_second() -> None:
        for _ in range(14):
            buses.clock.sleep(0.02)
            imu.read()

    error = fault(a_quarter_second)
    assert isinstance(error, LastingPartError)
    assert started(imu, buses) is not None


def test_a_lost_message_does_not_reset_the_chip(imu, buses, fault) -> None:
    started(imu, buses)
    buses.clock.sleep(0.02)
    buses.mpu.error = errno.EREMOTEIO
    fault(imu.read)
    buses.mpu.error = None
    buses.mpu.log.clear()
    assert imu.read() is not None
    assert not [entry for entry in buses.mpu.log if entry[0] == "w"]


def test_a_bent_byte_is_no_blow(imu, buses) -> None:
    at_rest = started(imu, buses)
    real, bent = buses.mpu.read, [0x40]

    def once(register: int, count: int) -> list[int]:
        answer = real(register, count)
        if register == 0x3B and bent:
            answer[0] ^= bent.pop()
        return answer

    buses.mpu.read = once
    buses.clock.sleep(0.02)
    motion = imu.read()
    assert not bent
    assert motion.specific_force_m_s2 == pytest.approx(at_rest.specific_force_m_s2, abs=0.05)

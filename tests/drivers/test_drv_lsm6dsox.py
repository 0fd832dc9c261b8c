"""Tests of drivers/lsm6dsox.py and inertial.py: the LSM6DSOX driver against registers written
from DS12814 alone.
"""

import errno
import math
import os
import struct

import pytest

from tiltboard.drivers.errors import (
    LastingPartError,
    PartAbsentError,
    PartReadingError,
    WrongPartError,
)
from tiltboard.drivers.lsm6dsox import Lsm6dsox

G = 9.80665


class Chip:
    """SMBus calls to one chip; ``values``: temperature, gx gy gz, ax ay az in steps."""

    def __init__(self, clock) -> None:
        self.clock = clock
        self.identity = 0x6C
        self.error: int | None = None
        self.stuck: int | None = None
        self.values = [0, 0, 0, 0, 0, 0, 8197]  # 1 g at +-4 g: 1 / 0.122e-3
        self.log: list[tuple[str, int, int]] = []
        self.jitter = 0
        self.closed = 0
        self.power_up()

    def power_up(self) -> None:
        self.registers = bytearray(0x80)
        self.registers[0x12] = 0x04  # CTRL3_C: IF_INC
        self.busy_until_s = 0.0

    def _reach(self, address: int) -> None:
        if self.error is not None or address != 0x6A:
            code = self.error or errno.EREMOTEIO
            raise OSError(code, os.strerror(code))

    def write_byte_data(self, i2c_addr: int, register: int, value: int) -> None:
        self._reach(i2c_addr)
        self.log.append(("w", register, value))
        if register == 0x12 and value & 1:  # SW_RESET
            self.power_up()
            self.busy_until_s = self.clock.now() + 0.01
        elif self.clock.now() >= self.busy_until_s:
            self.registers[register] = value

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int]) -> None:
        for offset, value in enumerate(data):
            self.write_byte_data(i2c_addr, register + offset, value)

    def read_byte(self, i2c_addr: int) -> int:
        self._reach(i2c_addr)
        return 0

    def read_byte_data(self, i2c_addr: int, register: int) -> int:
        return self.read_i2c_block_data(i2c_addr, register, 1)[0]

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int) -> list[int]:
        self._reach(i2c_addr)
        self.log.append(("r", register, length))
        if self.stuck is not None:
            return [self.stuck] * length
        self.registers[0x0F] = self.identity
        if self.registers[0x10] >> 4 and self.registers[0x11] >> 4:  # both sensors run
            self.jitter = (self.jitter + 1) % 3
            values = [*self.values[:-1], self.values[-1] + self.jitter]
            self.registers[0x20:0x2E] = struct.pack("<7h", *values)
        if not self.registers[0x12] & 0x04:
            return [self.registers[register]] * length  # IF_INC 0: stays
        return list(self.registers[register : register + length])

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def chip(buses, monkeypatch) -> Chip:
    made = Chip(buses.clock)
    monkeypatch.setattr(buses, "i2c", lambda number: made)
    return made


@pytest.fixture
def imu(buses, chip) -> Lsm6dsox:
    return Lsm6dsox(buses, i2c_bus=1, address=0x6A)


def up(imu: Lsm6dsox, clock) -> None:
    for _ in range(20):
        if imu.read() is not None:
            return
        clock.time_s += 0.02
    raise AssertionError("does not come up")


def test_start_resets_and_sets_up_without_blocking(imu, chip, buses) -> None:
    started_s = buses.clock.now()
    up(imu, buses.clock)
    assert buses.clock.waits == []
    assert buses.clock.now() - started_s <= 0.2
    assert chip.log[0] == ("r", 0x0F, 1)
    assert chip.log[1][:2] == ("w", 0x12)
    assert chip.log[1][2] & 1
    # CTRL1_XL: 104 Hz, +-4 g, LPF2. CTRL2_G: 104 Hz, +-500 deg/s. CTRL3_C: BDU, IF_INC.
    assert list(chip.registers[0x10:0x13]) == [0b0100_10_1_0, 0b0100_01_0_0, 0b0100_0100]


def test_scales_are_the_data_sheets(imu, chip, buses) -> None:
    up(imu, buses.clock)
    chip.values = [512, 2000, -1000, 500, -820, 1640, 8000]
    chip.jitter = 1  # a reading so far from the last is read twice
    motion = imu.read()
    mg, mdps = 0.122e-3 * G, math.radians(17.5e-3)
    assert motion.specific_force_m_s2 == pytest.approx((-820 * mg, 1640 * mg, 8000 * mg))
    assert motion.rate_rad_s == pytest.approx((2000 * mdps, -1000 * mdps, 500 * mdps))
    assert motion.temperature_c == pytest.approx(25 + 512 / 256)


def test_tilt_about_each_axis(imu, chip, buses) -> None:
    # At tilt (a, 0) the force is (0, g sin a, g cos a); at (0, b) it is (-g sin b, 0, g cos b).
    one_g = 1 / 0.122e-3
    for about_x, about_y in ((8, 0), (0, 8), (-5, 0)):
        a, b = math.radians(about_x), math.radians(about_y)
        chip.values[4:] = [
            round(-one_g * math.sin(b)),
            round(one_g * math.sin(a)),
            round(one_g * math.cos(a) * math.cos(b)),
        ]
        imu.close()
        up(imu, buses.clock)
        tilt = imu.read().tilt_rad
        assert tilt == pytest.approx((a, b), abs=math.radians(0.05))


def test_a_scan_is_one_burst_of_fourteen_bytes(imu, chip, buses) -> None:
    up(imu, buses.clock)
    chip.log.clear()
    imu.read()
    assert chip.log == [("r", 0x20, 14)]


@pytest.mark.parametrize("identity", [0x6B, 0x69, 0x68])  # LSM6DSR, LSM6DS3, MPU-6050
def test_another_chip_is_named(imu, chip, identity) -> None:
    chip.identity = identity
    with pytest.raises(WrongPartError, match=f"calls itself {identity:#04x}"):
        imu.read()


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_a_dead_data_line(imu, chip, level) -> None:
    chip.stuck = level
    with pytest.raises(PartReadingError, match="nothing but"):
        imu.read()


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_impossible_values_while_running(imu, chip, buses, level) -> None:
    up(imu, buses.clock)
    chip.stuck = level
    with pytest.raises(PartReadingError):
        imu.read()
    chip.stuck = None
    up(imu, buses.clock)


def test_a_reset_is_noticed_at_the_next_read_and_healed(imu, chip, buses) -> None:
    up(imu, buses.clock)
    imu.read()
    chip.power_up()
    with pytest.raises(PartReadingError, match="lost its settings"):
        imu.read()
    up(imu, buses.clock)
    assert imu.read().specific_force_m_s2[2] == pytest.approx(G, rel=0.01)


def test_an_exchange_while_running_is_noticed(imu, chip, buses) -> None:
    up(imu, buses.clock)
    chip.identity = 0x69
    buses.clock.time_s += 0.6
    with pytest.raises(WrongPartError):
        imu.read()


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (errno.EREMOTEIO, "does not answer at 0x6a on I2C bus 1.*SA0"),
        (errno.ETIMEDOUT, "I2C bus 1 hangs.*Unplug"),
    ],
)
def test_lost_and_back(imu, chip, buses, code, told) -> None:
    up(imu, buses.clock)
    chip.error = code
    with pytest.raises(PartAbsentError, match=told):
        imu.read()
    assert chip.closed == 1
    chip.error = None
    up(imu, buses.clock)


# DS12814, sections 9.12 to 9.19: CTRL1_XL to CTRL8_XL
@pytest.mark.parametrize("register", range(0x10, 0x18))
def test_a_glitch_in_any_setting_is_found_within_a_quarter_second(
    imu, chip, buses, register
) -> None:
    up(imu, buses.clock)
    chip.registers[register] ^= 0x02
    with pytest.raises(LastingPartError, match="lost its settings"):
        for _ in range(14):
            buses.clock.time_s += 0.02
            imu.read()
    up(imu, buses.clock)
    assert list(chip.registers[0x13:0x18]) == [0] * 5

"""Tests of drivers/node_firmware/hall.py and imu.py: the node firmware's hall.py and imu.py: one
bad sample is noise, two scans in a row are a fault.

Run here by CPython, on a board written from the data sheets alone.
"""

import pytest

from tiltboard.drivers.node_firmware.board import Board
from tiltboard.drivers.node_firmware.hall import IMPOSSIBLE, OK, SILENT, Hall
from tiltboard.drivers.node_firmware.imu import Imu
from tiltboard.drivers.node_firmware.plate import SPARES

STEP_US = 10_000


class Bench(Board):
    """Seven channels of sixteen inputs, and an MPU-6050; ``fail`` uses of either go wrong."""

    def __init__(self, identity: int = 0x68) -> None:
        self.volts = {number: (low + high) // 2 for number, low, high in SPARES}
        self.bad_scans = 0
        self.fail = 0
        self.registers = bytearray(128)
        self.registers[0x6B] = 0x40
        self.registers[0x75] = identity
        self.resets = 0
        self.count = 0

    def now_us(self) -> int:
        return 0

    def scan(self, codes, channels, start) -> bool:
        for number in range(16 * channels):
            codes[number] = self.volts.get(number, 512)
        if self.bad_scans:
            self.bad_scans -= 1
            codes[101] = 3  # an input at the full supply
        return True

    def read_registers(self, address, register, into) -> None:
        self._pass()
        self.count += 1
        self.registers[0x3C] = self.count & 0xFF  # RM section 4.17: ACCEL_XOUT_L, its noise
        into[:] = self.registers[register : register + len(into)]

    def write_registers(self, address, register, data) -> None:
        self._pass()
        self.registers[register : register + len(data)] = data
        if register == 0x6B and data[0] & 0x80:
            self.resets += 1
            identity = self.registers[0x75]
            self.registers[:] = bytes(128)
            self.registers[0x6B], self.registers[0x75] = 0x40, identity

    def _pass(self) -> None:
        if self.fail:
            self.fail -= 1
            raise OSError(5)


class Watch:
    """An Imu read a hundred times a second."""

    def __init__(self, board: Bench) -> None:
        self.imu, self.us = Imu(board), 0

    def read(self) -> int:
        self.us += STEP_US
        return self.imu.read(self.us, bytearray(32), 8)

    def up(self) -> None:
        for _ in range(100):
            if self.read():
                return
        raise AssertionError("the chip never came up")


@pytest.mark.parametrize(("bad", "good"), [(1, [True] * 3), (2, [False, True, True])])
def test_a_bad_conversion_is_scanned_again_and_one_bad_scan_is_not_told(bad, good) -> None:
    board = Bench()
    hall = Hall(board)
    assert hall.scan()
    board.bad_scans = bad
    seen = [(hall.scan(), hall.fault) for _ in range(3)]
    assert seen == [(each, OK) for each in good]


def test_an_input_that_stays_wrong_is_told_by_the_second_scan() -> None:
    board = Bench()
    hall = Hall(board)
    board.bad_scans = 10
    assert [(hall.scan(), hall.fault, hall.detail) for _ in range(2)] == [
        (False, OK, 0),
        (False, IMPOSSIBLE, 101),
    ]


@pytest.mark.parametrize(("fail", "missed"), [(1, 0), (2, 1)])
def test_a_lost_message_costs_at_most_a_reading_and_no_reset(fail, missed) -> None:
    board = Bench()
    watch = Watch(board)
    watch.up()
    board.fail, before = fail, board.resets
    assert [bool(watch.read()) for _ in range(5)].count(False) == missed
    assert (watch.imu.fault, board.resets) == (OK, before)


def test_a_chip_that_two_readings_miss_is_told() -> None:
    board = Bench()
    watch = Watch(board)
    watch.up()
    board.fail = 1000
    watch.read()
    assert watch.imu.fault == OK
    watch.read()
    assert watch.imu.fault == SILENT


@pytest.mark.parametrize("identity", [0x70, 0x71, 0x73, 0x98])
def test_later_chips_serve_with_their_second_filter_and_thermometer(identity) -> None:
    """RM-MPU-9250A sections 4.7 (A_DLPFCFG) and 4.23 (TEMP_OUT); MPU-9250 is 0x71, 9255 0x73."""
    board = Bench(identity)
    watch = Watch(board)
    watch.up()
    assert board.registers[0x1D] == 4
    at_0 = 2500 if identity == 0x98 else 2100
    assert watch.imu.temperature == at_0


# RM section 3 and, of the later chips, ACCEL_CONFIG_2
@pytest.mark.parametrize("register", [0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x6B, 0x6C])
def test_a_glitch_in_any_setting_is_found_within_a_second_and_written_again(register) -> None:
    board = Bench(0x71)
    watch = Watch(board)
    watch.up()
    kept = board.registers[register]
    board.registers[register] ^= 0x10
    assert IMPOSSIBLE in [watch.read() * 0 + watch.imu.fault for _ in range(100)]
    watch.up()
    assert (board.registers[register], watch.imu.fault) == (kept, OK)

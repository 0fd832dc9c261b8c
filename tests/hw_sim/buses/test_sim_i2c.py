"""Tests of hw_sim/buses/i2c.py: the real smbus2 over replaced os and ioctl."""

import errno
import importlib
import os
import sys
from fcntl import ioctl
from typing import Any

import pytest
import smbus2.smbus2
from gpiozero import Button, Device
from smbus2 import SMBus, i2c_msg
from smbus2.smbus2 import I2cFunc

from tiltboard.hw_sim.buses import SimBuses
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.errors import SimulationError

IMU = 0x68


class Memory:
    """A chip of 256 bytes with an address pointer, recording its messages."""

    def __init__(self) -> None:
        self.bytes = bytearray(range(256))
        self.pointer = 0
        self.log: list[bytes | int] = []

    def write(self, data: bytes, now_s: float) -> bool:
        self.log.append(data)
        if data:
            self.pointer = data[0]
            for value in data[1:]:
                self.bytes[self.pointer % 256] = value
                self.pointer += 1
        return True

    def read(self, count: int, now_s: float) -> bytes:
        self.log.append(count)
        answer = bytes(self.bytes[(self.pointer + i) % 256] for i in range(count))
        self.pointer += count
        return answer

    def power_on(self, now_s: float) -> None:
        self.log.clear()


@pytest.fixture
def memory(rig: Any) -> Memory:
    made = Memory()
    rig.buses.add_i2c(1, 0x50, made)
    return made


def test_every_kind_of_transfer_becomes_the_messages_of_the_protocol(
    rig: Any, memory: Memory
) -> None:
    bus = rig.buses.i2c(1)
    assert bus.read_byte_data(0x50, 0x12) == 0x12
    assert bus.read_byte(0x50) == 0x13
    bus.write_byte(0x50, 0x20)
    bus.write_byte_data(0x50, 0x21, 0xAB)
    assert bus.read_word_data(0x50, 0x21) == 0x22AB  # low byte first
    bus.write_word_data(0x50, 0x30, 0x1234)
    assert bus.read_i2c_block_data(0x50, 0x30, 3) == [0x34, 0x12, 0x32]
    bus.write_i2c_block_data(0x50, 0x40, [9, 8, 7])
    assert memory.log == [
        *(b"\x12", 1, 1),
        b"\x20",
        b"\x21\xab",
        *(b"\x21", 2),
        b"\x30\x34\x12",
        *(b"\x30", 3),
        b"\x40\x09\x08\x07",
    ]


def test_combined_transfers(rig: Any, memory: Memory) -> None:
    bus = rig.buses.i2c(1)
    write, read = i2c_msg.write(0x50, [0x10]), i2c_msg.read(0x50, 40)
    bus.i2c_rdwr(write, read)
    assert list(read) == list(range(0x10, 0x38))
    with pytest.raises(OSError, match="not supported") as caught:
        bus.i2c_rdwr(i2c_msg.read(0x50, 1), i2c_msg.write(0x50, [0]))
    assert caught.value.errno == errno.EOPNOTSUPP  # the BCM2835 reads only last


def test_what_a_pis_adapter_can_and_cannot(rig: Any, memory: Memory) -> None:
    bus = rig.buses.i2c(1)
    assert bus.funcs & I2cFunc.I2C
    assert bus.funcs & I2cFunc.SMBUS_READ_I2C_BLOCK
    assert not bus.funcs & I2cFunc.SMBUS_READ_BLOCK_DATA
    with pytest.raises(OSError, match="not supported"):
        bus.read_block_data(0x50, 0)


def test_absent_chip_is_a_remote_io_error(rig: Any) -> None:
    bus = rig.buses.i2c(1)
    with pytest.raises(OSError, match="Remote") as caught:
        bus.read_byte_data(0x40, 0)
    assert caught.value.errno == errno.EREMOTEIO == 121


def test_nack_fault_comes_and_goes(rig: Any) -> None:
    bus = rig.buses.i2c(1)
    rig.buses.i2c_buses[1].nacking.add(IMU)
    with pytest.raises(OSError, match="Remote"):
        bus.read_byte_data(IMU, 0x75)
    rig.buses.i2c_buses[1].nacking.clear()
    assert bus.read_byte_data(IMU, 0x75) == 0x68


def test_stuck_bus_times_out_after_a_second(rig: Any) -> None:
    bus = rig.buses.i2c(1)
    rig.buses.i2c_buses[1].stuck = True
    before_s = rig.clock.now()
    with pytest.raises(TimeoutError) as caught:
        bus.read_byte_data(IMU, 0x75)
    assert caught.value.errno == errno.ETIMEDOUT == 110
    assert rig.clock.now() - before_s == pytest.approx(1.0)


def test_an_imu_burst_takes_0_39_ms_on_the_wire_at_400_khz(rig: Any) -> None:
    bus = rig.buses.i2c(1)
    bus.write_byte_data(IMU, 0x6B, 0)
    rig.clock.advance(0.2)
    before_s = rig.clock.now()
    data = bus.read_i2c_block_data(IMU, 0x3B, 14)
    # 0.39 ms, which is 156 bits: 2 starts, stop, 17 bytes of 9; and the system's call.
    assert 156 / 400e3 + 1e-6 < rig.clock.now() - before_s < 0.45e-3
    assert data[4:6] == [0x40, 0x00]  # 1 g


def test_absent_bus_is_a_missing_file(rig: Any) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        rig.buses.i2c(7)
    assert caught.value.filename == "/dev/i2c-7"


def test_two_tables_do_not_meet(rig: Any, other_rig: Any) -> None:
    one, other = rig.buses.i2c(1), other_rig.buses.i2c(1)
    other_rig.imu.who_am_i = 0x70
    assert one.read_byte_data(IMU, 0x75) == 0x68
    assert other.read_byte_data(IMU, 0x75) == 0x70
    assert rig.clock.now() == other_rig.clock.now()  # one transfer each, on its own clock
    one.close()
    assert other.read_byte_data(IMU, 0x75) == 0x70


def test_real_devices_stay_reachable_inside_and_everything_is_put_back(tmp_path: Any) -> None:
    buses, more = SimBuses(VirtualClock()), SimBuses(VirtualClock())
    with buses:
        with more:
            assert smbus2.smbus2.os is not os
        with pytest.raises(FileNotFoundError):
            SMBus(str(tmp_path / "i2c-none"))
        ordinary = tmp_path / "file"
        ordinary.write_bytes(b"")
        with pytest.raises(OSError, match="Inappropriate ioctl"):
            SMBus(str(ordinary))
    assert smbus2.smbus2.os is os
    assert smbus2.smbus2.ioctl is ioctl


def test_outside_its_context_nothing_opens() -> None:
    buses = SimBuses(VirtualClock())
    buses.i2c_buses.clear()
    with pytest.raises(FileNotFoundError):
        buses.i2c(1)
    buses.add_i2c(1, 0x68, Memory())
    with pytest.raises(SimulationError, match="context"):
        buses.i2c(1)
    with buses, pytest.raises(SimulationError, match="open already"):
        buses.__enter__()


def test_power_cycle_resets_the_chip_behind_an_open_bus(rig: Any) -> None:
    bus = rig.buses.i2c(1)
    bus.write_byte_data(IMU, 0x6B, 0x01)
    rig.buses.power_cycle()
    with pytest.raises(OSError, match="Remote"):
        bus.read_byte_data(IMU, 0x6B)
    rig.clock.advance(0.1)
    assert bus.read_byte_data(IMU, 0x6B) == 0x40


def test_buses_can_be_the_devices_that_programs_open_by_themselves():
    class Chip:
        def write(self, data, now_s):
            return True

        def read(self, count, now_s):
            return b"\x2a" * count

        def transfer(self, sent, clock_hz, mode, start_s):
            return sent[::-1]

        def power_on(self, now_s):
            pass

    with pytest.raises(FileNotFoundError):
        SMBus(9)
    before = sys.modules.get("spidev")
    with SimBuses(devices=True) as buses, SimBuses() as others:
        buses.add_i2c(9, 0x48, Chip())
        buses.add_spi(0, 1, Chip())
        others.add_i2c(9, 0x48, Chip())
        with SMBus(9) as bus:
            assert bus.read_byte_data(0x48, 0) == 0x2A
        spi = importlib.import_module("spidev").SpiDev()
        spi.open(0, 1)
        assert spi.xfer2([1, 2, 3]) == [3, 2, 1]
        with pytest.raises(FileNotFoundError):
            spi.open(3, 0)
        Device.pin_factory = buses.pins
        button = Button(5)
        assert not button.is_pressed
        buses.pins.pin(5).drive_low()
        assert button.is_pressed
        button.close()
        Device.pin_factory = None
    assert sys.modules.get("spidev") is before
    with pytest.raises(FileNotFoundError):
        SMBus(9)

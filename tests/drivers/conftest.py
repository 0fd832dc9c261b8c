"""Fakes of plate-10's chips for the drivers' tests, written from the datasheets alone.

The fakes share no code with hw_sim, so that two equal errors cannot hide each other.
"""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from tiltboard.drivers.errors import PartError
from tiltboard.drivers.hall import HallSettings, MuxHallArray
from tiltboard.drivers.lights import LightsSettings, LightStrip
from tiltboard.drivers.mpu6050 import Mpu6050
from tiltboard.drivers.panel import Panel
from tiltboard.drivers.plate import Plate

ADDRESS_PINS = (5, 6, 13, 26)
SPARES = (
    (100, "ground"),
    (101, "full"),
    (102, "half"),
    (103, "ntc"),
    (104, "half"),
    (105, "ground"),
    (106, "ground"),
    (107, "ground"),
    (108, "full"),
    (109, "ground"),
    (110, "ground"),
    (111, "ground"),
)


class StepClock:
    """A clock that advances only when a test says so, and records each wait."""

    def __init__(self) -> None:
        self.time_s = 100.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time_s

    def sleep(self, duration_s: float) -> None:
        self.waits.append(duration_s)
        self.time_s += duration_s

    def calendar(self) -> float:
        return 1_800_000_000.0 + self.time_s


class HallBoard:
    """An MCP3008 behind seven CD74HC4067, simulated bit by bit.

    ``volts`` has the voltage of each input; other inputs have 1.65 V. ``wires`` maps the levels
    that the Pi sets on S0 to S3 to the levels at the multiplexers.
    """

    def __init__(self, factory: MockFactory) -> None:
        self.factory = factory
        self.supply_v = 3.3
        self.reference_v = 3.3
        self.volts: dict[int, float] = {}
        self.wires: Callable[[int], int] = lambda address: address
        self.miso: int | None = None  # The level at which the data line is stuck, or None.
        self.plugged = True
        self.open_count = 0
        self.sent: list[list[int]] = []
        # The address and the channel of each conversion.
        self.conversions: list[tuple[int, int]] = []

    def volt(self, number: int) -> float:
        half = self.supply_v / 2
        test = {101: self.supply_v, 102: half, 103: half, 104: half, 108: self.supply_v}
        return self.volts.get(number, half if number < 100 else test.get(number, 0.0))

    def open(self, bus: int, device: int) -> HallSpi:
        if not self.plugged or (bus, device) != (1, 0):
            # Like spidev, the error does not name the file.
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        self.open_count += 1
        return HallSpi(self)

    def convert(self, tx: list[int]) -> list[int]:
        """Return the answer to ``tx`` by DS21295 section 5: start bit, SGL/DIFF, D2 to D0, one
        clock to sample, null bit, B9 to B0.
        """
        bits = [byte >> shift & 1 for byte in tx for shift in range(7, -1, -1)]
        start = bits.index(1)
        single, d2, d1, d0 = bits[start + 1 : start + 5]
        assert single == 1
        channel = d2 << 2 | d1 << 1 | d0
        lines = [int(self.factory.pin(pin).state) for pin in ADDRESS_PINS]
        address = sum(level << line for line, level in enumerate(lines))
        self.conversions.append((address, channel))
        volt = self.volt(channel * 16 + self.wires(address))
        code = min(1023, int(1024 * volt / self.reference_v))
        out = [1] * len(bits)  # The output has a high impedance and a pull-up.
        out[start + 6] = 0
        for place in range(10):
            out[start + 7 + place] = code >> 9 - place & 1
        if self.miso is not None:
            out = [self.miso] * len(bits)
        return [
            sum(bit << 7 - place for place, bit in enumerate(out[first : first + 8]))
            for first in range(0, len(out), 8)
        ]


class HallSpi:
    """A stand-in for spidev.SpiDev, which overwrites the list that it is given, like the real
    class.
    """

    def __init__(self, board: HallBoard) -> None:
        self.board = board
        self.max_speed_hz = 125_000_000
        self.mode = 3
        self.closed = False

    def xfer2(self, values: list[int]) -> list[int]:
        assert not self.closed
        if not self.board.plugged:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self.board.sent.append(list(values))
        values[:] = self.board.convert(values)
        return values

    def close(self) -> None:
        self.closed = True


class MpuChip:
    """An MPU-6050 by RM-MPU-6000A: registers with their reset values, asleep after power-up.

    ``log`` lists the transfers: ("r", register, count) and ("w", register, bytes).
    """

    def __init__(self, clock: StepClock) -> None:
        self.clock = clock
        self.identity = 0x68
        self.address = 0x68
        self.error: int | None = None
        # The value of every byte that is read, or None for the real values.
        self.stuck: int | None = None
        self.values = (0, 0, 8192, 0, 0, 0, 0)  # ax ay az temperature gx gy gz, at +-4 g, 500 deg/s
        self.log: list[tuple[str, int, Any]] = []
        self.noise = itertools.cycle((0, 1, 2))
        self.open_count = 0
        self.power_up()

    def power_up(self) -> None:
        self.registers = bytearray(128)
        for register, value in ((0x6B, 0x40), (0x75, 0x68)):
            self.registers[register] = value
        self.reset_over_s = 0.0

    def open(self, bus: int) -> MpuBus:
        if bus != 1:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), f"/dev/i2c-{bus}")
        self.open_count += 1
        return MpuBus(self)

    def transfer(self, address: int) -> None:
        if self.error is not None:
            raise OSError(self.error, os.strerror(self.error))
        if address != self.address:
            raise OSError(errno.EREMOTEIO, os.strerror(errno.EREMOTEIO))

    def write(self, register: int, data: list[int]) -> None:
        self.log.append(("w", register, bytes(data)))
        for offset, value in enumerate(data):
            if register + offset == 0x6B and value & 0x80:
                self.power_up()
                self.reset_over_s = self.clock.now() + 0.1
            elif self.clock.now() >= self.reset_over_s - 1e-9:
                self.registers[register + offset] = value

    def read(self, register: int, count: int) -> list[int]:
        self.log.append(("r", register, count))
        if self.stuck is not None:
            return [self.stuck] * count
        self.registers[0x75] = self.identity
        if register == 0x3B and not self.registers[0x6B] & 0x40:
            ax, *others = self.values
            for place, value in enumerate((ax + next(self.noise), *others)):
                low = value & 0xFFFF
                self.registers[0x3B + 2 * place : 0x3D + 2 * place] = bytes((low >> 8, low & 255))
        return list(self.registers[register : register + count])


class MpuBus:
    """The functions of smbus2.SMBus that reach the chip."""

    def __init__(self, chip: MpuChip) -> None:
        self.chip = chip
        self.closed = False

    def read_byte(self, i2c_addr: int) -> int:
        self.chip.transfer(i2c_addr)
        return 0

    def read_byte_data(self, i2c_addr: int, register: int) -> int:
        self.chip.transfer(i2c_addr)
        return self.chip.read(register, 1)[0]

    def write_byte_data(self, i2c_addr: int, register: int, value: int) -> None:
        self.chip.transfer(i2c_addr)
        self.chip.write(register, [value])

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int) -> list[int]:
        self.chip.transfer(i2c_addr)
        return self.chip.read(register, length)

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int]) -> None:
        self.chip.transfer(i2c_addr)
        self.chip.write(register, data)

    def close(self) -> None:
        self.closed = True


class Strip:
    """A stand-in for tiltboard.drivers.neopixel_strip.SentStrip that records the frames.

    ``error``: raised for the next frames. ``late_error``: raised for a frame that was accepted
    before.
    """

    def __init__(self, count: int, clock: StepClock) -> None:
        self.clock = clock
        self.size = 3 * count
        self.frames: list[tuple[float, bytes]] = []
        self.error: Exception | None = None
        self.late_error: Exception | None = None
        self.closed = False

    def show_all(self, colours: bytes) -> None:
        assert not self.closed
        if self.error is not None:
            raise self.error
        self.frames.append((self.clock.now(), colours))

    def check(self) -> None:
        if self.late_error is not None:
            raise self.late_error

    def close(self) -> None:
        self.closed = True

    def deinit(self) -> None:
        self.close()
        if self.error is not None:
            raise self.error
        self.frames.append((self.clock.now(), bytes(self.size)))


class BenchPin(MockPWMPin):
    """gpiozero's mock pin; pins in the factory's list ``broken`` fail when they are read."""

    def _get_state(self) -> float:
        if self._number in self.factory.broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super()._get_state()


class BenchBuses:
    """A stand-in for tiltboard.drivers.buses.Buses with the fakes; ``missing`` makes the next
    openings fail.
    """

    def __init__(self) -> None:
        self.clock = StepClock()
        self.factory = MockFactory(pin_class=BenchPin)
        self.broken_pins = self.factory.broken = set()
        self.board = HallBoard(self.factory)
        self.mpu = MpuChip(self.clock)
        self.strips: list[Strip] = []
        self.missing: dict[str, Exception] = {}

    @property
    def pin_factory(self) -> MockFactory:
        if "gpio" in self.missing:
            raise self.missing["gpio"]
        return self.factory

    def spi(self, bus: int, device: int) -> HallSpi:
        return self.board.open(bus, device)

    def i2c(self, bus: int) -> Any:
        if "i2c" in self.missing:
            raise self.missing["i2c"]
        return self.mpu.open(bus)

    def pixels(self, count: int) -> Strip:
        if "pixels" in self.missing:
            raise self.missing["pixels"]
        self.strips.append(Strip(count, self.clock))
        return self.strips[-1]


@pytest.fixture
def buses() -> Iterator[BenchBuses]:
    bench = BenchBuses()
    yield bench
    bench.factory.close()


@pytest.fixture
def hall_settings() -> HallSettings:
    return HallSettings(
        sensors=100, spi_bus=1, spi_device=0, address_pins=ADDRESS_PINS, spares=SPARES
    )


@pytest.fixture
def plate(
    buses: BenchBuses,
    hall_settings: HallSettings,
) -> Plate:
    return Plate(
        MuxHallArray(hall_settings, buses),
        Mpu6050(buses, 1, 0x68),
        LightStrip(buses, LightsSettings(count=100, supply_a=4.0)),
        Panel(buses, 23, 24, 12),
        buses.clock,
    )


@pytest.fixture
def fault() -> Callable[[Callable[[], object]], PartError]:
    """A function that calls another function, which must raise PartError, and returns the error.
    The error must have a remedy.
    """

    def call(use: Callable[[], object]) -> PartError:
        with pytest.raises(PartError) as caught:
            use()
        assert caught.value.remedy
        return caught.value

    return call

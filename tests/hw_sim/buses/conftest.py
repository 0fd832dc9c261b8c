"""A small table on simulated buses: constant voltages, an IMU, ten lights, a button, a buzzer."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tiltboard.hw_sim.buses import SimBuses
from tiltboard.hw_sim.buses.gpio import Piezo
from tiltboard.hw_sim.chips.cd74hc4067 import AddressBus, Cd74Hc4067
from tiltboard.hw_sim.chips.inertial import ImuSpread
from tiltboard.hw_sim.chips.mcp3008 import Mcp3008
from tiltboard.hw_sim.chips.mpu6050 import Mpu6050
from tiltboard.hw_sim.chips.ws2812 import Ws2812Chain
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.rng import Streams

VREF = 3.3


@dataclass
class Rig:
    """A table with ``volt`` volts on each multiplexer input; channel 7 of the converter has 1 V."""

    clock: VirtualClock = field(default_factory=VirtualClock)
    volt: list[float] = field(default_factory=lambda: [0.1 * n for n in range(16)])
    pressed: bool = False

    def __post_init__(self) -> None:
        self.buses = SimBuses(self.clock)
        self.address = AddressBus()
        mux = Cd74Hc4067(self.address, [self._input(n) for n in range(16)])
        self.converter = Mcp3008([mux.voltage_v] * 7 + [lambda now_s: 1.0], VREF)
        self.imu = Mpu6050(
            lambda now_s: (0.0, 0.0, 9.80665),
            lambda now_s: (0.0, 0.0, 0.0),
            lambda now_s: 25.0,
            Streams(1).stream("imu"),
            ImuSpread(noise=0.0),
        )
        self.chain = Ws2812Chain(10)
        self.piezo = Piezo()
        self.buses.add_spi(1, 0, self.converter)
        self.buses.add_i2c(1, 0x68, self.imu)
        self.buses.add_pixels(self.chain)
        self.buses.wire_address([5, 6, 13, 26], self.address)
        self.buses.wire_button(23, lambda now_s: self.pressed)
        self.buses.wire_piezo(12, self.piezo)

    def _input(self, number: int):
        return lambda now_s: self.volt[number]


@pytest.fixture
def rig() -> Iterator[Rig]:
    made = Rig()
    with made.buses:
        yield made


@pytest.fixture
def other_rig() -> Iterator[Rig]:
    made = Rig()
    with made.buses:
        yield made

"""The whole simulated table: clock, world, chips on their buses, hands and faults."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from firmware_host.profile import Profile
from hw_sim.buses import SimBuses
from hw_sim.chips import mpu6050
from hw_sim.chips.mcp3008 import Mcp3008
from hw_sim.chips.mpu6050 import ImuSpread, Mpu6050
from hw_sim.chips.piezo import Piezo
from hw_sim.chips.ws2812 import Ws2812Chain
from hw_sim.clock import VirtualClock
from hw_sim.faults import Faults
from hw_sim.hall_board import HallBoard
from hw_sim.hands import Hands
from hw_sim.rng import Stream, Streams
from hw_sim.world.world import World

# What shimming the plate level once leaves of the accelerometer's initial offset (50 mg, 3 deg).
LEVELLED_G = 0.015
ACCEL_GAIN_TOLERANCE = 0.03  # PS-MPU-6000A 6.2: +-3 % calibration tolerance
GYRO_GAIN_TOLERANCE = 0.03  # 6.1: +-3 %

Rgb = tuple[int, int, int]


class SimTable:
    """One table as its profile wires it; the same seed and calls give the same readings.

    A context manager: within it the seams below smbus2 and neopixel are in place.
    ``buses``: for the drivers. ``hands``, ``faults``: what happens to it. ``chain``, ``piezo``,
    ``converter``, ``imu``, ``hall_board``: its chips.
    """

    def __init__(self, profile: Profile, seed: int = 1) -> None:
        self.profile = profile
        self.seed = seed
        self.clock = VirtualClock()
        streams = Streams(seed)
        self.world = World(profile, self.clock, streams)
        self.hands = Hands(self.world, streams.stream("hands"))
        self.hall_board = HallBoard(profile, self.world, streams)
        self.converter = Mcp3008(
            [multiplexer.voltage_v for multiplexer in self.hall_board.multiplexers],
            profile.hall.reference_v,
        )
        self.imu = Mpu6050(
            self.world.plate.specific_force_m_s2,
            self.world.plate.rate_rad_s,
            self.world.climate.temperature_c,
            streams.stream("imu-noise"),
            _imu_spread(streams.stream("imu-spread")),
        )
        self.chain = Ws2812Chain(profile.size)
        self.piezo = Piezo()
        self.buses = self._wire()
        self.faults = Faults(self)

    def __enter__(self) -> Self:
        self.buses.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.buses.__exit__(kind, error, trace)

    @property
    def noise_factor(self) -> float:
        """The Hall sensors' noise against the datasheet's; may be set."""
        return self.hall_board.noise_factor

    @noise_factor.setter
    def noise_factor(self, factor: float) -> None:
        self.hall_board.noise_factor = factor

    @property
    def lights(self) -> tuple[Rgb, ...]:
        """Red, green, blue (0 to 255) as each place's light shines now, by plate index."""
        colours = self.chain.colours
        return tuple(colours[self.profile.light_of(index)] for index in range(self.profile.size))

    def strip_rgb(self, index: int) -> Rgb:
        """The same for one place."""
        return self.chain.colours[self.profile.light_of(index)]

    def power_cycle(self) -> None:
        """The supply goes and comes back: chips forget everything; pieces lie where they lie."""
        self.buses.power_cycle()

    def _wire(self) -> SimBuses:
        profile = self.profile
        buses = SimBuses(self.clock)
        buses.add_spi(profile.hall.spi_bus, profile.hall.spi_device, self.converter)
        buses.add_i2c(profile.imu.i2c_bus, profile.imu.address, self.imu)
        buses.add_pixels(profile.lights.pin, self.chain)
        buses.wire_address(profile.hall.address_pins, self.hall_board.address)
        panel = profile.panel
        for name, pin in (("confirm", panel.confirm_pin), ("back", panel.back_pin)):
            buses.wire_button(pin, self.world.buttons[name].closed)
        buses.wire_piezo(panel.buzzer_pin, self.piezo)
        return buses


def _imu_spread(stream: Stream) -> ImuSpread:
    def draw(size: float) -> float:
        return stream.uniform(-size, size)

    gyro, z = mpu6050.GYRO_OFFSET_DEG_S, mpu6050.ACCEL_OFFSET_Z_G
    return ImuSpread(
        accel_offset_g=(draw(LEVELLED_G), draw(LEVELLED_G), draw(z)),
        accel_gain=(
            1 + draw(ACCEL_GAIN_TOLERANCE),
            1 + draw(ACCEL_GAIN_TOLERANCE),
            1 + draw(ACCEL_GAIN_TOLERANCE),
        ),
        gyro_offset_deg_s=(draw(gyro), draw(gyro), draw(gyro)),
        gyro_gain=(
            1 + draw(GYRO_GAIN_TOLERANCE),
            1 + draw(GYRO_GAIN_TOLERANCE),
            1 + draw(GYRO_GAIN_TOLERANCE),
        ),
    )

"""The simulated table: clock, world, chips on their buses, hands, and the disk under its state."""

from __future__ import annotations

import resource
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from drivers.attitude import FLAT, Vector
from drivers.node_firmware.lights import strip_order
from firmware_host.config.paths import JOURNAL_NAME
from firmware_host.config.profile import Profile
from firmware_host.config.wiring import (
    DualSwitchHall,
    GpioPanel,
    Lsm6dsoxImu,
    MatrixHall,
    MuxAdcHall,
    NodeHall,
    NodeImu,
    Ws2812Lights,
)
from hw_sim.boards import AH1889, BIASED_REED, HallBoard, SwitchBoard, SwitchMatrix
from hw_sim.buses import SimBuses
from hw_sim.buses.gpio import Piezo
from hw_sim.buses.serial import SimLine
from hw_sim.chips import lsm6dsox, mpu6050
from hw_sim.chips.inertial import ImuSpread
from hw_sim.chips.lsm6dsox import Lsm6dsox
from hw_sim.chips.mcp3008 import Mcp3008
from hw_sim.chips.mcp23017 import LineSource, Mcp23017
from hw_sim.chips.mpu6050 import Mpu6050
from hw_sim.chips.ws2812 import Ws2812Chain
from hw_sim.clock import VirtualClock
from hw_sim.errors import SimulationError
from hw_sim.faults import Faults
from hw_sim.hands import FreeHands
from hw_sim.node import SPI_PORT, SimNode, node_wiring
from hw_sim.rng import Stream, Streams
from hw_sim.world.plate import force_at
from hw_sim.world.world import GAP_SPREAD_MM, World


class SimDisk:
    """The folder of journal and calibration.

    A full disk is RLIMIT_FSIZE: the kernel refuses every write that would make a file longer than
    the journal's log is, as a quota does (EFBIG; it holds for the whole process, and for root).
    The same writes as on a full disk fail, at the same system call.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._limits: tuple[int, int] | None = None

    @property
    def full(self) -> bool:
        """Whether it takes nothing more, tried with a file of its own."""
        probe = self._state / "probe"
        try:
            probe.write_bytes(bytes(self._log_bytes() + 1))
        except OSError:
            return True
        finally:
            probe.unlink(missing_ok=True)
        return False

    def fill(self) -> None:
        """From now on it takes nothing more."""
        if self._limits is None:
            self._limits = resource.getrlimit(resource.RLIMIT_FSIZE)  # Python ignores SIGXFSZ
        self._limit()

    def empty(self) -> None:
        """There is room again."""
        if self._limits is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, self._limits)
            self._limits = None

    def reopened(self) -> None:
        """The journal was closed and opened: its log has begun anew."""
        if self._limits is not None:
            self._limit()

    def _limit(self) -> None:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._log_bytes(), hard))

    def _log_bytes(self) -> int:
        """The journal's write-ahead log only grows until it is closed."""
        log = self._state / f"{JOURNAL_NAME}-wal"
        return log.stat().st_size if log.exists() else 0


# What shimming the plate level once leaves of the accelerometer's initial offset (50 mg, 3 deg).
LEVELLED_G = 0.015
MPU_GAINS = (0.03, 0.03)  # PS-MPU-6000A 6.2 and 6.1: +-3 % calibration tolerance
LSM_GAINS = (lsm6dsox.GAIN_TOLERANCE, lsm6dsox.GAIN_TOLERANCE)

Rgb = tuple[int, int, int]
Gains = tuple[float, float]


class SimTable:
    """One table as its profile wires it; the same seed and calls give the same readings.

    A context manager: within it the seams below smbus2 and neopixel are in place.
    ``buses``: for the drivers. ``hands``: what happens to it. ``hall_board``,
    ``converter``, ``expanders``, ``matrix``, ``imu``, ``chain``, ``piezo``, ``node``: its chips, as
    far as it has them. ``faults``: what is broken and mended. ``disk``: under its journal, where it
    has one. ``imu_orientation``: how the
    tilt sensor is glued in; may be set. ``dark_from``: the light before which the strip is broken.
    ``tolerances``: how far gaps and the Hall sensors' sensitivities differ, against what is stated.
    """

    def __init__(
        self,
        profile: Profile,
        seed: int = 1,
        disk: SimDisk | None = None,
        *,
        tolerances: float = 1.0,
        world: type[World] = World,
    ) -> None:
        self.profile = profile
        self.seed = seed
        self.disk = disk
        self.clock = VirtualClock()
        self._streams = streams = Streams(seed)
        self.world = world(profile, self.clock, streams, gap_spread_mm=GAP_SPREAD_MM * tolerances)
        self._tolerances = tolerances
        self.hands = FreeHands(self.world, streams.stream("hands"))
        self.buses = SimBuses(self.clock)
        self.converter: Mcp3008 | None = None
        self.expanders: dict[int, Mcp23017] = {}
        self.matrix: SwitchMatrix | None = None
        self.hall_board = self._wire_hall()
        self.imu_orientation = FLAT
        self.imu = self._wire_imu()
        self.chain = Ws2812Chain(profile.size if profile.lights is not None else 0)
        self.piezo = Piezo()
        self._wire_lights_and_panel()
        self.node = self._wire_node()
        self._light_at = (
            strip_order() if self.node else [*map(profile.light_of, range(profile.size))]
        )
        self.dark_from: int | None = None
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
        if self.disk is not None:
            self.disk.empty()

    @property
    def noise_factor(self) -> float:
        """The Hall sensors' noise against the datasheet's; may be set. Switches have none."""
        return self.hall_board.noise_factor if isinstance(self.hall_board, HallBoard) else 1.0

    @noise_factor.setter
    def noise_factor(self, factor: float) -> None:
        if isinstance(self.hall_board, HallBoard):
            self.hall_board.noise_factor = factor

    @property
    def mux_address(self) -> int:
        """What is on the multiplexers' address lines; 0 where there are none."""
        return self.hall_board.address.address if isinstance(self.hall_board, HallBoard) else 0

    @property
    def lights(self) -> tuple[Rgb, ...]:
        """Red, green, blue (0 to 255) as each place's light shines now, by plate index; all dark
        where there is no strip.
        """
        return tuple(self.strip_rgb(index) for index in range(self.profile.size))

    def strip_rgb(self, index: int) -> Rgb:
        """The same for one place."""
        colours, at = self.chain.colours, self._light_at[index]
        if not colours or (self.dark_from is not None and at >= self.dark_from):
            return 0, 0, 0
        return colours[at]

    def light_at(self, index: int) -> int:
        """Where on the strip that place's light is."""
        return self._light_at[index]

    def rewire_lights(self, order: Sequence[int]) -> None:
        """From now on each place's light is there on the strip."""
        self._light_at = [*order]

    def power_cycle(self) -> None:
        """The supply goes and comes back: chips forget everything; pieces lie where they lie."""
        self.buses.power_cycle()
        if self.node is not None:
            self.node.power_on(self.clock.now())

    def _wire_hall(self) -> HallBoard | SwitchBoard:
        profile, buses = self.profile, self.buses
        match profile.hall:
            case MuxAdcHall() as hall:
                linear = HallBoard(profile, hall, self.world, self._streams, self._tolerances)
                self.converter = _converter(linear, hall)
                buses.add_spi(hall.spi_bus, hall.spi_device, self.converter)
                buses.wire_address(hall.address_pins, linear.address)
                return linear
            case DualSwitchHall() as hall:
                board = SwitchBoard(profile, AH1889, self.world, self._streams)
                for row, address in enumerate(hall.addresses):
                    expander = Mcp23017(_row_lines(board, row * profile.columns, profile.columns))
                    self.expanders[address] = expander
                    buses.add_i2c(hall.i2c_bus, address, expander)
                return board
            case MatrixHall() as hall:
                board = SwitchBoard(profile, BIASED_REED, self.world, self._streams)
                self.matrix = SwitchMatrix(board, hall.row_pins, hall.north_pins, hall.south_pins)
                self.matrix.wire(buses.wiring)
                return board
            case NodeHall():
                hall = node_wiring()
                linear = HallBoard(profile, hall, self.world, self._streams, self._tolerances)
                self.converter = _converter(linear, hall)
                return linear

    def _wire_imu(self) -> Mpu6050 | Lsm6dsox | None:
        config, world = self.profile.imu, self.world
        if config is None:
            return None
        arm_m = tuple(mm / 1000 for mm in config.arm_mm)
        noise, spread = self._streams.stream("imu-noise"), self._streams.stream("imu-spread")
        imu: Mpu6050 | Lsm6dsox
        if isinstance(config, Lsm6dsoxImu):
            imu = Lsm6dsox(
                self._felt(lambda now_s: force_at(arm_m, world.plate, now_s)),
                self._felt(world.plate.rate_rad_s),
                world.climate.temperature_c,
                noise,
                _imu_spread(
                    spread,
                    (lsm6dsox.ACCEL_OFFSET_G, lsm6dsox.GYRO_OFFSET_DEG_S),
                    LSM_GAINS,
                    (lsm6dsox.ACCEL_DRIFT_G_C,) * 2,
                    lsm6dsox.GYRO_DRIFT_DEG_S_C,
                ),
            )
        else:
            imu = Mpu6050(
                self._felt(lambda now_s: force_at(arm_m, world.plate, now_s)),
                self._felt(world.plate.rate_rad_s),
                world.climate.temperature_c,
                noise,
                _imu_spread(
                    spread,
                    (mpu6050.ACCEL_OFFSET_Z_G, mpu6050.GYRO_OFFSET_DEG_S),
                    MPU_GAINS,
                    (mpu6050.ACCEL_DRIFT_XY_G_C, mpu6050.ACCEL_DRIFT_Z_G_C),
                    mpu6050.GYRO_DRIFT_DEG_S_C,
                ),
            )
        if not isinstance(config, NodeImu):
            self.buses.add_i2c(config.i2c_bus, config.address, imu)
        return imu

    def _felt(self, on_plate: Callable[[float], Vector]) -> Callable[[float], Vector]:
        """The same in the axes of the chip, however that lies."""
        return lambda now_s: self.imu_orientation.on_chip(on_plate(now_s))

    def _wire_lights_and_panel(self) -> None:
        profile, buses = self.profile, self.buses
        if isinstance(profile.lights, Ws2812Lights):
            buses.add_pixels(profile.lights.pin, self.chain)
            if profile.lights.supply_pin is not None:
                buses.wire_button(profile.lights.supply_pin, lambda _: self.chain.supply_failed)
        panel = profile.panel
        if isinstance(panel, GpioPanel):
            for name, pin in (("confirm", panel.confirm_pin), ("back", panel.back_pin)):
                buses.wire_button(pin, self.world.buttons[name].closed)
            buses.wire_piezo(panel.buzzer_pin, self.piezo)

    def _wire_node(self) -> SimNode | None:
        hall, board, imu = self.profile.hall, self.hall_board, self.imu
        if not isinstance(hall, NodeHall) or not isinstance(board, HallBoard):
            return None
        if self.converter is None or not isinstance(imu, Mpu6050):
            raise SimulationError(
                "profile {name}: the simulated plate's own computer has a tilt sensor.",
                remedy='Add [imu] with kind = "node".',
                name=self.profile.name,
            )
        line = SimLine(self.clock, hall.baud)
        confirm, back = (self.world.buttons[name] for name in ("confirm", "back"))
        node = SimNode(
            line,
            converter=self.converter,
            address=board.address,
            imu=imu,
            chain=self.chain,
            piezo=self.piezo,
            buttons=(confirm, back),
        )
        self.buses.add_line(hall.port, line)
        # Its buses are within reach of the faults, not of the drivers.
        self.buses.i2c_buses[node.i2c.number] = node.i2c
        self.buses.spi_ports[SPI_PORT] = node.spi
        return node


def _converter(board: HallBoard, hall: MuxAdcHall) -> Mcp3008:
    return Mcp3008([mux.voltage_v for mux in board.multiplexers], hall.reference_v)


def _row_lines(board: SwitchBoard, first: int, columns: int) -> LineSource:
    """What drives the lines of a row's expander: a switch that is closed pulls its line low."""

    def level(port: int, bit: int, now_s: float) -> bool | None:
        if bit >= columns:
            return None
        closed = board.closed(first + bit, now_s, south=port == 1)
        return None if closed is None else not closed

    return level


def _imu_spread(
    stream: Stream,
    offsets: tuple[float, float],
    gains: Gains,
    accel_drifts: tuple[float, float],
    gyro_drift: float,
) -> ImuSpread:
    """Of the accelerometer and the gyroscope: the offset of z and of each axis, the tolerances of
    the scale, and how the offsets drift with each degree, of the accelerometer across and of z.
    """

    def draw(size: float) -> float:
        return stream.uniform(-size, size)

    (z_g, gyro_deg_s), (accel, gyro), (across_c, up_c) = offsets, gains, accel_drifts
    return ImuSpread(
        accel_offset_g=(draw(LEVELLED_G), draw(LEVELLED_G), draw(z_g)),
        accel_gain=(1 + draw(accel), 1 + draw(accel), 1 + draw(accel)),
        gyro_offset_deg_s=(draw(gyro_deg_s), draw(gyro_deg_s), draw(gyro_deg_s)),
        gyro_gain=(1 + draw(gyro), 1 + draw(gyro), 1 + draw(gyro)),
        accel_drift_g_c=(draw(across_c), draw(across_c), draw(up_c)),
        gyro_drift_deg_s_c=(draw(gyro_drift), draw(gyro_drift), draw(gyro_drift)),
    )

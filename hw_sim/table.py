"""The simulated table: clock, world, chips on their buses, hands, faults, and the disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import entry_points
from typing import Any, Self, cast

from tiltboard.drivers.attitude import FLAT, Vector
from tiltboard.drivers.node_firmware.lights import strip_order
from tiltboard.firmware_host.config import wiring
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.ground.plugins import PluginError, load_entry_point
from tiltboard.hw_sim.boards import BIASED_REED, HallBoard, SwitchBoard, SwitchMatrixBoard
from tiltboard.hw_sim.buses import SimBuses
from tiltboard.hw_sim.buses.gpio import Piezo
from tiltboard.hw_sim.buses.serial import SimLine
from tiltboard.hw_sim.buses.spi import SpiChip
from tiltboard.hw_sim.chips.hall import AH1889
from tiltboard.hw_sim.chips.inertial import ImuSpread, InertialChip
from tiltboard.hw_sim.chips.lsm6dsox import Lsm6dsox
from tiltboard.hw_sim.chips.mcp3008 import CHANNELS, AnalogInput, Mcp3008
from tiltboard.hw_sim.chips.mcp23017 import Mcp23017
from tiltboard.hw_sim.chips.mpu6050 import Mpu6050
from tiltboard.hw_sim.chips.ws2812 import Ws2812Chain
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.errors import SimulationError
from tiltboard.hw_sim.faults import Faults, SimDisk
from tiltboard.hw_sim.hands import Hands
from tiltboard.hw_sim.node import SPI_PORT, SimNode, node_wiring
from tiltboard.hw_sim.rng import Stream, Streams
from tiltboard.hw_sim.world.world import GAP_SPREAD_MM, World

# Fraction of the accelerometer's initial offset (50 mg, 3 degrees) that remains after a person has
# levelled the plate with shims.
LEVELLED_G = 0.015

Rgb = tuple[int, int, int]
Felt = Callable[[float], Vector]
Surroundings = tuple[Felt, Felt, Callable[[float], float], Stream]
Model = Callable[["SimTable", Any], Any]
GROUP = "tiltboard.simulated"


class SimTable:
    """A simulated table, wired as its profile says. The same seed and the same calls give the same
    readings.

    Use the table as a context manager. While the context is active, the table replaces the system
    calls of smbus2. ``converters``, ``expanders``, ``matrix``, ``hall_board``, ``imu``, ``chain``,
    ``piezo`` and ``node`` are the models of the table's chips. An attribute is empty or None if the
    table has no such chip.
    """

    def __init__(
        self,
        profile: Profile,
        seed: int = 1,
        disk: SimDisk | None = None,
        *,
        tolerances: float = 1.0,
        world: type[World] = World,
        clock: VirtualClock | None = None,
    ) -> None:
        self.profile = profile
        self.seed = seed
        self.disk = disk
        """The simulated disk that contains the journal, or None."""
        self.clock = VirtualClock() if clock is None else clock
        self.streams = streams = Streams(seed)
        """Random streams of the table."""
        self.world = world(profile, self.clock, streams, gap_spread_mm=GAP_SPREAD_MM * tolerances)
        self.tolerances = tolerances
        """Scale factor for the tolerances of the gaps and of the Hall sensors' sensitivities."""
        self.hands = Hands(self.world, streams.stream("hands"))
        """Hands that move the pieces."""
        self.buses = SimBuses(self.clock)
        """Buses for the drivers."""
        self.converters: tuple[Any, ...] = ()
        self.expanders: dict[int, Mcp23017] = {}
        self.matrix: SwitchMatrixBoard | None = None
        self.hall_board: HallBoard | SwitchBoard | None = model_of(profile.hall)(self, profile.hall)
        self.imu_orientation = FLAT
        """Orientation in which the tilt sensor is mounted on the plate. Tests and wiring mistakes
        can change it.
        """
        self.imu = self._wire_imu()
        self.chain = Ws2812Chain(profile.size if profile.lights is not None else 0)
        self.piezo = Piezo()
        for part in (profile.lights, profile.panel):
            if part is not None:
                model_of(part)(self, part)
        self.node = self._wire_node()
        self.light_at = (
            strip_order() if self.node else [*map(profile.light_of, range(profile.size))]
        )
        """The position on the strip of each place's light."""
        self.dark_from: int | None = None
        """The position of the first light behind a break of the strip, or None if the strip is
        intact.
        """
        self.faults = Faults(self)
        """Faults that can be injected and repaired."""

    def __enter__(self) -> Self:
        self.buses.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.buses.__exit__(*error)
        if self.disk is not None:
            self.disk.set_full(False)

    @property
    def lights(self) -> tuple[Rgb, ...]:
        """Red, green and blue (0 to 255) of each place's light now, by plate index. If the table
        has no strip, all lights are dark.
        """
        return tuple(self.strip_rgb(index) for index in range(self.profile.size))

    def strip_rgb(self, index: int) -> Rgb:
        """Return red, green and blue (0 to 255) of the light at plate place ``index`` now."""
        colours, at = self.chain.colours, self.light_at[index]
        if not colours or (self.dark_from is not None and at >= self.dark_from):
            return 0, 0, 0
        return colours[at]

    def power_cycle(self) -> None:
        """Switch the power supply off and on. Chips lose their state, and pieces stay in place."""
        self.buses.power_cycle()
        if self.node is not None:
            self.node.power_on(self.clock.now())

    def feels(self) -> Surroundings:
        """Return the surroundings of the tilt sensor.

        These are functions of the time that return the force, rate and temperature at the sensor,
        in the sensor's axes. The result also contains the random stream of the sensor's noise.
        """
        imu, plate = self.profile.imu, self.world.plate
        arm_m = (0.0, 0.0, 0.0) if imu is None else imu.arm_m

        def turned(on_plate: Callable[[float], Vector]) -> Callable[[float], Vector]:
            return lambda now_s: self.imu_orientation.on_chip(on_plate(now_s))

        return (
            turned(lambda now_s: plate.specific_force_m_s2(now_s, arm_m)),
            turned(plate.rate_rad_s),
            self.world.climate.temperature_c,
            self.streams.stream("imu-noise"),
        )

    def _wire_imu(self) -> InertialChip | None:
        config = self.profile.imu
        if config is None:
            return None
        imu: InertialChip = model_of(config)(self, config)
        for bus, address in config.i2c():
            self.buses.add_i2c(bus, address, imu)
        return imu

    def _wire_node(self) -> SimNode | None:
        hall, board, imu = self.profile.hall, self.hall_board, self.imu
        if not isinstance(hall, wiring.NodeHall) or not isinstance(board, HallBoard):
            return None
        if not self.converters or not isinstance(imu, Mpu6050):
            raise SimulationError(
                "profile {name}: the simulated controller has a tilt sensor.",
                remedy='Add [imu] with kind = "node".',
                name=self.profile.name,
            )
        line = SimLine(self.clock, hall.baud)
        buttons = self.world.buttons["confirm"], self.world.buttons["back"]
        node = SimNode(
            line,
            converter=self.converters[0],
            address=board.address,
            imu=imu,
            chain=self.chain,
            piezo=self.piezo,
            buttons=buttons,
            scans_per_s=self.profile.scans_per_s,
        )
        self.buses.lines[hall.port] = line
        # Faults can be injected on the node's buses, but drivers cannot use these buses.
        self.buses.i2c_buses[node.i2c.number] = node.i2c
        self.buses.spi_ports[SPI_PORT] = node.spi
        return node


def mux_model(chip: Callable[[Sequence[AnalogInput], float], SpiChip], channels: int) -> Model:
    """Return a model of sensors behind multiplexers and converters on SPI.

    The model creates the board of sensors with its faults. For each converter the model calls
    ``chip(inputs, reference_v)`` with ``channels`` inputs.

        >>> model = mux_model(Mcp3008, channels=8)  # an object for a package's entry point
    """
    return partial(_mux_adc, chip=chip, channels=channels)


def _mux_adc(
    table: SimTable,
    hall: wiring.MuxAdcHall,
    chip: Callable[[Sequence[AnalogInput], float], Any] = Mcp3008,
    channels: int = CHANNELS,
) -> HallBoard:
    board = _linear(table, hall, chip, channels)
    for select, converter in zip(hall.selects, table.converters, strict=True):
        table.buses.add_spi(hall.spi_bus, select, converter)
    table.buses.wire_address(hall.address_pins, board.address)
    return board


def _linear(
    table: SimTable,
    hall: wiring.MuxAdcHall,
    chip: Callable[[Sequence[AnalogInput], float], Any] = Mcp3008,
    channels: int = CHANNELS,
) -> HallBoard:
    board = HallBoard(table.profile, hall, table.world, table.streams, table.tolerances)
    commons = [mux.voltage_v for mux in board.multiplexers[: channels * hall.converters]]
    table.converters = tuple(
        chip(commons[first : first + channels], hall.reference_v)
        for first in range(0, len(commons), channels)
    )
    return board


def _dual_switch(table: SimTable, hall: wiring.DualSwitchHall) -> SwitchBoard:
    columns = table.profile.columns
    board = SwitchBoard(table.profile, AH1889, table.world, table.streams)
    for row, address in enumerate(hall.addresses):
        places = range(row * columns, (row + 1) * columns)
        expander = Mcp23017(partial(_row_level, board, places))
        table.expanders[address] = expander
        table.buses.add_i2c(hall.i2c_bus, address, expander)
    return board


def _row_level(board: SwitchBoard, places: range, port: int, bit: int, now_s: float) -> bool | None:
    """Return the external level of an expander's line. A closed switch pulls the line low."""
    if bit >= len(places):
        return None
    closed = board.closed(places[bit], now_s, south=port == 1)
    return None if closed is None else not closed


def _matrix(table: SimTable, hall: wiring.MatrixHall) -> SwitchBoard:
    board = SwitchBoard(table.profile, BIASED_REED, table.world, table.streams)
    pins = hall.row_pins, hall.north_pins, hall.south_pins
    table.matrix = SwitchMatrixBoard(board, *pins, table.buses.wiring)
    return board


def _imu(chip: type[InertialChip], table: SimTable, _config: wiring.ImuPart) -> InertialChip:
    """Return a chip with random errors within its tolerances. The chip is mounted on a plate that a
    person has levelled with shims.
    """
    stream, of = table.streams.stream("imu-spread"), chip.TOLERANCES

    def draw(*sizes: float, about: float = 0.0) -> Vector:
        x, y, z = (about + stream.uniform(-size, size) for size in sizes)
        return x, y, z

    spread = ImuSpread(
        accel_offset_g=draw(LEVELLED_G, LEVELLED_G, of.accel_offset_z_g),
        accel_gain=draw(*[of.accel_gain] * 3, about=1.0),
        gyro_offset_deg_s=draw(*[of.gyro_offset_deg_s] * 3),
        gyro_gain=draw(*[of.gyro_gain] * 3, about=1.0),
        accel_drift_g_c=draw(*of.accel_drift_g_c),
        gyro_drift_deg_s_c=draw(*[of.gyro_drift_deg_s_c] * 3),
    )
    return chip(*table.feels(), spread)


def _ws2812(table: SimTable, lights: wiring.Ws2812Lights) -> None:
    table.buses.add_pixels(table.chain)
    if lights.supply_pin is not None:
        table.buses.wire_button(lights.supply_pin, lambda _: table.chain.supply_failed)


def _gpio_panel(table: SimTable, panel: wiring.GpioPanel) -> None:
    for name, pin in (("confirm", panel.confirm_pin), ("back", panel.back_pin)):
        table.buses.wire_button(pin, table.world.buttons[name].closed)
    table.buses.wire_piezo(panel.buzzer_pin, table.piezo)


def _on_node(_table: SimTable, _part: wiring.Part) -> None:
    """Do nothing, because the part belongs to the node."""


MODELS: Mapping[type[wiring.Part], Model] = {
    wiring.MuxAdcHall: _mux_adc,
    wiring.DualSwitchHall: _dual_switch,
    wiring.MatrixHall: _matrix,
    wiring.NodeHall: lambda table, _: _linear(table, node_wiring()),
    wiring.Mpu6050Imu: partial(_imu, Mpu6050),
    wiring.Lsm6dsoxImu: partial(_imu, Lsm6dsox),
    wiring.NodeImu: partial(_imu, Mpu6050),
    wiring.Ws2812Lights: _ws2812,
    wiring.NodeLights: _on_node,
    wiring.GpioPanel: _gpio_panel,
    wiring.NodePanel: _on_node,
}


def model_of(part: wiring.Part) -> Model:
    """Return the model of a part, which is a function of the table and the part.

    The function adds chips to the table's buses. It returns the tilt sensor (an InertialChip) or
    the board of sensors (a HallBoard or SwitchBoard). For any other kind, it returns None, and the
    part cannot have faults.

    Models of other packages are entry points of the group ``tiltboard.simulated``. Such an entry
    point has the name of the kind, or the name of the entry point that added the kind. Raises
    SimulationError if there is no model for the part.
    """
    ours = MODELS.get(type(part))
    if ours is not None:
        return ours
    kind = str(type(part).__struct_config__.tag)
    names = dict.fromkeys((kind, wiring.ENTRY_NAMES.get(type(part), kind)))
    for point in (point for name in names for point in entry_points(group=GROUP, name=name)):
        try:
            return load_entry_point(point, lambda model: cast(Model, model))
        except PluginError as error:
            raise SimulationError(
                "The simulator's model of a {kind} part cannot be used: {why}.",
                remedy="Update or uninstall its package.",
                kind=kind,
                why=error.why,
            ) from error
    raise SimulationError(
        "The simulation has no model of a part of the kind {kind}: no package has an entry"
        " point {names} in the group {group}.",
        remedy="Install a newer version of its package, or use a real table.",
        kind=kind,
        names=" or ".join(names),
        group=GROUP,
    )

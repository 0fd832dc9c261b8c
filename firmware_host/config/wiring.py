"""The kinds of parts a table can have: each Hall board, tilt sensor, lights and panel is one class.

A class holds its keys in a profile with their ranges, the pins and addresses it takes, the devices
it needs, and its driver. Another package adds kinds by entry points of the group
``tiltboard.parts``, and their simulation by the group ``tiltboard.simulated``
(``tiltboard.hw_sim.table``); docs/add-a-sensor.md shows both.
"""

from __future__ import annotations

import logging
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Protocol, TypeAlias, TypeVar, Union

import msgspec

from tiltboard.drivers.attitude import Vector
from tiltboard.drivers.buses import Buses
from tiltboard.drivers.hall import MCP3008, ConverterKind, HallSettings, MuxHallArray
from tiltboard.drivers.hall_switches import SwitchArray, SwitchMatrix
from tiltboard.drivers.inertial import InertialSensor
from tiltboard.drivers.light_links import SPI_DEVICE
from tiltboard.drivers.lights import LightsSettings, LightStrip
from tiltboard.drivers.lsm6dsox import Lsm6dsox
from tiltboard.drivers.mpu6050 import Mpu6050
from tiltboard.drivers.panel import Panel
from tiltboard.drivers.plate import ButtonsAndBuzzer, HallArray, Imu, Lights
from tiltboard.firmware_host.config.boot import pi_of
from tiltboard.firmware_host.config.computer import (
    SERIAL,
    SPI,
    Need,
    gpio_need,
    i2c_need,
    spi_line,
)
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.ground.plugins import PluginError, loaded

Pin = Annotated[int, msgspec.Meta(ge=0, le=27)]
I2cBus = Annotated[int, msgspec.Meta(ge=0, le=22)]
Address = Annotated[int, msgspec.Meta(ge=0x08, le=0x77)]
Millimetres = Annotated[float, msgspec.Meta(ge=-1000, le=1000)]
Offset = Annotated[float, msgspec.Meta(ge=-25, le=25)]
ArmMm = tuple[Millimetres, Millimetres, Millimetres]
SpinGain = Annotated[float, msgspec.Meta(ge=0.9, le=1.1)]
# All that the kernel takes with dtparam=spi=on and dtoverlay=spi1-1cs: selects, MISO, MOSI, clock
SPI_PINS = {0: (7, 8, 9, 10, 11), 1: (18, 19, 20, 21)}
MOSI_PIN = 10  # of SPI0
SPI1_SELECTS = (18, 17, 16)  # with spi1-2cs and spi1-3cs the kernel takes those before it, too
MUX_INPUTS = 128  # Eight CD74HC4067 on one converter.
PORT_INPUTS = 7  # Of the eight lines of an MCP23017's port; the eighth is output-only.
LIGHT_MM = (12.5, 11.5)  # A light from its Hall element: beside a piece of 28 mm, not under it.
STRIP_MM = 1000 / 30  # Distance of lights on a strip with 30 a metre.
GROUP = "tiltboard.parts"

_log = logging.getLogger(__name__)


class Places(Protocol):
    """The properties of a profile that its parts may use."""

    @property
    def name(self) -> str:
        """Name of the profile, for errors."""

    @property
    def columns(self) -> int:
        """Number of places from west to east."""

    @property
    def rows(self) -> int:
        """Number of places from south to north."""

    @property
    def size(self) -> int:
        """Number of places, sensors and lights."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", kw_only=True):
    """A kind of part; its tag is the ``kind`` of a profile. ``on_node`` is true if it is soldered
    to the plate's own controller and uses nothing of the Pi.
    """

    on_node: ClassVar[bool] = False

    def pins(self) -> tuple[int, ...]:
        """Return the GPIO numbers that it uses, except those of an I2C bus."""
        return ()

    def i2c(self) -> tuple[tuple[int, int], ...]:
        """Return bus and address of each of its chips on I2C."""
        return ()

    def needs(self, part: str, model: str) -> tuple[Need, ...]:
        """Return the devices that it opens. ``part`` is the name of its section, ``model`` that of
        the Pi.
        """
        gpio = (gpio_need(part, model),) if self.pins() else ()
        return *(i2c_need(part, bus) for bus in dict.fromkeys(bus for bus, _ in self.i2c())), *gpio

    def check(self, profile: Places) -> None:
        """Raise ConfigError if its keys conflict with each other or with the profile."""


class HallPart(Part, frozen=True):
    """The sensors under the places. ``linear`` is true if their readings are fields, which
    distinguish two strengths of magnet; if not, each is a pole or nothing.
    """

    linear: ClassVar[bool]

    def driver(self, profile: Places, buses: Buses) -> HallArray:
        """Return the driver that reads them, in the order of the places; its first read opens the
        bus.
        """
        raise NotImplementedError


class ImuPart(Part, frozen=True):
    """A tilt sensor, its axes along the plate's."""

    arm_mm: ArmMm = (0.0, 0.0, 0.0)
    """Its position east, north and above the pivot. If it is wrong, spin reads as tilt: 3 degrees
    at one turn a second and 50 mm.
    """
    spin_gain: SpinGain = 1.0
    """Scale of a spinning plate's turns: its reading for one turn (docs/wiring-node.md)."""

    @property
    def arm_m(self) -> Vector:
        """The sensor's position in metres."""
        east, north, up = self.arm_mm
        return east / 1000, north / 1000, up / 1000

    def driver(self, buses: Buses) -> Imu:
        """Return its driver. Opens nothing."""
        raise NotImplementedError


class LightsPart(Part, frozen=True):
    """A light at each place, and the current they may draw."""

    supply_a: Annotated[float, msgspec.Meta(ge=0.1, le=40)]
    """The most that the lights may draw; above it they dim."""
    brightness: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    """Brightness of the whole strip."""
    gamma: Annotated[float, msgspec.Meta(ge=1, le=3)] = 2.2
    """Exponent from the brightness that the eye sees to what the lights get."""
    channel_ma: Annotated[float, msgspec.Meta(ge=1, le=25)] = 20.0
    """Current of one colour of one light at full."""
    idle_ma: Annotated[float, msgspec.Meta(ge=0, le=3)] = 1.0
    """Current of a dark light."""
    offset_mm: tuple[Offset, Offset] = LIGHT_MM
    """A light's position east and north of the Hall element."""
    guide: Literal["hole", "ring"] = "hole"
    """The visible mark of a place: a hole in the plate, or a ring of acrylic around it."""
    strip: bool = False
    """Whether each row is an uncut strip as bought, 33.33 mm from light to light."""

    @property
    def serpentine(self) -> bool:
        """True if every second row of the strip runs westward."""
        return False

    def settings(self, count: int) -> LightsSettings:
        """Return the driver's settings for ``count`` lights."""
        return LightsSettings(
            count=count,
            supply_a=self.supply_a,
            brightness=self.brightness,
            gamma=self.gamma,
            channel_ma=self.channel_ma,
            idle_ma=self.idle_ma,
        )

    def driver(self, count: int, buses: Buses) -> Lights:
        """Return the driver of ``count`` lights. Opens nothing."""
        raise NotImplementedError

    def check(self, profile: Places) -> None:
        """Raise ConfigError if the dark lights draw more than the supply gives."""
        idle_a = profile.size * self.idle_ma / 1000
        if idle_a > self.supply_a:
            raise ConfigError(
                "profile {name}: {size} dark lights take {idle:.2f} A, and lights.supply_a is"
                " {supply:g}.",
                remedy="Use a supply that gives more, and write its current.",
                name=profile.name,
                size=profile.size,
                idle=idle_a,
                supply=self.supply_a,
            )


class PanelPart(Part, frozen=True):
    """Two buttons and a buzzer."""

    def driver(self, buses: Buses) -> ButtonsAndBuzzer:
        """Return the driver of buttons and buzzer. Opens nothing."""
        raise NotImplementedError


# Sensors


class Spare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A multiplexer input without a sensor."""

    input: Annotated[int, msgspec.Meta(ge=0, le=255)]
    """Its number, after the sensors': input ``k`` is channel ``k // 16``, address ``k % 16``."""
    carries: Literal["ground", "half", "full", "ntc"]
    """The voltage that it is wired to."""


class MuxAdcHall(HallPart, frozen=True, tag="mux-adc"):
    """DRV5055A1 through CD74HC4067 and MCP3008. Input ``k`` is channel ``k // 16``, address
    ``k % 16``; inputs below the number of places are the sensors, in index order. Channels from 8
    on are a second converter's, on the chip select after ``spi_device``.
    """

    linear: ClassVar[bool] = True
    converter: ClassVar[ConverterKind] = MCP3008
    """The converter; a subclass for another one on SPI has its own tag and sets this."""

    spi_bus: Annotated[int, msgspec.Meta(ge=0, le=6)]
    """The converter's bus."""
    spi_device: Annotated[int, msgspec.Meta(ge=0, le=2)]
    """Its chip select."""
    spi_hz: Annotated[int, msgspec.Meta(ge=10_000, le=1_350_000)]
    """Its clock."""
    address_pins: tuple[Pin, Pin, Pin, Pin]
    """GPIO numbers of S0 to S3 of all multiplexers."""
    reference_v: Annotated[float, msgspec.Meta(ge=2.7, le=3.6)]
    """Supply of sensors and converter."""
    sensitivity_mv_mt: Annotated[float, msgspec.Meta(ge=5, le=200)]
    """Slope of the sensors at that supply."""
    spares: tuple[Spare, ...] = ()
    """Inputs with known voltages, which prove the wiring in every scan."""
    converters: Annotated[int, msgspec.Meta(ge=1, le=2)] = 1
    """Number of converters; the second is on the next chip select, with channels from 8 on."""

    @property
    def selects(self) -> tuple[int, ...]:
        """The chip selects of its converters."""
        return tuple(range(self.spi_device, self.spi_device + self.converters))

    def pins(self) -> tuple[int, ...]:
        """Return the GPIO numbers of address lines, SPI bus and chip selects."""
        more = SPI1_SELECTS[1 : self.selects[-1] + 1] if self.spi_bus == 1 else ()
        return (*self.address_pins, *SPI_PINS.get(self.spi_bus, ()), *more)

    def needs(self, part: str, model: str) -> tuple[Need, ...]:
        """Return the SPI devices and GPIO that it opens."""
        line = spi_line(self.spi_bus, self.selects[-1])
        devices = [f"/dev/spidev{self.spi_bus}.{select}" for select in self.selects]
        spi = [Need(part, device, SPI, (("spidev",),), (line,)) for device in devices]
        return *spi, *super().needs(part, model)

    def driver(self, profile: Places, buses: Buses) -> HallArray:
        """Return the driver of the sensors."""
        settings = HallSettings(
            sensors=profile.size,
            spi_bus=self.spi_bus,
            spi_device=self.spi_device,
            address_pins=self.address_pins,
            spares=tuple((spare.input, spare.carries) for spare in self.spares),
            spi_hz=self.spi_hz,
            reference_v=self.reference_v,
            sensitivity_mv_mt=self.sensitivity_mv_mt,
            converters=self.converters,
            converter=self.converter,
        )
        return MuxHallArray(settings, buses)

    def check(self, profile: Places) -> None:
        """Raise ConfigError if inputs are too many or used twice, or a chip select is missing."""
        inputs = [spare.input for spare in self.spares]
        used = max([profile.size, *(number + 1 for number in inputs)])
        if used > MUX_INPUTS * self.converters:
            raise ConfigError(
                "profile {name}: its {size} places and spare inputs need {used} inputs; eight"
                " multiplexers on each converter have {most}.",
                remedy="At most 128; with a second converter (converters = 2), 256.",
                name=profile.name,
                size=profile.size,
                used=used,
                most=MUX_INPUTS * self.converters,
            )
        if self.selects[-1] >= len(SPI1_SELECTS):
            raise ConfigError(
                "profile {name}: the second converter would be on chip select {select}, and SPI 1"
                " ends below {most}.",
                remedy="Write spi_device = 0.",
                name=profile.name,
                select=self.selects[-1],
                most=len(SPI1_SELECTS),
            )
        if len(set(inputs)) != len(inputs) or any(i < profile.size for i in inputs):
            raise ConfigError(
                "profile {name}: hall.spares share an input with each other or with a sensor.",
                remedy="Number them from {first}, each once.",
                name=profile.name,
                first=profile.size,
            )


class DualSwitchHall(HallPart, frozen=True, tag="dual-switch"):
    """Switches on MCP23017: the chip at ``addresses[k]`` carries row ``k``, a column per input."""

    linear: ClassVar[bool] = False

    i2c_bus: I2cBus
    """The port expanders' bus."""
    addresses: Annotated[
        tuple[Annotated[int, msgspec.Meta(ge=0x20, le=0x27)], ...], msgspec.Meta(min_length=1)
    ]
    """Their addresses, one for each row from row 1 on; each has at most 7 columns."""

    def i2c(self) -> tuple[tuple[int, int], ...]:
        """Return bus and address of each port expander."""
        return tuple((self.i2c_bus, address) for address in self.addresses)

    def driver(self, profile: Places, buses: Buses) -> HallArray:
        """Return the driver of the port expanders."""
        return SwitchArray(buses, self.i2c_bus, self.addresses, profile.columns)

    def check(self, profile: Places) -> None:
        """Raise ConfigError unless there is a chip for each row, with enough inputs."""
        if len(self.addresses) != profile.rows or profile.columns > PORT_INPUTS:
            raise ConfigError(
                "profile {name}: {chips} MCP23017 do not fit {rows} rows of {columns} places.",
                remedy="One address for each row, and at most {most} columns.",
                name=profile.name,
                chips=len(self.addresses),
                rows=profile.rows,
                columns=profile.columns,
                most=PORT_INPUTS,
            )


class MatrixHall(HallPart, frozen=True, tag="matrix"):
    """Two switches per place, one for each pole, in a matrix with a diode at each switch: a row's
    pin is pulled low, and the columns' pins are read.
    """

    linear: ClassVar[bool] = False

    row_pins: Annotated[tuple[Pin, ...], msgspec.Meta(min_length=1)]
    """GPIO numbers, one for each row."""
    north_pins: Annotated[tuple[Pin, ...], msgspec.Meta(min_length=1)]
    """GPIO numbers, one for each column, of the switches that close at a north pole."""
    south_pins: Annotated[tuple[Pin, ...], msgspec.Meta(min_length=1)]
    """GPIO numbers, one for each column, of the switches that close at a south pole."""

    def pins(self) -> tuple[int, ...]:
        """Return the GPIO numbers of rows and columns."""
        return (*self.row_pins, *self.north_pins, *self.south_pins)

    def driver(self, profile: Places, buses: Buses) -> HallArray:
        """Return the driver of the matrix."""
        del profile
        return SwitchMatrix(buses, self.row_pins, self.north_pins, self.south_pins)

    def check(self, profile: Places) -> None:
        """Raise ConfigError unless there is a pin for each row and two for each column."""
        counts = (len(self.row_pins), len(self.north_pins), len(self.south_pins))
        if counts != (profile.rows, profile.columns, profile.columns):
            raise ConfigError(
                "profile {name}: hall needs {rows} row_pins and {columns} each of north_pins and"
                " south_pins.",
                remedy="Name one pin for each row and two for each column.",
                name=profile.name,
                rows=profile.rows,
                columns=profile.columns,
            )


class NodeHall(HallPart, frozen=True, tag="node"):
    """The sensors of the plate's own controller, on a serial port (docs/node-protocol.md)."""

    linear: ClassVar[bool] = True
    on_node: ClassVar[bool] = True

    port: Annotated[str, msgspec.Meta(min_length=1)]
    """Its serial port."""
    baud: Annotated[int, msgspec.Meta(ge=9_600, le=4_000_000)] = 460_800
    """Speed of the line; USB ignores it."""

    def needs(self, part: str, model: str) -> tuple[Need, ...]:
        """Return the serial port."""
        del part, model
        return (Need("node", self.port, SERIAL, (("serial",),)),)


# Tilt sensors


class _I2cImu(ImuPart, frozen=True, kw_only=True):
    """A chip on I2C, and its driver ``chip``."""

    chip: ClassVar[type[InertialSensor]]

    i2c_bus: I2cBus
    """The chip's bus."""
    address: Address
    """The chip's address."""

    def i2c(self) -> tuple[tuple[int, int], ...]:
        """Return bus and address of the chip."""
        return ((self.i2c_bus, self.address),)

    def driver(self, buses: Buses) -> Imu:
        """Return the chip's driver."""
        return self.chip(buses, self.i2c_bus, self.address, self.arm_m, self.spin_gain)


class Mpu6050Imu(_I2cImu, frozen=True, tag="mpu6050", kw_only=True):
    """MPU-6050 on I2C."""

    chip: ClassVar[type[InertialSensor]] = Mpu6050


class Lsm6dsoxImu(_I2cImu, frozen=True, tag="lsm6dsox", kw_only=True):
    """LSM6DSOX on I2C."""

    chip: ClassVar[type[InertialSensor]] = Lsm6dsox


class NodeImu(ImuPart, frozen=True, tag="node"):
    """The tilt sensor of the plate's own controller."""

    on_node: ClassVar[bool] = True


# Lights


class Ws2812Lights(LightsPart, frozen=True, tag="ws2812", kw_only=True):
    """A WS2812B strip; light 0 is under a1."""

    pin: Pin
    """GPIO number of the data line: 10."""
    order: Literal["serpentine", "rows"]
    """Whether rows alternate in direction (serpentine) or all run eastward."""
    supply_pin: Pin | None = None
    """GPIO number that senses the strip's supply through a divider, so that its loss is noticed."""

    @property
    def serpentine(self) -> bool:
        """True if every second row runs westward."""
        return self.order == "serpentine"

    def pins(self) -> tuple[int, ...]:
        """Return the GPIO numbers of SPI0, and of the supply's sensing pin."""
        watched = () if self.supply_pin is None else (self.supply_pin,)
        return (*SPI_PINS[0], *watched)

    def needs(self, part: str, model: str) -> tuple[Need, ...]:
        """Return SPI with a fixed core clock, and GPIO if the supply is sensed."""
        watched = () if self.supply_pin is None else (gpio_need(part, model),)
        pi = pi_of(model)
        clock = () if pi is None else pi.clock
        modules = (("neopixel",), ("spidev",))
        return (Need(part, SPI_DEVICE, SPI, modules, (spi_line(0), *clock)), *watched)

    def driver(self, count: int, buses: Buses) -> Lights:
        """Return the driver of the strip."""
        return LightStrip(buses, self.settings(count), self.supply_pin)

    def check(self, profile: Places) -> None:
        """Raise ConfigError if the pin is not the one that SPI sends on."""
        super().check(profile)
        if self.pin != MOSI_PIN:
            raise ConfigError(
                "profile {name}: lights.pin is {pin}; lights are sent on GPIO{mosi} alone.",
                remedy="Wire the lights to GPIO{mosi}, and write pin = {mosi}.",
                name=profile.name,
                pin=self.pin,
                mosi=MOSI_PIN,
            )


class NodeLights(LightsPart, frozen=True, tag="node"):
    """The lights of the plate's own controller, which knows their order."""

    on_node: ClassVar[bool] = True


# Panels


class GpioPanel(PanelPart, frozen=True, tag="gpio"):
    """Two buttons to ground and a piezo buzzer."""

    confirm_pin: Pin
    """GPIO number of the button that confirms."""
    back_pin: Pin
    """GPIO number of the button that goes back."""
    buzzer_pin: Pin
    """GPIO number of the buzzer."""

    def pins(self) -> tuple[int, ...]:
        """Return the GPIO numbers of buttons and buzzer."""
        return self.confirm_pin, self.back_pin, self.buzzer_pin

    def driver(self, buses: Buses) -> ButtonsAndBuzzer:
        """Return the driver of the panel."""
        return Panel(buses, self.confirm_pin, self.back_pin, self.buzzer_pin)


class NodePanel(PanelPart, frozen=True, tag="node"):
    """The buttons and buzzer of the plate's own controller."""

    on_node: ClassVar[bool] = True


# All kinds

P = TypeVar("P", bound=Part)
ENTRY_NAMES: dict[type[Part], str] = {}
"""Under which name each kind of another package was found; it need not be that of its tag."""


def _kinds(base: type[P], *ours: type[P]) -> tuple[type[P], ...]:
    """Return our kinds of a part and those of other packages; one that cannot be loaded is left out
    and logged.
    """
    found = {kind.__struct_config__.tag: kind for kind in ours}
    for point in entry_points(group=GROUP):
        try:
            kind = loaded(point, lambda kind: kind if issubclass(kind, base) else None)
        except PluginError as error:
            _log.warning("The part %s (%s) cannot be used: %s", point.name, point.value, error)
        else:
            if kind is not None:
                ENTRY_NAMES[kind] = point.name
                found.setdefault(kind.__struct_config__.tag, kind)
    return tuple(found.values())


if TYPE_CHECKING:
    HallConfig: TypeAlias = HallPart
    ImuConfig: TypeAlias = ImuPart
    LightsConfig: TypeAlias = LightsPart
    PanelConfig: TypeAlias = PanelPart
else:  # what msgspec reads by the key ``kind``
    HallConfig = Union[_kinds(HallPart, MuxAdcHall, DualSwitchHall, MatrixHall, NodeHall)]  # noqa: UP007
    ImuConfig = Union[_kinds(ImuPart, Mpu6050Imu, Lsm6dsoxImu, NodeImu)]  # noqa: UP007
    LightsConfig = Union[_kinds(LightsPart, Ws2812Lights, NodeLights)]  # noqa: UP007
    PanelConfig = Union[_kinds(PanelPart, GpioPanel, NodePanel)]  # noqa: UP007

"""The kinds of parts that a table can have: a class for each kind of Hall board, tilt sensor,
lights and panel.

Each class defines the keys of its kind in a profile with their ranges, the pins and addresses that
the part uses, the devices that it needs, and its driver. Another package can add kinds by entry
points in the group ``tiltboard.parts``, and their simulation by entry points in the group
``tiltboard.simulated`` (``tiltboard.hw_sim.table``). docs/add-a-sensor.md shows how to add both.
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
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.pi_board import (
    SERIAL,
    SPI,
    Need,
    gpio_need,
    i2c_need,
    spi_line,
)
from tiltboard.ground.plugins import PluginError, load_entry_point

Pin = Annotated[int, msgspec.Meta(ge=0, le=27)]
I2cBus = Annotated[int, msgspec.Meta(ge=0, le=22)]
Address = Annotated[int, msgspec.Meta(ge=0x08, le=0x77)]
Millimetres = Annotated[float, msgspec.Meta(ge=-1000, le=1000)]
Offset = Annotated[float, msgspec.Meta(ge=-25, le=25)]
ArmMm = tuple[Millimetres, Millimetres, Millimetres]
SpinGain = Annotated[float, msgspec.Meta(ge=0.9, le=1.1)]
# SPI bus -> GPIO numbers of chip selects, MISO, MOSI and clock. The kernel reserves these pins with
# dtparam=spi=on and dtoverlay=spi1-1cs.
SPI_PINS = {0: (7, 8, 9, 10, 11), 1: (18, 19, 20, 21)}
MOSI_PIN = 10  # GPIO number of the data output (MOSI) of SPI0.
# GPIO numbers of SPI1's chip selects. With spi1-2cs the kernel reserves the first two pins, with
# spi1-3cs all three.
SPI1_SELECTS = (18, 17, 16)
MUX_INPUTS = 128  # Number of inputs that eight CD74HC4067 multiplexers provide on one converter.
# Number of usable inputs of an MCP23017's port. The port has eight lines, but the eighth line can
# only be an output.
PORT_INPUTS = 7
# Position of a light in mm, east and north of its Hall element. A piece with a diameter of 28 mm
# does not cover the light.
LIGHT_MM = (12.5, 11.5)
STRIP_MM = 1000 / 30  # Distance in mm between lights on a strip with 30 lights per metre.
GROUP = "tiltboard.parts"

_log = logging.getLogger(__name__)


class Places(Protocol):
    """The properties of a profile that its parts can use."""

    @property
    def name(self) -> str:
        """Name of the profile, for use in error messages."""

    @property
    def columns(self) -> int:
        """Number of places from west to east."""

    @property
    def rows(self) -> int:
        """Number of places from south to north."""

    @property
    def size(self) -> int:
        """Number of places, which is also the number of sensors and of lights."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", kw_only=True):
    """A part of a table; the tag of its class is the ``kind`` in a profile.

    ``on_node`` is True if the part is connected to the plate's own controller and uses no pins of
    the Pi.
    """

    on_node: ClassVar[bool] = False

    def pins(self) -> tuple[int, ...]:
        """Return the GPIO numbers that the part uses, except those of an I2C bus."""
        return ()

    def i2c(self) -> tuple[tuple[int, int], ...]:
        """Return the bus and the address of each of the part's chips on I2C."""
        return ()

    def needs(self, part: str, model: str) -> tuple[Need, ...]:
        """Return the devices that the part opens.

        ``part`` is the name of its section in the profile, ``model`` the model of the Pi.
        """
        gpio = (gpio_need(part, model),) if self.pins() else ()
        return *(i2c_need(part, bus) for bus in dict.fromkeys(bus for bus, _ in self.i2c())), *gpio

    def check(self, profile: Places) -> None:
        """Raise ConfigError if the part's keys conflict with each other or with the profile."""


class HallPart(Part, frozen=True):
    """The sensors under the places.

    ``linear`` is True if the readings are fields in mT, which distinguish two strengths of magnet;
    False if each reading is a pole or nothing.
    """

    linear: ClassVar[bool]

    def driver(self, profile: Places, buses: Buses) -> HallArray:
        """Return the driver that reads the sensors in the order of the places. The first read opens
        the bus.
        """
        raise NotImplementedError


class ImuPart(Part, frozen=True):
    """A tilt sensor, with its axes along the plate's axes."""

    arm_mm: ArmMm = (0.0, 0.0, 0.0)
    """Position of the sensor in mm east, north and above the pivot. If the position is wrong, a
    spinning plate seems to be tilted. An error of 50 mm gives 3 degrees at one turn per second.
    """
    spin_gain: SpinGain = 1.0
    """Number of turns that the sensor measures while the plate makes one turn
    (docs/wiring-node.md).
    """

    @property
    def arm_m(self) -> Vector:
        """Position of the sensor in metres east, north and above the pivot."""
        east, north, up = self.arm_mm
        return east / 1000, north / 1000, up / 1000

    def driver(self, buses: Buses) -> Imu:
        """Return the driver of the tilt sensor, without opening the bus."""
        raise NotImplementedError


class LightsPart(Part, frozen=True):
    """The lights, one at each place, and their supply."""

    supply_a: Annotated[float, msgspec.Meta(ge=0.1, le=40)]
    """Maximum current of all lights together, in amperes. The lights are dimmed if they would need
    more current.
    """
    brightness: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    """Brightness of the whole strip, up to 1."""
    gamma: Annotated[float, msgspec.Meta(ge=1, le=3)] = 2.2
    """Exponent that converts perceived brightness to the brightness that is sent to the lights."""
    channel_ma: Annotated[float, msgspec.Meta(ge=1, le=25)] = 20.0
    """Current of one colour of one light at full brightness, in mA."""
    idle_ma: Annotated[float, msgspec.Meta(ge=0, le=3)] = 1.0
    """Current of a dark light, in mA."""
    offset_mm: tuple[Offset, Offset] = LIGHT_MM
    """Position of a light in mm east and north of the Hall element."""
    guide: Literal["hole", "ring"] = "hole"
    """The visible mark of a place: a hole in the plate, or a ring of acrylic around the place."""
    strip: bool = False
    """True if each row is an uncut strip as sold, with 33.33 mm from light to light."""

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
        """Return the driver of ``count`` lights, without opening the bus."""
        raise NotImplementedError

    def check(self, profile: Places) -> None:
        """Raise ConfigError if all dark lights together draw more current than the supply can
        provide.
        """
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
    """A panel with two buttons and a buzzer."""

    def driver(self, buses: Buses) -> ButtonsAndBuzzer:
        """Return the driver of the buttons and the buzzer, without opening the pins."""
        raise NotImplementedError


# Kinds of sensors under the places.


class Spare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A multiplexer input without a sensor, which is connected to a known voltage."""

    input: Annotated[int, msgspec.Meta(ge=0, le=255)]
    """Number of the input, which must be higher than the numbers of the sensors' inputs. Input
    ``k`` is on channel ``k // 16`` at address ``k % 16``.
    """
    carries: Literal["ground", "half", "full", "ntc"]
    """The voltage that is connected to the input."""


class MuxAdcHall(HallPart, frozen=True, tag="mux-adc"):
    """DRV5055A1 sensors, read through CD74HC4067 multiplexers and an MCP3008 converter.

    Input ``k`` is on channel ``k // 16`` at address ``k % 16``. The inputs below the number of
    places are the sensors, in index order. Channels 8 and above belong to a second converter, which
    uses the next chip select after ``spi_device``.
    """

    linear: ClassVar[bool] = True
    converter: ClassVar[ConverterKind] = MCP3008
    """The kind of converter. A subclass for another SPI converter has its own tag and sets this
    field.
    """

    spi_bus: Annotated[int, msgspec.Meta(ge=0, le=6)]
    """SPI bus of the converter."""
    spi_device: Annotated[int, msgspec.Meta(ge=0, le=2)]
    """Chip select of the converter."""
    spi_hz: Annotated[int, msgspec.Meta(ge=10_000, le=1_350_000)]
    """SPI clock of the converter in Hz."""
    address_pins: tuple[Pin, Pin, Pin, Pin]
    """GPIO numbers of the lines S0 to S3 of all multiplexers."""
    reference_v: Annotated[float, msgspec.Meta(ge=2.7, le=3.6)]
    """Supply voltage of the sensors and the converter, in volts."""
    sensitivity_mv_mt: Annotated[float, msgspec.Meta(ge=5, le=200)]
    """Sensitivity of the sensors at the supply voltage ``reference_v``, in mV per mT."""
    spares: tuple[Spare, ...] = ()
    """Inputs with known voltages. Reading them in every scan proves that the wiring is correct."""
    converters: Annotated[int, msgspec.Meta(ge=1, le=2)] = 1
    """Number of converters. The second converter uses the next chip select, and its channels start
    at 8.
    """

    @property
    def selects(self) -> tuple[int, ...]:
        """The chip selects of the converters."""
        return tuple(range(self.spi_device, self.spi_device + self.converters))

    def pins(self) -> tuple[int, ...]:
        """Return the GPIO numbers of the address lines, the SPI bus and the chip selects."""
        more = SPI1_SELECTS[1 : self.selects[-1] + 1] if self.spi_bus == 1 else ()
        return (*self.address_pins, *SPI_PINS.get(self.spi_bus, ()), *more)

    def needs(self, part: str, model: str) -> tuple[Need, ...]:
        """Return the SPI devices and the GPIO device that the part opens."""
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
        """Raise ConfigError if there are too many inputs, if an input is used twice, or if a chip
        select is missing.
        """
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
    """Hall switches on MCP23017 port expanders. The chip at ``addresses[k]`` reads row ``k``, with
    one input per column and pole.
    """

    linear: ClassVar[bool] = False

    i2c_bus: I2cBus
    """I2C bus of the port expanders."""
    addresses: Annotated[
        tuple[Annotated[int, msgspec.Meta(ge=0x20, le=0x27)], ...], msgspec.Meta(min_length=1)
    ]
    """I2C addresses of the port expanders, one for each row, starting with row 1. Each port
    expander reads at most 7 columns.
    """

    def i2c(self) -> tuple[tuple[int, int], ...]:
        """Return the bus and the address of each port expander."""
        return tuple((self.i2c_bus, address) for address in self.addresses)

    def driver(self, profile: Places, buses: Buses) -> HallArray:
        """Return the driver of the port expanders."""
        return SwitchArray(buses, self.i2c_bus, self.addresses, profile.columns)

    def check(self, profile: Places) -> None:
        """Raise ConfigError unless each row has a chip and each column has an input."""
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
    """Two Hall switches per place, one for each pole, in a matrix with a diode at each switch.

    The driver pulls the pin of one row low and reads the pins of the columns.
    """

    linear: ClassVar[bool] = False

    row_pins: Annotated[tuple[Pin, ...], msgspec.Meta(min_length=1)]
    """GPIO numbers of the row pins, one for each row."""
    north_pins: Annotated[tuple[Pin, ...], msgspec.Meta(min_length=1)]
    """GPIO numbers of the column pins of the switches that detect a north pole, one for each
    column.
    """
    south_pins: Annotated[tuple[Pin, ...], msgspec.Meta(min_length=1)]
    """GPIO numbers of the column pins of the switches that detect a south pole, one for each
    column.
    """

    def pins(self) -> tuple[int, ...]:
        """Return the GPIO numbers of the rows and the columns."""
        return (*self.row_pins, *self.north_pins, *self.south_pins)

    def driver(self, profile: Places, buses: Buses) -> HallArray:
        """Return the driver of the matrix."""
        del profile
        return SwitchMatrix(buses, self.row_pins, self.north_pins, self.south_pins)

    def check(self, profile: Places) -> None:
        """Raise ConfigError unless there is one pin for each row and two for each column."""
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
    """Path of the controller's serial port."""
    baud: Annotated[int, msgspec.Meta(ge=9_600, le=4_000_000)] = 460_800
    """Speed of the serial line in baud. A USB connection ignores the speed."""

    def needs(self, part: str, model: str) -> tuple[Need, ...]:
        """Return the requirements: the serial port and its Python module."""
        del part, model
        return (Need("node", self.port, SERIAL, (("serial",),)),)


# Kinds of tilt sensors.


class _I2cImu(ImuPart, frozen=True, kw_only=True):
    """A tilt sensor chip on I2C; ``chip`` is the class of its driver."""

    chip: ClassVar[type[InertialSensor]]

    i2c_bus: I2cBus
    """I2C bus of the chip."""
    address: Address
    """I2C address of the chip."""

    def i2c(self) -> tuple[tuple[int, int], ...]:
        """Return the bus and the address of the chip."""
        return ((self.i2c_bus, self.address),)

    def driver(self, buses: Buses) -> Imu:
        """Return the driver of the chip."""
        return self.chip(buses, self.i2c_bus, self.address, self.arm_m, self.spin_gain)


class Mpu6050Imu(_I2cImu, frozen=True, tag="mpu6050", kw_only=True):
    """The tilt sensor MPU-6050 on I2C."""

    chip: ClassVar[type[InertialSensor]] = Mpu6050


class Lsm6dsoxImu(_I2cImu, frozen=True, tag="lsm6dsox", kw_only=True):
    """The tilt sensor LSM6DSOX on I2C."""

    chip: ClassVar[type[InertialSensor]] = Lsm6dsox


class NodeImu(ImuPart, frozen=True, tag="node"):
    """The tilt sensor of the plate's own controller."""

    on_node: ClassVar[bool] = True


# Kinds of lights.


class Ws2812Lights(LightsPart, frozen=True, tag="ws2812", kw_only=True):
    """A WS2812B strip of lights; light 0 is under place a1."""

    pin: Pin
    """GPIO number of the data line, which must be 10."""
    order: Literal["serpentine", "rows"]
    """The direction of the rows: alternating (serpentine), or all eastward (rows)."""
    supply_pin: Pin | None = None
    """GPIO number of the pin that monitors the strip's supply through a voltage divider, to detect
    a loss of the supply; None if the divider is not wired.
    """

    @property
    def serpentine(self) -> bool:
        """True if every second row runs westward."""
        return self.order == "serpentine"

    def pins(self) -> tuple[int, ...]:
        """Return the GPIO numbers of SPI0 and of the pin that monitors the supply."""
        watched = () if self.supply_pin is None else (self.supply_pin,)
        return (*SPI_PINS[0], *watched)

    def needs(self, part: str, model: str) -> tuple[Need, ...]:
        """Return the requirements: SPI with a fixed core clock, and GPIO if the supply is
        monitored.
        """
        watched = () if self.supply_pin is None else (gpio_need(part, model),)
        pi = pi_of(model)
        clock = () if pi is None else pi.clock
        modules = (("neopixel",), ("spidev",))
        return (Need(part, SPI_DEVICE, SPI, modules, (spi_line(0), *clock)), *watched)

    def driver(self, count: int, buses: Buses) -> Lights:
        """Return the driver of the strip."""
        return LightStrip(buses, self.settings(count), self.supply_pin)

    def check(self, profile: Places) -> None:
        """Raise ConfigError if ``pin`` is not the MOSI pin of SPI0."""
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
    """The lights of the plate's own controller. The controller knows the order of the lights."""

    on_node: ClassVar[bool] = True


# Kinds of panels.


class GpioPanel(PanelPart, frozen=True, tag="gpio"):
    """A panel with two buttons to ground and a piezo buzzer."""

    confirm_pin: Pin
    """GPIO number of the button that confirms."""
    back_pin: Pin
    """GPIO number of the button that goes back."""
    buzzer_pin: Pin
    """GPIO number of the buzzer."""

    def pins(self) -> tuple[int, ...]:
        """Return the GPIO numbers of the buttons and the buzzer."""
        return self.confirm_pin, self.back_pin, self.buzzer_pin

    def driver(self, buses: Buses) -> ButtonsAndBuzzer:
        """Return the driver of the panel."""
        return Panel(buses, self.confirm_pin, self.back_pin, self.buzzer_pin)


class NodePanel(PanelPart, frozen=True, tag="node"):
    """The buttons and the buzzer of the plate's own controller."""

    on_node: ClassVar[bool] = True


# The union of all kinds of each part, including the kinds from other packages.

P = TypeVar("P", bound=Part)
ENTRY_NAMES: dict[type[Part], str] = {}
"""Kind of part from another package -> name of the kind's entry point. This name can differ from
the kind's tag.
"""


def _kinds(base: type[P], *ours: type[P]) -> tuple[type[P], ...]:
    """Return the built-in kinds of a part, and the kinds from other packages.

    A kind that cannot be loaded is omitted, and the reason is logged.
    """
    found = {kind.__struct_config__.tag: kind for kind in ours}
    for point in entry_points(group=GROUP):
        try:
            kind = load_entry_point(point, lambda kind: kind if issubclass(kind, base) else None)
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
else:  # At run time msgspec chooses one of these classes by the key ``kind``.
    HallConfig = Union[_kinds(HallPart, MuxAdcHall, DualSwitchHall, MatrixHall, NodeHall)]  # noqa: UP007
    ImuConfig = Union[_kinds(ImuPart, Mpu6050Imu, Lsm6dsoxImu, NodeImu)]  # noqa: UP007
    LightsConfig = Union[_kinds(LightsPart, Ws2812Lights, NodeLights)]  # noqa: UP007
    PanelConfig = Union[_kinds(PanelPart, GpioPanel, NodePanel)]  # noqa: UP007

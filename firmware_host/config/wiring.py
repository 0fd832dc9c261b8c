"""What hardware a table can be wired with: sensors, tilt sensor, lights, panel; ranges included.

``linear``, of sensors: their readings are fields, which tell two strengths of magnet apart; else
each is a pole or nothing.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec

from drivers.buses import Writer

Pin = Annotated[int, msgspec.Meta(ge=0, le=27)]
I2cBus = Annotated[int, msgspec.Meta(ge=0, le=22)]
Address = Annotated[int, msgspec.Meta(ge=0x08, le=0x77)]
Millimetres = Annotated[float, msgspec.Meta(ge=-1000, le=1000)]
ArmMm = tuple[Millimetres, Millimetres, Millimetres]
SpinGain = Annotated[float, msgspec.Meta(ge=0.9, le=1.1)]


class Spare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A multiplexer input without a sensor: ``input`` counts on after the sensors."""

    input: Annotated[int, msgspec.Meta(ge=0, le=127)]
    carries: Literal["ground", "half", "full", "ntc"]


class MuxAdcHall(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="mux-adc"
):
    """DRV5055A1 through CD74HC4067 and MCP3008. Input ``k`` is channel ``k // 16``, address
    ``k % 16``; inputs below the number of places are the sensors, in index order.
    """

    linear: ClassVar[bool] = True

    spi_bus: Annotated[int, msgspec.Meta(ge=0, le=6)]
    spi_device: Annotated[int, msgspec.Meta(ge=0, le=2)]
    spi_hz: Annotated[int, msgspec.Meta(ge=10_000, le=1_350_000)]
    address_pins: tuple[Pin, Pin, Pin, Pin]
    reference_v: Annotated[float, msgspec.Meta(ge=2.7, le=3.6)]
    sensitivity_mv_mt: Annotated[float, msgspec.Meta(ge=5, le=200)]
    spares: tuple[Spare, ...] = ()


class DualSwitchHall(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="dual-switch"
):
    """AH1889 on MCP23017: the chip at ``addresses[k]`` carries row ``k``, a column per input."""

    linear: ClassVar[bool] = False

    i2c_bus: I2cBus
    addresses: Annotated[
        tuple[Annotated[int, msgspec.Meta(ge=0x20, le=0x27)], ...], msgspec.Meta(min_length=1)
    ]


class MatrixHall(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="matrix"
):
    """Two switches per place, one for each pole, in a matrix with a diode at each switch: a row's
    pin is pulled low, the columns' pins are read.
    """

    linear: ClassVar[bool] = False

    row_pins: Annotated[tuple[Pin, ...], msgspec.Meta(min_length=1)]
    north_pins: Annotated[tuple[Pin, ...], msgspec.Meta(min_length=1)]
    south_pins: Annotated[tuple[Pin, ...], msgspec.Meta(min_length=1)]


class NodeHall(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="node"
):
    """The plate's own computer, on a serial port (docs/node-protocol.md)."""

    linear: ClassVar[bool] = True

    port: Annotated[str, msgspec.Meta(min_length=1)]
    baud: Annotated[int, msgspec.Meta(ge=9_600, le=4_000_000)] = 460_800


HallConfig: TypeAlias = MuxAdcHall | DualSwitchHall | MatrixHall | NodeHall


class Mpu6050Imu(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="mpu6050"
):
    """MPU-6050 on I2C, its axes along the plate's. ``arm_mm``: how far east, north and above the
    pivot it sits. ``spin_gain``: turns that it tells of one about the plate's own axis.
    """

    i2c_bus: I2cBus
    address: Address
    arm_mm: ArmMm = (0.0, 0.0, 0.0)
    spin_gain: SpinGain = 1.0


class Lsm6dsoxImu(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="lsm6dsox"
):
    """LSM6DSOX on I2C, its axes along the plate's. The rest as there."""

    i2c_bus: I2cBus
    address: Address
    arm_mm: ArmMm = (0.0, 0.0, 0.0)
    spin_gain: SpinGain = 1.0


class NodeImu(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="node"
):
    """The one on the plate's own computer. The rest as there."""

    arm_mm: ArmMm = (0.0, 0.0, 0.0)
    spin_gain: SpinGain = 1.0


ImuConfig: TypeAlias = Mpu6050Imu | Lsm6dsoxImu | NodeImu


class Ws2812Lights(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="ws2812"
):
    """WS2812B strip; light 0 is under a1, rows run to and fro (serpentine) or all eastward.

    ``supply_pin``: sees the strip's supply through a divider, so that its loss is noticed.
    ``writer``: what sends; "spi" on any Pi, the others are Blinka's (drivers.light_links).
    """

    pin: Pin
    order: Literal["serpentine", "rows"]
    supply_a: Annotated[float, msgspec.Meta(ge=0.1, le=40)]
    brightness: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    gamma: Annotated[float, msgspec.Meta(ge=1, le=3)] = 2.2
    channel_ma: Annotated[float, msgspec.Meta(ge=1, le=25)] = 20.0
    idle_ma: Annotated[float, msgspec.Meta(ge=0, le=3)] = 1.0
    supply_pin: Pin | None = None
    writer: Writer = "spi"


class NodeLights(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="node"
):
    """The lights of the plate's own computer, which knows their order; the rest as above."""

    supply_a: Annotated[float, msgspec.Meta(ge=0.1, le=40)]
    brightness: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    gamma: Annotated[float, msgspec.Meta(ge=1, le=3)] = 2.2
    channel_ma: Annotated[float, msgspec.Meta(ge=1, le=25)] = 20.0
    idle_ma: Annotated[float, msgspec.Meta(ge=0, le=3)] = 1.0


LightsConfig: TypeAlias = Ws2812Lights | NodeLights


class GpioPanel(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="gpio"
):
    """Two buttons to ground and a piezo buzzer."""

    confirm_pin: Pin
    back_pin: Pin
    buzzer_pin: Pin


class NodePanel(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="node"
):
    """The same on the plate's own computer."""


PanelConfig: TypeAlias = GpioPanel | NodePanel

"""Drivers of the table's chips and devices, one file for each. The drivers use SI units and know
nothing about games.

The names in ``__all__`` are public. Each driver takes its buses as an argument: ``Buses`` is a
protocol, and ``PiBuses`` implements it with gpiozero, smbus2 and pyserial. A driver opens its
buses at the first use:

    >>> from gpiozero.pins.mock import MockFactory, MockPWMPin
    >>> from tiltboard.drivers import Panel, PiBuses
    >>> pins = MockFactory(pin_class=MockPWMPin)
    >>> panel = Panel(PiBuses(pins=pins), confirm_pin=5, back_pin=6, buzzer_pin=13)
    >>> panel.pressed()
    frozenset()
    >>> pins.pin(5).drive_low()
    >>> panel.pressed()
    frozenset({'confirm'})

``tiltboard.plate`` creates all drivers that a profile needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiltboard.drivers.buses import Buses as Buses
    from tiltboard.drivers.buses import Pin as Pin
    from tiltboard.drivers.buses import PinFactory as PinFactory
    from tiltboard.drivers.buses import SerialPort as SerialPort
    from tiltboard.drivers.buses import SpiDevice as SpiDevice
    from tiltboard.drivers.errors import PartAbsentError as PartAbsentError
    from tiltboard.drivers.errors import PartError as PartError
    from tiltboard.drivers.errors import PartReadingError as PartReadingError
    from tiltboard.drivers.errors import WrongPartError as WrongPartError
    from tiltboard.drivers.errors import absent as absent
    from tiltboard.drivers.errors import lost_on_i2c as lost_on_i2c
    from tiltboard.drivers.frame import Frame as Frame
    from tiltboard.drivers.frame import Motion as Motion
    from tiltboard.drivers.hall import ConverterKind as ConverterKind
    from tiltboard.drivers.hall import HallSettings as HallSettings
    from tiltboard.drivers.hall import MuxHallArray as MuxHallArray
    from tiltboard.drivers.hall_switches import SwitchArray as SwitchArray
    from tiltboard.drivers.hall_switches import SwitchMatrix as SwitchMatrix
    from tiltboard.drivers.lights import LightPattern as LightPattern
    from tiltboard.drivers.lights import LightsSettings as LightsSettings
    from tiltboard.drivers.lights import LightStrip as LightStrip
    from tiltboard.drivers.lsm6dsox import Lsm6dsox as Lsm6dsox
    from tiltboard.drivers.mpu6050 import Mpu6050 as Mpu6050
    from tiltboard.drivers.panel import Panel as Panel
    from tiltboard.drivers.pi_buses import PiBuses as PiBuses
    from tiltboard.drivers.plate import ButtonsAndBuzzer as ButtonsAndBuzzer
    from tiltboard.drivers.plate import HallArray as HallArray
    from tiltboard.drivers.plate import Imu as Imu
    from tiltboard.drivers.plate import Lights as Lights
    from tiltboard.drivers.plate import Plate as Plate
    from tiltboard.ground.clock import Clock as Clock
    from tiltboard.ground.clock import SystemClock as SystemClock
    from tiltboard.ground.errors import TiltboardError as TiltboardError

# Each module is imported when one of its names is first used, so that a table loads only the
# drivers that it needs.
_HOMES = {
    name: module
    for module, names in {
        ".buses": ("Buses", "Pin", "PinFactory", "SerialPort", "SpiDevice"),
        "..ground.clock": ("Clock", "SystemClock"),
        "..ground.errors": ("TiltboardError",),
        ".errors": (
            "PartAbsentError",
            "PartError",
            "PartReadingError",
            "WrongPartError",
            "absent",
            "lost_on_i2c",
        ),
        ".frame": ("Frame", "Motion"),
        ".hall": ("ConverterKind", "HallSettings", "MuxHallArray"),
        ".hall_switches": ("SwitchArray", "SwitchMatrix"),
        ".lights": ("LightStrip", "LightsSettings", "LightPattern"),
        ".lsm6dsox": ("Lsm6dsox",),
        ".mpu6050": ("Mpu6050",),
        ".panel": ("Panel",),
        ".pi_buses": ("PiBuses",),
        ".plate": ("ButtonsAndBuzzer", "HallArray", "Imu", "Lights", "Plate"),
    }.items()
    for name in names
}
__all__ = [*_HOMES]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> Any:
    """Import and return the public name ``name`` at its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tiltboard.drivers' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name], __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

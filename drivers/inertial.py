"""What the drivers of tilt sensors share: from a chip's steps to how the plate lies; and on I2C
start, retry, and noticing that power failed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Final

from drivers.attitude import FLAT, ON_THE_PIVOT, Attitude, AxisWatch, Mounting, Vector
from drivers.buses import Buses
from drivers.errors import (
    PartAbsentError,
    PartError,
    PartReadingError,
    WrongPartError,
    lost_on_i2c,
)
from drivers.frame import Motion

if TYPE_CHECKING:
    from smbus2 import SMBus

BURST: Final = 14  # seven words: two sensors of three axes, and the thermometer
CHECK_EVERY_S: Final = 0.25

Words = tuple[int, int, int]


class Phase(Enum):
    """Of the start, none of which blocks."""

    RESET = "reset"  # the chip resets itself
    SETTLE = "settle"  # awake and set up; gyroscope and filters settle
    UP = "up"


@dataclass(frozen=True, slots=True)
class ImuSettings:
    """Where the chip is: on an MPU-6050 0x68 with AD0 low, 0x69 with AD0 high; on an LSM6DSOX 0x6A
    with SA0 low, 0x6B with SA0 high. The rest as in Attitude.
    """

    i2c_bus: int
    address: int
    arm_m: Vector = ON_THE_PIVOT
    spin_gain: float = 1.0


class Fusion:
    """From a chip's steps to a Motion: how the chip lies, how the plate does, and dead axes."""

    def __init__(self, arm_m: Vector = ON_THE_PIVOT, spin_gain: float = 1.0) -> None:
        """As Attitude's."""
        self._arm_m, self._spin_gain = arm_m, spin_gain
        self._axes = AxisWatch()
        self._set_mounting(FLAT)

    def _set_mounting(self, mounting: Mounting) -> None:
        self._mounting = mounting
        self._attitude = Attitude(self._arm_m, self._spin_gain)

    def mount(self, mounting: Mounting) -> None:
        """Read the chip as lying like that from now on."""
        if mounting != self._mounting:
            self._set_mounting(mounting)

    def restart(self) -> None:
        """The readings were interrupted."""
        self._attitude.restart()
        self._axes.restart()

    def motion(
        self,
        time_s: float,
        accel: Sequence[int],
        gyro: Sequence[int],
        scales: tuple[float, float],
        temperature_c: float,
    ) -> Motion | None:
        """Of one reading. ``scales``: m/s2 and rad/s of a step. None after an axis was dead until
        all have moved. Raises PartReadingError for a dead axis.
        """
        self._axes.update(accel)
        m_s2, rad_s = scales
        force = self._mounting.on_plate((accel[0] * m_s2, accel[1] * m_s2, accel[2] * m_s2))
        rate = self._mounting.on_plate((gyro[0] * rad_s, gyro[1] * rad_s, gyro[2] * rad_s))
        pose = self._attitude.update(time_s, force, rate)
        if not self._axes.trusted:
            self._attitude.restart()  # what it followed until now was no gravity
            return None
        return Motion(pose.tilt_rad, force, pose.rate_rad_s, temperature_c, pose.spin_rad)


class InertialSensor(ABC):
    """A tilt sensor. Opens and sets the chip up at the first read, and again after a failure.

    ``NAME``: of the chip, at its address ``LOW`` where ``PIN`` is at ground. ``RESET_S`` and
    ``SETTLE_S``: how long each phase of the start takes. ``SCALES``: m/s2 and rad/s of a step.
    """

    NAME: ClassVar[str]
    PIN: ClassVar[str]
    LOW: ClassVar[int]
    RESET_S: ClassVar[float]
    SETTLE_S: ClassVar[float]
    SCALES: ClassVar[tuple[float, float]]

    def __init__(self, settings: ImuSettings, buses: Buses) -> None:
        self._bus_number = settings.i2c_bus
        self._address = settings.address
        self._fusion = Fusion(settings.arm_m, settings.spin_gain)
        self._buses = buses
        self._clock = buses.clock
        self._bus: SMBus | None = None
        self._phase = Phase.RESET
        self._phase_ends_s = 0.0
        self._check_s = 0.0
        self._last = b""

    def mount(self, mounting: Mounting) -> None:
        """Read the chip as lying like that from now on."""
        self._fusion.mount(mounting)

    def read(self) -> Motion | None:
        """One reading; None while the chip comes up (``RESET_S`` and ``SETTLE_S`` after the start),
        and after an axis was dead until all have moved (nothing blocks).

        Raises PartAbsentError if the chip or its bus does not answer, WrongPartError if another
        chip does, PartReadingError if the values cannot be or the chip lost its settings.
        """
        try:
            bus = self._bus or self._open()
            if self._phase is not Phase.UP and not self._start(bus):
                return None
            return self._measure(bus)
        except PartError:
            self.close()
            raise
        except (OSError, ImportError) as error:
            self.close()
            raise lost_on_i2c("imu", error, self._bus_number, self._silent()) from error

    def close(self) -> None:
        """Give the bus back; the next read starts afresh."""
        if self._bus is not None:
            self._bus.close()
            self._bus = None
        self._phase = Phase.RESET

    # What each chip does its own way

    @abstractmethod
    def _identify(self, bus: SMBus) -> None:
        """Raise WrongPartError for another chip, PartReadingError for no answer at all."""

    @abstractmethod
    def _reset(self, bus: SMBus) -> None:
        """Have the chip begin its reset."""

    @abstractmethod
    def _set_up(self, bus: SMBus) -> None:
        """Write the settings."""

    @abstractmethod
    def _keeps_settings(self, bus: SMBus) -> bool:
        """Whether the registers still hold them."""

    @abstractmethod
    def _burst(self, bus: SMBus) -> bytes:
        """All values at once."""

    @abstractmethod
    def _values(self, raw: bytes) -> tuple[Words, Words, float]:
        """Steps of the accelerometer, of the gyroscope, and degrees Celsius."""

    # What all do

    def _silent(self) -> PartAbsentError:
        return PartAbsentError(
            "imu",
            "The tilt sensor does not answer at {address:#04x} on I2C bus {bus}.",
            remedy="Check its plug and its 3.3 V; the pin {pin} must be at ground for {low:#04x}.",
            address=self._address,
            bus=self._bus_number,
            pin=self.PIN,
            low=self.LOW,
        )

    def _other_chip(self, identity: int) -> WrongPartError:
        return WrongPartError(
            "imu",
            "The chip at {address:#04x} on I2C bus {bus} is no {chip}"
            " (it calls itself {identity:#04x}).",
            remedy="Fit an {chip}, or name the right chip and its address in the profile.",
            address=self._address,
            bus=self._bus_number,
            chip=self.NAME,
            identity=identity,
        )

    def _impossible(self, value: int) -> PartReadingError:
        """Every byte is ``value``."""
        return PartReadingError(
            "imu",
            "The tilt sensor's values are impossible (all bytes {value:#04x}).",
            remedy="Check its plug; if the wires are right, replace the {chip}.",
            value=value,
            chip=self.NAME,
        )

    def _identity(self, bus: SMBus, register: int) -> int:
        identity: int = bus.read_byte_data(self._address, register)
        if identity in (0x00, 0xFF):
            raise PartReadingError(
                "imu",
                "The tilt sensor answers with nothing but {value:#04x}.",
                remedy="Check the wires of SDA, SCL and ground.",
                value=identity,
            )
        return identity

    def _open(self) -> SMBus:
        self._bus = bus = self._buses.i2c(self._bus_number)
        self._identify(bus)
        self._reset(bus)
        self._phase, self._phase_ends_s = Phase.RESET, self._clock.now() + self.RESET_S
        self._last = b""
        self._fusion.restart()
        return bus

    def _start(self, bus: SMBus) -> bool:
        """Once the reset is over, wake and set up; True once the first values are there."""
        now_s = self._clock.now()
        if now_s < self._phase_ends_s:
            return False
        if self._phase is Phase.RESET:
            self._set_up(bus)
            self._check_settings(bus, now_s)
            self._phase, self._phase_ends_s = Phase.SETTLE, now_s + self.SETTLE_S
            return False
        self._phase = Phase.UP
        return True

    def _measure(self, bus: SMBus) -> Motion | None:
        now_s = self._clock.now()
        raw = self._burst(bus)
        if raw.count(0xFF) == BURST:
            raise self._impossible(0xFF)
        zeros = raw.count(0x00) == BURST
        # A chip whose power failed sleeps, with zeros or with its last values.
        if zeros or raw == self._last or now_s >= self._check_s:
            self._check_settings(bus, now_s)
            if zeros:
                raise self._impossible(0x00)
        self._last = raw
        accel, gyro, temperature_c = self._values(raw)
        return self._fusion.motion(now_s, accel, gyro, self.SCALES, temperature_c)

    def _check_settings(self, bus: SMBus, now_s: float) -> None:
        """Raise WrongPartError for another chip, PartReadingError if registers were lost."""
        self._identify(bus)
        kept = self._keeps_settings(bus)
        self._check_s = now_s + CHECK_EVERY_S
        if not kept:
            raise PartReadingError(
                "imu",
                "The tilt sensor lost its settings: its power failed for a moment.",
                remedy="If this comes back, check its plug, its 3.3 V and its ground.",
            )

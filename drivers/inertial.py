"""The common part of the drivers for tilt sensors.

The class converts the chip's raw values to motion. It also starts a chip on I2C, repeats doubtful
readings, and detects a loss of power.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, ClassVar, Final

from tiltboard.drivers.attitude import FLAT, ON_THE_PIVOT, Attitude, AxisWatch, Mounting, Vector
from tiltboard.drivers.buses import Buses
from tiltboard.drivers.errors import (
    LastingPartError,
    PartAbsentError,
    PartError,
    PartReadingError,
    WrongPartError,
    answering,
    lost_on_i2c,
)
from tiltboard.drivers.frame import Motion

if TYPE_CHECKING:
    from smbus2 import SMBus

# Size of one burst in bytes. A burst has seven 16-bit values: three accelerations, three rates of
# turn and the temperature.
BURST: Final = 14
CHECK_EVERY_S: Final = 0.25
# Maximum plausible changes between two readings, in m/s2 and rad/s. After a larger change, the
# driver reads the chip again, because a byte may be damaged.
JUMP_M_S2: Final = 1.5
JUMP_RAD_S: Final = 0.3

# The address of a register, and the bytes for this register and the following registers.
Bytes = tuple[int, bytes]


class Fusion:
    """Computes the plate's Motion from a chip's raw values and the chip's mounting, and finds dead
    axes.
    """

    def __init__(self, arm_m: Vector = ON_THE_PIVOT, spin_gain: float = 1.0) -> None:
        """Store ``arm_m``, the vector from the pivot to the sensor, and ``spin_gain``, the measured
        rate about z divided by the true rate.
        """
        self._arm_m, self._spin_gain = arm_m, spin_gain
        self._axes = AxisWatch()
        self._mounting = FLAT
        self._attitude = Attitude(arm_m, spin_gain)

    def mount(self, mounting: Mounting) -> None:
        """Set the chip's orientation on the plate for all further readings."""
        if mounting != self._mounting:
            self._mounting = mounting
            self._attitude = Attitude(self._arm_m, self._spin_gain)

    def restart(self) -> None:
        """Discard the last readings after the readings were interrupted."""
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
        """Return the motion from one reading. After an axis was found dead, return None until every
        axis has changed again.

        ``scales``: acceleration in m/s2 and rate in rad/s per raw step. Raises PartReadingError for
        a dead axis.
        """
        self._axes.update(accel)
        m_s2, rad_s = scales
        force = self._mounting.on_plate((accel[0] * m_s2, accel[1] * m_s2, accel[2] * m_s2))
        rate = self._mounting.on_plate((gyro[0] * rad_s, gyro[1] * rad_s, gyro[2] * rad_s))
        pose = self._attitude.update(time_s, force, rate)
        if not self._axes.trusted:
            self._attitude.restart()  # Discard the estimate: a dead axis made it wrong.
            return None
        return Motion(pose.tilt_rad, force, pose.rate_rad_s, temperature_c, pose.spin_rad)


@dataclass(frozen=True, slots=True)
class Variant:
    """A version of a chip with its own answer to WHO_AM_I.

    Temperature in C = steps / ``steps_per_c`` + ``offset_c``.
    """

    steps_per_c: float
    offset_c: float
    extra: tuple[Bytes, ...] = ()
    """Settings that only this variant needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """The data sheet's facts about one kind of chip."""

    name: str
    pin: str
    """Name of the address pin. If this pin is tied to ground, the chip has the address ``low``."""
    low: int
    who_am_i: int
    variants: Mapping[int, Variant]
    """Maps each valid value of the register ``who_am_i`` to a variant of the chip."""
    reset: Bytes
    """The bytes that reset the chip, with the address of their register. The reset takes
    ``reset_s`` seconds.
    """
    reset_s: float
    settings: tuple[Bytes, ...]
    """The settings to write after the reset and to verify later, with the addresses of their
    registers. Readings are valid ``settle_s`` seconds after the settings were written.
    """
    settle_s: float
    burst: int
    """Address of the first register of the burst, which contains all values in the format
    ``words``.

    ``accel``, ``gyro`` and ``thermometer`` are indexes of the values in the burst.
    """
    words: Struct
    accel: int
    gyro: int
    thermometer: int
    scales: tuple[float, float]
    """Acceleration in m/s2 and rate in rad/s per step."""


class InertialSensor:
    """A tilt sensor on I2C, of the kind ``CHIP``. Opens its bus and sets up the chip at the first
    read, and again after a failure.

    ``address``: 0x68 (AD0 low) or 0x69 (AD0 high) on an MPU-6050, 0x6A (SA0 low) or 0x6B (SA0 high)
    on an LSM6DSOX. ``arm_m``: vector from the pivot to the sensor. ``spin_gain``: measured rate
    about z divided by the true rate.
    """

    CHIP: ClassVar[Chip]

    def __init__(
        self,
        buses: Buses,
        i2c_bus: int,
        address: int,
        arm_m: Vector = ON_THE_PIVOT,
        spin_gain: float = 1.0,
    ) -> None:
        self._buses = buses
        self._bus_number = i2c_bus
        self._address = address
        self._fusion = Fusion(arm_m, spin_gain)
        self._clock = buses.clock
        self._bus: SMBus | None = None
        self._variant = next(iter(self.CHIP.variants.values()))
        # Time at which the chip has finished its reset, or at which the gyroscope and filters have
        # settled.
        self._ready_s = 0.0
        self._is_set_up = False
        self._check_s = 0.0
        self._last = b""

    def mount(self, mounting: Mounting) -> None:
        """Set the chip's orientation on the plate for all further readings."""
        self._fusion.mount(mounting)

    def read(self) -> Motion | None:
        """Return one reading without waiting, or None while the chip starts or recovers.

        The chip needs ``reset_s`` plus ``settle_s`` seconds to start. After an axis was found dead,
        the method returns None until every axis has changed again.

        Raises PartAbsentError if the chip or its bus does not answer, WrongPartError if another
        chip answers, and PartReadingError for impossible values. Raises LastingPartError if the
        chip lost its settings or an axis is dead.
        """
        try:
            bus = self._bus or self._open()
            now_s = self._clock.now()
            if now_s < self._ready_s:
                return None
            if not self._is_set_up:
                self._set_up(bus, now_s)
                return None
            return self._measure(bus, now_s)
        except PartError:
            self.close()
            raise
        except (OSError, ImportError) as error:
            silent = self._silent(answering(self._bus, error))
            self._let_go()
            raise lost_on_i2c("imu", error, self._bus_number, silent) from error

    def close(self) -> None:
        """Release the bus. The next read starts the chip again."""
        self._is_set_up = False
        self._let_go()

    def _let_go(self) -> None:
        if self._bus is not None:
            self._bus.close()
            self._bus = None

    def _silent(self, there: tuple[int, ...] | None) -> PartError:
        """Return the error for a chip that does not answer.

        ``there``: addresses that answer on the bus, or None if unknown.
        """
        known: dict[str, object] = {"address": self._address, "bus": self._bus_number}
        known |= {"pin": self.CHIP.pin, "low": self.CHIP.low, "high": self.CHIP.low + 1}
        other = self.CHIP.low + (self._address == self.CHIP.low)
        if there and other in there and self._is_at(other):
            return WrongPartError(
                "imu",
                "The tilt sensor answers at {other:#04x} on I2C bus {bus}, not at {address:#04x}.",
                remedy="Write address = {other:#04x} under [imu] into the profile, or rewire the"
                " pin {pin}: ground for {low:#04x}, 3.3 V for {high:#04x}.",
                other=other,
                **known,
            )
        return PartAbsentError(
            "imu",
            "The tilt sensor does not answer at {address:#04x} on I2C bus {bus}.",
            remedy="Check its plug and its 3.3 V; the pin {pin} must be at ground for {low:#04x},"
            " at 3.3 V for {high:#04x}.",
            nobody=there == (),
            **known,
        )

    def _is_at(self, address: int) -> bool:
        """Return whether the chip at ``address`` is of this kind."""
        try:
            identity = self._bus and self._bus.read_byte_data(address, self.CHIP.who_am_i)
        except OSError:
            return False
        return identity in self.CHIP.variants

    def _impossible(self, value: int) -> PartReadingError:
        """Return the error for a reading whose bytes are all ``value``."""
        return PartReadingError(
            "imu",
            "The tilt sensor's values are impossible (all bytes {value:#04x}).",
            remedy="Check its plug; if the wires are right, replace the {chip}.",
            value=value,
            chip=self.CHIP.name,
        )

    def _identify(self, bus: SMBus) -> None:
        """Read the chip's identity. Raises WrongPartError for another chip. Raises PartReadingError
        if the chip only returns 0x00 or 0xFF.
        """
        chip = self.CHIP
        identity: int = bus.read_byte_data(self._address, chip.who_am_i)
        if identity not in chip.variants:
            identity = bus.read_byte_data(self._address, chip.who_am_i)
        if identity in (0x00, 0xFF):
            raise PartReadingError(
                "imu",
                "The tilt sensor answers with nothing but {value:#04x}.",
                remedy="Check the wires of SDA, SCL and ground.",
                value=identity,
            )
        if identity not in chip.variants:
            raise WrongPartError(
                "imu",
                "The chip at {address:#04x} on I2C bus {bus} is no {chip}"
                " (it calls itself {identity:#04x}).",
                remedy="Fit an {chip}, or name the right chip and its address in the profile.",
                address=self._address,
                bus=self._bus_number,
                chip=chip.name,
                identity=identity,
            )
        self._variant = chip.variants[identity]

    def _write(self, bus: SMBus, register: int, data: bytes) -> None:
        bus.write_i2c_block_data(self._address, register, list(data))

    def _open(self) -> SMBus:
        """Open the bus. If the chip still has all its settings, let the chip continue to measure.
        Otherwise, reset the chip.
        """
        self._bus = bus = self._buses.i2c(self._bus_number)
        self._identify(bus)
        if not (self._is_set_up and self._keeps_settings(bus)):
            self._write(bus, *self.CHIP.reset)
            self._is_set_up, self._ready_s = False, self._clock.now() + self.CHIP.reset_s
            self._last = b""
            self._fusion.restart()
        return bus

    def _set_up(self, bus: SMBus, now_s: float) -> None:
        """Write the settings after the chip's reset and verify them."""
        for setting in self._settings:
            self._write(bus, *setting)
        self._check_settings(bus, now_s)
        self._is_set_up, self._ready_s = True, now_s + self.CHIP.settle_s

    @property
    def _settings(self) -> tuple[Bytes, ...]:
        return (*self.CHIP.settings, *self._variant.extra)

    def _burst(self, bus: SMBus) -> bytes:
        return bytes(bus.read_i2c_block_data(self._address, self.CHIP.burst, BURST))

    def _jumps(self, raw: bytes) -> bool:
        """Return whether an acceleration or a rate in ``raw`` differs from the last burst by more
        than JUMP_M_S2 or JUMP_RAD_S.
        """
        chip = self.CHIP
        pairs = tuple(zip(chip.words.unpack(raw), chip.words.unpack(self._last), strict=True))
        return any(
            abs(now - last) * step > most
            for first, step, most in zip(
                (chip.accel, chip.gyro), chip.scales, (JUMP_M_S2, JUMP_RAD_S), strict=True
            )
            for now, last in pairs[first : first + 3]
        )

    def _measure(self, bus: SMBus, now_s: float) -> Motion | None:
        chip, variant = self.CHIP, self._variant
        raw = self._burst(bus)
        if self._last and self._jumps(raw):
            # If the jump is real, the second reading also shows the jump. If a byte was damaged on
            # the bus, the second reading does not.
            raw = self._burst(bus)
        if raw.count(0xFF) == BURST:
            raise self._impossible(0xFF)
        zeros = raw.count(0x00) == BURST
        # A chip that lost its power sleeps, and returns zeros or its last values.
        if zeros or raw == self._last or now_s >= self._check_s:
            self._check_settings(bus, now_s)
            if zeros:
                raise self._impossible(0x00)
        self._last = raw
        words = chip.words.unpack(raw)
        accel, gyro = words[chip.accel : chip.accel + 3], words[chip.gyro : chip.gyro + 3]
        warm_c = words[chip.thermometer] / variant.steps_per_c + variant.offset_c
        return self._fusion.motion(now_s, accel, gyro, chip.scales, warm_c)

    def _check_settings(self, bus: SMBus, now_s: float) -> None:
        """Verify the chip's identity and settings. Raises WrongPartError for another chip,
        LastingPartError if the chip lost its settings.
        """
        self._identify(bus)
        self._check_s = now_s + CHECK_EVERY_S
        if not (self._keeps_settings(bus) or self._keeps_settings(bus)):
            raise LastingPartError(
                "imu",
                "The tilt sensor lost its settings: its power failed for a moment.",
                remedy="If this comes back, check its plug, its 3.3 V and its ground.",
            )

    def _keeps_settings(self, bus: SMBus) -> bool:
        return all(
            bytes(bus.read_i2c_block_data(self._address, register, len(data))) == data
            for register, data in self._settings
        )

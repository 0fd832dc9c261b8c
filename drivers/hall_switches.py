"""Drivers for Hall switches, which detect the pole of a magnet. The switches are wired to port
expanders or in a matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from tiltboard.drivers.buses import Buses, Pin
from tiltboard.drivers.errors import (
    EXPANDERS,
    LastingPartError,
    PartAbsentError,
    PartError,
    PartReadingError,
    WrongPartError,
    absent,
    answering,
    lost_on_i2c,
)

if TYPE_CHECKING:
    from smbus2 import SMBus


# MCP23017: sixteen inputs on I2C (Microchip DS20001952).
#
# The driver uses the register layout after power-on, IOCON.BANK = 0. In this layout, the registers
# of both ports alternate, so that one burst reads both ports. The eighth line of each port, GPA7
# and GPB7, can only be an output. The driver sets this line low, and nothing is connected to it.

# Register addresses with IOCON.BANK = 0 (table 3-1). Port B's register follows port A's.
IODIRA: Final = 0x00
IOCON: Final = 0x0A
GPPUA: Final = 0x0C
GPIOA: Final = 0x12
OLATA: Final = 0x14
IOCON_BANK_1: Final = 0x05  # Address of IOCON if BANK is 1. With BANK 0 this address is GPINTENB.

INPUTS: Final = 7  # Number of usable inputs per port.

# Values of successive registers, starting with IODIRA. The internal pull-ups of about 100 kilohm
# (GPPU) make a broken wire read as open instead of at random.
SETTINGS: Final = bytes(
    (
        *(0x7F, 0x7F),  # IODIR: seven inputs per port. The value after a reset is 0xFF.
        *(0x00, 0x00),  # IPOL: no input is inverted.
        *(0x00, 0x00),  # GPINTEN: interrupts are off.
        *(0x00, 0x00),  # DEFVAL has no effect without interrupts.
        *(0x00, 0x00),  # INTCON has no effect without interrupts.
        # IOCON, one register with two addresses: BANK is 0 and the address pointer advances, as
        # after a reset.
        *(0x00, 0x00),
        *(0x7F, 0x7F),  # GPPU: every input has a pull-up.
    )
)


# A Hall array of switches: one switch for each pole under each place, and one MCP23017 per row.
#
# In a pair of DRV5023 (TI SLIS151), one switch pulls its output low under a south pole. The other
# switch is mounted face down and pulls its output low under a north pole. An AH1889 (Diodes) has
# an output for each pole; OUTPUT1 is the output for south. Both kinds of chips measure continuously
# and never sleep. Column ``k`` of a row is bit ``k``: north on GPA, south on GPB.

# A switch detects the pole but not the strength of a magnet. The driver reports a closed switch as
# the field of a centred piece (docs/add-a-board.md), so that the rest of the program needs no
# special case for switches.
CLOSED_MT: Final = 12.1
# Field in mT that is reported if both switches of a place are closed. No magnet closes both
# switches, so a wire is shorted or a switch is broken. No class of pieces has this field.
CONTRADICTION_MT: Final = 4.4


def field_mt(north: bool, south: bool) -> float:
    """Return the field in mT for the states of a place's two switches.

    ``north``, ``south``: True if the switch for that pole is closed. The field is negative for a
    north pole and 0 if both switches are open. The field is ``CONTRADICTION_MT`` if both switches
    are closed.
    """
    if north:
        return CONTRADICTION_MT if south else -CLOSED_MT
    return CLOSED_MT if south else 0.0


@cache
def _row_mt(north: int, south: int, columns: int) -> tuple[float, ...]:
    """Return the fields of one row in mT, computed from the levels of the two ports of the row's
    chip. A closed switch pulls its bit low.
    """
    return tuple(
        field_mt(not north >> column & 1, not south >> column & 1) for column in range(columns)
    )


class SwitchArray:
    """Driver of Hall switches that are wired to MCP23017 chips.

    Sets up the chips at the first read, and again after any failure.

        >>> from tiltboard.testing import Bench
        >>> with Bench("plate-7") as bench:  # on a Pi: PiBuses()
        ...     bench.put("south", "b1")
        ...     SwitchArray(bench.buses, 1, range(0x20, 0x27), columns=7).read()[:3]
        (0.0, 12.1, 0.0)

    ``addresses``: I2C address of each row's chip, row 1 first. ``columns``: number of columns, 1
    to 7; ValueError otherwise. Each read also verifies the settings of one chip in turn and of each
    chip whose lines have changed, because a chip with wrong settings can hide pieces.
    """

    def __init__(self, buses: Buses, i2c_bus: int, addresses: Sequence[int], columns: int) -> None:
        if not addresses or not 1 <= columns <= INPUTS:
            raise ValueError(
                f"{len(addresses)} chips, {columns} columns; a port has {INPUTS} inputs"
            )
        self._buses = buses
        self._i2c_bus, self._addresses, self._columns = i2c_bus, addresses, columns
        self._bus: SMBus | None = None
        self._row = 0  # Index of the row that is being read, for error messages.
        self._scans = 0
        self._levels: list[bytes] = []  # Levels of both ports of each row at the last read.
        self.temperature_c: float | None = None

    def read(self) -> tuple[float, ...]:
        """Return the field at each sensor in mT, as ``field_mt`` computes it, in index order.

        Raises PartAbsentError if a chip or the bus does not answer. Raises WrongPartError if a chip
        does not keep its settings at the start, or answers at another address. Raises
        LastingPartError if a chip has lost its settings. Individual sensors are not checked.
        """
        try:
            bus = self._bus or self._open()
            levels: list[bytes] = []
            for row, address in enumerate(self._addresses):
                self._row = row
                levels.append(bytes(bus.read_i2c_block_data(address, GPIOA, 2)))
            before, self._levels = self._levels or levels, levels
            in_turn = self._scans % len(self._addresses)
            self._scans += 1
            for row, (now, last) in enumerate(zip(levels, before, strict=True)):
                if row == in_turn or now != last:
                    self._check_settings(bus, row)
            field: list[float] = []
            for north, south in levels:
                field += _row_mt(north, south, self._columns)
        except PartError:
            self.close()
            raise
        except (OSError, ImportError) as error:
            silent = self._silent(answering(self._bus, error))
            self.close()
            raise lost_on_i2c("hall", error, self._i2c_bus, silent) from error
        return tuple(field)

    def close(self) -> None:
        """Release the bus. The next read sets the chips up again."""
        if self._bus is not None:
            self._bus.close()
            self._bus = None

    def _silent(self, there: tuple[int, ...] | None) -> PartError:
        """Return the error for the current row's chip, which does not answer.

        ``there``: addresses that answer on the bus, or None if unknown.
        """
        address = self._addresses[self._row]
        known: dict[str, object] = {"row": self._row + 1, "address": address, "bus": self._i2c_bus}
        ours = {*self._addresses}
        if there == () or (there and len(ours) > 1 and ours.isdisjoint(there)):
            return PartAbsentError(
                "hall",
                "I2C bus {bus} with the sensors' chips does not answer.",
                remedy="Check what they share: 3.3 V, ground, RESET at 3.3 V, SDA and SCL.",
                nobody=not there,
                **known,
            )
        strange = [each for each in there or () if each in EXPANDERS and each not in ours]
        if len(strange) == 1:
            return WrongPartError(
                "hall",
                "The sensors' chip of row {row} does not answer at {address:#04x} on I2C bus"
                " {bus}, but one answers at {other:#04x}.",
                remedy="Rewire its pins A0, A1, A2 (A0 counts 1, A1 2, A2 4, from 0x20 on), or name"
                " its address in the profile.",
                other=strange[0],
                **known,
            )
        return PartAbsentError(
            "hall",
            "The sensors' chip of row {row} does not answer at {address:#04x} on I2C bus {bus}.",
            remedy="Check the MCP23017's plug, its 3.3 V, RESET at 3.3 V, and its pins A0, A1, A2.",
            **known,
        )

    def _keeps_settings(self, bus: SMBus, row: int) -> bool:
        kept = bus.read_i2c_block_data(self._addresses[row], IODIRA, len(SETTINGS))
        return bytes(kept) == SETTINGS

    def _check_settings(self, bus: SMBus, row: int) -> None:
        """Raise LastingPartError if two successive readings show that the row's chip has lost a
        setting.
        """
        self._row = row
        if self._keeps_settings(bus, row) or self._keeps_settings(bus, row):
            return
        raise LastingPartError(
            "hall",
            "The sensors' chip of row {row} lost its settings: its power failed for a moment.",
            remedy="If this comes back, check the 3.3 V, the ground and the RESET pin of the"
            " MCP23017 at {address:#04x}.",
            row=row + 1,
            address=self._addresses[row],
        )

    def _open(self) -> SMBus:
        self._bus = bus = self._buses.i2c(self._i2c_bus)
        self._levels = []
        for row, address in enumerate(self._addresses):
            self._row = row
            # An earlier program may have left other settings. The chip has no reset command on I2C,
            # so overwrite these settings first.
            bus.write_byte_data(address, IOCON_BANK_1, 0x00)
            bus.write_byte_data(address, IOCON, 0x00)
            bus.write_i2c_block_data(address, OLATA, [0x00, 0x00])
            bus.write_i2c_block_data(address, IODIRA, list(SETTINGS))
            if not self._keeps_settings(bus, row):
                raise WrongPartError(
                    "hall",
                    "The chip of row {row} at {address:#04x} on I2C bus {bus} does not keep its"
                    " settings: it is not an MCP23017, or it is broken.",
                    remedy="Fit an MCP23017 there, with RESET at 3.3 V, and check its supply.",
                    row=row + 1,
                    address=address,
                    bus=self._i2c_bus,
                )
        return bus


# The Hall array of a first breadboard: switches in a matrix of rows and columns on GPIO.
#
# Each place has one switch that a north pole closes and one switch that a south pole closes. A
# diode in series with each switch lets current flow only from the switch's column to its row. The
# driver pulls one row low at a time. Every other line is an input with the Pi's pull-up. A column
# that reads low has a closed switch in the row that is low.
#
# Without the diodes, three closed corners of a rectangle would pull the fourth corner low as well
# (a ghost). The current of a ghost flows through another row, which then reads low, too. So the
# driver also reads the other rows and never takes a ghost for a piece.

# Settling time of a line, in seconds. A column that was low rises through the Pi's pull-up, at most
# 73 kilohm (BCM2711 ARM Peripherals, table of pads: 33 to 73 kilohm). With about 100 pF of wires,
# breadboard and diodes, the column reaches 1.6 V of 3.3 V after 0.66 time constants of 7.3 us.
SETTLING_S: Final = 10e-6


class SwitchMatrix:
    """Driver of Hall switches in a matrix.

    Claims its lines at the first read and again after any failure.

        >>> from tiltboard.testing import Bench
        >>> rows, north, south = (5, 6, 13, 19, 26), (16, 20, 21, 25, 7), (4, 17, 18, 27, 22)
        >>> with Bench("matrix-gpio") as bench:  # on a Pi: PiBuses()
        ...     bench.put("north", "b1")
        ...     SwitchMatrix(bench.buses, rows, north, south).read()[:3]
        (0.0, -12.1, 0.0)

    ``row_pins``: GPIO number of each row, row 1 first. ``north_pins``, ``south_pins``: GPIO
    numbers of each column, column a first. Raises ValueError without rows or columns, or if a
    column lacks one of its two pins.
    """

    def __init__(
        self,
        buses: Buses,
        row_pins: Sequence[int],
        north_pins: Sequence[int],
        south_pins: Sequence[int],
    ) -> None:
        if not row_pins or not north_pins or len(north_pins) != len(south_pins):
            raise ValueError("a matrix needs rows, and a north and a south pin for each column")
        self._buses = buses
        self._clock = buses.clock
        self._numbers = (*row_pins, *north_pins, *south_pins)
        self._row_count, self._column_count = len(row_pins), len(north_pins)
        self._pins: list[Pin] = []  # Claimed lines, in the order of ``_numbers``.
        self.temperature_c: float | None = None

    def read(self) -> tuple[float, ...]:
        """Scan the matrix and return the field at each place in mT, as ``field_mt`` computes it.

        Raises PartAbsentError if a line cannot be used. Raises PartReadingError if a line is held
        low, or if current flows through a row that is not driven. Individual switches are not
        checked.
        """
        try:
            if not self._pins:
                self._open()
            for number, pin in zip(self._numbers, self._pins, strict=True):
                if not pin.state:  # No row is driven at this moment, so every line must be high.
                    raise PartReadingError(
                        "hall",
                        "GPIO{pin} of the sensors' matrix is held low.",
                        remedy="Look for a short to ground, or for its wire in the wrong hole.",
                        pin=number,
                    )
            field: list[float] = []
            for row in range(self._row_count):
                field += self._read_row(row)
        except PartError:
            self.close()
            raise
        except (OSError, ImportError) as error:
            self.close()
            raise absent("hall", error, "GPIO") from error
        return tuple(field)

    def close(self) -> None:
        """Release the lines, which then float. The next read claims them again."""
        pins, self._pins = self._pins, []
        for pin in pins:
            pin.close()

    def _open(self) -> None:
        for number in self._numbers:
            pin = self._buses.pin_factory.pin(number)
            self._pins.append(pin)
            pin.input_with_pull("up")
        self._clock.sleep(SETTLING_S)

    def _read_row(self, row: int) -> list[float]:
        rows, columns = self._pins[: self._row_count], self._pins[self._row_count :]
        rows[row].output_with_state(0)
        self._clock.sleep(SETTLING_S)
        closed = [not pin.state for pin in columns]
        low = [other for other, pin in enumerate(rows) if other != row and not pin.state]
        rows[row].input_with_pull("up")
        self._clock.sleep(SETTLING_S)
        if low:
            raise PartReadingError(
                "hall",
                "Current flows from row {other} of the sensors' matrix into row {row}, where the"
                " diodes should stop it.",
                remedy="Check the diodes of row {other}: each must be there, its ring toward the"
                " row's wire, and none shorted.",
                row=row + 1,
                other=low[0] + 1,
            )
        north, south = closed[: self._column_count], closed[self._column_count :]
        return [field_mt(*poles) for poles in zip(north, south, strict=True)]

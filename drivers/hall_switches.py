"""The Hall array of switches: an AH1889 under each place, an MCP23017 for each row.

AH1889 (Diodes Incorporated) pulls OUTPUT1 low over a south pole and OUTPUT2 over a north pole,
without sleeping between looks. Column ``k`` of a row is bit ``k``: north on GPA, south on GPB.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from drivers.buses import Buses
from drivers.errors import PartAbsentError, PartError, PartReadingError, WrongPartError
from drivers.i2c_loss import lost_on_i2c
from drivers.mcp23017 import INPUTS, Mcp23017

if TYPE_CHECKING:
    from smbus2 import SMBus

# A switch tells a pole, no strength. What stands for a closed one is what a piece's magnet reads,
# centred (HARDWARE, pieces and the field), so that the rest of the table need not know.
CLOSED_MT: Final = 12.1
# No magnet has both poles down: a wire is shorted, or the switch is broken. This stands for it, as
# it lies between all classes.
CONTRADICTION_MT: Final = 4.4


def field_mt(north: bool, south: bool) -> float:
    """What stands in Frame.field_mt for two switches: 0 with both open; north is negative."""
    if north:
        return CONTRADICTION_MT if south else -CLOSED_MT
    return CLOSED_MT if south else 0.0


@dataclass(frozen=True, slots=True)
class SwitchSettings:
    """``addresses``: of the chip of each row, from row 1 on; ``columns``: inputs used, 1 to 7."""

    i2c_bus: int
    addresses: tuple[int, ...]
    columns: int

    def __post_init__(self) -> None:
        if not self.addresses:
            raise ValueError("no chip")
        if not 1 <= self.columns <= INPUTS:
            raise ValueError(f"{self.columns} columns; a port has {INPUTS} inputs")


class SwitchArray:
    """The sensors of the plate. Sets the chips up at the first read, again after any failure.

    Each read also asks one chip in turn whether it was reset, so that all are asked in a round.
    """

    def __init__(self, settings: SwitchSettings, buses: Buses) -> None:
        self._settings = settings
        self._buses = buses
        self._bus: SMBus | None = None
        self._chips: tuple[Mcp23017, ...] = ()
        self._row = 0  # that is being used
        self._scans = 0
        self._known: dict[tuple[int, int], tuple[float, ...]] = {}
        self.temperature_c: float | None = None

    def read(self) -> tuple[float, ...]:
        """The pole over each sensor as ``field_mt`` gives it, in index order.

        Raises PartAbsentError if a chip or the bus does not answer, WrongPartError if one does not
        keep its settings, PartReadingError if one was reset. Does not judge single sensors.
        """
        try:
            if self._bus is None:
                self._open()
            field: list[float] = []
            for row, chip in enumerate(self._chips):
                self._row = row
                levels = chip.read()
                field += self._known.get(levels) or self._understand(levels)
            self._row = self._scans % len(self._chips)
            self._scans += 1
            if not self._chips[self._row].is_set_up():
                raise self._was_reset()
        except PartError:
            self.close()
            raise
        except (OSError, ImportError) as error:
            self.close()
            raise lost_on_i2c("hall", error, self._settings.i2c_bus, self._silent()) from error
        return tuple(field)

    def close(self) -> None:
        """Give the bus back; the next read sets the chips up afresh."""
        if self._bus is not None:
            self._bus.close()
            self._bus = None

    def _open(self) -> None:
        settings = self._settings
        self._bus = bus = self._buses.i2c(settings.i2c_bus)
        self._chips = tuple(Mcp23017(bus, address) for address in settings.addresses)
        for row, chip in enumerate(self._chips):
            self._row = row
            if not chip.set_up():
                raise WrongPartError(
                    "hall",
                    "The chip of row {row} at {address:#04x} on I2C bus {bus} does not keep its"
                    " settings: it is no MCP23017, or it is broken.",
                    remedy="Fit an MCP23017 there, with RESET at 3.3 V, and check its supply.",
                    row=self._row + 1,
                    address=chip.address,
                    bus=settings.i2c_bus,
                )

    def _understand(self, levels: tuple[int, int]) -> tuple[float, ...]:
        """One row: a closed switch pulls its line low."""
        north, south = (~port for port in levels)
        row_mt = tuple(
            field_mt(bool(north >> column & 1), bool(south >> column & 1))
            for column in range(self._settings.columns)
        )
        self._known[levels] = row_mt
        return row_mt

    def _was_reset(self) -> PartReadingError:
        return PartReadingError(
            "hall",
            "The sensors' chip of row {row} lost its settings: its power failed for a moment.",
            remedy="If this comes back, check the 3.3 V, the ground and the RESET pin of the"
            " MCP23017 at {address:#04x}.",
            row=self._row + 1,
            address=self._settings.addresses[self._row],
        )

    def _silent(self) -> PartAbsentError:
        return PartAbsentError(
            "hall",
            "The sensors' chip of row {row} does not answer at {address:#04x} on I2C bus {bus}.",
            remedy="Check the MCP23017's plug, its 3.3 V, RESET at 3.3 V, and its pins A0, A1, A2.",
            row=self._row + 1,
            address=self._settings.addresses[self._row],
            bus=self._settings.i2c_bus,
        )

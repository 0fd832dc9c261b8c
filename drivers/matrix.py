"""The Hall array of a first breadboard: switches in a matrix of rows and columns, on GPIO.

Each place has two switches, one that a north pole closes and one that a south pole closes, each
with a diode in series that lets current flow from its column to its row only. One row at a time is
pulled low; every other line is an input with the Pi's pull-up, and a column that reads low has a
closed switch in that row. Without the diodes three closed corners of a rectangle pull the fourth
low as well, a ghost: the current then comes through another row, which reads low too. So the rows
that are not driven are read, and no ghost is taken for a piece.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from drivers.absence import absent
from drivers.buses import Buses, Pin
from drivers.errors import PartError, PartReadingError
from drivers.hall_switches import field_mt

# A column that was low rises through the Pi's pull-up, 65 kilohm at most (BCM2711 ARM Peripherals,
# table of pads: 33 to 73 kilohm), with about 100 pF of wires, breadboard and diodes, to 1.6 V of
# 3.3 V: 0.66 times 6.5 us.
SETTLING_S: Final = 10e-6


@dataclass(frozen=True, slots=True)
class MatrixSettings:
    """GPIO numbers: a row each, from row 1 on; two for each column, from column a on."""

    row_pins: tuple[int, ...]
    north_pins: tuple[int, ...]
    south_pins: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.row_pins or not self.north_pins or len(self.north_pins) != len(self.south_pins):
            raise ValueError("a matrix needs rows, and a north and a south pin for each column")


class SwitchMatrix:
    """The sensors of the plate. Claims its lines at the first read, again after any failure."""

    def __init__(self, settings: MatrixSettings, buses: Buses) -> None:
        self._settings = settings
        self._buses = buses
        self._clock = buses.clock
        self._rows: tuple[Pin, ...] = ()
        self._columns: tuple[Pin, ...] = ()  # north ones, then south ones
        self.temperature_c: float | None = None

    def read(self) -> tuple[float, ...]:
        """Scan the matrix: the pole over each place as ``hall_switches.field_mt`` gives it.

        Raises PartAbsentError if a line cannot be used, PartReadingError if a line is held low or
        current comes through a row that is not driven. Does not judge single switches.
        """
        try:
            if not self._columns:
                self._open()
            self._check_idle()
            field: list[float] = []
            for number in range(len(self._rows)):
                field += self._row(number)
        except PartError:
            self.close()
            raise
        except (OSError, ImportError) as error:
            self.close()
            raise absent("hall", error, "GPIO") from error
        return tuple(field)

    def close(self) -> None:
        """Let the lines float; the next read claims them again."""
        rows, self._rows = self._rows, ()
        columns, self._columns = self._columns, ()
        for pin in (*rows, *columns):
            pin.close()

    def _open(self) -> None:
        settings, factory = self._settings, self._buses.pin_factory
        numbers = (*settings.north_pins, *settings.south_pins)
        self._rows = tuple(factory.pin(number) for number in settings.row_pins)
        self._columns = tuple(factory.pin(number) for number in numbers)
        for pin in (*self._rows, *self._columns):
            pin.input_with_pull("up")
        self._clock.sleep(SETTLING_S)

    def _check_idle(self) -> None:
        """With no row driven, nothing pulls a line low."""
        settings = self._settings
        numbers = (*settings.row_pins, *settings.north_pins, *settings.south_pins)
        for number, pin in zip(numbers, (*self._rows, *self._columns), strict=True):
            if not pin.state:
                raise PartReadingError(
                    "hall",
                    "GPIO{pin} of the sensors' matrix is held low.",
                    remedy="Look for a short to ground, or a wire of its in another pin's hole.",
                    pin=number,
                )

    def _row(self, number: int) -> list[float]:
        driven = self._rows[number]
        driven.output_with_state(0)
        self._clock.sleep(SETTLING_S)
        closed = [not pin.state for pin in self._columns]
        ghost = next(
            (other for other, pin in enumerate(self._rows) if pin is not driven and not pin.state),
            None,
        )
        driven.input_with_pull("up")
        self._clock.sleep(SETTLING_S)
        if ghost is not None:
            raise PartReadingError(
                "hall",
                "Current flows from row {other} of the sensors' matrix into row {row}, where the"
                " diodes should stop it.",
                remedy="Check the diodes of row {other}: each must be there, its ring toward the"
                " row's wire, and none shorted.",
                row=number + 1,
                other=ghost + 1,
            )
        count = len(closed) // 2
        return [field_mt(closed[k], closed[count + k]) for k in range(count)]
